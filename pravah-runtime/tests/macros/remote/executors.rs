//! Where an agent runs.

use pravah_runtime::invocation::{ExecutorHint, InvokeError, RunnerError, RunnerErrorKind};

use super::*;

fn with(target: Option<Executor>, hint: ExecutorHint) -> Invocation {
    let mut named = Target::named("researcher", "Trains?");
    named.executor = target;
    Invocation::single(named).with_executor(hint)
}

fn remote(kind: &str) -> Executor {
    Executor::remote(RunnerConfig::new(kind))
}

fn forced(executor: Executor) -> ExecutorHint {
    ExecutorHint::Force(executor)
}

/// A registry with the agent in this process, and two runners.
fn both() -> (AgentRegistry, [Arc<LoopbackRunner>; 2]) {
    let runners = ["loopback", "other"].map(|kind| {
        let context = Context::default().with_dep(script());
        Arc::new(
            LoopbackRunner::new(agents())
                .with_context(context)
                .with_kind(kind),
        )
    });
    let registry = runners.iter().fold(agents(), |registry, runner| {
        registry.with_runner(Arc::clone(runner))
    });
    (
        registry.with_remote_agent("researcher", loopback()),
        runners,
    )
}

// A18, S2.16, S2.29
#[tokio::test]
async fn a_targets_executor_beats_the_invocations_and_without_either_it_is_this_process() {
    for (target, hint, expected) in [
        (None, ExecutorHint::Auto, [0, 0]),
        (None, forced(remote("loopback")), [1, 0]),
        (Some(remote("other")), forced(remote("loopback")), [0, 1]),
        (Some(Executor::Local), forced(remote("loopback")), [0, 0]),
        (Some(remote("other")), forced(Executor::Local), [0, 1]),
    ] {
        let (registry, runners) = both();
        let run = registry.invoke(with(target, hint)).unwrap();
        let mut run = run.with_factory(Recorder::new(script()).factory());
        assert_eq!(scalar(output(run.run(ctx()).await)).content, trains());
        assert_eq!(runners.map(|runner| runner.tasks().len()), expected);
    }
}

// A18, S2.15
#[test]
fn a_runner_that_is_not_there_is_an_error_of_the_registry_and_not_of_the_invocation() {
    let invocation = with(Some(remote("sandbox")), ExecutorHint::Auto);
    assert_eq!(invocation.validate(), Ok(()));
    let (registry, _) = both();
    let error = registry.invoke(invocation.clone()).unwrap_err();
    assert!(matches!(&error, InvokeError::UnknownRunner { kind, .. } if kind == "sandbox"));
    let expected = "there is no runner `sandbox`: the registry has `loopback`, `other`";
    assert_eq!(error.to_string(), expected);
    let error = agents().invoke(invocation).unwrap_err();
    let expected = "there is no runner `sandbox`: the registry has none";
    assert_eq!(error.to_string(), expected);
}

// A18, S2.16
#[test]
fn without_a_common_place_the_error_names_what_each_allows() {
    let registry = AgentRegistry::new()
        .with_runner(LoopbackRunner::new(agents()))
        .with_remote_agent("researcher", RunnerConfig::new("a2a"));
    let error = registry.invoke(with(None, ExecutorHint::Auto)).unwrap_err();
    assert_eq!(
        error.to_string(),
        "no executor for agent `researcher`: it needs the runner `a2a`, the invocation allows any executor, and the registry has `loopback`"
    );
    let error = registry
        .invoke(with(None, forced(Executor::Local)))
        .unwrap_err();
    assert!(
        error
            .to_string()
            .contains("the invocation allows the local one alone"),
        "{error}"
    );
    let unknown = Invocation::single(Target::named("nobody", "Hello"));
    let error = registry.invoke(unknown).unwrap_err();
    let expected = "there is no agent `nobody`: the registry has `researcher`";
    assert_eq!(error.to_string(), expected);
}

#[test]
fn remote_agents_are_listed_after_local_ones_and_once() {
    let registry = agents()
        .with_remote_agent("archivist", loopback())
        .with_remote_agent("survey", loopback());
    let ids: Vec<&str> = registry.agent_ids().collect();
    assert_eq!(ids, ["researcher", "survey", "archivist"]);
}

#[test]
fn an_agent_in_this_process_cannot_be_called_remote() {
    let registry = AgentRegistry::new().with_agent_named::<researcher>("remote");
    let invocation = Invocation::single(Target::named("remote", "Hello"));
    let error = registry.invoke(invocation).unwrap_err();
    assert!(error.to_string().contains("`remote`"), "{error}");
}

#[tokio::test]
async fn an_ad_hoc_agent_is_made_where_it_runs() {
    let there = agents().with_ad_hoc(AgentConfig::new("Be brief.", "openai://m"));
    let model = Recorder::new(ScriptedModel::new().reply("ad_hoc", "No."));
    let context = Context::default().with_dep(model.factory());
    let runner = Arc::new(LoopbackRunner::new(there).with_context(context));
    let target = Target::ad_hoc("You check facts.", "Is it so?").with_executor(remote("loopback"));
    let mut run = here(&runner).invoke(Invocation::single(target)).unwrap();
    let result = scalar(output(run.run(ctx()).await));
    assert_eq!(result.content, "No.");
    assert!(model.asked()[0].system.ends_with("You check facts."));
}

#[tokio::test]
async fn a_run_that_is_restored_without_its_runner_stops_and_goes_on_with_it() {
    let model = Recorder::new(script());
    let runner = other_process(&model);
    let mut run = here(&runner).invoke(look_up_trains()).unwrap();
    for _ in 0..4 {
        run.next(ctx()).await.unwrap();
    }
    let mut run = restored(&AgentRegistry::new(), &run);
    let unmet = run.preflight(&ctx());
    assert!(
        matches!(&unmet[..], [Unmet::Runner { node, .. }] if node == "remote"),
        "{unmet:?}"
    );
    let error = run.run(ctx()).await.map(|_| ()).unwrap_err();
    let expected = "agent `researcher` cannot run: it needs the runner `loopback`, and there is none: add it with \
                    `with_runner`, also after a restore";
    assert_eq!(error.to_string(), expected);
    let mut run = run.with_runner(runner);
    assert_eq!(scalar(output(run.run(ctx()).await)).content, trains());
    assert_eq!(model.asked().len(), 2);
}

#[tokio::test]
async fn a_local_agent_with_a_runner_is_no_local_executor() {
    let registry = AgentRegistry::new().with_agent::<super::typed::archivist>();
    let invocation = Invocation::single(Target::named("archivist", "Trains?"));
    for (registry, hint) in [
        (registry.clone(), ExecutorHint::Auto),
        (
            registry.with_runner(LoopbackRunner::new(agents())),
            forced(Executor::Local),
        ),
    ] {
        let error = registry
            .invoke(invocation.clone().with_executor(hint))
            .unwrap_err();
        assert!(matches!(error, InvokeError::NoExecutor { .. }), "{error}");
    }
}

#[test]
fn the_executor_of_a_target_has_no_kind() {
    let runner = json!({ "kind": "loopback" });
    let of_a_target = json!({ "type": "remote", "runner": runner });
    assert!(serde_json::from_value::<Executor>(of_a_target).is_ok());
    let of_an_invocation = json!({ "kind": "force", "type": "remote", "runner": runner });
    assert!(serde_json::from_value::<ExecutorHint>(of_an_invocation.clone()).is_ok());
    assert!(serde_json::from_value::<Executor>(of_an_invocation).is_err());
}

#[tokio::test]
async fn a_task_that_the_runner_has_forgotten_fails() {
    let runner = other_process(&Recorder::new(script()));
    let mut run = here(&runner).invoke(look_up_trains()).unwrap();
    for _ in 0..4 {
        run.next(ctx()).await.unwrap();
    }
    let another = other_process(&Recorder::new(script()));
    let mut run = restored(&here(&another), &run);
    let result = scalar(output(run.run(ctx()).await));
    let why = result.content.as_str().unwrap();
    assert!(why.contains("there is no task `"), "{why}");
}

#[test]
fn settings_that_no_snapshot_can_carry_are_refused_at_once() {
    let deep = too_deep();
    let executor = Executor::remote(loopback().with_config(deep));
    let runner = other_process(&Recorder::new(script()));
    let error = here(&runner)
        .invoke(with(Some(executor), ExecutorHint::Auto))
        .unwrap_err();
    assert!(
        matches!(error, InvokeError::InvalidRunnerConfig { .. }),
        "{error}"
    );
}

#[test]
fn a_runners_error_says_its_cause_and_whether_another_try_may_work() {
    let cause = std::io::Error::other("no route to host");
    let error =
        RunnerError::new(RunnerErrorKind::Unavailable, "it is unreachable").with_source(cause);
    assert_eq!(error.to_string(), "it is unreachable: no route to host");
    assert!(error.is_retryable() && error.get_ref().is_some());
    assert!(!RunnerError::new(RunnerErrorKind::Refused, "no").is_retryable());
}

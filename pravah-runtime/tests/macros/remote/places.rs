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
        "`researcher` can run nowhere: it allows `a2a`, the invocation `any`, and the registry `local`, `loopback`"
    );
    let error = registry
        .invoke(with(None, forced(Executor::Local)))
        .unwrap_err();
    assert!(
        matches!(&error, InvokeError::NoExecutor { invocation, .. } if *invocation == ["local"]),
        "{error}"
    );
    let unknown = Invocation::single(Target::named("nobody", "Hello"));
    let error = registry.invoke(unknown).unwrap_err();
    let expected = "there is no agent `nobody`: the registry has `researcher`";
    assert_eq!(error.to_string(), expected);
}

#[test]
fn agents_elsewhere_are_listed_after_those_in_this_process_and_once() {
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
    let model = Recorder::new(ScriptedModel::new().reply("ad_hoc", "No.".into()));
    let context = Context::default().with_dep(model.factory());
    let runner = Arc::new(LoopbackRunner::new(there).with_context(context));
    let target = Target::ad_hoc("You check facts.", "Is it so?").with_executor(remote("loopback"));
    let mut run = here(&runner).invoke(Invocation::single(target)).unwrap();
    let result = scalar(output(run.run(ctx()).await));
    assert_eq!(result.content, "No.");
    assert!(model.asked()[0].system.ends_with("You check facts."));
}

#[tokio::test]
async fn a_runner_that_is_gone_after_a_restore_fails_the_task_and_not_the_load() {
    let runner = elsewhere(&Recorder::new(script()));
    let mut run = here(&runner).invoke(look_up_trains()).unwrap();
    for _ in 0..3 {
        run.next(ctx()).await.unwrap();
    }
    let mut run = restored(&agents(), &run);
    let result = scalar(output(run.run(ctx()).await));
    assert_eq!(result.status, TaskStatus::Failed);
    let expected =
        "the runner of agent `remote` failed: there is no runner `loopback`: the host has none";
    assert_eq!(result.content, expected);
}

#[tokio::test]
async fn a_task_that_the_runner_has_forgotten_fails() {
    let runner = elsewhere(&Recorder::new(script()));
    let mut run = here(&runner).invoke(look_up_trains()).unwrap();
    for _ in 0..3 {
        run.next(ctx()).await.unwrap();
    }
    let another = elsewhere(&Recorder::new(script()));
    let mut run = restored(&here(&another), &run);
    let result = scalar(output(run.run(ctx()).await));
    let why = result.content.as_str().unwrap();
    assert!(why.contains("there is no task `"), "{why}");
}

#[test]
fn settings_that_no_snapshot_can_carry_are_refused_at_once() {
    let mut deep = json!(1);
    for _ in 0..200 {
        deep = json!([deep]);
    }
    let executor = Executor::remote(loopback().with_config(deep));
    let runner = elsewhere(&Recorder::new(script()));
    let error = here(&runner)
        .invoke(with(Some(executor), ExecutorHint::Auto))
        .unwrap_err();
    assert!(
        matches!(error, InvokeError::RunnerSettings { .. }),
        "{error}"
    );
}

#[test]
fn a_runners_error_says_its_cause_and_whether_another_try_may_work() {
    let cause = std::io::Error::other("no route to host");
    let error = RunnerError::new(RunnerErrorKind::Unavailable, "it is away").with_cause(cause);
    assert_eq!(error.to_string(), "it is away: no route to host");
    assert!(error.is_retryable() && error.get_ref().is_some());
    assert!(!RunnerError::new(RunnerErrorKind::Refused, "no").is_retryable());
}

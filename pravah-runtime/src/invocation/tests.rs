use serde::{Serialize, de::DeserializeOwned};
use serde_json::{Value, from_value, json, to_value};

use super::*;

fn target() -> Target {
    Target::named("w", Message::user("hello"))
}

/// Whether a value is written like this, and read from it.
fn is_written_as<T: Serialize + DeserializeOwned + PartialEq + std::fmt::Debug>(
    value: &T,
    expected: &Value,
) {
    assert_eq!(to_value(value).unwrap(), *expected);
    assert_eq!(from_value::<T>(expected.clone()).unwrap(), *value);
}

// A1, S2.8
#[test]
fn an_invocation_needs_a_target_whatever_its_join() {
    for join in [Join::Single, Join::All, Join::Detached] {
        let error = Invocation::new(join, []).validate().unwrap_err();
        assert_eq!(error, InvocationError::NoTargets);
        assert_eq!(error.to_string(), "invocation requires at least one target");
    }
}

// A2, S2.7
#[test]
fn a_single_result_is_that_of_one_target() {
    let two = Invocation::new(Join::Single, [target(), target()]);
    let error = two.validate().unwrap_err();
    assert_eq!(error, InvocationError::SingleNeedsOneTarget { got: 2 });
    assert_eq!(
        error.to_string(),
        "Join::Single requires exactly 1 target, got 2"
    );
}

// A3, A9
#[test]
fn all_takes_any_number_of_targets() {
    for count in [1, 2, 3] {
        let all = Invocation::all(vec![target(); count])
            .with_context(ContextScope::Inherited)
            .with_executor(ExecutorHint::Force(Executor::Local))
            .with_tools(ToolPolicy::exact(["Bash"]));
        assert_eq!(all.validate(), Ok(()));
        assert_eq!(
            Invocation::detached(vec![target(); count]).validate(),
            Ok(())
        );
    }
}

// A4, S2.9, S2.27
#[test]
fn what_is_empty_is_refused() {
    for (target, expected) in [
        (
            Target::named(" ", "hello"),
            "Named target with empty agent_id",
        ),
        (
            Target::ad_hoc("", "hello"),
            "AdHoc target with empty system_prompt",
        ),
        (Target::named("w", ""), "target with an empty message"),
        (
            target().with_executor(Executor::remote(RunnerConfig::new(""))),
            "runner with an empty kind",
        ),
    ] {
        let error = Invocation::single(target).validate().unwrap_err();
        assert_eq!(error.to_string(), expected);
    }
}

// S2.26
#[test]
fn a_shared_conversation_goes_on_in_one_agent() {
    let shared = |invocation: Invocation| invocation.with_context(ContextScope::Shared).validate();
    assert_eq!(shared(Invocation::single(target())), Ok(()));
    for invocation in [
        Invocation::all([target()]),
        Invocation::detached([target()]),
    ] {
        assert_eq!(shared(invocation), Err(InvocationError::SharedNeedsSingle));
    }
}

// S2.10: the order of the checks.
#[test]
fn the_number_of_targets_is_looked_at_before_the_targets() {
    let empty = Target::named("", "");
    let two = Invocation::new(Join::Single, [empty.clone(), empty.clone()]);
    let error = two.with_context(ContextScope::Shared).validate();
    assert_eq!(error, Err(InvocationError::SingleNeedsOneTarget { got: 2 }));
    let all = Invocation::all([target(), empty]).with_context(ContextScope::Shared);
    assert_eq!(all.validate(), Err(InvocationError::EmptyAgentId));
}

// A5, A9, S2.1, S2.2, S2.22, S2.23
#[test]
fn what_is_left_out_has_its_default_and_is_written() {
    let written = json!({
        "agent": { "type": "named", "agent_id": "w" },
        "message": { "role": "user", "parts": [{ "text": "hello" }] },
    });
    is_written_as(&target(), &written);
    let short: Invocation = from_value(json!({ "targets": [written] })).unwrap();
    assert_eq!(short, Invocation::single(target()));
    let expected = json!({
        "targets": [written],
        "context": "independent",
        "join": "single",
        "executor": { "kind": "auto" },
        "tools": { "kind": "inherit" },
    });
    is_written_as(&short, &expected);
}

// A6, S2.3, S2.4
#[test]
fn an_agent_that_is_made_up_is_written_with_its_prompt_and_its_tools() {
    let bare = Target::ad_hoc("You check facts.", "Is it so?");
    let detached = to_value(Invocation::detached([bare.clone()])).unwrap();
    assert_eq!(detached["join"], "detached");
    assert_eq!(detached["context"], "independent");
    let agent = json!({ "type": "ad_hoc", "system_prompt": "You check facts." });
    assert_eq!(detached["targets"][0]["agent"], agent);
    let mut tools = AdHocTools::builtin(["search"]);
    tools.external.push("*".into());
    let with_tools = bare.with_own_tools(tools);
    let tools = json!({ "builtin": ["search"], "external": ["*"] });
    assert_eq!(to_value(&with_tools).unwrap()["agent"]["tools"], tools);
    assert_eq!(
        from_value::<Target>(to_value(&with_tools).unwrap()).unwrap(),
        with_tools
    );
}

// A7, S2.14, S2.22
#[test]
fn a_forced_runner_is_one_flat_object() {
    let config = json!({ "image": "worker:latest" });
    let runner = RunnerConfig::new("sandbox").with_config(config.clone());
    let forced = ExecutorHint::Force(Executor::remote(runner));
    let written = json!({
        "kind": "force",
        "type": "remote",
        "runner": { "kind": "sandbox", "config": config },
    });
    is_written_as(&forced, &written);
    let local = json!({ "kind": "force", "type": "local" });
    is_written_as(&ExecutorHint::Force(Executor::Local), &local);
    let bare: RunnerConfig = from_value(json!({ "kind": "sandbox" })).unwrap();
    assert_eq!(bare, RunnerConfig::new("sandbox"));
    assert_eq!(bare.config, json!({}));
}

// A8, S2.18, S2.19, S2.20
#[test]
fn results_mirror_what_was_waited_for() {
    let result = AgentResult::new(json!("yes"), "t1", TaskStatus::Completed);
    let written = json!({ "content": "yes", "task_id": "t1", "status": "completed" });
    let scalar = InvocationResult::Scalar {
        result: result.clone(),
    };
    is_written_as(&scalar, &json!({ "kind": "scalar", "result": written }));
    let vector = InvocationResult::Vector {
        results: vec![result],
    };
    is_written_as(&vector, &json!({ "kind": "vector", "results": [written] }));
    let ids = InvocationResult::TaskIds {
        task_ids: vec!["t1".into()],
    };
    is_written_as(&ids, &json!({ "kind": "task_ids", "task_ids": ["t1"] }));
    let exact = ToolPolicy::exact(["Bash"]);
    is_written_as(&exact, &json!({ "kind": "exact", "tools": ["Bash"] }));
    is_written_as(&ToolPolicy::None, &json!({ "kind": "none" }));
}

// S2.21, S2.24
#[test]
fn a_task_that_goes_on_has_no_end_and_no_preview() {
    let mut task = TaskSnapshot::started("t1", "w", Executor::Local, 5);
    let written = json!({
        "task_id": "t1",
        "agent_id": "w",
        "status": "running",
        "executor": { "type": "local" },
        "started_at": 5,
        "last_event_at": 5,
        "ended_at": null,
    });
    is_written_as(&task, &written);
    assert!(!task.status.has_ended());
    (task.status, task.ended_at) = (TaskStatus::Cancelled, Some(9));
    task.preview = Some("Looking for trains".into());
    let written = to_value(&task).unwrap();
    assert_eq!(
        (&written["ended_at"], &written["preview"]),
        (&json!(9), &json!("Looking for trains"))
    );
    assert!(task.status.has_ended());
}

#[test]
fn a_key_that_is_misspelled_is_an_error() {
    let written = to_value(Invocation::single(target())).unwrap();
    let mut misspelled = written.clone();
    misspelled["contxt"] = json!("inherited");
    let error = from_value::<Invocation>(misspelled)
        .unwrap_err()
        .to_string();
    assert!(error.contains("unknown field `contxt`"), "{error}");
}

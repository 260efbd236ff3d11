//! Invocations from outside that are detached.

use pravah_runtime::{
    invocation::{Invocation, InvocationResult, TaskStatus},
    prelude::*,
};
use serde_json::{json, to_value};

use super::{look_up, registry, run_by, text};
use crate::macros_support::{Recorder, suspended};

fn model() -> Recorder {
    Recorder::new(
        ScriptedModel::new()
            .reply("researcher[1]", text("A."))
            .reply("researcher[2]", text("B.")),
    )
}

// S2.6
#[tokio::test]
async fn the_ids_are_there_after_the_first_step_and_the_run_goes_on_to_the_end_of_its_tasks() {
    let model = model();
    let mut run = run_by(Invocation::detached([look_up("a"), look_up("b")]), &model);
    run.next(Context::default()).await.unwrap();
    let tasks = run.tasks();
    let ids: Vec<&str> = tasks.iter().map(|task| &*task.task_id).collect();
    assert_eq!(ids, ["task_1", "task_2"]);
    assert!(tasks.iter().all(|task| task.status == TaskStatus::Running));
    let shown = to_value(&tasks[0]).unwrap();
    assert_eq!(shown["agent_id"], "researcher");
    assert_eq!(shown["executor"], json!({ "type": "local" }));

    let result = loop {
        match run.next(Context::default()).await.unwrap() {
            RunOut::Done(result) => break result,
            _ => {
                let stored = serde_json::to_string(&run).unwrap();
                let restored = registry().restore(serde_json::from_str(&stored).unwrap());
                run = restored.unwrap().with_factory(model.factory());
            }
        }
    };
    let expected = json!({ "kind": "task_ids", "task_ids": ["task_1", "task_2"] });
    assert_eq!(to_value(&result).unwrap(), expected);
    assert!(matches!(result, InvocationResult::TaskIds { .. }));
    let previews: Vec<_> = run.tasks().into_iter().map(|task| task.preview).collect();
    assert_eq!(
        previews,
        [
            Some(r#"{"text":"A."}"#.into()),
            Some(r#"{"text":"B."}"#.into())
        ]
    );
    assert_eq!(model.asked().len(), 2);
}

// S2.13
#[tokio::test]
async fn cancelling_the_run_cancels_its_tasks_and_cancelling_the_last_task_ends_the_run() {
    let survey = || {
        let target = pravah_runtime::invocation::Target::named("survey", "{ \"name\": \"buses\" }");
        run_by(Invocation::detached([target]), &model())
    };
    let mut run = survey();
    suspended(run.run(Context::default()).await);
    run.cancel("enough").await.unwrap();
    assert_eq!(run.tasks()[0].status, TaskStatus::Cancelled);

    let mut run = survey();
    suspended(run.run(Context::default()).await);
    run.cancel_task("task_1").unwrap();
    let out = run.run(Context::default()).await.unwrap();
    assert!(
        matches!(out, RunOut::Done(InvocationResult::TaskIds { .. })),
        "{out:?}"
    );
}

#[tokio::test]
async fn a_message_that_does_not_fit_is_a_task_that_has_failed() {
    let target = pravah_runtime::invocation::Target::named("survey", "buses");
    let mut run = run_by(Invocation::detached([target]), &model());
    let out = run.run(Context::default()).await.unwrap();
    assert!(matches!(out, RunOut::Done(_)));
    let task = run.tasks().remove(0);
    assert_eq!(task.status, TaskStatus::Failed);
    assert!(task.preview.unwrap().contains("as text that is JSON"));
    assert!(task.ended_at.is_some());
}

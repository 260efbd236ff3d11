//! Snapshots of runs with detached tasks that do not fit.

use pravah_runtime::prelude::*;
use serde_json::{Value, json};

use super::{Question, ctx, in_background, run_by, text};

/// A run whose agent waits for one of its tasks, which waits for a person.
async fn waiting() -> Value {
    let script = ScriptedModel::new()
        .call("lead", "call_agent", in_background(&["One.", "Two."]))
        .call("lead", "wait_task", json!({ "task_id": "task_1" }))
        .call("researcher[1]", "ask", json!({}))
        .reply("researcher[2]", text("second"));
    let (mut run, _) = run_by(script);
    while !matches!(run.next(ctx()).await.unwrap(), RunOut::Waiting { .. }) {}
    serde_json::to_value(run.snapshot()).unwrap()
}

fn load(snapshot: &Value) -> Result<FlowRuntime<Question>, FlowError> {
    FlowRuntime::from_snapshot(serde_json::from_value(snapshot.clone()).unwrap())
}

#[tokio::test]
async fn a_snapshot_whose_tasks_contradict_each_other_is_refused() {
    let snapshot = waiting().await;
    load(&snapshot).unwrap();
    let task = snapshot["tasks"]["1"].clone();
    let ended = snapshot["tasks"]["2"].clone();
    let mut of_later = task.clone();
    of_later["parent"] = json!(1);
    let mut half_ended = ended.clone();
    half_ended.as_object_mut().unwrap().remove("ended_at");
    let mut still_running = ended.clone();
    still_running["end"]["status"] = json!("running");
    for (at, value, says) in [
        (
            "/tasks/1",
            ended.clone(),
            "the detached task 1 has ended, and yet states wait in it",
        ),
        (
            "/tasks/2",
            task.clone(),
            "the detached task 2 has not ended, and no state waits in it",
        ),
        (
            "/tasks/1",
            of_later,
            "the detached task 1 has a `parent` that has started after it",
        ),
        (
            "/tasks/2",
            half_ended,
            "the detached task 2 has only one of `end` and `ended_at`",
        ),
        (
            "/tasks/2",
            still_running,
            "has ended, and its status says that it has not",
        ),
        (
            "/tasks",
            json!({ "2": ended }),
            "nothing is known of the detached task 1",
        ),
        ("/awaits_tasks", json!(true), "it waits for detached tasks"),
    ] {
        let mut changed = snapshot.clone();
        match changed.pointer_mut(at) {
            Some(place) => *place = value,
            None => {
                changed
                    .as_object_mut()
                    .unwrap()
                    .insert(at[1..].to_owned(), value);
            }
        }
        match load(&changed) {
            Ok(_) => panic!("{says}: loaded"),
            Err(why) => assert!(why.to_string().contains(says), "{why}"),
        }
    }
}

#[tokio::test]
async fn an_agent_that_waits_for_a_task_that_is_gone_goes_on_where_progress_may_be_dropped() {
    let mut snapshot = waiting().await;
    snapshot["tasks"] = json!({});
    let why = load(&snapshot).err().unwrap().to_string();
    assert!(
        why.contains("`LoadOptions::drop_progress` would let it start over"),
        "{why}"
    );
    let options = LoadOptions::new().drop_progress();
    let snapshot: FlowSnapshot = serde_json::from_value(snapshot).unwrap();
    let run = FlowRuntime::<Question>::from_snapshot_with(snapshot, &options).unwrap();
    // It was asked twice before.
    let nothing = || ("get_task", json!({}));
    let script = ScriptedModel::new()
        .calls("lead", [nothing()])
        .calls("lead", [nothing()])
        .call("lead", "submit", text("Done."));
    let mut run = run.with_factory(ClientFactory::new().with_scripted(script));
    assert!(run.tasks().is_empty() && run.suspensions().is_empty());
    let report = crate::macros_support::output(run.run(ctx()).await);
    assert_eq!(report.text, "Done.");
}

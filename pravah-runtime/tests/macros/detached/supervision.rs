//! Agents that manage the tasks that they have started.

use std::time::{Duration, UNIX_EPOCH};

use pravah_runtime::{ManualClock, WaitReason, prelude::*};
use serde_json::{Value, json};

use super::{ctx, in_background, question, rest, results, results_of, run_by, text};
use crate::macros_support::{Recorder, output, restart};

fn of_task(number: u32) -> Value {
    json!({ "task_id": format!("task_{number}") })
}

// A11, S2.12
#[tokio::test]
async fn a_task_is_waited_for_and_its_result_is_the_answer() {
    let script = ScriptedModel::new()
        .call("lead", "call_agent", in_background(&["One.", "Two."]))
        .calls(
            "lead",
            [("wait_task", of_task(1)), ("wait_task", of_task(2))],
        )
        .reply("researcher[1]", text("first"))
        .call("researcher[2]", "break_down", json!({}))
        .call("lead", "submit", text("Done."));
    for bodies in [1, 8] {
        let (run, model) = run_by(script.clone());
        let mut run = run.with_concurrency(bodies);
        output(run.run(ctx()).await);
        let results = results(&model);
        let why = "tool `break_down` of agent `researcher` failed: broken";
        let of_lead: Vec<&Value> = results
            .iter()
            .filter(|it| it["task_id"].is_string())
            .collect();
        assert_eq!(
            of_lead,
            [
                &json!({ "content": { "text": "first" }, "task_id": "task_1", "status": "completed" }),
                &json!({ "content": why, "task_id": "task_2", "status": "failed" }),
            ]
        );
    }
}

#[tokio::test]
async fn a_wait_that_times_out_returns_the_status_of_the_task() {
    let wait = json!({ "task_id": "task_1", "timeout_seconds": 5 });
    let script = ScriptedModel::new()
        .call("lead", "call_agent", in_background(&["One."]))
        .call("lead", "wait_task", wait)
        .call("researcher", "ask", json!({}))
        .call("lead", "submit", text("Done."));
    let clock = ManualClock::new(UNIX_EPOCH + Duration::from_secs(1_000));
    let (run, model) = run_by(script);
    let mut run = run.with_clock(clock.clone());
    loop {
        match run.next(ctx()).await.unwrap() {
            RunOut::Waiting { until, why, .. } => {
                assert_eq!(until, Some(UNIX_EPOCH + Duration::from_secs(1_005)));
                assert_eq!(why, WaitReason::Task);
                break;
            }
            RunOut::Done(_) => panic!("it does not wait"),
            RunOut::Continue => {
                run = restart(&run)
                    .with_clock(clock.clone())
                    .with_factory(model.factory())
            }
            _ => {}
        }
    }
    clock.advance(Duration::from_secs(5));
    let out = loop {
        match run.next(ctx()).await.unwrap() {
            RunOut::Done(out) => break out,
            RunOut::Continue => {}
            _ => panic!("it still waits"),
        }
    };
    assert_eq!(out.text, "Done.");
    assert_eq!(
        results(&model).last().unwrap(),
        &json!({
            "task_id": "task_1", "agent_id": "researcher", "status": "suspended",
            "executor": { "type": "local" }, "started_at": 1_000_000, "last_event_at": 1_000_000,
            "ended_at": null,
        })
    );
}

#[tokio::test]
async fn a_task_is_cancelled_once_and_the_list_says_so() {
    let script = ScriptedModel::new()
        .call("lead", "call_agent", in_background(&["One.", "Two."]))
        .call("lead", "cancel_task", of_task(1))
        .call("lead", "cancel_task", of_task(1))
        .call("lead", "list_my_tasks", json!({}))
        .call("lead", "get_task", of_task(2))
        .call("lead", "wait_task", of_task(1))
        .call("lead", "submit", text("Done."));
    let nothing = |script: ScriptedModel| script.call("researcher", "nothing", json!({}));
    let script = (0..20).fold(script, |script, _| nothing(script));
    let (mut run, model) = run_by(script);
    output(run.run(ctx()).await);
    let results = results(&model);
    let statuses = |index: usize| -> Vec<&str> {
        let result = &results[index];
        let tasks = result
            .as_array()
            .map_or(std::slice::from_ref(result), Vec::as_slice);
        tasks
            .iter()
            .map(|task| task["status"].as_str().unwrap())
            .collect()
    };
    assert_eq!(statuses(1), ["cancelled"]);
    assert_eq!(results[1], results[2]);
    assert_eq!(statuses(3), ["cancelled", "running"]);
    assert_eq!(statuses(4), ["running"]);
    assert_eq!(
        results[5],
        json!({ "content": "the task was cancelled", "task_id": "task_1", "status": "cancelled" })
    );
}

#[tokio::test]
async fn ids_that_are_not_of_its_tasks_are_unknown_to_an_agent() {
    for id in [
        "task_2",
        "task_01",
        "task_0",
        "1",
        "",
        "task_18446744073709551616",
    ] {
        let script = ScriptedModel::new()
            .call("lead", "call_agent", in_background(&["One."]))
            .call("lead", "get_task", json!({ "task_id": id }))
            .call("lead", "submit", text("Done."));
        let (mut run, model) = run_by(script);
        output(run.run(ctx()).await);
        let results = model.results();
        let answer = results.last().unwrap();
        assert!(answer.is_error);
        assert_eq!(*answer.text, *format!("you have started no task `{id}`"));
    }
}

#[tokio::test]
async fn an_agent_keeps_its_tasks_in_a_run_that_gets_another_id() {
    let script = ScriptedModel::new()
        .call("lead", "call_agent", in_background(&["One."]))
        .call("lead", "list_my_tasks", json!({}))
        .call("lead", "submit", text("Done."));
    let model = Recorder::new(script);
    let mut run = FlowRuntime::new(question())
        .unwrap()
        .with_factory(model.factory());
    run.next(ctx()).await.unwrap();
    run.next(ctx()).await.unwrap();
    let mut run = restart(&run)
        .with_run_id("copy")
        .with_factory(model.factory());
    rest(&mut run).await;
    let asked = model.asked();
    assert_eq!(
        results_of(asked.last().unwrap())[1]
            .as_array()
            .unwrap()
            .len(),
        1
    );
}

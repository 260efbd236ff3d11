//! Runs that stop between any two steps while a node waits for its calls.

use pravah_runtime::{Entries, LoadOptions, prelude::*};
use serde_json::Value;

use super::{Plan, ctx, plan, text};
use crate::macros_support::{Recorder, restart};

fn script() -> ScriptedModel {
    ScriptedModel::new()
        .reply("researcher[0]", text("A."))
        .reply("researcher[1]", text("B."))
        .reply("researcher[2]", text("C."))
}

/// Runs to the end; `between` may make another run of it after each step.
async fn outcome(
    bodies: usize,
    mut between: impl FnMut(FlowRuntime<Plan>, &Recorder) -> FlowRuntime<Plan>,
) -> (String, usize) {
    let model = Recorder::new(script());
    let run = FlowRuntime::new(plan(["a", "b", "c"])).unwrap();
    let run = run.with_run_id("run").with_factory(model.factory());
    let mut run = run.with_concurrency(bodies);
    for _ in 0..100 {
        match run.next(ctx()).await.unwrap() {
            RunOut::Done(report) => return (report.text, model.asked().len()),
            RunOut::Continue => run = between(run, &model).with_concurrency(bodies),
            _ => panic!("it waits"),
        }
    }
    panic!("it loops forever");
}

#[tokio::test]
async fn no_model_call_is_repeated_whatever_step_the_run_stops_after() {
    for bodies in [1, 2, 8] {
        let restarted = outcome(bodies, |run, model| {
            restart(&run).with_factory(model.factory())
        });
        let restarted = restarted.await;
        assert_eq!(restarted, ("A. B. C.".to_owned(), 3), "{bodies} at a time");
    }
}

#[tokio::test]
async fn changes_since_the_step_before_give_the_snapshot_of_each_step() {
    let mut stored = Entries::default();
    outcome(1, |mut run, _| {
        stored.apply(run.take_changes().unwrap());
        let snapshot = FlowSnapshot::from_entries(&stored).unwrap();
        let [stored, whole] =
            [snapshot, run.snapshot()].map(|it| serde_json::to_value(it).unwrap());
        assert_eq!(stored, whole);
        run
    })
    .await;
}

#[tokio::test]
async fn a_snapshot_that_lacks_a_call_is_refused_and_may_start_the_node_over() {
    let mut snapshots: Vec<Value> = Vec::new();
    outcome(1, |run, _| {
        snapshots.push(serde_json::to_value(run.snapshot()).unwrap());
        run
    })
    .await;
    let mut seen = 0;
    for snapshot in snapshots {
        let Some(tasks) = snapshot.pointer("/lists/Plan") else {
            continue;
        };
        for section in ["items", "done"] {
            for task in tasks
                .get(section)
                .and_then(Value::as_object)
                .into_iter()
                .flatten()
            {
                seen += 1;
                let mut without = snapshot.clone();
                let tasks = &mut without["lists"]["Plan"][section];
                tasks.as_object_mut().unwrap().remove(task.0);
                let load = |options: &LoadOptions| {
                    let snapshot = serde_json::from_value(without.clone()).unwrap();
                    FlowRuntime::<Plan>::from_snapshot_with(snapshot, options)
                };
                let why = load(&LoadOptions::new()).unwrap_err().to_string();
                let task = task.0;
                assert!(
                    why.contains(&format!("task {task} of `look_up` is not there")),
                    "{why}"
                );
                load(&LoadOptions::new().drop_progress()).unwrap();
            }
        }
    }
    assert_eq!(seen, 12);
}

#[tokio::test]
async fn a_dropped_step_starts_no_call_twice() {
    let model = Recorder::new(script());
    let run = FlowRuntime::new(plan(["a", "b", "c"])).unwrap();
    let mut run = run.with_factory(model.factory()).with_concurrency(8);
    let mut out = RunOut::Continue;
    while let RunOut::Continue = out {
        let mut dropped = Box::pin(run.next(ctx()));
        let _ = futures_util::poll!(&mut dropped);
        drop(dropped);
        out = run.next(ctx()).await.unwrap();
    }
    let RunOut::Done(report) = out else {
        panic!("it waits")
    };
    assert_eq!(report.text, "A. B. C.");
}

#[tokio::test]
async fn a_cancelled_run_ends_its_calls() {
    let model = Recorder::new(script());
    let run = FlowRuntime::new(plan(["a", "b", "c"])).unwrap();
    let mut run = run.with_factory(model.factory());
    run.next(ctx()).await.unwrap();
    run.next(ctx()).await.unwrap();
    run.cancel("enough").await.unwrap();
    let over = run.next(ctx()).await;
    assert!(matches!(over, Err(FlowError::Cancelled { .. })));
    assert_eq!(model.asked().len(), 1);
}

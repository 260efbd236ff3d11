//! Between the question, the answer and the call a process may die.

use pravah_runtime::prelude::*;
use serde_json::json;

use super::{Done, approve, calling};
use crate::macros_support::{output, restart, suspended};

// S5.23
#[tokio::test]
async fn an_answer_survives_a_snapshot_before_the_call() {
    let done = Done::default();
    let (mut run, model) = calling([("pay", json!({ "euros": 100 }))]);
    let (id, _) = suspended(run.run(done.ctx()).await);
    // A run that is paused takes an answer, and makes no step.
    run.pause();
    run.answer(
        done.ctx(),
        &id,
        json!({ "verdict": "edit", "output": { "euros": 5 } }),
    )
    .await
    .unwrap();
    let again = run.answer(done.ctx(), &id, approve()).await.unwrap_err();
    assert!(matches!(
        again,
        FlowError::AlreadyAnswered { is_kept: true, .. }
    ));
    assert!(done.take().is_empty());
    let mut run = restart(&run).with_factory(model.factory());
    assert!(run.suspensions().is_empty());
    run.unpause();
    output(run.run(done.ctx()).await);
    assert_eq!(done.take(), ["pay 5"]);
}

// S5.23
#[tokio::test]
async fn a_step_that_is_dropped_keeps_the_answer_and_asks_nobody_again() {
    let done = Done::default();
    let (mut run, _) = calling([("pay", json!({ "euros": 100 }))]);
    let (id, _) = suspended(run.run(done.ctx()).await);
    tokio::select! {
        biased;
        _ = run.answer(done.ctx(), &id, approve()) => panic!("the tool waits"),
        () = std::future::ready(()) => {}
    }
    assert!(done.take().is_empty());
    assert!(run.suspensions().is_empty());
    output(run.run(done.ctx()).await);
    assert_eq!(done.take(), ["pay 100"]);
}

/// Runs to the end and answers what is asked; the process dies after the steps that `dies` names. Returns how
/// many steps there were, what was done, and what the model read last.
async fn through(dies: impl Fn(u32) -> bool) -> (u32, Vec<String>, Vec<String>) {
    let done = Done::default();
    let (mut run, model) = calling([
        ("pay", json!({ "euros": 100 })),
        ("look", json!({ "order": 7 })),
        ("send", json!({ "text": "Sorry." })),
    ]);
    let mut steps = 0;
    loop {
        // The last question first, so that the other stays open for a while.
        let out = match run.suspensions().last() {
            Some(open) => {
                let payload = match &*open.tool_id {
                    "clerk::pay" => json!({ "verdict": "edit", "output": { "euros": 50 } }),
                    _ if open.value.is_string() => json!("Ada"),
                    _ => approve(),
                };
                let id = open.tool_id.clone();
                run.answer(done.ctx(), &id, payload).await
            }
            None => run.next(done.ctx()).await,
        };
        steps += 1;
        if let RunOut::Done(letter) = out.unwrap() {
            assert_eq!(letter.text, "Done.");
            let texts = model.results().into_iter().map(|it| it.text.to_string());
            return (steps, done.take(), texts.collect());
        }
        if dies(steps) {
            run = restart(&run).with_factory(model.factory());
        }
    }
}

// S5.23
#[tokio::test]
async fn a_crash_at_any_step_runs_no_tool_twice_and_asks_nobody_again() {
    let (steps, done, read) = through(|_| false).await;
    assert_eq!(done, ["look 7", "ask", "send Sorry. to Ada", "pay 50"]);
    assert_eq!(read[1..], ["order 7 came late", "sent"]);
    for crashes in 0..1_u32 << (steps - 1) {
        let again = through(|step| crashes >> (step - 1) & 1 == 1).await;
        assert_eq!(again, (steps, done.clone(), read.clone()), "{crashes:b}");
    }
}

//! Runs that wait for others by themselves.

use std::time::Duration;

use pravah_runtime::{FailureKind, prelude::*};
use tokio::time::{Instant, sleep};

use super::{Draft, Page, start};

#[tokio::test(start_paused = true)]
async fn a_served_run_waits_for_its_answers_and_is_done() {
    let mut run = start(1);
    let hub = run.hub();
    tokio::spawn(async move {
        sleep(Duration::from_secs(60)).await;
        hub.pause().await.unwrap();
        sleep(Duration::from_secs(60)).await;
        hub.reply("approve", 2).await.unwrap();
        sleep(Duration::from_secs(60)).await;
        hub.unpause().await.unwrap();
        // Somebody may still want something.
        sleep(Duration::from_secs(60)).await;
    });
    let started = Instant::now();
    let out = run.serve(Context::default()).await.unwrap();
    assert_eq!(out, RunOut::Done(Page { n: 3 }));
    assert_eq!(started.elapsed(), Duration::from_secs(190));
}

#[tokio::test(start_paused = true)]
async fn a_served_run_that_nobody_can_reach_any_more_returns_what_it_waits_for() {
    let mut run = start(1);
    let out = run.serve(Context::default()).await.unwrap();
    assert!(matches!(out, RunOut::Suspend { .. }));

    let hub = run.hub();
    tokio::spawn(async move {
        sleep(Duration::from_secs(60)).await;
        drop(hub);
    });
    let out = run.serve(Context::default()).await.unwrap();
    assert!(matches!(out, RunOut::Suspend { tool_id, .. } if tool_id == "approve"));
    assert!(!run.changed().await);
}

#[state]
struct Decided {
    n: u32,
}

#[gate(prompt = "Well?", timeout = "1h")]
fn decide(draft: &Draft, more: u32) -> Decided {
    Decided { n: draft.n + more }
}

#[node]
fn give_up(failure: Failure<Draft>) -> Decided {
    assert_eq!(failure.kind, FailureKind::Timeout);
    Decided { n: 0 }
}

#[node]
fn close(decided: Decided) -> Page {
    Page { n: decided.n }
}

#[flow(named)]
fn deciding(draft: Draft) -> Page {
    flow! { decide -> close; catch(decide) -> give_up -> close }
}

#[tokio::test(start_paused = true)]
async fn a_served_run_waits_for_the_timeout_of_a_gate() {
    let mut run = deciding::start(Draft { n: 1 }).unwrap();
    let started = Instant::now();
    let out = run.serve(Context::default()).await.unwrap();
    assert_eq!(out, RunOut::Done(Page { n: 0 }));
    assert_eq!(started.elapsed(), Duration::from_secs(3_600));
}

#[tokio::test(start_paused = true)]
async fn whoever_makes_steps_alone_waits_for_a_change_between_them() {
    let mut run = start(1);
    let hub = run.hub();
    tokio::spawn(async move {
        sleep(Duration::from_secs(60)).await;
        hub.reply("approve", 2).await
    });
    let mut waits = 0;
    let page = loop {
        match run.next(Context::default()).await {
            Ok(RunOut::Done(page)) => break page,
            Err(FlowError::ResumeRequired(_)) => {
                waits += 1;
                assert!(run.changed().await);
            }
            out => drop(out.unwrap()),
        }
    };
    assert_eq!((page, waits), (Page { n: 3 }, 1));
}

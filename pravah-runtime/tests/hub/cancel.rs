//! Ending a run from outside.

use std::time::Duration;

use pravah_runtime::{RunStatus, prelude::*};
use tokio::time::{Instant, sleep};

use super::{Draft, Page, now, start};

#[tokio::test(start_paused = true)]
async fn a_body_that_is_awaited_ends_at_once_and_the_step_says_why() {
    let mut run = start(1);
    let hub = run.hub();
    run.next(Context::default()).await.unwrap();
    hub.reply("approve", 0);
    let started = Instant::now();
    let canceller = tokio::spawn({
        let hub = hub.clone();
        async move {
            sleep(Duration::from_secs(3)).await;
            hub.cancel("enough").await
        }
    });
    let error = run.run(Context::default()).await.unwrap_err();
    assert!(matches!(error, FlowError::Cancelled { reason, .. } if reason == "enough"));
    assert_eq!(started.elapsed(), Duration::from_secs(3));
    assert_eq!(canceller.await.unwrap().unwrap(), 2);
    let cancelled =
        |status| matches!(status, RunStatus::Cancelled { reason, .. } if reason == "enough");
    assert!(cancelled(hub.status()) && cancelled(run.status()));
    let again = hub.cancel("again").await.unwrap_err();
    assert!(matches!(again, FlowError::Cancelled { reason, .. } if reason == "enough"));
}

/// Notices that it is to end, and takes two seconds for it.
#[node]
async fn careful(draft: &Draft, ctx: Context) -> Page {
    ctx.cancelled().await;
    sleep(Duration::from_secs(2)).await;
    ctx.dep::<std::sync::mpsc::Sender<u32>>()
        .unwrap()
        .send(draft.n)
        .unwrap();
    sleep(Duration::from_secs(60)).await;
    Page { n: draft.n }
}

#[flow(named)]
fn slow(draft: Draft) -> Page {
    flow! { careful }
}

#[tokio::test(start_paused = true)]
async fn what_is_in_flight_has_the_grace_to_end() {
    let (sender, cleaned) = std::sync::mpsc::channel::<u32>();
    let run = slow::start(Draft { n: 7 }).unwrap();
    let mut run = run.with_cancel_grace(Duration::from_secs(5));
    let hub = run.hub();
    let mut events = hub.events();
    let started = Instant::now();
    let mut cancel = hub.cancel("enough");
    assert!(now(&mut cancel).is_none());
    // It had not started: nothing is in flight.
    run.next(Context::default().with_dep(sender.clone()))
        .await
        .unwrap_err();
    assert_eq!(started.elapsed(), Duration::ZERO);

    let run = slow::start(Draft { n: 7 }).unwrap();
    let mut run = run.with_cancel_grace(Duration::from_secs(5));
    let hub = run.hub();
    tokio::spawn(async move {
        sleep(Duration::from_secs(1)).await;
        hub.cancel("enough").await
    });
    run.next(Context::default().with_dep(sender))
        .await
        .unwrap_err();
    assert_eq!(started.elapsed(), Duration::from_secs(6));
    assert_eq!(cleaned.try_iter().collect::<Vec<_>>(), [7]);
    let mut last = None;
    while let Some(event) = futures_util::FutureExt::now_or_never(events.next()).flatten() {
        last = Some(event.kind.name().to_owned());
    }
    assert_eq!(last.unwrap(), "harness:complete");
}

#[tokio::test(start_paused = true)]
async fn a_step_that_is_dropped_in_its_grace_has_ended_all_the_same() {
    let (sender, _cleaned) = std::sync::mpsc::channel::<u32>();
    let run = slow::start(Draft { n: 7 }).unwrap();
    let mut run = run.with_cancel_grace(Duration::from_secs(5));
    let hub = run.hub();
    let mut events = hub.events().only(["harness:complete"]);
    let ctx = Context::default().with_dep(sender);
    {
        let mut step = std::pin::pin!(run.next(ctx));
        assert!(futures_util::poll!(step.as_mut()).is_pending());
        hub.cancel("enough");
        assert!(futures_util::poll!(step.as_mut()).is_pending());
    }
    assert!(events.next().await.is_some());
    assert!(matches!(run.status(), RunStatus::Cancelled { .. }));
    assert!(matches!(hub.status(), RunStatus::Cancelled { .. }));
}

#[tokio::test(start_paused = true)]
async fn a_run_that_sleeps_or_waits_for_somebody_wakes_up_to_be_cancelled() {
    let mut run = start(1);
    let hub = run.hub();
    let canceller = tokio::spawn(async move {
        sleep(Duration::from_secs(3)).await;
        hub.cancel("enough").await
    });
    let error = run.serve(Context::default()).await.unwrap_err();
    assert!(matches!(error, FlowError::Cancelled { .. }));
    canceller.await.unwrap().unwrap();
}

#[tokio::test(start_paused = true)]
async fn hubs_know_of_a_cancelled_run_while_what_is_in_flight_has_its_grace() {
    let (sender, _cleaned) = std::sync::mpsc::channel::<u32>();
    let run = slow::start(Draft { n: 7 }).unwrap();
    let mut run = run
        .with_concurrency(2)
        .with_cancel_grace(Duration::from_secs(5));
    let hub = run.hub();
    let mut aborts = hub.events().only(["session:abort"]);
    let ctx = Context::default().with_dep(sender);
    {
        // One poll starts the body, which the run keeps.
        let mut step = std::pin::pin!(run.serve(ctx));
        assert!(futures_util::poll!(step.as_mut()).is_pending());
        hub.cancel("enough");
        assert!(futures_util::poll!(step.as_mut()).is_pending());
        aborts.next().await.unwrap();
        assert!(matches!(hub.status(), RunStatus::Cancelled { .. }));
        let late = hub.pause().await.unwrap_err();
        assert!(matches!(late, FlowError::Cancelled { .. }));
        step.await.unwrap_err();
    }
}

//! Steps that the server, or somebody at it, breaks off.

use std::future::IntoFuture;

use futures_util::future::join_all;
use pravah_restate::{RestateError, RestateRuns};
use pravah_store::Status;

use crate::{
    flows::{Arrived, Bridge, Effects, Journey, served},
    server::{Server, eventually, until},
};

async fn started(effects: &Effects, steps: usize) {
    eventually(async || (effects.keys().len() >= steps).then_some(())).await;
}

#[tokio::test]
async fn a_step_that_says_nothing_for_long_is_made_once() {
    let (server, effects) = (Server::start().await, Effects::default());
    let _serving = server.serve(served(&effects, &Bridge::default())).await;
    let runs = server.runs();
    // Other calls have to say something each second.
    let id = runs.start::<Journey>(Journey { seconds: 4 }).await.unwrap();
    assert_eq!(
        runs.result::<Journey>(&id).await.unwrap(),
        Arrived { seconds: 4 }
    );
    assert_eq!(effects.keys().len(), 1);
}

#[tokio::test]
async fn a_step_is_made_again_under_its_key_where_the_server_has_ended() {
    let (mut server, effects) = (Server::start().await, Effects::default());
    let _serving = server.serve(served(&effects, &Bridge::default())).await;
    let runs = server.runs();
    let id = runs.start::<Journey>(Journey { seconds: 8 }).await.unwrap();
    started(&effects, 1).await;
    server.end_and_restart().await;
    started(&effects, 2).await;
    server.kill_and_restart().await;
    assert_eq!(
        runs.result::<Journey>(&id).await.unwrap(),
        Arrived { seconds: 8 }
    );
    let mut keys = effects.keys();
    keys.dedup();
    assert_eq!(keys.len(), 1, "{keys:?}");
}

#[tokio::test]
async fn a_cancel_of_the_call_that_makes_a_step_cancels_the_run() {
    let (server, effects) = (Server::start().await, Effects::default());
    let _serving = server.serve(served(&effects, &Bridge::default())).await;
    let runs = server.runs();
    let id = runs
        .start::<Journey>(Journey { seconds: 3_600 })
        .await
        .unwrap();
    started(&effects, 1).await;
    server.end_step(&id, "cancel").await;
    let info = until(&runs, &id, Status::Cancelled).await;
    assert_eq!(info.error.as_deref(), Some("cancelled"));
}

#[tokio::test]
async fn a_run_whose_call_is_killed_goes_on_after_a_retry() {
    let (server, effects) = (Server::start().await, Effects::default());
    let _serving = server.serve(served(&effects, &Bridge::default())).await;
    let runs = server.runs();
    let id = runs.start::<Journey>(Journey { seconds: 8 }).await.unwrap();
    started(&effects, 1).await;
    server.end_step(&id, "kill").await;
    server.is_idle(&id).await;
    assert_eq!(runs.status(&id).await.unwrap().status, Status::Ready);
    runs.retry(&id).await.unwrap();
    assert_eq!(
        runs.result::<Journey>(&id).await.unwrap(),
        Arrived { seconds: 8 }
    );
}

#[tokio::test]
async fn a_cancel_breaks_off_a_step_that_was_still_on_its_way() {
    let (server, effects) = (Server::start().await, Effects::default());
    let _serving = server.serve(served(&effects, &Bridge::default())).await;
    let runs = server.runs();
    // All at once, so that steps come late.
    let cancelled = (0..100).map(|run| start_and_cancel(&runs, run));
    join_all(cancelled).await;
}

async fn start_and_cancel(runs: &RestateRuns, run: usize) {
    let id = format!("run-{run}");
    let start = runs.start::<Journey>(Journey { seconds: 3_600 });
    // As soon as there is a run, and before its first step is made.
    let cancel = eventually(async || match runs.cancel(&id, "at once").await {
        Ok(()) => Some(()),
        Err(RestateError::NotFound { .. }) => None,
        Err(error) => panic!("{error}"),
    });
    let (started, ()) = tokio::join!(start.with_id(&id).into_future(), cancel);
    started.unwrap();
    until(runs, &id, Status::Cancelled).await;
}

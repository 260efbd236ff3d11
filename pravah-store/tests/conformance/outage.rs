//! A database that goes away in the middle of runs, and comes back. It takes real time.

use std::{collections::BTreeSet, sync::Arc, time::Duration};

use pravah_runtime::prelude::*;
use pravah_store::{PostgresOptions, RunEvents, RunStore, Runs, Status, StoreError, Worker};
use tokio::time::timeout;

use crate::{
    flows::{Effects, Working},
    server::Server,
};

const RUNS: usize = 5;
const STEPS: u32 = 20;

#[state]
struct Lap {
    left: u32,
}
#[state]
#[derive(Debug, PartialEq)]
struct Finished {
    laps: u32,
}

#[node]
async fn run_lap(
    lap: Lap,
    effects: Dep<Effects>,
    ctx: Context,
) -> Result<Either<Lap, Finished>, FlowError> {
    effects.happen(&ctx);
    tokio::time::sleep(Duration::from_millis(10)).await;
    Ok(match lap.left {
        0 => Either::Right(Finished { laps: STEPS }),
        left => Either::Left(Lap { left: left - 1 }),
    })
}

#[flow]
fn race(lap: Lap) -> Finished {
    flow! { run_lap -> either(run_lap, done) }
}

/// A worker with a store of its own, as another process has it.
async fn work(url: &str, effects: &Effects) -> Working {
    let store = PostgresOptions::new().connect(url).await.unwrap();
    let worker = Worker::new(store)
        .serve::<Lap>()
        .with_context(effects.context())
        .with_lease(Duration::from_secs(2))
        .with_poll_interval(Duration::from_millis(200))
        .with_max_failed_claims(1_000);
    Working::start(worker)
}

#[tokio::test(flavor = "multi_thread")]
async fn runs_resume_when_their_database_is_back() {
    let mut server = Server::start();
    let (url, effects) = (server.url(), Effects::default());
    let store = Arc::new(PostgresOptions::new().connect(&url).await.unwrap());
    let runs = Runs::new(store.clone());
    let mut said = store.notifications();
    let mut ids = Vec::new();
    for _ in 0..RUNS {
        ids.push(runs.start::<Lap>(Lap { left: STEPS - 1 }).await.unwrap());
    }
    let _workers = [work(&url, &effects).await, work(&url, &effects).await];
    for outage in 1..=3 {
        while effects.keys().len() < outage * 20 {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        server.crash();
        let away = runs.status(&ids[0]).await;
        assert!(matches!(away, Err(StoreError::Database { .. })));
        server.resume();
    }
    for id in &ids {
        let steps = follow(&runs, id).await;
        assert_eq!(steps, (0..=u64::from(STEPS)).collect::<Vec<_>>());
        let output = runs.output::<Lap>(id).await.unwrap();
        assert_eq!(output, Some(Finished { laps: STEPS }));
    }
    // Some happened again, under the same key.
    let keys: BTreeSet<_> = effects.keys().into_iter().collect();
    assert_eq!(keys.len(), RUNS * STEPS as usize);

    // The same store listens again: it may have missed anything, and hears what comes.
    let looks = async { while said.next().await.is_some() {} };
    within_a_minute(looks).await;
    let other = Runs::new(PostgresOptions::new().connect(&url).await.unwrap());
    let hears = async {
        loop {
            let id = other.start::<Lap>(Lap { left: 0 }).await.unwrap();
            let heard = async { while said.next().await.is_none_or(|key| key.id() != id) {} };
            // What is said while it connects is lost.
            if timeout(Duration::from_secs(1), heard).await.is_ok() {
                return;
            }
        }
    };
    within_a_minute(hears).await;
}

/// The steps of a run until it ends. After an error the stream is asked again, from where it was.
async fn follow(runs: &Runs, id: &str) -> Vec<u64> {
    let mut steps = Vec::new();
    let mut events: RunEvents = runs.events(id);
    let read = async {
        while let Some(row) = events.next().await {
            match row {
                Ok(row) => steps.push(row.step),
                Err(_) => {
                    let next = steps.last().map_or(0, |step| step + 1);
                    tokio::time::sleep(Duration::from_millis(50)).await;
                    events = runs.events_from(id, next);
                }
            }
        }
        assert_eq!(runs.status(id).await.unwrap().status, Status::Done);
    };
    within_a_minute(read).await;
    steps
}

async fn within_a_minute<T>(done: impl Future<Output = T>) -> T {
    timeout(Duration::from_secs(60), done).await.unwrap()
}

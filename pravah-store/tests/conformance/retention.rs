//! What workers delete of runs that have ended.

use std::time::Duration;

use pravah_store::{Retention, Runs, Status, Worker};
use tokio::time::sleep;

use crate::{
    flows::{Draft, Effects, Order, Working, until, worker},
    support::TestStore,
};

crate::over_every_store! {
    a_worker_deletes_runs_that_ended_a_month_ago_and_no_others,
    a_worker_keeps_what_it_is_told_to_keep,
}

const DAY: Duration = Duration::from_secs(24 * 60 * 60);

/// A worker that looks for work once a day, so that a month passes soon.
fn daily_worker(it: &TestStore) -> Worker {
    worker(it.store.clone(), &Effects::default()).with_poll_interval(DAY)
}

async fn a_worker_deletes_runs_that_ended_a_month_ago_and_no_others(it: TestStore) {
    let it = it.with_tokio_time();
    let _worker = Working::start(daily_worker(&it));
    let runs = Runs::new(it.store.clone());
    let of_acme = runs.of_tenant("acme").unwrap();
    let ended = runs.start::<Order>(Order { cups: 1 }).await.unwrap();
    let theirs = of_acme.start::<Order>(Order { cups: 1 }).await.unwrap();
    let asks = runs.start::<Draft>(Draft { version: 1 }).await.unwrap();
    until(&runs, &ended, Status::Done).await;
    until(&of_acme, &theirs, Status::Done).await;
    until(&runs, &asks, Status::Suspended).await;
    sleep(29 * DAY).await;
    runs.status(&ended).await.unwrap();
    of_acme.status(&theirs).await.unwrap();
    sleep(2 * DAY).await;
    assert!(runs.status(&ended).await.is_err());
    assert!(of_acme.status(&theirs).await.is_err());
    assert_eq!(runs.status(&asks).await.unwrap().status, Status::Suspended);
}

async fn a_worker_keeps_what_it_is_told_to_keep(it: TestStore) {
    let it = it.with_tokio_time();
    let runs = Runs::new(it.store.clone());
    let keeping = Working::start(daily_worker(&it).without_retention());
    let ended = runs.start::<Order>(Order { cups: 1 }).await.unwrap();
    until(&runs, &ended, Status::Done).await;
    sleep(100 * DAY).await;
    runs.status(&ended).await.unwrap();
    drop(keeping);
    let _worker = Working::start(daily_worker(&it).with_retention(Retention::max_age(101 * DAY)));
    sleep(DAY / 2).await;
    runs.status(&ended).await.unwrap();
    sleep(DAY).await;
    assert!(runs.status(&ended).await.is_err());
}

//! What could keep a run from being resumed, or one run another: commands that come early, or are too many, and rows that cannot
//! be read.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use pravah_runtime::prelude::*;
use pravah_store::{Command, Release, Retention, Runs, Status, StoreError, TenantFilter};
use serde_json::Value;

use crate::{
    flows::{Bridge, Draft, Effects, Journey, Working, until, worker},
    over_every_store,
    support::{TestStore, is_lost, last_step, step},
};

#[state]
struct First {
    n: u32,
}
#[state]
struct Second {
    n: u32,
}
#[state]
struct Ordered {
    n: u32,
}
#[state]
struct Ready {
    n: u32,
}
#[state]
#[derive(Debug, PartialEq)]
struct Paid {
    cents: u32,
}

#[node]
fn one(first: First) -> Second {
    Second { n: first.n }
}

#[node]
fn two(second: Second) -> Ordered {
    Ordered { n: second.n }
}

#[gate(event = "packed")]
fn pack(ordered: Ordered, boxes: u32) -> Ready {
    Ready {
        n: ordered.n + boxes,
    }
}

#[gate(event = "paid")]
fn pay(ready: Ready, cents: u32) -> Paid {
    Paid {
        cents: cents + ready.n,
    }
}

#[flow(named)]
fn selling(first: First) -> Paid {
    flow! { one -> two -> pack -> pay }
}

fn hours(hours: u64) -> impl Future<Output = ()> {
    tokio::time::sleep(Duration::from_secs(hours * 3600))
}

over_every_store! {
    events_that_come_early_and_in_another_order_are_taken,
    events_that_no_gate_takes_do_not_keep_a_worker_busy,
    a_command_that_could_not_be_read_again_is_refused,
    a_cancel_that_comes_while_a_run_is_parked_is_not_lost,
    a_lease_of_a_deleted_run_is_none_of_another_run_of_its_id,
    one_retry_tries_what_failed_also_where_an_answer_waits,
    answers_to_what_is_not_asked_leave_room_for_others,
}

async fn events_that_come_early_and_in_another_order_are_taken(it: TestStore) {
    let it = it.with_tokio_time();
    let runs = Runs::new(it.store.clone());
    for events in [["paid", "packed"], ["packed", "paid"]] {
        let id = runs.start::<selling>(First { n: 1 }).await.unwrap();
        for event in events {
            runs.emit(&id, event, 5).await.unwrap();
        }
        for _ in 0..3 {
            // Also where the worker is another one after an hour.
            let at_work =
                Working::start(worker(it.store.clone(), &Effects::default()).serve::<selling>());
            hours(1).await;
            at_work.kill().await;
        }
        let info = runs.status(&id).await.unwrap();
        assert_eq!(info.status, Status::Done, "{info:?}");
        let paid = runs.output::<selling>(&id).await.unwrap();
        assert_eq!(paid, Some(Paid { cents: 11 }));
    }
}

async fn events_that_no_gate_takes_do_not_keep_a_worker_busy(it: TestStore) {
    let it = it.with_tokio_time();
    let runs = Runs::new(it.store.clone());
    let id = runs.start::<Draft>(Draft { version: 1 }).await.unwrap();
    let _at_work = Working::start(worker(it.store.clone(), &Effects::default()));
    let mut sent = 0;
    // More than the run and its inbox have room for.
    while sent < 1_100 && runs.emit(&id, "nobody waits for it", 1).await.is_ok() {
        sent += 1;
        tokio::task::yield_now().await;
    }
    assert!(sent > 1_024, "{sent}");
    // On this one thread nothing else would happen any more.
    hours(1).await;
    let other = runs.start::<Draft>(Draft { version: 1 }).await.unwrap();
    until(&runs, &other, Status::Suspended).await;
    runs.cancel(&id, "enough").await.unwrap();
    until(&runs, &id, Status::Cancelled).await;
}

fn nested(levels: usize) -> Value {
    (0..levels).fold(Value::Null, |inner, _| Value::Array(vec![inner]))
}

async fn a_command_that_could_not_be_read_again_is_refused(it: TestStore) {
    let it = it.with_tokio_time();
    let runs = Runs::new(it.store.clone());
    let id = runs.start::<Draft>(Draft { version: 1 }).await.unwrap();
    let _at_work = Working::start(worker(it.store.clone(), &Effects::default()));
    until(&runs, &id, Status::Suspended).await;
    let refused = runs.answer(&id, "approve", nested(127)).await;
    assert!(
        matches!(refused, Err(StoreError::NotStorable { .. })),
        "{refused:?}"
    );
    runs.answer(&id, "approve", true).await.unwrap();
    until(&runs, &id, Status::Done).await;
}

async fn a_cancel_that_comes_while_a_run_is_parked_is_not_lost(it: TestStore) {
    let key = it.start("a").await;
    let claim = it.claim_one("one").await;
    let reason = "enough".to_owned();
    let cancel = Command::Cancel { reason };
    it.store.push(&key, cancel).await.unwrap();
    let error = "broken".to_owned();
    let park = Release::Parked { error };
    it.store.release(&claim.lease, park).await.unwrap();
    assert_eq!(it.store.get(&key).await.unwrap().status, Status::Failed);
    assert_eq!(it.claim("two", 10).await.len(), 1);
}

async fn a_lease_of_a_deleted_run_is_none_of_another_run_of_its_id(it: TestStore) {
    it.start("a").await;
    let stale = it.claim_one("one").await.lease;
    it.pass(11);
    let ended = it.claim_one("two").await.lease;
    let done = last_step(Status::Done);
    it.store.commit(&ended, done).await.unwrap();
    it.pass(1);
    let all = Retention::max_age(Duration::ZERO);
    assert_eq!(it.store.prune(&TenantFilter::Nobody, all).await.unwrap(), 1);

    it.start("a").await;
    let lease = it.claim_one("one").await.lease;
    let time = Duration::from_secs(10);
    assert!(is_lost(&it.store.renew(&stale, time).await));
    let stale = it.store.commit(&stale, step("/states/Stale", "1")).await;
    assert!(is_lost(&stale));
    assert!(it.store.renew(&lease, time).await.is_ok());
}

#[state]
struct Split {
    n: u32,
}
#[state]
struct Asked {
    n: u32,
}
#[state]
struct Crossing {
    n: u32,
}
#[state]
struct Agreed {
    n: u32,
}
#[state]
struct Crossed {
    n: u32,
}
#[state]
struct Closed {
    n: u32,
}

#[node]
fn split(split: Split) -> (Asked, Crossing) {
    (Asked { n: split.n }, Crossing { n: split.n })
}

#[gate(prompt = "Go?")]
fn agree(asked: Asked, yes: bool) -> Agreed {
    Agreed {
        n: asked.n + u32::from(yes),
    }
}

#[node]
fn cross(crossing: Crossing, bridge: Dep<Bridge>) -> Result<Crossed, std::io::Error> {
    match bridge.0.load(Ordering::Relaxed) {
        true => Ok(Crossed { n: crossing.n }),
        false => Err(std::io::Error::other("no bridge")),
    }
}

#[node]
fn close(agreed: Agreed, crossed: Crossed) -> Closed {
    Closed {
        n: agreed.n + crossed.n,
    }
}

#[flow(named)]
fn travelling(start: Split) -> Closed {
    flow! { split -> fork(agree, cross) -> join(close) }
}

async fn one_retry_tries_what_failed_also_where_an_answer_waits(it: TestStore) {
    let it = it.with_tokio_time();
    let runs = Runs::new(it.store.clone());
    let bridge = Bridge(Arc::new(AtomicBool::new(false)));
    let ctx = Effects::default().context().with_dep(bridge.clone());
    let worker = worker(it.store.clone(), &Effects::default());
    let _at_work = Working::start(worker.serve::<travelling>().with_context(ctx));
    let id = runs.start::<travelling>(Split { n: 1 }).await.unwrap();
    until(&runs, &id, Status::Failed).await;
    runs.answer(&id, "agree", true).await.unwrap();
    bridge.0.store(true, Ordering::Relaxed);
    runs.retry(&id).await.unwrap();
    hours(1).await;
    let info = runs.status(&id).await.unwrap();
    assert_eq!(info.status, Status::Done, "{info:?}");
}

async fn answers_to_what_is_not_asked_leave_room_for_others(it: TestStore) {
    let it = it.with_tokio_time();
    let runs = Runs::new(it.store.clone());
    let id = runs.start::<Draft>(Draft { version: 1 }).await.unwrap();
    let _at_work = Working::start(worker(it.store.clone(), &Effects::default()));
    until(&runs, &id, Status::Suspended).await;
    let mut waiting = 0;
    while runs.answer(&id, "reject", true).await.is_ok() {
        waiting += 1;
    }
    assert_eq!(waiting, 256);
    runs.answer(&id, "approve", true).await.unwrap();
    until(&runs, &id, Status::Done).await;
}

#[tokio::test(start_paused = true)]
async fn a_worker_waits_a_day_at_most_however_seldom_it_is_to_look() {
    let it = TestStore::memory().with_tokio_time();
    let worker = worker(it.store.clone(), &Effects::default());
    let _at_work = Working::start(worker.with_poll_interval(Duration::MAX));
    let runs = Runs::new(it.store.clone());
    let id = runs.start::<Journey>(Journey { seconds: 1 }).await.unwrap();
    until(&runs, &id, Status::Done).await;
}

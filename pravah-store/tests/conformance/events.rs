//! Following a run through its history.

use std::time::Duration;

use pravah_store::{RunEvents, Runs, Status, StoreError};
use tokio::time::{Instant, timeout};

use crate::{
    faults::is_not_found,
    flows::{Crossing, Draft, Effects, Journey, Order, Working, until, worker},
    support::{TestStore, last_step, step},
};

crate::over_every_store! {
    events_are_the_rows_of_the_history_and_end_with_the_run,
    events_of_a_run_that_has_ended_are_there_at_once,
    events_from_a_step_on_leave_out_those_before,
    events_come_at_once_where_this_process_commits,
    events_come_where_another_process_does_the_work,
    events_wait_for_a_run_that_waits_or_has_failed,
    events_of_a_long_history_come_page_by_page,
    events_of_a_run_that_is_cancelled_end,
    events_of_what_is_not_there_are_an_error,
    events_that_nobody_awaits_lose_nothing,
}

const HOURS: Duration = Duration::from_secs(10 * 3600);

/// The steps of all rows until the end.
async fn steps(mut events: RunEvents) -> Vec<u64> {
    let mut steps = Vec::new();
    let end = Instant::now() + HOURS;
    while let Some(row) = tokio::time::timeout_at(end, events.next()).await.unwrap() {
        steps.push(row.unwrap().step);
    }
    steps
}

async fn next_step(events: &mut RunEvents) -> Option<u64> {
    let row = timeout(HOURS, events.next()).await.unwrap();
    row.map(|row| row.unwrap().step)
}

async fn events_are_the_rows_of_the_history_and_end_with_the_run(it: TestStore) {
    let it = it.with_tokio_time();
    let runs = Runs::new(it.store.clone());
    let id = runs.start::<Order>(Order { cups: 2 }).await.unwrap();
    let mut events = runs.events(&id);
    let _worker = Working::start(worker(it.store.clone(), &Effects::default()));
    let mut rows = Vec::new();
    while let Some(row) = events.next().await {
        rows.push(row.unwrap());
    }
    assert_eq!(rows, runs.history(&id).await.unwrap());
    assert_eq!(rows.last().unwrap().status, Status::Done);
    assert!(events.next().await.is_none());
}

async fn events_of_a_run_that_has_ended_are_there_at_once(it: TestStore) {
    let it = it.with_tokio_time();
    let _worker = Working::start(worker(it.store.clone(), &Effects::default()));
    let runs = Runs::new(it.store.clone());
    let id = runs.start::<Order>(Order { cups: 2 }).await.unwrap();
    until(&runs, &id, Status::Done).await;
    let asked = Instant::now();
    assert_eq!(steps(runs.events(&id)).await, [0, 1, 2]);
    assert_eq!(steps(runs.events_from(&id, 2)).await, [2]);
    for beyond in [3, 4, u64::MAX] {
        assert_eq!(steps(runs.events_from(&id, beyond)).await, [0; 0]);
    }
    assert!(asked.elapsed() < Duration::from_millis(100));
}

async fn events_from_a_step_on_leave_out_those_before(it: TestStore) {
    let it = it.with_tokio_time();
    let runs = Runs::new(it.store.clone());
    let id = runs.start::<Order>(Order { cups: 2 }).await.unwrap();
    let mut events = runs.events_from(&id, 1);
    assert!(
        timeout(Duration::from_secs(60), events.next())
            .await
            .is_err()
    );
    let _worker = Working::start(worker(it.store.clone(), &Effects::default()));
    assert_eq!(steps(events).await, [1, 2]);
}

async fn events_come_at_once_where_this_process_commits(it: TestStore) {
    let it = it.with_tokio_time();
    let _worker = Working::start(worker(it.store.clone(), &Effects::default()));
    let runs = Runs::new(it.store.clone()).with_poll_interval(HOURS);
    let id = runs
        .start::<Journey>(Journey { seconds: 600 })
        .await
        .unwrap();
    let mut events = runs.events(&id);
    assert_eq!(next_step(&mut events).await, Some(0));
    let asked = Instant::now();
    assert_eq!(next_step(&mut events).await, Some(1));
    let late = asked.elapsed().checked_sub(Duration::from_secs(599));
    assert!(late.unwrap() < Duration::from_secs(5), "{late:?}");
    assert_eq!(next_step(&mut events).await, None);
}

async fn events_come_where_another_process_does_the_work(it: TestStore) {
    let it = it.with_tokio_time();
    // Another handle to the same file: what it does is no notification here.
    let _worker = Working::start(worker(it.reopen(), &Effects::default()));
    let runs = Runs::new(it.store.clone());
    let id = runs
        .start::<Journey>(Journey { seconds: 600 })
        .await
        .unwrap();
    let mut events = runs.events(&id);
    assert_eq!(next_step(&mut events).await, Some(0));
    let row = timeout(HOURS, events.next())
        .await
        .unwrap()
        .unwrap()
        .unwrap();
    let seen = it.store.clock().now();
    assert!(seen.duration_since(row.at).unwrap() < Duration::from_secs(2));
    assert_eq!((row.step, row.status), (1, Status::Done));
    assert_eq!(next_step(&mut events).await, None);
}

async fn events_wait_for_a_run_that_waits_or_has_failed(it: TestStore) {
    let it = it.with_tokio_time();
    let _worker = Working::start(worker(it.reopen(), &Effects::default()));
    let runs = Runs::new(it.store.clone());
    let asks = runs.start::<Draft>(Draft { version: 1 }).await.unwrap();
    let mut events = runs.events_from(&asks, 1);
    assert_eq!(next_step(&mut events).await, Some(1));
    assert!(
        timeout(Duration::from_secs(3600), events.next())
            .await
            .is_err()
    );
    runs.answer(&asks, "approve", true).await.unwrap();
    assert_eq!(steps(events).await, [2]);

    let fails = runs.start::<Crossing>(Crossing { at: 1 }).await.unwrap();
    let mut events = runs.events_from(&fails, 1);
    let failed = loop {
        let row = timeout(HOURS, events.next())
            .await
            .unwrap()
            .unwrap()
            .unwrap();
        if row.status == Status::Failed {
            break row.step;
        }
    };
    assert!(
        timeout(Duration::from_secs(3600), events.next())
            .await
            .is_err()
    );
    runs.retry(&fails).await.unwrap();
    assert_eq!(next_step(&mut events).await, Some(failed + 1));
}

async fn events_of_a_long_history_come_page_by_page(it: TestStore) {
    let it = it.with_tokio_time();
    let key = it.start("a").await;
    let lease = it.claim_one("worker").await.lease;
    for _ in 1..600 {
        it.store.commit(&lease, step("/a", "1")).await.unwrap();
    }
    let last = last_step(Status::Done);
    it.store.commit(&lease, last).await.unwrap();
    let runs = Runs::new(it.store.clone());
    let expected: Vec<u64> = (0..=600).collect();
    assert_eq!(steps(runs.events(key.id())).await, expected);
}

async fn events_of_a_run_that_is_cancelled_end(it: TestStore) {
    let it = it.with_tokio_time();
    let _worker = Working::start(worker(it.reopen(), &Effects::default()));
    let runs = Runs::new(it.store.clone());
    let id = runs.start::<Draft>(Draft { version: 1 }).await.unwrap();
    let mut events = runs.events_from(&id, 1);
    assert_eq!(next_step(&mut events).await, Some(1));
    runs.cancel(&id, "sold out").await.unwrap();
    assert_eq!(steps(events).await, [2]);
}

async fn events_of_what_is_not_there_are_an_error(it: TestStore) {
    let it = it.with_tokio_time();
    let runs = Runs::new(it.store.clone());
    let id = runs.start::<Order>(Order { cups: 2 }).await.unwrap();
    let acme = runs.of_tenant("acme").unwrap();
    for mut events in [runs.events("other"), runs.events(""), acme.events(&id)] {
        let first: Result<_, StoreError> = events.next().await.unwrap();
        assert!(is_not_found(&first), "{first:?}");
        assert!(events.next().await.is_none());
    }
}

async fn events_that_nobody_awaits_lose_nothing(it: TestStore) {
    let it = it.with_tokio_time();
    let runs = Runs::new(it.store.clone());
    let id = runs.start::<Order>(Order { cups: 2 }).await.unwrap();
    let mut events = runs.events(&id);
    let _worker = Working::start(worker(it.reopen(), &Effects::default()));
    let mut steps = Vec::new();
    loop {
        match timeout(Duration::from_millis(1), events.next()).await {
            Ok(Some(row)) => steps.push(row.unwrap().step),
            Ok(None) => break,
            Err(_) => {}
        }
    }
    assert_eq!(steps, [0, 1, 2]);
}

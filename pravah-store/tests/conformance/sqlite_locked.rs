//! A SQLite file that another process has locked.

use std::time::{Duration, UNIX_EPOCH};

use pravah_runtime::ManualClock;
use pravah_store::{ClaimRequest, Lease, RunStore, SqliteOptions, SqliteStore, Status, StoreError};
use rusqlite::Connection;

use crate::support::{is_lost, key, last_step, new_run, step};

async fn claim(store: &SqliteStore) -> Lease {
    let request = ClaimRequest::new("worker", ["flow".to_owned()]);
    let request = request.with_lease(Duration::from_secs(5));
    store.claim(request).await.unwrap().remove(0).lease
}

#[tokio::test(flavor = "multi_thread")]
async fn a_lease_that_ends_while_its_commit_waits_for_the_file_is_lost() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("runs.db");
    let clock = ManualClock::new(UNIX_EPOCH + Duration::from_secs(1_000));
    let store = SqliteStore::open(&file).unwrap().with_clock(clock.clone());
    store.start(new_run(&key("a"))).await.unwrap();
    let lease = claim(&store).await;

    let other = Connection::open(&file).unwrap();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    let committing = tokio::spawn({
        let store = store.clone();
        async move { store.commit(&lease, last_step(Status::Done)).await }
    });
    // Until the commit waits for the other connection, however slow the machine is.
    tokio::time::sleep(Duration::from_millis(200)).await;
    clock.advance(Duration::from_secs(60));
    other.execute_batch("COMMIT").unwrap();
    assert!(is_lost(&committing.await.unwrap()));
}

#[tokio::test]
async fn a_connection_in_the_middle_of_a_write_keeps_others_from_writing_and_not_from_reading() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("runs.db");
    let options = SqliteOptions::new().with_busy_timeout(Duration::from_millis(50));
    let store = options.open(&file).unwrap();
    let clock = ManualClock::new(UNIX_EPOCH + Duration::from_secs(1_000));
    let store = store.with_clock(clock);
    store.start(new_run(&key("a"))).await.unwrap();
    let lease = claim(&store).await;

    let stopped = Connection::open(&file).unwrap();
    stopped.execute_batch("BEGIN IMMEDIATE").unwrap();
    let refused = store.commit(&lease, step("/x", "1")).await;
    assert!(matches!(refused, Err(StoreError::Database { .. })));
    assert_eq!(store.get(&key("a")).await.unwrap().step, 0);
    // Its process ends.
    drop(stopped);
    store.commit(&lease, step("/x", "1")).await.unwrap();
    assert_eq!(store.get(&key("a")).await.unwrap().step, 1);
}

//! The inbox.

use pravah_store::{Command, Refusal, Status, StoreError};
use serde_json::json;

use crate::support::{TestStore, key, last_step, step};

crate::over_every_store! {
    commands_are_kept_in_their_order,
    a_step_removes_what_it_took_and_no_more,
    what_was_refused_is_in_the_history,
    a_command_wakes_a_run_that_waits_for_nothing_else,
    a_command_that_a_commit_has_not_seen_wakes_the_run,
    what_a_run_has_seen_does_not_wake_it,
    a_run_that_has_failed_wakes_for_a_cancel_only,
    a_run_that_has_ended_takes_no_command,
    a_full_inbox_still_takes_a_cancel,
    payloads_come_back_as_they_were,
}

fn emit(name: &str) -> Command {
    Command::Emit {
        name: name.to_owned(),
        value: json!(null),
    }
}

fn cancel() -> Command {
    Command::Cancel {
        reason: "enough".to_owned(),
    }
}

async fn names(it: &TestStore, after: u64) -> Vec<(u64, String)> {
    let rows = it.store.inbox(&key("a"), after).await.unwrap();
    let named = rows.into_iter().map(|row| match row.command {
        Command::Emit { name, .. } => (row.number, name),
        other => panic!("{other:?}"),
    });
    named.collect()
}

async fn commands_are_kept_in_their_order(it: TestStore) {
    let key = it.start("a").await;
    for name in ["c", "a", "b"] {
        it.store.push(&key, emit(name)).await.unwrap();
    }
    let all = [
        (1, "c".to_owned()),
        (2, "a".to_owned()),
        (3, "b".to_owned()),
    ];
    assert_eq!(names(&it, 0).await, all);
    assert_eq!(names(&it, 2).await, all[2..]);
    let loaded = it.reopen().load(&key).await.unwrap();
    let numbers: Vec<_> = loaded.inbox.iter().map(|row| row.number).collect();
    assert_eq!(numbers, [1, 2, 3]);
}

async fn a_step_removes_what_it_took_and_no_more(it: TestStore) {
    let key = it.start("a").await;
    for name in ["a", "b", "c"] {
        it.store.push(&key, emit(name)).await.unwrap();
    }
    let claim = it.claim_one("one").await;
    let mut commit = step("/x", "1");
    (commit.taken, commit.seen) = (vec![2], 3);
    assert_eq!(it.store.commit(&claim.lease, commit).await.unwrap(), 3);
    let left = [(1, "a".to_owned()), (3, "c".to_owned())];
    assert_eq!(names(&it, 0).await, left);
    // A number is never given twice.
    assert_eq!(it.store.push(&key, emit("d")).await.unwrap(), 4);
    assert_eq!(
        it.store.history(&key, 0, usize::MAX).await.unwrap()[1].taken,
        [2]
    );
}

async fn what_was_refused_is_in_the_history(it: TestStore) {
    let key = it.start("a").await;
    it.store.push(&key, emit("a")).await.unwrap();
    let claim = it.claim_one("one").await;
    let mut commit = last_step(Status::Suspended);
    commit.refused = vec![Refusal::new(1, "not open")];
    commit.seen = 1;
    it.store.commit(&claim.lease, commit).await.unwrap();
    assert!(names(&it, 0).await.is_empty());
    let history = it.store.history(&key, 0, usize::MAX).await.unwrap();
    assert_eq!(history[1].refused, [Refusal::new(1, "not open")]);
}

async fn a_command_wakes_a_run_that_waits_for_nothing_else(it: TestStore) {
    let key = it.start("a").await;
    let claim = it.claim_one("one").await;
    it.store
        .commit(&claim.lease, last_step(Status::Suspended))
        .await
        .unwrap();
    assert!(it.claim("one", 1).await.is_empty());
    it.reopen().push(&key, emit("a")).await.unwrap();
    it.claim_one("one").await;
}

async fn a_command_that_a_commit_has_not_seen_wakes_the_run(it: TestStore) {
    let key = it.start("a").await;
    let claim = it.claim_one("one").await;
    it.store.push(&key, emit("a")).await.unwrap();
    let last = it.store.commit(&claim.lease, last_step(Status::Suspended));
    assert_eq!(last.await.unwrap(), 1);
    it.claim_one("two").await;
}

async fn what_a_run_has_seen_does_not_wake_it(it: TestStore) {
    let key = it.start("a").await;
    let claim = it.claim_one("one").await;
    it.store.push(&key, emit("a")).await.unwrap();
    let mut commit = last_step(Status::Suspended);
    commit.seen = 1;
    it.store.commit(&claim.lease, commit).await.unwrap();
    assert!(it.claim("two", 1).await.is_empty());
    assert_eq!(names(&it, 0).await.len(), 1);
}

async fn a_run_that_has_failed_wakes_for_a_cancel_only(it: TestStore) {
    let key = it.start("a").await;
    let claim = it.claim_one("one").await;
    it.store.push(&key, emit("a")).await.unwrap();
    it.store
        .commit(&claim.lease, last_step(Status::Failed))
        .await
        .unwrap();
    it.store.push(&key, emit("b")).await.unwrap();
    assert!(it.claim("one", 1).await.is_empty());
    it.store.push(&key, cancel()).await.unwrap();
    it.claim_one("one").await;
}

async fn a_run_that_has_ended_takes_no_command(it: TestStore) {
    let key = it.start("a").await;
    it.store.push(&key, emit("a")).await.unwrap();
    let claim = it.claim_one("one").await;
    it.store
        .commit(&claim.lease, last_step(Status::Cancelled))
        .await
        .unwrap();
    assert!(names(&it, 0).await.is_empty());
    assert!(it.claim("one", 1).await.is_empty());
    let refused = it.store.push(&key, cancel()).await;
    assert!(matches!(
        refused,
        Err(StoreError::WrongStatus {
            status: Status::Cancelled,
            ..
        })
    ));
    let missing = it.store.push(&crate::support::key("b"), cancel()).await;
    assert!(matches!(missing, Err(StoreError::NotFound { .. })));
}

async fn a_full_inbox_still_takes_a_cancel(it: TestStore) {
    let key = it.start("a").await;
    for _ in 0..1024 {
        it.store.push(&key, emit("a")).await.unwrap();
    }
    let full = it.store.push(&key, emit("a")).await;
    assert!(matches!(
        full,
        Err(StoreError::InboxFull { limit: 1024, .. })
    ));
    it.store.push(&key, cancel()).await.unwrap();
    assert!(it.store.push(&key, cancel()).await.is_err());
}

async fn payloads_come_back_as_they_were(it: TestStore) {
    let key = it.start("a").await;
    let hostile = "\0'; DELETE FROM inbox; -- \u{202e}\u{10ffff}";
    let commands = [
        Command::Answer {
            id: hostile.to_owned(),
            number: Some(u64::MAX),
            answer: json!({ hostile: [hostile, 1.5, u64::MAX, i64::MIN, null] }),
        },
        Command::Message {
            node: hostile.to_owned(),
            text: "x".repeat(1_000_000),
        },
        Command::Pause,
        Command::Unpause,
        cancel(),
    ];
    for command in &commands {
        it.store.push(&key, command.clone()).await.unwrap();
    }
    let rows = it.reopen().inbox(&key, 0).await.unwrap();
    let read: Vec<_> = rows.into_iter().map(|row| row.command).collect();
    assert_eq!(read, commands);
}

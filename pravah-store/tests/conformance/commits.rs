//! What a commit writes, and what is kept of it.

use pravah_runtime::{Entries, StepKind};
use pravah_store::{Commit, Status, StepNode, StoreError};

use crate::support::{TestStore, changes, key, last_step, new_run, step};

crate::over_every_store! {
    a_start_is_idempotent,
    a_run_of_another_flow_is_not_replaced,
    a_deleted_key_goes_with_all_that_is_under_it,
    what_is_deleted_and_put_in_one_step_is_put,
    what_was_committed_is_there_for_another_process,
    each_step_has_a_row_in_the_history,
    a_history_is_read_from_a_step_on_and_so_far,
    a_commit_of_nothing_is_no_step,
    the_entries_of_any_step_can_be_read,
    a_fork_starts_from_a_step,
    a_fork_is_idempotent_and_keeps_to_its_flow,
    a_run_that_is_done_keeps_its_output,
    a_commit_without_a_release_leaves_the_run_to_others_if_its_worker_ends,
}

async fn a_start_is_idempotent(it: TestStore) {
    let key = it.start("a").await;
    let claim = it.claim_one("one").await;
    it.store
        .commit(&claim.lease, step("/x", "1"))
        .await
        .unwrap();
    assert!(!it.store.start(new_run(&key)).await.unwrap());
    let run = it.store.load(&key).await.unwrap();
    assert_eq!((run.info.step, run.entries.get("/x")), (1, Some("1")));
}

async fn a_run_of_another_flow_is_not_replaced(it: TestStore) {
    let key = it.start("a").await;
    let other = pravah_store::NewRun::new(key.clone(), "other", changes(&[], &[]));
    let refused = it.store.start(other).await;
    assert!(matches!(refused, Err(StoreError::AlreadyExists { flow, .. }) if flow == "flow"));
    assert_eq!(it.store.get(&key).await.unwrap().flow, "flow");
}

/// The keys of a run, after `put` and then `deleted`.
async fn keys_after(it: &TestStore, put: &[(&str, &str)], deleted: &[&str]) -> Vec<String> {
    let key = it.start("a").await;
    let claim = it.claim_one("one").await;
    let steps = [changes(&["", "/states"], put), changes(deleted, &[])];
    for changes in steps {
        let commit = Commit::new(changes, Status::Ready);
        it.store.commit(&claim.lease, commit).await.unwrap();
    }
    let entries = it.store.load(&key).await.unwrap().entries;
    entries.iter().map(|(key, _)| key.to_owned()).collect()
}

async fn a_deleted_key_goes_with_all_that_is_under_it(it: TestStore) {
    let put = [
        ("/a", "1"),
        ("/a/b", "1"),
        ("/a/b/c", "1"),
        ("/a-b", "1"),
        ("/a.b", "1"),
        ("/a0", "1"),
        ("/ab/c", "1"),
        ("/a\u{10ffff}", "1"),
        ("/A/b", "1"),
        ("/a%/b", "1"),
        ("/a_/b", "1"),
        ("/a/'; DROP TABLE entry; --", "1"),
        ("/a/\0", "1"),
    ];
    let left = keys_after(&it, &put, &["/a", "/a_", "/a%"]).await;
    assert_eq!(
        left,
        ["/A/b", "/a-b", "/a.b", "/a0", "/ab/c", "/a\u{10ffff}"]
    );
}

async fn what_is_deleted_and_put_in_one_step_is_put(it: TestStore) {
    let key = it.start("a").await;
    let claim = it.claim_one("one").await;
    let changes = changes(
        &["/states"],
        &[("/states/Order", "7"), ("/states/New", "8")],
    );
    let commit = Commit::new(changes, Status::Ready);
    it.store.commit(&claim.lease, commit).await.unwrap();
    let entries = it.store.load(&key).await.unwrap().entries;
    assert_eq!(entries.get("/states/Order"), Some("7"));
    assert_eq!(entries.get("/states/New"), Some("8"));
}

async fn what_was_committed_is_there_for_another_process(it: TestStore) {
    let key = it.start("a").await;
    let claim = it.claim_one("one").await;
    it.store
        .commit(&claim.lease, step("/x", r#"{"a":1.50,"b":"é\u0000"}"#))
        .await
        .unwrap();
    let (ours, theirs) = (
        it.store.load(&key).await.unwrap(),
        it.reopen().load(&key).await.unwrap(),
    );
    assert_eq!(ours.info, theirs.info);
    let json = |entries: &Entries| serde_json::to_string(entries).unwrap();
    assert_eq!(json(&ours.entries), json(&theirs.entries));
}

async fn a_history_is_read_from_a_step_on_and_so_far(it: TestStore) {
    let key = it.start("a").await;
    let lease = it.claim_one("worker").await.lease;
    for _ in 0..4 {
        it.store.commit(&lease, step("/a", "1")).await.unwrap();
    }
    let steps = async |from, limit| {
        let rows = it.store.history(&key, from, limit).await.unwrap();
        rows.iter().map(|row| row.step).collect::<Vec<_>>()
    };
    assert_eq!(steps(0, usize::MAX).await, [0, 1, 2, 3, 4]);
    assert_eq!(steps(2, 2).await, [2, 3]);
    assert_eq!(steps(4, 2).await, [4]);
    assert_eq!(steps(5, 2).await, [0; 0]);
    assert_eq!(steps(u64::MAX, 0).await, [0; 0]);
}

async fn each_step_has_a_row_in_the_history(it: TestStore) {
    let key = it.start("a").await;
    let claim = it.claim_one("one").await;
    it.pass(1);
    let node = StepNode::new("brew", vec![3, 1], StepKind::Node);
    let mut first = step("/x", "1");
    first.node = Some(node.clone());
    it.store.commit(&claim.lease, first).await.unwrap();
    it.store
        .commit(&claim.lease, last_step(Status::Done))
        .await
        .unwrap();
    let history = it.store.history(&key, 0, usize::MAX).await.unwrap();
    let steps: Vec<_> = history.iter().map(|row| (row.step, row.status)).collect();
    assert_eq!(
        steps,
        [(0, Status::Ready), (1, Status::Ready), (2, Status::Done)]
    );
    assert_eq!(history[1].node, Some(node));
    assert!(history[1].at > history[0].at);
    assert_eq!(it.store.get(&key).await.unwrap().step, 2);
}

async fn a_commit_of_nothing_is_no_step(it: TestStore) {
    let key = it.start("a").await;
    let claim = it.claim_one("one").await;
    let mut commit = Commit::new(changes(&[], &[]), Status::Suspended);
    commit.release = true;
    it.store.commit(&claim.lease, commit).await.unwrap();
    let run = it.store.get(&key).await.unwrap();
    assert_eq!((run.status, run.step), (Status::Suspended, 0));
    assert_eq!(
        it.store.history(&key, 0, usize::MAX).await.unwrap().len(),
        1
    );
}

async fn the_entries_of_any_step_can_be_read(it: TestStore) {
    let key = it.start("a").await;
    let claim = it.claim_one("one").await;
    it.store
        .commit(&claim.lease, step("/x/1", "1"))
        .await
        .unwrap();
    let gone = Commit::new(changes(&["/x"], &[]), Status::Ready);
    it.store.commit(&claim.lease, gone).await.unwrap();
    let x = async |step| {
        let entries = it.store.entries_at(&key, step).await.unwrap();
        entries.get("/x/1").map(str::to_owned)
    };
    assert_eq!(x(0).await, None);
    assert_eq!(x(1).await.as_deref(), Some("1"));
    assert_eq!(x(2).await, None);
    let beyond = it.store.entries_at(&key, 3).await;
    assert!(matches!(
        beyond,
        Err(StoreError::NoSuchStep { step: 3, .. })
    ));
    assert!(it.store.entries_at(&key, u64::MAX).await.is_err());
}

async fn a_fork_starts_from_a_step(it: TestStore) {
    let tags = [("shop".to_owned(), "north".to_owned())];
    let run = new_run(&key("a")).with_tags(tags.into()).unwrap();
    it.store.start(run).await.unwrap();
    let claim = it.claim_one("one").await;
    for value in ["1", "2"] {
        it.store
            .commit(&claim.lease, step("/x", value))
            .await
            .unwrap();
    }
    let command = pravah_store::Command::Pause;
    it.store.push(&key("a"), command).await.unwrap();
    it.store
        .commit(&claim.lease, last_step(Status::Done))
        .await
        .unwrap();

    assert!(it.store.fork(&key("a"), 1, "b".to_owned()).await.unwrap());
    let fork = it.store.load(&key("b")).await.unwrap();
    assert_eq!((fork.info.step, fork.info.status), (0, Status::Ready));
    assert_eq!(fork.entries.get("/x"), Some("1"));
    assert_eq!(fork.info.forked_from, Some(("a".to_owned(), 1)));
    assert_eq!(fork.info.tags["shop"], "north");
    assert!(fork.inbox.is_empty());
    assert_eq!(it.claim_one("one").await.info.key, key("b"));
    let start = it.store.entries_at(&key("b"), 0).await.unwrap();
    assert_eq!(start.get("/x"), Some("1"));
}

async fn a_fork_is_idempotent_and_keeps_to_its_flow(it: TestStore) {
    it.start("a").await;
    assert!(it.store.fork(&key("a"), 0, "b".to_owned()).await.unwrap());
    assert!(!it.store.fork(&key("a"), 0, "b".to_owned()).await.unwrap());
    let other = pravah_store::NewRun::new(key("c"), "other", changes(&[], &[]));
    it.store.start(other).await.unwrap();
    let taken = it.store.fork(&key("a"), 0, "c".to_owned()).await;
    assert!(matches!(taken, Err(StoreError::AlreadyExists { .. })));
    let beyond = it.store.fork(&key("a"), 1, "d".to_owned()).await;
    assert!(matches!(beyond, Err(StoreError::NoSuchStep { .. })));
    let missing = it.store.fork(&key("x"), 0, "d".to_owned()).await;
    assert!(matches!(missing, Err(StoreError::NotFound { .. })));
    let hostile = it.store.fork(&key("a"), 0, "a\0".to_owned()).await;
    assert!(matches!(hostile, Err(StoreError::InvalidName { .. })));
}

async fn a_run_that_is_done_keeps_its_output(it: TestStore) {
    let key = it.start("a").await;
    let claim = it.claim_one("one").await;
    let mut commit = last_step(Status::Done);
    commit.output = Some(r#"{"cups":2}"#.to_owned());
    it.store.commit(&claim.lease, commit).await.unwrap();
    it.pass(1_000);
    assert!(it.claim("one", 1).await.is_empty());
    let run = it.reopen().get(&key).await.unwrap();
    assert_eq!(run.output.as_deref(), Some(r#"{"cups":2}"#));
}

async fn a_commit_without_a_release_leaves_the_run_to_others_if_its_worker_ends(it: TestStore) {
    it.start("a").await;
    let claim = it.claim_one("one").await;
    let mut commit = last_step(Status::Suspended);
    commit.release = false;
    it.store.commit(&claim.lease, commit).await.unwrap();
    assert!(it.claim("two", 1).await.is_empty());
    it.pass(10);
    assert_eq!(it.claim_one("two").await.info.status, Status::Suspended);
}

//! Claims, leases and what fences them.

use std::time::Duration;

use pravah_store::{ClaimRequest, Command, Release, Status};

use crate::support::{TestStore, is_lost, last_step, new_run, start_of_time, step};

crate::over_every_store! {
    a_run_is_claimed_once,
    the_run_that_has_waited_longest_is_claimed_first,
    a_worker_gets_runs_of_its_flows_only,
    a_run_is_claimed_again_when_its_lease_has_ended,
    a_lease_that_has_ended_commits_nothing,
    of_two_workers_on_one_run_only_the_last_commits,
    the_same_owner_is_fenced_off_by_its_older_lease,
    a_renewed_lease_lasts_longer,
    a_run_that_was_released_is_free_at_once,
    a_run_is_not_claimed_before_its_time,
    claims_that_commit_nothing_are_counted,
    a_parked_run_is_not_claimed_before_a_retry,
    a_failed_step_is_tried_again_at_its_time,
    two_processes_claim_each_run_once,
}

async fn a_run_is_claimed_once(it: TestStore) {
    it.start("a").await;
    assert_eq!(it.claim("one", 10).await.len(), 1);
    assert!(it.claim("two", 10).await.is_empty());
}

async fn the_run_that_has_waited_longest_is_claimed_first(it: TestStore) {
    for id in ["c", "a", "b"] {
        it.start(id).await;
        it.pass(1);
    }
    let claims = it.claim("one", 2).await;
    let ids: Vec<_> = claims
        .iter()
        .map(|claim| claim.info.key.id().to_owned())
        .collect();
    assert_eq!(ids, ["c", "a"]);
}

async fn a_worker_gets_runs_of_its_flows_only(it: TestStore) {
    it.start("a").await;
    let other = ClaimRequest::new("one", ["other".to_owned(), "fl".to_owned()]);
    assert!(it.store.claim(other).await.unwrap().is_empty());
    let none = ClaimRequest::new("one", []);
    assert!(it.store.claim(none).await.unwrap().is_empty());
}

async fn a_run_is_claimed_again_when_its_lease_has_ended(it: TestStore) {
    it.start("a").await;
    let first = it.claim_one("one").await;
    it.pass(9);
    assert!(it.claim("two", 1).await.is_empty());
    it.pass(1);
    let second = it.claim_one("two").await;
    assert!(second.lease.number > first.lease.number);
}

async fn a_lease_that_has_ended_commits_nothing(it: TestStore) {
    let key = it.start("a").await;
    let claim = it.claim_one("one").await;
    it.pass(10);
    // Nobody else has it, and it is too late all the same.
    assert!(is_lost(
        &it.store.commit(&claim.lease, step("/x", "1")).await
    ));
    assert!(is_lost(
        &it.store.renew(&claim.lease, Duration::from_secs(10)).await
    ));
    assert!(is_lost(
        &it.store.release(&claim.lease, Release::Stopped).await
    ));
    let run = it.store.load(&key).await.unwrap();
    assert_eq!((run.info.step, run.entries.get("/x")), (0, None));
}

async fn of_two_workers_on_one_run_only_the_last_commits(it: TestStore) {
    let key = it.start("a").await;
    let first = it.claim_one("one").await;
    it.pass(10);
    let second = it.claim_one("two").await;
    it.store
        .commit(&second.lease, step("/x", "2"))
        .await
        .unwrap();
    let late = it.store.commit(&first.lease, step("/x", "1")).await;
    assert!(is_lost(&late));
    assert!(is_lost(
        &it.store.release(&first.lease, Release::Stopped).await
    ));
    it.store
        .commit(&second.lease, step("/y", "2"))
        .await
        .unwrap();
    let run = it.store.load(&key).await.unwrap();
    assert_eq!((run.info.step, run.entries.get("/x")), (2, Some("2")));
}

async fn the_same_owner_is_fenced_off_by_its_older_lease(it: TestStore) {
    it.start("a").await;
    let first = it.claim_one("one").await;
    it.pass(10);
    let second = it.claim_one("one").await;
    assert!(is_lost(
        &it.store.commit(&first.lease, step("/x", "1")).await
    ));
    it.store
        .commit(&second.lease, step("/x", "2"))
        .await
        .unwrap();
}

async fn a_renewed_lease_lasts_longer(it: TestStore) {
    let key = it.start("a").await;
    let claim = it.claim_one("one").await;
    it.pass(9);
    let ten = Duration::from_secs(10);
    assert_eq!(it.store.renew(&claim.lease, ten).await.unwrap(), 0);
    it.pass(9);
    assert!(it.claim("two", 1).await.is_empty());
    it.store.push(&key, Command::Pause).await.unwrap();
    assert_eq!(it.store.renew(&claim.lease, ten).await.unwrap(), 1);
    it.store
        .commit(&claim.lease, step("/x", "1"))
        .await
        .unwrap();
}

async fn a_run_that_was_released_is_free_at_once(it: TestStore) {
    it.start("a").await;
    let claim = it.claim_one("one").await;
    it.store
        .release(&claim.lease, Release::Stopped)
        .await
        .unwrap();
    assert!(is_lost(
        &it.store.commit(&claim.lease, step("/x", "1")).await
    ));
    let claim = it.claim_one("two").await;
    // To stop is no failure.
    assert_eq!(claim.info.failed_claims, 1);
}

async fn a_run_is_not_claimed_before_its_time(it: TestStore) {
    it.start("a").await;
    let claim = it.claim_one("one").await;
    let mut commit = last_step(Status::Waiting);
    commit.wake_at = Some(start_of_time() + Duration::from_secs(60));
    it.store.commit(&claim.lease, commit).await.unwrap();
    it.pass(59);
    assert!(it.claim("one", 1).await.is_empty());
    it.pass(1);
    assert_eq!(it.claim_one("one").await.info.status, Status::Waiting);
}

async fn claims_that_commit_nothing_are_counted(it: TestStore) {
    it.start("a").await;
    for expected in 1..=3 {
        let claim = it.claim_one("one").await;
        assert_eq!(claim.info.failed_claims, expected);
        it.pass(10); // Its worker has crashed.
    }
    let claim = it.claim_one("one").await;
    it.store
        .commit(&claim.lease, step("/x", "1"))
        .await
        .unwrap();
    it.pass(10);
    let claim = it.claim_one("one").await;
    assert_eq!(claim.info.failed_claims, 1);
    // A commit that says why no step could be executed is no progress.
    let mut commit = last_step(Status::Ready);
    commit.error = Some("no model".to_owned());
    commit.wake_at = Some(start_of_time());
    it.store.commit(&claim.lease, commit).await.unwrap();
    let claim = it.claim_one("one").await;
    assert_eq!(claim.info.failed_claims, 2);
    assert_eq!(claim.info.error.as_deref(), Some("no model"));
}

async fn a_parked_run_is_not_claimed_before_a_retry(it: TestStore) {
    let key = it.start("a").await;
    let claim = it.claim_one("one").await;
    let error = "poison".to_owned();
    let parked = Release::Parked { error };
    it.store.release(&claim.lease, parked).await.unwrap();
    let run = it.store.get(&key).await.unwrap();
    assert_eq!(
        (run.status, run.error.as_deref()),
        (Status::Failed, Some("poison"))
    );
    it.pass(1_000_000);
    assert!(it.claim("one", 1).await.is_empty());
    // Any step would be another try, so nothing but a cancel wakes it.
    it.store.push(&key, Command::Unpause).await.unwrap();
    assert!(it.claim("one", 1).await.is_empty());
    it.store.retry(&key).await.unwrap();
    assert_eq!(it.claim_one("one").await.info.failed_claims, 1);
    assert!(it.store.retry(&key).await.is_err());
}

async fn a_failed_step_is_tried_again_at_its_time(it: TestStore) {
    it.start("a").await;
    let claim = it.claim_one("one").await;
    let failed = Release::Failed {
        error: "cannot be read".to_owned(),
        retry_at: start_of_time() + Duration::from_secs(5),
    };
    it.store.release(&claim.lease, failed).await.unwrap();
    it.pass(4);
    assert!(it.claim("one", 1).await.is_empty());
    it.pass(1);
    let claim = it.claim_one("one").await;
    assert_eq!(claim.info.failed_claims, 2);
    assert_eq!(claim.info.error.as_deref(), Some("cannot be read"));
}

async fn two_processes_claim_each_run_once(it: TestStore) {
    let other = it.reopen();
    for number in 0..20 {
        let key = crate::support::key(&format!("run-{number}"));
        other.start(new_run(&key)).await.unwrap();
    }
    let request = |owner: &str| ClaimRequest::new(owner, ["flow".to_owned()]).with_limit(3);
    let mut claimed = std::collections::BTreeSet::new();
    for _ in 0..4 {
        let (ours, theirs) =
            tokio::join!(it.store.claim(request("one")), other.claim(request("two")));
        for claim in ours.unwrap().into_iter().chain(theirs.unwrap()) {
            assert!(claimed.insert(claim.info.key.id().to_owned()));
        }
    }
    assert_eq!(claimed.len(), 20);
}

//! What happens at the same moment, over several connections to one PostgreSQL schema.

use std::{
    collections::BTreeSet,
    time::{Duration, UNIX_EPOCH},
};

use pravah_runtime::ManualClock;
use pravah_store::{
    ClaimRequest, Command, Filter, Lease, NewRun, PostgresStore, Retention, RunStore, Status,
    StoreError, TenantFilter,
};
use tokio::task::JoinSet;

use crate::{
    server::{Server, new_schema},
    support::{changes, is_lost, key, last_step, new_run, step},
};

/// Two stores in one schema, as two processes have it.
fn open() -> [PostgresStore; 2] {
    let schema = new_schema();
    [(), ()].map(|()| Server::shared().open(&schema))
}

fn request(owner: &str) -> ClaimRequest {
    ClaimRequest::new(owner, ["flow".to_owned()])
}

async fn claim_one(store: &PostgresStore) -> Lease {
    let mut claims = store.claim(request("worker")).await.unwrap();
    assert_eq!(claims.len(), 1);
    claims.remove(0).lease
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn of_many_starts_of_one_run_one_is_new() {
    let stores = open();
    for round in 0..10 {
        let key = key(&format!("run-{round}"));
        let mut starts = JoinSet::new();
        for number in 0..12 {
            let flow = if number % 3 == 0 { "other" } else { "flow" };
            let run = NewRun::new(key.clone(), flow, changes(&[], &[("", "{}")]));
            let store = stores[number % 2].clone();
            starts.spawn(async move { store.start(run).await });
        }
        let (mut new, mut refused) = (0, 0);
        for started in starts.join_all().await {
            match started {
                Ok(is_new) => new += usize::from(is_new),
                Err(StoreError::AlreadyExists { .. }) => refused += 1,
                Err(error) => panic!("{error:?}"),
            }
        }
        let other = stores[0].get(&key).await.unwrap().flow == "other";
        assert_eq!((new, refused), (1, if other { 8 } else { 4 }));
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn many_workers_claim_each_run_once() {
    let stores = open();
    for number in 0..150 {
        let key = key(&format!("run-{number}"));
        stores[0].start(new_run(&key)).await.unwrap();
    }
    let mut workers = JoinSet::new();
    for number in 0..8 {
        let store = stores[number % 2].clone();
        workers.spawn(async move {
            let mut leases = Vec::new();
            let request = request(&format!("worker-{number}")).with_limit(5);
            loop {
                let claims = store.claim(request.clone()).await.unwrap();
                let number = |lease: &Lease| lease.number;
                let numbers: Vec<_> = claims.iter().map(|claim| number(&claim.lease)).collect();
                leases.extend(claims.into_iter().map(|claim| claim.lease));
                // Others may have what is left locked at this moment, and give nothing back.
                if numbers.is_empty() {
                    return leases;
                }
            }
        });
    }
    let leases: Vec<_> = workers.join_all().await.into_iter().flatten().collect();
    let keys: BTreeSet<_> = leases.iter().map(|lease| lease.key.clone()).collect();
    let numbers: BTreeSet<_> = leases.iter().map(|lease| lease.number).collect();
    assert_eq!((leases.len(), keys.len(), numbers.len()), (150, 150, 150));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn commands_that_come_while_steps_are_committed_are_each_taken_once() {
    let stores = open();
    let key = key("a");
    stores[0].start(new_run(&key)).await.unwrap();
    let lease = claim_one(&stores[0]).await;
    let mut pushes = JoinSet::new();
    for number in 0..4 {
        let (store, key) = (stores[number % 2].clone(), key.clone());
        pushes.spawn(async move {
            for _ in 0..15 {
                store.push(&key, Command::Pause).await.unwrap();
            }
        });
    }
    let (mut taken, mut seen) = (Vec::<u64>::new(), 0);
    while taken.len() < 60 {
        let rows = stores[0].inbox(&key, seen).await.unwrap();
        let mut commit = step("/x", "1");
        commit.taken = rows.iter().map(|row| row.number).collect();
        seen = commit.taken.last().copied().unwrap_or(seen);
        commit.seen = seen;
        taken.extend(&commit.taken);
        let last = stores[0].commit(&lease, commit).await.unwrap();
        assert!(last >= seen);
    }
    pushes.join_all().await;
    assert_eq!(taken, (1..=60).collect::<Vec<_>>());
    assert!(stores[1].inbox(&key, 0).await.unwrap().is_empty());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_command_that_comes_with_the_last_commit_is_never_forgotten() {
    let [one, two] = open();
    for round in 0..40 {
        let key = key(&format!("run-{round:02}"));
        one.start(new_run(&key)).await.unwrap();
        let lease = claim_one(&one).await;
        let (committed, pushed) = tokio::join!(
            one.commit(&lease, last_step(Status::Suspended)),
            two.push(&key, Command::Pause)
        );
        committed.unwrap();
        pushed.unwrap();
        // Whichever came first.
        let lease = claim_one(&two).await;
        assert_eq!(lease.key, key);
        two.commit(&lease, last_step(Status::Done)).await.unwrap();
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn whoever_claims_a_run_has_all_that_was_committed_before() {
    let [one, two] = open();
    let clock = ManualClock::new(UNIX_EPOCH + Duration::from_secs(1_000));
    let (one, two) = (one.with_clock(clock.clone()), two.with_clock(clock.clone()));
    let mut orders = BTreeSet::new();
    for round in 0..1_000 {
        let key = key(&format!("run-{round:03}"));
        one.start(new_run(&key)).await.unwrap();
        let lease = claim_one(&one).await;
        let second = async {
            // At once, or a little later each time, until the commit comes first.
            if round % 2 == 1 {
                tokio::time::sleep(Duration::from_micros(round * 100)).await;
            }
            clock.advance(Duration::from_secs(30));
            two.claim(request("second")).await.unwrap()
        };
        let (committed, claims) = tokio::join!(one.commit(&lease, step("/x", "1")), second);
        // A run that is locked is passed over; when the commit is over it is not.
        let claim = match claims.into_iter().next() {
            Some(claim) => claim,
            None => two.claim(request("second")).await.unwrap().remove(0),
        };
        assert_eq!(claim.info.key, key);
        assert!(committed.is_ok() || is_lost(&committed));
        assert_eq!(claim.info.step, u64::from(committed.is_ok()));
        assert!(is_lost(&one.commit(&lease, step("/x", "2")).await));
        two.commit(&claim.lease, last_step(Status::Done))
            .await
            .unwrap();
        orders.insert(committed.is_ok());
        if orders.len() == 2 && round >= 40 {
            return;
        }
    }
    panic!("the commit was always first, or never");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_fork_of_a_run_that_is_pruned_is_whole_or_is_not() {
    let [one, two] = open();
    let all = Retention::max_age(Duration::MAX).with_max_runs(0);
    for round in 0..40 {
        let (source, fork) = (format!("run-{round}"), format!("fork-{round}"));
        one.start(new_run(&key(&source))).await.unwrap();
        let lease = claim_one(&one).await;
        one.commit(&lease, last_step(Status::Done)).await.unwrap();
        let source = key(&source);
        let (forked, pruned) = tokio::join!(
            one.fork(&source, 1, fork.clone()),
            two.prune(&TenantFilter::Nobody, all)
        );
        pruned.unwrap();
        match forked {
            Ok(is_new) => {
                assert!(is_new);
                let run = one.load(&key(&fork)).await.unwrap();
                assert_eq!(run.entries.get(""), Some(r#"{"last":true}"#));
                let lease = claim_one(&one).await;
                one.commit(&lease, last_step(Status::Done)).await.unwrap();
            }
            Err(error) => assert!(matches!(error, StoreError::NotFound { .. }), "{error:?}"),
        }
        two.prune(&TenantFilter::Nobody, all).await.unwrap();
        assert!(one.list(Filter::new()).await.unwrap().runs.is_empty());
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn runs_that_are_pruned_twice_at_once_are_counted_once() {
    let [one, two] = open();
    let all = Retention::max_age(Duration::MAX).with_max_runs(0);
    for _ in 0..10 {
        for number in 0..10 {
            let key = key(&format!("run-{number}"));
            one.start(new_run(&key)).await.unwrap();
            let lease = claim_one(&one).await;
            one.commit(&lease, last_step(Status::Done)).await.unwrap();
        }
        // The same ids start anew at the same time: none of it waits for the other for ever.
        let again = async {
            let mut new = 0;
            for number in 0..10 {
                let key = key(&format!("run-{number}"));
                new += u64::from(one.start(new_run(&key)).await.unwrap());
            }
            new
        };
        let (first, second, new) = tokio::join!(
            one.prune(&TenantFilter::Nobody, all),
            two.prune(&TenantFilter::Nobody, all),
            again
        );
        let (first, second) = (first.unwrap(), second.unwrap());
        // What was locked by the other is left to that.
        let left = one.list(Filter::new()).await.unwrap().runs;
        let ended = left.iter().filter(|run| run.status == Status::Done).count() as u64;
        assert_eq!(first + second + ended, 10);
        assert_eq!(left.len() as u64, ended + new);
        for claim in one.claim(request("worker").with_limit(10)).await.unwrap() {
            one.commit(&claim.lease, last_step(Status::Done))
                .await
                .unwrap();
        }
        one.prune(&TenantFilter::Nobody, all).await.unwrap();
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_lease_that_ends_while_its_commit_waits_for_the_run_is_lost() {
    let schema = new_schema();
    let store = Server::shared().open(&schema);
    store.start(new_run(&key("a"))).await.unwrap();
    let short = request("worker").with_lease(Duration::from_millis(500));
    let lease = store.claim(short).await.unwrap().remove(0).lease;

    let (other, watch) = (Server::shared().client(), Server::shared().client());
    let lock = format!("BEGIN; SELECT 1 FROM \"{schema}\".run FOR UPDATE");
    other.batch_execute(&lock).await.unwrap();
    let pid: i32 = other
        .query_one("SELECT pg_backend_pid()", &[])
        .await
        .unwrap()
        .get(0);
    let committing = tokio::spawn({
        let store = store.clone();
        async move { store.commit(&lease, last_step(Status::Done)).await }
    });
    let waits =
        "SELECT EXISTS (SELECT 1 FROM pg_stat_activity WHERE $1 = ANY (pg_blocking_pids(pid)))";
    while !watch
        .query_one(waits, &[&pid])
        .await
        .unwrap()
        .get::<_, bool>(0)
    {
        tokio::task::yield_now().await;
    }
    // What is locked keeps no other from being claimed.
    store.start(new_run(&key("b"))).await.unwrap();
    assert_eq!(claim_one(&store).await.key, key("b"));
    // The clock that counts is the server's.
    let end_of_lease = "SELECT pg_sleep(0.5)";
    other.batch_execute(end_of_lease).await.unwrap();
    other.batch_execute("COMMIT").await.unwrap();
    assert!(is_lost(&committing.await.unwrap()));
    assert_eq!(store.get(&key("a")).await.unwrap().step, 0);
}

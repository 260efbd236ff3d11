//! Two workers on one run in PostgreSQL, of which one is paused at each message that it sends and at each that it gets, until
//! its lease has ended and the other has asked for the run.

use std::time::{Duration, UNIX_EPOCH};

use pravah_runtime::ManualClock;
use pravah_store::{
    ClaimRequest, Lease, PostgresOptions, PostgresStore, Release, RunStore, Status, StoreError,
};
use tokio::time::{sleep, timeout};

use crate::{
    held_messages::{Hold, holding_proxy},
    server::{Server, new_schema, url},
    support::{is_lost, key, new_run, step},
};

/// What the worker does that is paused.
#[derive(Clone, Copy, Debug)]
enum Call {
    Claim,
    Commit,
    Renew,
    Release,
}

/// Long enough for the other worker's claim, which waits for nobody.
const SHORT: Duration = Duration::from_millis(40);

/// A store whose messages can be held, another one of the same schema, and the clock of both.
struct Stores {
    paused: PostgresStore,
    holds: [Hold; 2],
    other: PostgresStore,
    clock: ManualClock,
}

impl Stores {
    async fn open() -> Self {
        let schema = new_schema();
        let clock = ManualClock::new(UNIX_EPOCH + Duration::from_secs(1_000));
        let (port, holds) = holding_proxy(Server::shared().port()).await;
        let options = PostgresOptions::new().with_schema(&*schema);
        let options = options.with_max_connections(1);
        let paused = options.connect(&url(port, "postgres")).await.unwrap();
        let other = Server::shared().open(&schema).with_clock(clock.clone());
        other.start(new_run(&key("a"))).await.unwrap();
        Self {
            paused: paused.with_clock(clock.clone()),
            holds,
            other,
            clock,
        }
    }
}

async fn claim(store: &PostgresStore, owner: &str) -> Option<Lease> {
    let request = ClaimRequest::new(owner, ["flow".to_owned()]);
    let mut claims = store.claim(request).await.unwrap();
    claims.pop().map(|claim| claim.lease)
}

async fn call_store(
    call: Call,
    store: &PostgresStore,
    lease: Option<Lease>,
) -> Result<Option<Lease>, StoreError> {
    match (call, &lease) {
        (Call::Commit, Some(own)) => store.commit(own, step("/paused", "1")).await.map(|_| lease),
        (Call::Renew, Some(own)) => {
            let renewed = store.renew(own, Duration::from_secs(30)).await;
            renewed.map(|_| lease)
        }
        (Call::Release, Some(own)) => {
            let released = store.release(own, Release::Stopped).await;
            released.map(|()| None)
        }
        (Call::Claim, _) => Ok(claim(store, "paused").await),
        (call, None) => panic!("{call:?} without a lease"),
    }
}

/// Pauses a call at one message, and checks that one worker has the run. Returns whether it has so many messages.
async fn pause_at(call: Call, is_answer: bool, messages: usize) -> bool {
    let case = format!("{call:?}, answer: {is_answer}, after {messages} messages");
    let Stores {
        paused,
        holds,
        other,
        clock,
    } = Stores::open().await;
    let hold = &holds[usize::from(is_answer)];
    let lease = match call {
        Call::Claim => None,
        _ => claim(&paused, "paused").await,
    };
    hold.after(messages);
    let own = lease.clone();
    let mut calling = tokio::spawn({
        let paused = paused.clone();
        async move { call_store(call, &paused, own).await }
    });
    tokio::select! {
        // The hold first: the call may end although a message is held.
        biased;
        () = hold.until_held() => {}
        made = &mut calling => {
            made.unwrap().expect(&case);
            return false;
        }
    }

    clock.advance(Duration::from_secs(60));
    let claiming = tokio::spawn({
        let other = other.clone();
        async move { claim(&other, "other").await }
    });
    sleep(SHORT).await;
    hold.let_go();
    let made = timeout(Duration::from_secs(20), calling).await;
    let made = made.expect(&case).unwrap();
    assert!(made.is_ok() || is_lost(&made), "{case}: {made:?}");
    // What one worker had locked was not given to the other.
    let mut newest = claiming.await.unwrap();
    while newest.is_none() {
        clock.advance(Duration::from_secs(60));
        newest = claim(&other, "other").await;
    }
    let newest = newest.unwrap();
    let is_committed = matches!((call, &made), (Call::Commit, Ok(_)));
    // Two leases never hold, and no step is made twice.
    if let Some(own) = made.ok().flatten().or(lease) {
        assert!(own.number != newest.number, "{case}");
        let (first, second) = match own.number < newest.number {
            true => (&own, &newest),
            false => (&newest, &own),
        };
        assert!(
            is_lost(&other.commit(first, step("/x", "1")).await),
            "{case}"
        );
        other.commit(second, step("/x", "2")).await.expect(&case);
    } else {
        other.commit(&newest, step("/x", "2")).await.expect(&case);
    }
    let info = other.get(&key("a")).await.unwrap();
    let history = other.history(&key("a"), 0, usize::MAX).await.unwrap();
    assert_eq!(history.len(), 2 + usize::from(is_committed), "{case}");
    assert_eq!(info.step, 1 + u64::from(is_committed), "{case}");
    assert_eq!(info.status, Status::Ready, "{case}");
    let entries = other.entries_at(&key("a"), info.step).await.unwrap();
    assert_eq!(entries.get("/x"), Some("2"), "{case}");
    assert_eq!(entries.get("/paused").is_some(), is_committed, "{case}");
    true
}

/// Pauses a call at each of its messages in turn. Returns how many there are.
async fn pause_at_each(call: Call, is_answer: bool) -> usize {
    let mut messages = 0;
    while pause_at(call, is_answer, messages).await {
        messages += 1;
    }
    messages
}

async fn one_of_two_workers_has_the_run(call: Call) {
    let (asked, answered) = (
        pause_at_each(call, false).await,
        pause_at_each(call, true).await,
    );
    assert!(asked >= 3 && answered >= 3, "{asked} {answered}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_worker_that_is_paused_while_it_claims_shares_no_run() {
    one_of_two_workers_has_the_run(Call::Claim).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_worker_that_is_paused_while_it_commits_shares_no_run() {
    one_of_two_workers_has_the_run(Call::Commit).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_worker_that_is_paused_while_it_renews_its_lease_shares_no_run() {
    one_of_two_workers_has_the_run(Call::Renew).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_worker_that_is_paused_while_it_releases_a_run_shares_it_with_nobody() {
    one_of_two_workers_has_the_run(Call::Release).await;
}

/// Whether the server took the run from a worker that is held up at a statement in the middle of its commit; `None` where
/// nothing is locked there.
async fn claim_during_commit(statements: usize) -> Option<bool> {
    let it = Stores::open().await;
    let lease = claim(&it.paused, "paused").await.unwrap();
    it.holds[0].after_statements(statements);
    let committing = tokio::spawn({
        let store = it.paused.clone();
        async move { store.commit(&lease, step("/paused", "1")).await }
    });
    let held = timeout(Duration::from_secs(20), it.holds[0].until_held()).await;
    held.expect("no statement came while the run was locked");
    it.clock.advance(Duration::from_secs(60));
    if claim(&it.other, "other").await.is_some() {
        return None;
    }
    let taken = timeout(Duration::from_secs(20), async {
        loop {
            sleep(Duration::from_millis(200)).await;
            if let Some(lease) = claim(&it.other, "other").await {
                return lease;
            }
        }
    });
    let taken = taken.await.expect("the server rolls back");
    it.holds[0].let_go();
    let committed = committing.await.unwrap();
    it.other.commit(&taken, step("/x", "2")).await.unwrap();
    let entries = it.other.entries_at(&key("a"), 1).await.unwrap();
    Some(committed.is_err() && entries.get("/paused").is_none())
}

#[tokio::test(flavor = "multi_thread")]
async fn a_commit_that_is_paused_while_it_has_the_run_locked_is_rolled_back_by_the_server() {
    let mut statements = 0;
    loop {
        match claim_during_commit(statements).await {
            None => statements += 1,
            Some(is_rolled_back) => return assert!(is_rolled_back, "{statements}"),
        }
    }
}

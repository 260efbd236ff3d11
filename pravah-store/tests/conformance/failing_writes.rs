//! Writes to a PostgreSQL database that fail in the middle, or when they are committed: nothing of them is there.

use std::time::Duration;

use pravah_store::{
    ClaimRequest, Command, Filter, Lease, PostgresStore, Release, Retention, RunStore, Status,
    StoreError, TenantFilter,
};
use tokio_postgres::Client;

use crate::{
    postgres::open,
    support::{changes, key, last_step, new_run},
};

/// What changes runs.
#[derive(Clone, Copy, Debug)]
enum Write {
    Start,
    Fork,
    Claim,
    Renew,
    Release,
    Commit,
    Push,
    Retry,
    Prune,
}

impl Write {
    /// All that there are, with the tables that each writes to.
    const ALL: [(Self, &'static [&'static str]); 9] = [
        (Self::Start, &["run", "tag", "entry", "history"]),
        (Self::Fork, &["run", "tag", "entry", "history"]),
        (Self::Claim, &["run"]),
        (Self::Renew, &["run"]),
        (Self::Release, &["run"]),
        (Self::Commit, &["run", "entry", "history", "inbox"]),
        (Self::Push, &["run", "inbox"]),
        (Self::Retry, &["run"]),
        (Self::Prune, &["run", "tag", "entry", "history"]),
    ];

    async fn happen(self, store: &PostgresStore, lease: &Lease) -> Result<(), StoreError> {
        match self {
            Self::Start => store.start(tagged("new")).await.map(drop),
            Self::Fork => store.fork(&key("a"), 0, "b".to_owned()).await.map(drop),
            Self::Claim => {
                let claims = store.claim(request(10)).await?;
                assert_eq!(claims[0].info.failed_claims, 1);
                Ok(())
            }
            Self::Renew => store.renew(lease, Duration::from_secs(60)).await.map(drop),
            Self::Release => store.release(lease, parked()).await,
            Self::Commit => {
                let mut commit = last_step(Status::Suspended);
                commit.changes = changes(&["/states"], &[("/x", "1")]);
                commit.taken = vec![1];
                store.commit(lease, commit).await.map(drop)
            }
            Self::Push => store.push(&key("a"), Command::Pause).await.map(drop),
            Self::Retry => store.retry(&key("failed")).await,
            Self::Prune => {
                let all = Retention::max_age(Duration::MAX).with_max_runs(0);
                assert_eq!(store.prune(&TenantFilter::Nobody, all).await?, 1);
                Ok(())
            }
        }
    }
}

fn tagged(id: &str) -> pravah_store::NewRun {
    let tags = [("shop".to_owned(), "north".to_owned())];
    new_run(&key(id)).with_tags(tags.into()).unwrap()
}

fn request(limit: usize) -> ClaimRequest {
    let request = ClaimRequest::new("worker", ["flow".to_owned()]).with_limit(limit);
    // On a slow server a thousand failing writes take longer than the default lease.
    request.with_lease(Duration::from_secs(3_600))
}

fn parked() -> Release {
    let error = "broken".to_owned();
    Release::Parked { error }
}

/// A run that has ended, one that has failed, one that is claimed, and one that can be. Returns the lease.
async fn fill(store: &PostgresStore) -> Lease {
    for id in ["done", "failed", "a"] {
        store.start(tagged(id)).await.unwrap();
    }
    let mut leases = Vec::new();
    for claim in store.claim(request(10)).await.unwrap() {
        leases.push(claim.lease);
    }
    let of = |id: &str| leases.iter().find(|lease| lease.key == key(id)).unwrap();
    store
        .commit(of("done"), last_step(Status::Done))
        .await
        .unwrap();
    store.release(of("failed"), parked()).await.unwrap();
    store.push(&key("a"), Command::Pause).await.unwrap();
    store.start(tagged("free")).await.unwrap();
    of("a").clone()
}

/// All that a store has.
async fn all(store: &PostgresStore) -> String {
    let mut all = String::new();
    for info in store.list(Filter::new()).await.unwrap().runs {
        let loaded = store.load(&info.key).await.unwrap();
        let history = store.history(&info.key, 0, usize::MAX).await.unwrap();
        all.push_str(&format!("{loaded:?} {history:?}"));
    }
    all
}

/// Has a table refuse changes, at once or when they are committed.
async fn refuse(raw: &Client, table: &str, is_at_once: bool) {
    let (trigger, deferred) = match is_at_once {
        true => ("TRIGGER refuse BEFORE", ""),
        false => (
            "CONSTRAINT TRIGGER refuse AFTER",
            "DEFERRABLE INITIALLY DEFERRED",
        ),
    };
    let create = format!(
        "CREATE OR REPLACE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS \
         $$ BEGIN RAISE EXCEPTION 'the disk is full'; END $$; \
         CREATE {trigger} INSERT OR UPDATE OR DELETE ON {table} {deferred} \
         FOR EACH ROW EXECUTE FUNCTION refuse()"
    );
    raw.batch_execute(&create).await.unwrap();
}

#[tokio::test]
async fn a_write_that_fails_leaves_all_as_it_was() {
    for (write, tables) in Write::ALL {
        let (store, _, raw) = open().await;
        let lease = fill(&store).await;
        let before = all(&store).await;
        for table in tables {
            for is_at_once in [true, false] {
                refuse(&raw, table, is_at_once).await;
                let failed = write.happen(&store, &lease).await;
                let is_error = matches!(failed, Err(StoreError::Database { .. }));
                assert!(is_error, "{write:?} {table} {is_at_once}");
                let error = format!("{failed:?}");
                assert!(error.contains("the disk is full"), "{write:?} {error}");
                assert_eq!(all(&store).await, before, "{write:?} {table} {is_at_once}");
                let drop = format!("DROP TRIGGER refuse ON {table}");
                raw.batch_execute(&drop).await.unwrap();
            }
        }
        // The leases still hold, and so do the connections.
        write.happen(&store, &lease).await.unwrap();
    }
}

#[tokio::test]
async fn a_commit_that_fails_always_says_what_failed_first() {
    let (store, _, raw) = open().await;
    let lease = fill(&store).await;
    refuse(&raw, "entry", true).await;
    // The statements after that which failed are refused as well, and their answers may be there as soon.
    for _ in 0..1_000 {
        let failed = Write::Commit.happen(&store, &lease).await.unwrap_err();
        let error = format!("{failed:?}");
        assert!(error.contains("the disk is full"), "{error}");
    }
}

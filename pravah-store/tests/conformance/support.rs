//! Stores to test, and what tests say to them.

use std::{
    sync::Arc,
    time::{Duration, SystemTime, UNIX_EPOCH},
};

use pravah_runtime::{Changes, ManualClock};
#[cfg(any(feature = "postgres", feature = "sqlite"))]
use pravah_runtime::{Clock, SystemClock};
#[cfg(feature = "sqlite")]
use pravah_store::SqliteStore;
use pravah_store::{
    Claim, ClaimRequest, Commit, MemoryStore, NewRun, RunKey, RunStore, Status, StoreError,
};
#[cfg(all(feature = "encryption", feature = "sqlite"))]
use pravah_store::{EncryptedStore, KeyRing};
use serde_json::json;

/// A store whose clock a test sets, unless it takes tokio's.
pub(crate) struct TestStore {
    pub(crate) store: Arc<dyn RunStore>,
    pub(crate) clock: ManualClock,
    /// Opens the same store as another process would; one in memory is shared.
    reopen: Box<dyn Fn() -> Arc<dyn RunStore>>,
    of_tokio: fn() -> Self,
}

/// When tests start.
pub(crate) fn start_of_time() -> SystemTime {
    UNIX_EPOCH + Duration::from_secs(1_000_000)
}

impl TestStore {
    pub(crate) fn memory() -> Self {
        let clock = ManualClock::new(start_of_time());
        let store = MemoryStore::new().with_clock(clock.clone());
        let of_tokio = || Self::of_memory(MemoryStore::new(), ManualClock::new(start_of_time()));
        Self {
            of_tokio,
            ..Self::of_memory(store, clock)
        }
    }

    fn of_memory(store: MemoryStore, clock: ManualClock) -> Self {
        let shared = store.clone();
        Self {
            store: Arc::new(store),
            clock,
            reopen: Box::new(move || Arc::new(shared.clone())),
            of_tokio: Self::memory,
        }
    }

    #[cfg(feature = "sqlite")]
    pub(crate) fn sqlite() -> Self {
        let clock = ManualClock::new(start_of_time());
        let of_tokio = || {
            let clock = ManualClock::new(start_of_time());
            Self::of_sqlite(SystemClock::new(), clock, |store| Arc::new(store))
        };
        Self {
            of_tokio,
            ..Self::of_sqlite(clock.clone(), clock, |store| Arc::new(store))
        }
    }

    /// A file with encrypted payloads. What stands for another process writes with another key.
    #[cfg(all(feature = "encryption", feature = "sqlite"))]
    pub(crate) fn encrypted() -> Self {
        let clock = ManualClock::new(start_of_time());
        let of_tokio = || {
            let clock = ManualClock::new(start_of_time());
            Self::of_sqlite(SystemClock::new(), clock, encrypting())
        };
        Self {
            of_tokio,
            ..Self::of_sqlite(clock.clone(), clock, encrypting())
        }
    }

    /// A file; `open` makes what is tested of its store.
    #[cfg(feature = "sqlite")]
    fn of_sqlite(
        shown: impl Clock + Clone + 'static,
        clock: ManualClock,
        open: impl Fn(SqliteStore) -> Arc<dyn RunStore> + 'static,
    ) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("runs.db");
        let reopen = move || -> Arc<dyn RunStore> {
            // The folder lasts as long as this.
            let _ = &folder;
            let store = pravah_store::SqliteOptions::new().without_sync();
            open(store.open(&file).unwrap().with_clock(shown.clone()))
        };
        Self {
            store: reopen(),
            clock,
            reopen: Box::new(reopen),
            of_tokio: Self::sqlite,
        }
    }

    #[cfg(feature = "postgres")]
    pub(crate) fn postgres() -> Self {
        let clock = ManualClock::new(start_of_time());
        let of_tokio = || Self::of_postgres(SystemClock::new(), ManualClock::new(start_of_time()));
        Self {
            of_tokio,
            ..Self::of_postgres(clock.clone(), clock)
        }
    }

    #[cfg(feature = "postgres")]
    fn of_postgres(shown: impl Clock + Clone + 'static, clock: ManualClock) -> Self {
        use crate::{
            server::{Server, new_schema},
            unhurried::Unhurried,
        };

        let schema = new_schema();
        let reopen = move || -> Arc<dyn RunStore> {
            let store = Server::shared().open(&schema).with_clock(shown.clone());
            Arc::new(Unhurried(store))
        };
        Self {
            store: reopen(),
            clock,
            reopen: Box::new(reopen),
            of_tokio: Self::postgres,
        }
    }

    /// An empty store of the same kind with tokio's clock in place of the one that is set.
    pub(crate) fn with_tokio_time(self) -> Self {
        (self.of_tokio)()
    }

    /// The store as another process sees it.
    pub(crate) fn reopen(&self) -> Arc<dyn RunStore> {
        (self.reopen)()
    }

    pub(crate) async fn start(&self, id: &str) -> RunKey {
        let key = key(id);
        assert!(self.store.start(new_run(&key)).await.unwrap());
        key
    }

    /// Claims up to `limit` runs for `owner`, for ten seconds.
    pub(crate) async fn claim(&self, owner: &str, limit: usize) -> Vec<Claim> {
        let request = ClaimRequest::new(owner, ["flow".to_owned()]);
        let request = request.with_limit(limit);
        let request = request.with_lease(Duration::from_secs(10));
        self.store.claim(request).await.unwrap()
    }

    /// Claims the one run that can be.
    pub(crate) async fn claim_one(&self, owner: &str) -> Claim {
        let mut claims = self.claim(owner, 10).await;
        assert_eq!(claims.len(), 1);
        claims.remove(0)
    }

    pub(crate) fn pass(&self, seconds: u64) {
        self.clock.advance(Duration::from_secs(seconds));
    }

    pub(crate) fn set_back(&self, seconds: u64) {
        let now = self.clock.now() - Duration::from_secs(seconds);
        self.clock.set(now);
    }
}

/// Encrypts what each store is given: the first one with a key that the others only read with, and the other way round.
#[cfg(all(feature = "encryption", feature = "sqlite"))]
fn encrypting() -> impl Fn(SqliteStore) -> Arc<dyn RunStore> {
    let opened = std::cell::Cell::new(0_usize);
    move |store| {
        let (first, second) = (("first", [1; 32]), ("second", [2; 32]));
        let (write, read) = match opened.replace(opened.get() + 1) {
            0 => (first, second),
            _ => (second, first),
        };
        let keys = KeyRing::new(write.0, write.1).unwrap();
        let keys = keys.with_key_for_reading(read.0, read.1).unwrap();
        Arc::new(EncryptedStore::new(store, keys))
    }
}

pub(crate) fn key(id: &str) -> RunKey {
    RunKey::new(id).unwrap()
}

/// A run of the flow `flow` with two entries.
pub(crate) fn new_run(key: &RunKey) -> NewRun {
    let entries = changes(&[], &[("", "{}"), ("/states/Order", r#"{"cups":2}"#)]);
    NewRun::new(key.clone(), "flow", entries)
}

/// Changes as a run would make them.
pub(crate) fn changes(deleted: &[&str], put: &[(&str, &str)]) -> Changes {
    let put = put.iter().map(|(key, value)| {
        let value: serde_json::Value = serde_json::from_str(value).unwrap();
        ((*key).to_owned(), value)
    });
    let put: serde_json::Map<_, _> = put.collect();
    let json = json!({ "deleted": deleted, "put": put }).to_string();
    serde_json::from_str(&json).unwrap()
}

/// A step that puts one entry, after which the run is ready.
pub(crate) fn step(entry: &str, value: &str) -> Commit {
    Commit::new(changes(&[], &[(entry, value)]), Status::Ready)
}

/// The same, with which the lease ends, and after which the run is in this status.
pub(crate) fn last_step(status: Status) -> Commit {
    let mut commit = Commit::new(changes(&[], &[("", r#"{"last":true}"#)]), status);
    commit.release = true;
    commit
}

pub(crate) fn is_lost<T>(result: &Result<T, StoreError>) -> bool {
    matches!(result, Err(StoreError::LeaseLost { .. }))
}

//! Runs in a SQLite file.

mod clock;
mod file;
mod options;
mod read;
mod rows;
mod schema;
mod statements;
mod write;

use std::{
    path::Path,
    sync::Arc,
    time::{Duration, SystemTime},
};

use pravah_runtime::{Clock, Entries};
use rusqlite::{Connection, TransactionBehavior};
use tokio::{sync::Mutex, task::spawn_blocking};

use self::file::OpenFile;
pub use self::options::SqliteOptions;
use crate::{
    Claim, ClaimRequest, Command, Commit, Filter, HistoryRow, InboxRow, Lease, LoadedRun, NewRun,
    Notifications, Notifier, Page, Release, Retention, RunInfo, RunKey, RunStore, StoreError,
    StoreFuture, TenantFilter,
    time::{self, SharedClock},
    tx_error::TxError,
};

/// Keeps runs in a SQLite file, for the processes of one machine. Clones share its two connections, of which one only
/// reads, and processes the file.
///
/// A commit is durable when it returns: it costs one `fsync`. Claims and renewals cost none, since with the machine
/// all workers end. It needs a tokio runtime, on whose blocking threads it writes and reads. Where the file is deleted or
/// replaced while it is open, everything is an error from then on (on Unix; elsewhere an open file cannot be deleted).
///
/// ```
/// use pravah_store::{Filter, Runs, SqliteStore};
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let folder = tempfile::tempdir()?;
/// # let file = folder.path().join("runs.db");
/// let store = SqliteStore::open(&file)?;
/// let runs = Runs::new(store);
/// assert!(runs.list(Filter::new()).await?.runs.is_empty());
/// # Ok(()) }
/// ```
#[derive(Clone, Debug)]
pub struct SqliteStore {
    writer: Arc<Mutex<Connection>>,
    /// Another connection: what is read does not wait for the writer, which may wait for other processes.
    reader: Arc<Mutex<Connection>>,
    file: Arc<OpenFile>,
    is_durable: bool,
    clock: SharedClock,
    notifier: Notifier,
    commit_notifier: Notifier,
}

/// What something that is written has to survive.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Durability {
    /// Also a loss of power.
    Full,
    /// The end of the process: nobody needs it once the machine has stopped.
    ProcessOnly,
}

impl SqliteStore {
    /// Opens a file, or creates it, with a schema of this version: an older one is migrated. Other
    /// processes may have it open.
    ///
    /// # Errors
    ///
    /// [`StoreError::NewerSchema`] if a newer version of this crate has written the file; [`StoreError::NotAStore`] if
    /// another program has; [`StoreError::NotOpened`] if it cannot be opened or is no database.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, StoreError> {
        SqliteOptions::new().open(path)
    }

    /// The same store with another clock.
    #[must_use]
    pub fn with_clock(mut self, clock: impl Clock + 'static) -> Self {
        self.clock = SharedClock(Arc::new(clock));
        self
    }

    async fn write<T: Send + 'static>(
        &self,
        (action, durability): (&'static str, Durability),
        write: impl FnOnce(&Connection, SystemTime) -> Result<T, TxError> + Send + 'static,
    ) -> Result<T, StoreError> {
        let skips_fsync = durability == Durability::ProcessOnly && self.is_durable;
        let (clock, file) = (self.clock.clone(), Arc::clone(&self.file));
        let in_transaction = move |connection: &mut Connection| {
            let behavior = TransactionBehavior::Immediate;
            let transaction = connection.transaction_with_behavior(behavior)?;
            // The time is that after waiting for others who write.
            let now = time::whole_millis(clock.0.now());
            let written = write(&transaction, now)?;
            file.check()?;
            transaction.commit()?;
            Ok(written)
        };
        let run = move |connection: &mut Connection| {
            if !skips_fsync {
                return in_transaction(connection);
            }
            connection.pragma_update(None, "synchronous", "NORMAL")?;
            let written = in_transaction(connection);
            connection.pragma_update(None, "synchronous", "FULL")?;
            written
        };
        with_connection(&self.writer, action, run).await
    }

    async fn read<T: Send + 'static>(
        &self,
        action: &'static str,
        read: impl FnOnce(&Connection) -> Result<T, TxError> + Send + 'static,
    ) -> Result<T, StoreError> {
        // In a transaction: all that is read is as of one moment.
        let file = Arc::clone(&self.file);
        let run = move |connection: &mut Connection| {
            file.check()?;
            let transaction = connection.transaction()?;
            read(&transaction)
        };
        with_connection(&self.reader, action, run).await
    }
}

/// Does something with a connection on a thread that may block.
async fn with_connection<T: Send + 'static>(
    connection: &Arc<Mutex<Connection>>,
    action: &'static str,
    run: impl FnOnce(&mut Connection) -> Result<T, TxError> + Send + 'static,
) -> Result<T, StoreError> {
    let connection = Arc::clone(connection);
    // A task of its own: the lock goes to those that wait for it in their order, and one that nobody polls at the moment
    // would keep it from the others.
    let done = tokio::spawn(async move {
        // The lock first: whoever waits for it holds no thread.
        let mut connection = connection.lock_owned().await;
        spawn_blocking(move || run(&mut connection)).await
    });
    let done = done.await.and_then(|done| done);
    let done = done.map_err(|error| StoreError::database(action, error))?;
    done.map_err(|error| error.while_doing(action))
}

impl RunStore for SqliteStore {
    fn clock(&self) -> Arc<dyn Clock> {
        Arc::clone(&self.clock.0)
    }

    fn notifications(&self) -> Notifications {
        self.notifier.subscribe()
    }

    fn commit_notifications(&self) -> Notifications {
        self.commit_notifier.subscribe()
    }

    fn start(&self, run: NewRun) -> StoreFuture<'_, bool> {
        Box::pin(async move {
            let key = run.key.clone();
            let start = move |connection: &Connection, now| write::start(connection, &run, now);
            let is_new = self.write(("start a run", Durability::Full), start).await?;
            self.notifier.notify(&key);
            Ok(is_new)
        })
    }

    fn claim(&self, request: ClaimRequest) -> StoreFuture<'_, Vec<Claim>> {
        let claim = move |connection: &Connection, now| write::claim(connection, &request, now);
        Box::pin(self.write(("claim runs", Durability::ProcessOnly), claim))
    }

    fn renew<'a>(&'a self, lease: &'a Lease, duration: Duration) -> StoreFuture<'a, u64> {
        let lease = lease.clone();
        let renew =
            move |connection: &Connection, now| write::renew(connection, &lease, duration, now);
        Box::pin(self.write(("renew a lease", Durability::ProcessOnly), renew))
    }

    fn release<'a>(&'a self, lease: &'a Lease, release: Release) -> StoreFuture<'a, ()> {
        Box::pin(async move {
            let of = lease.clone();
            let write =
                move |connection: &Connection, now| write::release(connection, &of, &release, now);
            self.write(("release a run", Durability::Full), write)
                .await?;
            self.notifier.notify(&lease.key);
            Ok(())
        })
    }

    fn commit<'a>(&'a self, lease: &'a Lease, commit: Commit) -> StoreFuture<'a, u64> {
        Box::pin(async move {
            let (of, is_released) = (lease.clone(), commit.release);
            let write =
                move |connection: &Connection, now| write::commit(connection, &of, &commit, now);
            let last = self
                .write(("commit a step", Durability::Full), write)
                .await?;
            if is_released {
                self.notifier.notify(&lease.key);
            }
            self.commit_notifier.notify(&lease.key);
            Ok(last)
        })
    }

    fn load<'a>(&'a self, key: &'a RunKey) -> StoreFuture<'a, LoadedRun> {
        let key = key.clone();
        let load = move |connection: &Connection| read::load(connection, &key);
        Box::pin(self.read("load a run", load))
    }

    fn push<'a>(&'a self, key: &'a RunKey, command: Command) -> StoreFuture<'a, u64> {
        Box::pin(async move {
            let of = key.clone();
            let push =
                move |connection: &Connection, now| write::push(connection, &of, &command, now);
            let number = self
                .write(("push a command", Durability::Full), push)
                .await?;
            self.notifier.notify(key);
            Ok(number)
        })
    }

    fn inbox<'a>(&'a self, key: &'a RunKey, after: u64) -> StoreFuture<'a, Vec<InboxRow>> {
        let key = key.clone();
        let inbox = move |connection: &Connection| {
            let found = rows::get(connection, &key)?;
            rows::inbox(connection, found.seq, after)
        };
        Box::pin(self.read("read an inbox", inbox))
    }

    fn get<'a>(&'a self, key: &'a RunKey) -> StoreFuture<'a, RunInfo> {
        let key = key.clone();
        let get = move |connection: &Connection| Ok(rows::get_info(connection, &key)?.1);
        Box::pin(self.read("find a run", get))
    }

    fn list(&self, filter: Filter) -> StoreFuture<'_, Page> {
        Box::pin(async move {
            filter.check()?;
            let list = move |connection: &Connection| read::list(connection, &filter);
            self.read("list runs", list).await
        })
    }

    fn history<'a>(
        &'a self,
        key: &'a RunKey,
        from: u64,
        limit: usize,
    ) -> StoreFuture<'a, Vec<HistoryRow>> {
        let key = key.clone();
        let history = move |connection: &Connection| read::history(connection, &key, (from, limit));
        Box::pin(self.read("read a history", history))
    }

    fn entries_at<'a>(&'a self, key: &'a RunKey, step: u64) -> StoreFuture<'a, Entries> {
        let key = key.clone();
        let entries = move |connection: &Connection| {
            let found = rows::get(connection, &key)?;
            rows::entries_at(connection, &key, &found, step)
        };
        Box::pin(self.read("read a history", entries))
    }

    fn fork<'a>(&'a self, key: &'a RunKey, step: u64, id: String) -> StoreFuture<'a, bool> {
        Box::pin(async move {
            let (fork, key) = (key.sibling(id)?, key.clone());
            let to = fork.clone();
            let write =
                move |connection: &Connection, now| write::fork(connection, (&key, step), &to, now);
            let is_new = self.write(("fork a run", Durability::Full), write).await?;
            self.notifier.notify(&fork);
            Ok(is_new)
        })
    }

    fn retry<'a>(&'a self, key: &'a RunKey) -> StoreFuture<'a, ()> {
        Box::pin(async move {
            let of = key.clone();
            let retry = move |connection: &Connection, now| write::retry(connection, &of, now);
            self.write(("retry a run", Durability::Full), retry).await?;
            self.notifier.notify(key);
            Ok(())
        })
    }

    fn prune<'a>(&'a self, tenant: &'a TenantFilter, retention: Retention) -> StoreFuture<'a, u64> {
        let tenant = tenant.clone();
        let prune =
            move |connection: &Connection, now| write::prune(connection, &tenant, retention, now);
        Box::pin(self.write(("delete runs", Durability::Full), prune))
    }
}

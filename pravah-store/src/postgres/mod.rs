//! Runs in a PostgreSQL database.

mod clock;
mod commit;
mod connect;
mod insert;
mod listener;
mod options;
#[cfg(test)]
mod plans;
mod read;
mod rows;
mod schema;
mod statements;
mod transaction;
mod write;

use std::{fmt, sync::Arc, time::Duration};

use deadpool_postgres::{Object, Pool};
use pravah_runtime::{Clock, Entries};

pub use self::options::PostgresOptions;
use self::{
    listener::{Channels, Listener, Topic},
    write::Writer,
};
use crate::{
    Claim, ClaimRequest, Command, Commit, Filter, HistoryRow, InboxRow, Lease, LoadedRun, NewRun,
    Notifications, Page, Release, Retention, RunInfo, RunKey, RunStore, StoreError, StoreFuture,
    TenantFilter, time::SharedClock, tx_error::TxError,
};

/// Keeps runs in a PostgreSQL database, for any number of machines. Clones share their connections.
///
/// Each step is one transaction, whose commit is as durable as the server is set to (`synchronous_commit`). What one
/// process does others hear of at once. Times are those of the database: machines need not agree on them.
///
/// The connection is plain unless [`PostgresOptions::connect_with_tls`] has a connector. It needs a tokio runtime that
/// lasts as long as the store, and PostgreSQL 12 or later. After the server was away the same store works again; until then
/// everything fails with [`StoreError::Database`].
///
/// PostgreSQL has no U+0000 in texts: in errors it becomes U+FFFD, and the id of a flow must not have one.
///
/// ```no_run
/// use pravah_store::{Filter, PostgresStore, Runs};
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), pravah_store::StoreError> {
/// let store = PostgresStore::connect("postgres://me:secret@db.example/runs").await?;
/// let runs = Runs::new(store);
/// assert!(runs.list(Filter::new()).await?.runs.is_empty());
/// # Ok(()) }
/// ```
#[derive(Clone)]
pub struct PostgresStore {
    inner: Arc<Inner>,
    clock: SharedClock,
    /// Whether the clock counts, and not that of the database.
    is_clock_set: bool,
}

struct Inner {
    pool: Pool,
    channels: Arc<Channels>,
    _listener: Listener,
}

impl PostgresStore {
    /// Opens a database, or what a [`Config`](https://docs.rs/tokio-postgres/latest/tokio_postgres/config/) of the crate
    /// `tokio-postgres` says beside that. All that belongs to the store is in the schema `pravah`, which is created; an
    /// older one is migrated.
    ///
    /// # Errors
    ///
    /// [`StoreError::NewerSchema`] if a newer version of this crate has written the schema;
    /// [`StoreError::NotAStore`] if the encoding of the database is not UTF8; [`StoreError::Database`] if it cannot be
    /// reached, or not be read or changed.
    pub async fn connect(url: &str) -> Result<Self, StoreError> {
        PostgresOptions::new().connect(url).await
    }

    /// The same store with another clock instead of the database's. Commits, renewals and releases read it before they wait
    /// for the lock on the run's row; the clock of the database is read once the row is locked.
    #[must_use]
    pub fn with_clock(mut self, clock: impl Clock + 'static) -> Self {
        self.clock = SharedClock(Arc::new(clock));
        self.is_clock_set = true;
        self
    }

    async fn client(&self) -> Result<Object, TxError> {
        Ok(self.inner.pool.get().await?)
    }

    async fn writer(&self) -> Result<Writer<'_>, TxError> {
        Ok(Writer {
            client: self.client().await?,
            clock: &self.clock,
            is_clock_set: self.is_clock_set,
            channels: &self.inner.channels,
        })
    }

    /// Does something with the database.
    async fn doing<T>(
        &self,
        action: &'static str,
        done: impl Future<Output = Result<T, TxError>>,
    ) -> Result<T, StoreError> {
        done.await.map_err(|error| error.while_doing(action))
    }

    fn notify(&self, topics: &[Topic], key: &RunKey) {
        self.inner.channels.notify(topics, key);
    }
}

impl fmt::Debug for PostgresStore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PostgresStore")
            .field("clock", &self.clock)
            .finish_non_exhaustive()
    }
}

impl RunStore for PostgresStore {
    fn clock(&self) -> Arc<dyn Clock> {
        Arc::clone(&self.clock.0)
    }

    fn notifications(&self) -> Notifications {
        self.inner.channels.runs.subscribe()
    }

    fn commit_notifications(&self) -> Notifications {
        self.inner.channels.follow_commits();
        self.inner.channels.commits.subscribe()
    }

    fn start(&self, run: NewRun) -> StoreFuture<'_, bool> {
        Box::pin(async move {
            let start = async { self.writer().await?.start(&run).await };
            let is_new = self.doing("start a run", start).await?;
            self.notify(&[Topic::Run], &run.key);
            Ok(is_new)
        })
    }

    fn claim(&self, request: ClaimRequest) -> StoreFuture<'_, Vec<Claim>> {
        let claim = async move { self.writer().await?.claim(&request).await };
        Box::pin(self.doing("claim runs", claim))
    }

    fn renew<'a>(&'a self, lease: &'a Lease, duration: Duration) -> StoreFuture<'a, u64> {
        let renew = async move { self.writer().await?.renew(lease, duration).await };
        Box::pin(self.doing("renew a lease", renew))
    }

    fn release<'a>(&'a self, lease: &'a Lease, release: Release) -> StoreFuture<'a, ()> {
        Box::pin(async move {
            let write = async { self.writer().await?.release(lease, &release).await };
            self.doing("release a run", write).await?;
            self.notify(&[Topic::Run], &lease.key);
            Ok(())
        })
    }

    fn commit<'a>(&'a self, lease: &'a Lease, commit: Commit) -> StoreFuture<'a, u64> {
        Box::pin(async move {
            let topics: &[Topic] = if commit.release {
                &[Topic::Run, Topic::Commit]
            } else {
                &[Topic::Commit]
            };
            let write = async { self.writer().await?.commit(lease, &commit, topics).await };
            let last = self.doing("commit a step", write).await?;
            self.notify(topics, &lease.key);
            Ok(last)
        })
    }

    fn load<'a>(&'a self, key: &'a RunKey) -> StoreFuture<'a, LoadedRun> {
        let load = async move { read::load(&*self.client().await?, key).await };
        Box::pin(self.doing("load a run", load))
    }

    fn push<'a>(&'a self, key: &'a RunKey, command: Command) -> StoreFuture<'a, u64> {
        Box::pin(async move {
            let push = async { self.writer().await?.push(key, &command).await };
            let number = self.doing("push a command", push).await?;
            self.notify(&[Topic::Run], key);
            Ok(number)
        })
    }

    fn inbox<'a>(&'a self, key: &'a RunKey, after: u64) -> StoreFuture<'a, Vec<InboxRow>> {
        let inbox = async move { read::inbox(&*self.client().await?, key, after).await };
        Box::pin(self.doing("read an inbox", inbox))
    }

    fn get<'a>(&'a self, key: &'a RunKey) -> StoreFuture<'a, RunInfo> {
        let get = async move { read::get(&*self.client().await?, key).await };
        Box::pin(self.doing("find a run", get))
    }

    fn list(&self, filter: Filter) -> StoreFuture<'_, Page> {
        let list = async move {
            filter.check()?;
            read::list(&*self.client().await?, &filter).await
        };
        Box::pin(self.doing("list runs", list))
    }

    fn history<'a>(
        &'a self,
        key: &'a RunKey,
        from: u64,
        limit: usize,
    ) -> StoreFuture<'a, Vec<HistoryRow>> {
        let rows = async move { read::history(&*self.client().await?, key, (from, limit)).await };
        Box::pin(self.doing("read a history", rows))
    }

    fn entries_at<'a>(&'a self, key: &'a RunKey, step: u64) -> StoreFuture<'a, Entries> {
        let entries = async move { read::entries_at(&*self.client().await?, key, step).await };
        Box::pin(self.doing("read a history", entries))
    }

    fn fork<'a>(&'a self, key: &'a RunKey, step: u64, id: String) -> StoreFuture<'a, bool> {
        Box::pin(async move {
            let fork = key.sibling(id)?;
            let write = async { self.writer().await?.fork((key, step), &fork).await };
            let is_new = self.doing("fork a run", write).await?;
            self.notify(&[Topic::Run], &fork);
            Ok(is_new)
        })
    }

    fn retry<'a>(&'a self, key: &'a RunKey) -> StoreFuture<'a, ()> {
        Box::pin(async move {
            let retry = async { self.writer().await?.retry(key).await };
            self.doing("retry a run", retry).await?;
            self.notify(&[Topic::Run], key);
            Ok(())
        })
    }

    fn prune<'a>(&'a self, tenant: &'a TenantFilter, retention: Retention) -> StoreFuture<'a, u64> {
        let prune = async move { self.writer().await?.prune(tenant, retention).await };
        Box::pin(self.doing("delete runs", prune))
    }
}

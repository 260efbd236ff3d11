//! The contract between runs and databases.

use std::{future::Future, pin::Pin, sync::Arc, time::Duration};

use pravah_runtime::{Clock, Entries};

use crate::{
    Claim, ClaimRequest, Command, Commit, Filter, HistoryRow, InboxRow, Lease, LoadedRun, NewRun,
    Notifications, Page, Release, Retention, RunInfo, RunKey, StoreError, TenantFilter,
};

/// What the future of a [`RunStore`] is.
pub type StoreFuture<'a, T> = Pin<Box<dyn Future<Output = Result<T, StoreError>> + Send + 'a>>;

/// Keeps runs. [`Worker`](crate::Worker) and [`Runs`](crate::Runs) are built on it; a database of your own becomes a
/// store by implementing it.
///
/// What every store promises:
///
/// - Each function is one transaction: it happens as a whole or not at all, and what it has returned is durable.
///   Claims and renewals need not be, as long as no lease number is given twice to workers that may both be alive.
/// - Even if workers pause or clocks jump, of all those that had a run only the holder of the newest lease can
///   [`commit`](Self::commit), [`renew`](Self::renew) or [`release`](Self::release), and only before the lease ends.
/// - Commands are kept in the order in which they were pushed, and each is removed by one commit.
/// - Ids, tenants, tags and payloads are data: none of them changes what a query means.
///
/// Every function may fail with [`StoreError::Database`]. Dropping a future leaves open whether it has happened. All times
/// come from the store's [`clock`](Self::clock), and are kept in whole milliseconds.
///
/// The functions return boxed futures: `Box::pin(async move { … })`. [`MemoryStore`](crate::MemoryStore) is a short
/// implementation to read, and the tests in `tests/conformance` check these promises: a copy of them runs over another
/// store once its `support.rs` makes one.
///
/// ```
/// use std::sync::Arc;
/// use pravah_store::{Filter, MemoryStore, RunStore};
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), pravah_store::StoreError> {
/// let store: Arc<dyn RunStore> = Arc::new(MemoryStore::new());
/// assert!(store.list(Filter::new()).await?.runs.is_empty());
/// # Ok(()) }
/// ```
pub trait RunStore: Send + Sync + 'static {
    /// The clock that says when runs are due and leases end.
    fn clock(&self) -> Arc<dyn Clock>;

    /// Hints for the workers of this process. A store that has none returns those of a [`Notifier`](crate::Notifier)
    /// that nobody uses; workers ask the store now and then all the same.
    fn notifications(&self) -> Notifications;

    /// Hints for whoever follows runs in this process: the run of each commit. As with
    /// [`notifications`](Self::notifications), a store may have none.
    fn commit_notifications(&self) -> Notifications;

    /// Starts a run, which may be claimed at once; programs use [`Runs::start`](crate::Runs::start). Returns whether there was none of this key: otherwise nothing has
    /// changed, which makes it idempotent.
    ///
    /// # Errors
    ///
    /// [`StoreError::AlreadyExists`] if the run of this key is of another flow.
    fn start(&self, run: NewRun) -> StoreFuture<'_, bool>;

    /// Claims runs that may be executed: those whose [`wake_at`](RunInfo::wake_at) has come and that nobody has a lease of,
    /// the one that has waited longest first. Each gets a lease with a number that is larger than any before, and
    /// counts as claimed [without success](RunInfo::failed_claims) until it commits something.
    fn claim(&self, request: ClaimRequest) -> StoreFuture<'_, Vec<Claim>>;

    /// Makes a lease end `duration` from now, in place of its earlier end. Returns the number of the last command that was
    /// ever pushed to the run.
    ///
    /// # Errors
    ///
    /// [`StoreError::LeaseLost`] if the lease has ended, or another was given.
    fn renew<'a>(&'a self, lease: &'a Lease, duration: Duration) -> StoreFuture<'a, u64>;

    /// Ends a lease without a commit, as the [`Release`] says. Where a command to cancel the run waits, it may be claimed at
    /// once.
    ///
    /// # Errors
    ///
    /// [`StoreError::LeaseLost`] if the lease has ended, or another was given.
    fn release<'a>(&'a self, lease: &'a Lease, release: Release) -> StoreFuture<'a, ()>;

    /// Writes a step: checks the lease, applies the changes, with what is deleted first and each key with all that is
    /// under it, appends a row to the history, removes the commands that were taken or refused, and sets the rest. Where
    /// a command was pushed that the worker has not [`seen`](Commit::seen), the run may be claimed at once; one that
    /// has failed only if it is to be cancelled. Of a run that has ended all commands are removed.
    ///
    /// Returns the number of the last command that was ever pushed to the run.
    ///
    /// # Errors
    ///
    /// [`StoreError::LeaseLost`] if the lease has ended, or another was given: nothing is written then.
    fn commit<'a>(&'a self, lease: &'a Lease, commit: Commit) -> StoreFuture<'a, u64>;

    /// All that is needed to resume a run, as of one moment.
    ///
    /// # Errors
    ///
    /// [`StoreError::NotFound`]; [`StoreError::Corrupt`] if what is stored cannot be read.
    fn load<'a>(&'a self, key: &'a RunKey) -> StoreFuture<'a, LoadedRun>;

    /// Puts a command into the inbox of a run, and makes the run ready to be claimed; one that has failed only if it is to
    /// be cancelled. Returns the command's number.
    ///
    /// # Errors
    ///
    /// [`StoreError::NotFound`]; [`StoreError::WrongStatus`] if the run has ended; [`StoreError::InboxFull`] if 1,024
    /// commands wait, unless this is the first to cancel the run, or if it is an answer to a question that is not open and
    /// 256 of those wait; [`StoreError::NotStorable`] if it is nested so deeply that it could not be read again.
    fn push<'a>(&'a self, key: &'a RunKey, command: Command) -> StoreFuture<'a, u64>;

    /// The commands with larger numbers than `after` that the run has not taken, in their order.
    ///
    /// # Errors
    ///
    /// [`StoreError::NotFound`]; [`StoreError::Corrupt`] if what is stored cannot be read.
    fn inbox<'a>(&'a self, key: &'a RunKey, after: u64) -> StoreFuture<'a, Vec<InboxRow>>;

    /// What is known of a run.
    ///
    /// # Errors
    ///
    /// [`StoreError::NotFound`].
    fn get<'a>(&'a self, key: &'a RunKey) -> StoreFuture<'a, RunInfo>;

    /// The runs that pass a filter, the newest first.
    ///
    /// # Errors
    ///
    /// [`StoreError::InvalidName`] if the filter has a tag or tenant that no run can have.
    fn list(&self, filter: Filter) -> StoreFuture<'_, Page>;

    /// The commits of a run from the step `from` on, the first first, and `limit` at most.
    ///
    /// # Errors
    ///
    /// [`StoreError::NotFound`]; [`StoreError::Corrupt`] if what is stored cannot be read.
    fn history<'a>(
        &'a self,
        key: &'a RunKey,
        from: u64,
        limit: usize,
    ) -> StoreFuture<'a, Vec<HistoryRow>>;

    /// The entries of a run as they were after a step; step 0 is its start.
    ///
    /// # Errors
    ///
    /// [`StoreError::NotFound`]; [`StoreError::NoSuchStep`]; [`StoreError::Corrupt`] if what is stored cannot be read.
    fn entries_at<'a>(&'a self, key: &'a RunKey, step: u64) -> StoreFuture<'a, Entries>;

    /// Starts a run of the same flow, tenant and tags with the entries that another had after a step. Commands of the
    /// other stay with it. Returns whether there was none of the id `id`, as [`start`](Self::start) does.
    ///
    /// # Errors
    ///
    /// Those of [`entries_at`](Self::entries_at); [`StoreError::AlreadyExists`] if the run `id` is of another flow;
    /// [`StoreError::InvalidName`].
    fn fork<'a>(&'a self, key: &'a RunKey, step: u64, id: String) -> StoreFuture<'a, bool>;

    /// Makes a run that has failed [`Ready`](crate::Status::Ready), with no failed claims, and claimable at once. Its error
    /// stays until the next commit.
    ///
    /// # Errors
    ///
    /// [`StoreError::NotFound`]; [`StoreError::WrongStatus`] if it has not failed.
    fn retry<'a>(&'a self, key: &'a RunKey) -> StoreFuture<'a, ()>;

    /// Deletes runs that have ended, with their histories, and returns how many. What is kept is counted for each tenant
    /// by itself.
    fn prune<'a>(&'a self, tenant: &'a TenantFilter, retention: Retention) -> StoreFuture<'a, u64>;
}

/// Workers and handles can share a store.
impl<S: RunStore + ?Sized> RunStore for Arc<S> {
    fn clock(&self) -> Arc<dyn Clock> {
        (**self).clock()
    }

    fn notifications(&self) -> Notifications {
        (**self).notifications()
    }

    fn commit_notifications(&self) -> Notifications {
        (**self).commit_notifications()
    }

    fn start(&self, run: NewRun) -> StoreFuture<'_, bool> {
        (**self).start(run)
    }

    fn claim(&self, request: ClaimRequest) -> StoreFuture<'_, Vec<Claim>> {
        (**self).claim(request)
    }

    fn renew<'a>(&'a self, lease: &'a Lease, duration: Duration) -> StoreFuture<'a, u64> {
        (**self).renew(lease, duration)
    }

    fn release<'a>(&'a self, lease: &'a Lease, release: Release) -> StoreFuture<'a, ()> {
        (**self).release(lease, release)
    }

    fn commit<'a>(&'a self, lease: &'a Lease, commit: Commit) -> StoreFuture<'a, u64> {
        (**self).commit(lease, commit)
    }

    fn load<'a>(&'a self, key: &'a RunKey) -> StoreFuture<'a, LoadedRun> {
        (**self).load(key)
    }

    fn push<'a>(&'a self, key: &'a RunKey, command: Command) -> StoreFuture<'a, u64> {
        (**self).push(key, command)
    }

    fn inbox<'a>(&'a self, key: &'a RunKey, after: u64) -> StoreFuture<'a, Vec<InboxRow>> {
        (**self).inbox(key, after)
    }

    fn get<'a>(&'a self, key: &'a RunKey) -> StoreFuture<'a, RunInfo> {
        (**self).get(key)
    }

    fn list(&self, filter: Filter) -> StoreFuture<'_, Page> {
        (**self).list(filter)
    }

    fn history<'a>(
        &'a self,
        key: &'a RunKey,
        from: u64,
        limit: usize,
    ) -> StoreFuture<'a, Vec<HistoryRow>> {
        (**self).history(key, from, limit)
    }

    fn entries_at<'a>(&'a self, key: &'a RunKey, step: u64) -> StoreFuture<'a, Entries> {
        (**self).entries_at(key, step)
    }

    fn fork<'a>(&'a self, key: &'a RunKey, step: u64, id: String) -> StoreFuture<'a, bool> {
        (**self).fork(key, step, id)
    }

    fn retry<'a>(&'a self, key: &'a RunKey) -> StoreFuture<'a, ()> {
        (**self).retry(key)
    }

    fn prune<'a>(&'a self, tenant: &'a TenantFilter, retention: Retention) -> StoreFuture<'a, u64> {
        (**self).prune(tenant, retention)
    }
}

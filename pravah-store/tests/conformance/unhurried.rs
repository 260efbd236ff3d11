//! A store in another process, seen by a test whose time is tokio's.

use std::{sync::Arc, sync::mpsc, time::Duration};

use pravah_runtime::{Clock, Entries};
use pravah_store::{
    Claim, ClaimRequest, Command, Commit, Filter, HistoryRow, InboxRow, Lease, LoadedRun, NewRun,
    Notifications, Page, Release, Retention, RunInfo, RunKey, RunStore, StoreFuture, TenantFilter,
};
use tokio::task::spawn_blocking;

/// Has time stand still while the store is asked. Tokio's paused clock goes on to the next timer as soon as no task can go
/// on, also where one waits for a server to answer: leases would end meanwhile.
pub(crate) struct Unhurried<S>(pub(crate) S);

/// Waits for an answer. Tokio does not move its clock while a thread of its own is at work.
fn unhurried<'a, T: Send + 'a>(answer: StoreFuture<'a, T>) -> StoreFuture<'a, T> {
    Box::pin(async move {
        let (done, wait) = mpsc::channel::<()>();
        let at_work = spawn_blocking(move || wait.recv());
        let answer = answer.await;
        drop(done);
        let _ = at_work.await;
        answer
    })
}

impl<S: RunStore> RunStore for Unhurried<S> {
    fn clock(&self) -> Arc<dyn Clock> {
        self.0.clock()
    }

    fn notifications(&self) -> Notifications {
        self.0.notifications()
    }

    fn commit_notifications(&self) -> Notifications {
        self.0.commit_notifications()
    }

    fn start(&self, run: NewRun) -> StoreFuture<'_, bool> {
        unhurried(self.0.start(run))
    }

    fn claim(&self, request: ClaimRequest) -> StoreFuture<'_, Vec<Claim>> {
        unhurried(self.0.claim(request))
    }

    fn renew<'a>(&'a self, lease: &'a Lease, duration: Duration) -> StoreFuture<'a, u64> {
        unhurried(self.0.renew(lease, duration))
    }

    fn release<'a>(&'a self, lease: &'a Lease, release: Release) -> StoreFuture<'a, ()> {
        unhurried(self.0.release(lease, release))
    }

    fn commit<'a>(&'a self, lease: &'a Lease, commit: Commit) -> StoreFuture<'a, u64> {
        unhurried(self.0.commit(lease, commit))
    }

    fn load<'a>(&'a self, key: &'a RunKey) -> StoreFuture<'a, LoadedRun> {
        unhurried(self.0.load(key))
    }

    fn push<'a>(&'a self, key: &'a RunKey, command: Command) -> StoreFuture<'a, u64> {
        unhurried(self.0.push(key, command))
    }

    fn inbox<'a>(&'a self, key: &'a RunKey, after: u64) -> StoreFuture<'a, Vec<InboxRow>> {
        unhurried(self.0.inbox(key, after))
    }

    fn get<'a>(&'a self, key: &'a RunKey) -> StoreFuture<'a, RunInfo> {
        unhurried(self.0.get(key))
    }

    fn list(&self, filter: Filter) -> StoreFuture<'_, Page> {
        unhurried(self.0.list(filter))
    }

    fn history<'a>(
        &'a self,
        key: &'a RunKey,
        from: u64,
        limit: usize,
    ) -> StoreFuture<'a, Vec<HistoryRow>> {
        unhurried(self.0.history(key, from, limit))
    }

    fn entries_at<'a>(&'a self, key: &'a RunKey, step: u64) -> StoreFuture<'a, Entries> {
        unhurried(self.0.entries_at(key, step))
    }

    fn fork<'a>(&'a self, key: &'a RunKey, step: u64, id: String) -> StoreFuture<'a, bool> {
        unhurried(self.0.fork(key, step, id))
    }

    fn retry<'a>(&'a self, key: &'a RunKey) -> StoreFuture<'a, ()> {
        unhurried(self.0.retry(key))
    }

    fn prune<'a>(&'a self, tenant: &'a TenantFilter, retention: Retention) -> StoreFuture<'a, u64> {
        unhurried(self.0.prune(tenant, retention))
    }
}

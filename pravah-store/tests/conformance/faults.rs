//! A store that fails on request.

use std::{
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    time::Duration,
};

use pravah_runtime::{Clock, Entries};
use pravah_store::{
    Claim, ClaimRequest, Command, Commit, Filter, HistoryRow, InboxRow, Lease, LoadedRun, NewRun,
    Notifications, Page, Release, Retention, RunInfo, RunKey, RunStore, StoreError, StoreFuture,
    TenantFilter,
};
use tokio::sync::Notify;

/// Another store as a worker sees it whose process or network is in trouble.
#[derive(Clone)]
pub(crate) struct Faulty {
    inner: Arc<dyn RunStore>,
    /// How many commits fail first.
    failures: Arc<AtomicUsize>,
    /// How many commits are made before the process is as good as dead.
    commits: Arc<AtomicUsize>,
    /// Whether the last of them is told to the worker.
    pub(crate) answers_last: bool,
    pub(crate) renews: Arc<AtomicBool>,
    /// What a claim waits for.
    pub(crate) may_claim: Option<Arc<Notify>>,
    /// What somebody says right before the next commit that ends a lease.
    said_before_release: Arc<Mutex<Option<Command>>>,
}

impl Faulty {
    pub(crate) fn new(inner: Arc<dyn RunStore>) -> Self {
        Self {
            inner,
            commits: Arc::new(AtomicUsize::new(usize::MAX)),
            failures: Arc::default(),
            answers_last: true,
            renews: Arc::new(AtomicBool::new(true)),
            may_claim: None,
            said_before_release: Arc::default(),
        }
    }

    /// Makes this many commits.
    pub(crate) fn with_commits(self, commits: usize) -> Self {
        self.commits.store(commits, Ordering::Relaxed);
        self
    }

    /// Fails so many times first.
    pub(crate) fn with_failures(self, failures: usize) -> Self {
        self.failures.store(failures, Ordering::Relaxed);
        self
    }

    pub(crate) fn saying_before_release(self, command: Command) -> Self {
        *self.said_before_release.lock().unwrap() = Some(command);
        self
    }

    pub(crate) fn commits_left(&self) -> usize {
        self.commits.load(Ordering::Relaxed)
    }
}

impl RunStore for Faulty {
    fn clock(&self) -> Arc<dyn Clock> {
        self.inner.clock()
    }

    fn notifications(&self) -> Notifications {
        self.inner.notifications()
    }

    fn commit_notifications(&self) -> Notifications {
        self.inner.commit_notifications()
    }

    fn start(&self, run: NewRun) -> StoreFuture<'_, bool> {
        self.inner.start(run)
    }

    fn claim(&self, request: ClaimRequest) -> StoreFuture<'_, Vec<Claim>> {
        Box::pin(async move {
            if let Some(may_claim) = &self.may_claim {
                may_claim.notified().await;
            }
            self.inner.claim(request).await
        })
    }

    fn renew<'a>(&'a self, lease: &'a Lease, duration: Duration) -> StoreFuture<'a, u64> {
        match self.renews.load(Ordering::Relaxed) {
            true => self.inner.renew(lease, duration),
            // As where the network is gone.
            false => Box::pin(std::future::pending()),
        }
    }

    fn release<'a>(&'a self, lease: &'a Lease, release: Release) -> StoreFuture<'a, ()> {
        self.inner.release(lease, release)
    }

    fn commit<'a>(&'a self, lease: &'a Lease, commit: Commit) -> StoreFuture<'a, u64> {
        Box::pin(async move {
            let failures = self.failures.load(Ordering::Relaxed);
            if let Some(others) = failures.checked_sub(1) {
                self.failures.store(others, Ordering::Relaxed);
                return Err(StoreError::database("commit a step", "the disk is full"));
            }
            let left = self.commits.load(Ordering::Relaxed);
            if left == 0 {
                return std::future::pending().await;
            }
            let said = self
                .said_before_release
                .lock()
                .unwrap()
                .take_if(|_| commit.release);
            if let Some(command) = said {
                self.inner.push(&lease.key, command).await?;
            }
            let done = self.inner.commit(lease, commit).await;
            self.commits.store(left - 1, Ordering::Relaxed);
            if left == 1 && !self.answers_last {
                return std::future::pending().await;
            }
            done
        })
    }

    fn load<'a>(&'a self, key: &'a RunKey) -> StoreFuture<'a, LoadedRun> {
        self.inner.load(key)
    }

    fn push<'a>(&'a self, key: &'a RunKey, command: Command) -> StoreFuture<'a, u64> {
        self.inner.push(key, command)
    }

    fn inbox<'a>(&'a self, key: &'a RunKey, after: u64) -> StoreFuture<'a, Vec<InboxRow>> {
        self.inner.inbox(key, after)
    }

    fn get<'a>(&'a self, key: &'a RunKey) -> StoreFuture<'a, RunInfo> {
        self.inner.get(key)
    }

    fn list(&self, filter: Filter) -> StoreFuture<'_, Page> {
        self.inner.list(filter)
    }

    fn history<'a>(
        &'a self,
        key: &'a RunKey,
        from: u64,
        limit: usize,
    ) -> StoreFuture<'a, Vec<HistoryRow>> {
        self.inner.history(key, from, limit)
    }

    fn entries_at<'a>(&'a self, key: &'a RunKey, step: u64) -> StoreFuture<'a, Entries> {
        self.inner.entries_at(key, step)
    }

    fn fork<'a>(&'a self, key: &'a RunKey, step: u64, id: String) -> StoreFuture<'a, bool> {
        self.inner.fork(key, step, id)
    }

    fn retry<'a>(&'a self, key: &'a RunKey) -> StoreFuture<'a, ()> {
        self.inner.retry(key)
    }

    fn prune<'a>(&'a self, tenant: &'a TenantFilter, retention: Retention) -> StoreFuture<'a, u64> {
        self.inner.prune(tenant, retention)
    }
}

/// Whether there is no such run.
pub(crate) fn is_not_found<T>(result: &Result<T, StoreError>) -> bool {
    matches!(result, Err(StoreError::NotFound { .. }))
}

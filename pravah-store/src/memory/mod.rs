//! Runs in memory.

mod run;
mod table;

use std::{
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::{Duration, SystemTime},
};

use pravah_runtime::{Clock, Entries, SystemClock};

use self::table::Table;
use crate::{
    Claim, ClaimRequest, Command, Commit, Filter, HistoryRow, InboxRow, Lease, LoadedRun, NewRun,
    Notifications, Notifier, Page, Release, Retention, RunInfo, RunKey, RunStore, StoreError,
    StoreFuture, TenantFilter,
    time::{self, SharedClock},
};

/// Keeps runs in memory, for tests and for trying things out: they end with the process. Clones share them.
///
/// ```
/// use pravah_runtime::prelude::*;
/// use pravah_store::{MemoryStore, Runs, Status};
///
/// #[state] struct Order { cups: u32 }
/// #[state] struct Served { cups: u32 }
/// #[node] fn serve(order: Order) -> Served { Served { cups: order.cups } }
/// #[flow] fn coffee(order: Order) -> Served { flow! { serve } }
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), pravah_store::StoreError> {
/// let runs = Runs::new(MemoryStore::new());
/// let id = runs.start::<Order>(Order { cups: 2 }).await?;
/// assert_eq!(runs.status(&id).await?.status, Status::Ready); // Nobody executes its steps yet.
/// # Ok(()) }
/// ```
#[derive(Clone, Debug)]
pub struct MemoryStore {
    table: Arc<Mutex<Table>>,
    clock: SharedClock,
    notifier: Notifier,
    commit_notifier: Notifier,
}

impl MemoryStore {
    /// A store without runs.
    pub fn new() -> Self {
        Self {
            table: Arc::default(),
            clock: SharedClock(Arc::new(SystemClock::new())),
            notifier: Notifier::new(),
            commit_notifier: Notifier::new(),
        }
    }

    /// The same with another clock.
    #[must_use]
    pub fn with_clock(mut self, clock: impl Clock + 'static) -> Self {
        self.clock = SharedClock(Arc::new(clock));
        self
    }

    fn table(&self) -> MutexGuard<'_, Table> {
        self.table.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn now(&self) -> SystemTime {
        time::whole_millis(self.clock.0.now())
    }

    /// What happens to a run, with a notification where it may be claimed afterwards.
    fn change<T>(
        &self,
        key: &RunKey,
        change: impl FnOnce(&mut Table, SystemTime) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        let now = self.now();
        let mut table = self.table();
        let changed = change(&mut table, now)?;
        drop(table);
        self.notifier.notify(key);
        Ok(changed)
    }
}

impl Default for MemoryStore {
    fn default() -> Self {
        Self::new()
    }
}

impl RunStore for MemoryStore {
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
            self.change(&key, |table, now| table.start(run, None, now))
        })
    }

    fn claim(&self, request: ClaimRequest) -> StoreFuture<'_, Vec<Claim>> {
        Box::pin(async move {
            let now = self.now();
            Ok(self.table().claim(&request, now))
        })
    }

    fn renew<'a>(&'a self, lease: &'a Lease, duration: Duration) -> StoreFuture<'a, u64> {
        Box::pin(async move {
            let now = self.now();
            let mut table = self.table();
            let run = table.leased(lease, now)?;
            run.extend_lease(now, duration);
            Ok(run.last_command)
        })
    }

    fn release<'a>(&'a self, lease: &'a Lease, release: Release) -> StoreFuture<'a, ()> {
        Box::pin(async move {
            self.change(&lease.key, |table, now| {
                table.leased(lease, now)?.release(release, now);
                Ok(())
            })
        })
    }

    fn commit<'a>(&'a self, lease: &'a Lease, commit: Commit) -> StoreFuture<'a, u64> {
        Box::pin(async move {
            let is_released = commit.release;
            let now = self.now();
            let last = self.table().leased(lease, now)?.commit(commit, now);
            if is_released {
                self.notifier.notify(&lease.key);
            }
            self.commit_notifier.notify(&lease.key);
            Ok(last)
        })
    }

    fn load<'a>(&'a self, key: &'a RunKey) -> StoreFuture<'a, LoadedRun> {
        Box::pin(async move {
            let table = self.table();
            let run = table.get(key)?;
            Ok(LoadedRun::new(
                run.info.clone(),
                run.entries.clone(),
                run.inbox_after(0),
            ))
        })
    }

    fn push<'a>(&'a self, key: &'a RunKey, command: Command) -> StoreFuture<'a, u64> {
        Box::pin(
            async move { self.change(key, |table, now| table.get_mut(key)?.push(command, now)) },
        )
    }

    fn inbox<'a>(&'a self, key: &'a RunKey, after: u64) -> StoreFuture<'a, Vec<InboxRow>> {
        Box::pin(async move { Ok(self.table().get(key)?.inbox_after(after)) })
    }

    fn get<'a>(&'a self, key: &'a RunKey) -> StoreFuture<'a, RunInfo> {
        Box::pin(async move { Ok(self.table().get(key)?.info.clone()) })
    }

    fn list(&self, filter: Filter) -> StoreFuture<'_, Page> {
        Box::pin(async move {
            filter.check()?;
            Ok(self.table().list(&filter))
        })
    }

    fn history<'a>(
        &'a self,
        key: &'a RunKey,
        from: u64,
        limit: usize,
    ) -> StoreFuture<'a, Vec<HistoryRow>> {
        Box::pin(async move {
            let table = self.table();
            let rows = table.get(key)?.history.iter().map(|(row, _)| row);
            let rows = rows.skip_while(|row| row.step < from).take(limit);
            Ok(rows.cloned().collect())
        })
    }

    fn entries_at<'a>(&'a self, key: &'a RunKey, step: u64) -> StoreFuture<'a, Entries> {
        Box::pin(async move { self.table().get(key)?.entries_at(step) })
    }

    fn fork<'a>(&'a self, key: &'a RunKey, step: u64, id: String) -> StoreFuture<'a, bool> {
        Box::pin(async move {
            let fork = key.sibling(id)?;
            self.change(&fork, |table, now| table.fork(key, step, &fork, now))
        })
    }

    fn retry<'a>(&'a self, key: &'a RunKey) -> StoreFuture<'a, ()> {
        Box::pin(async move { self.change(key, |table, now| table.get_mut(key)?.retry(now)) })
    }

    fn prune<'a>(&'a self, tenant: &'a TenantFilter, retention: Retention) -> StoreFuture<'a, u64> {
        Box::pin(async move {
            let now = self.now();
            Ok(self.table().prune(tenant, retention, now))
        })
    }
}

//! One run that a worker has leased: from its claim to its release.

use std::{
    sync::Arc,
    time::{Duration, SystemTime},
};

use pravah_runtime::{Context, FlowError};
use tokio::{sync::watch, time::Instant};

use super::{
    host::{Flows, HostedRun, cancel_unread, retry_after},
    keeper::{Keeper, LeaseState},
};
use crate::{
    Claim, Commit, Lease, Notifications, Refusal, Release, RunStore, Status, StoreError,
    error::with_sources, time,
};

/// What the sessions of a worker have in common.
pub(super) struct Shared {
    pub(super) store: Arc<dyn RunStore>,
    pub(super) ctx: Context,
    pub(super) flows: Flows,
    pub(super) lease: Duration,
    pub(super) max_failed_claims: u32,
    /// Whether the worker is to end.
    pub(super) stop: watch::Receiver<bool>,
}

/// Why no further step is executed.
enum Stop {
    /// The run was released with its last commit.
    Released,
    /// The worker is to end.
    Stopped,
    /// Nothing of the step may be written.
    LeaseLost,
    /// The store failed, or the run could not be read or written.
    Failed(String),
}

impl From<StoreError> for Stop {
    fn from(error: StoreError) -> Self {
        match error {
            StoreError::LeaseLost { .. } => Self::LeaseLost,
            error => Self::Failed(with_sources(&error)),
        }
    }
}

/// Executes the steps of a claimed run until it waits, has ended, or is not this worker's any more.
pub(super) async fn drive(shared: Arc<Shared>, claim: Claim, claimed: Instant) {
    let (lease, failed_claims) = (&claim.lease, claim.info.failed_claims);
    let stop = if failed_claims > shared.max_failed_claims {
        give_up(&shared, &claim).await
    } else {
        execute_steps(&shared, lease, claimed).await
    };
    let release = match stop.unwrap_or_else(|stop| stop) {
        Stop::Released => return,
        Stop::LeaseLost => {
            tracing::warn!(run = %lease.key, "the lease was lost: the step is not committed");
            return;
        }
        Stop::Stopped => Release::Stopped,
        Stop::Failed(error) => {
            tracing::warn!(run = %lease.key, error, "no step could be executed");
            let retry_at = shared.retry_at(failed_claims);
            Release::Failed { error, retry_at }
        }
    };
    if let Err(error) = shared.store.release(lease, release).await {
        // It ends by itself.
        tracing::warn!(run = %lease.key, %error, "the run was not released");
    }
}

/// How long a run is held whose commands cannot be read.
const UNREADABLE_PAUSE: Duration = Duration::from_secs(1);

/// Parks a run that was claimed too often without a step, unless it is to be cancelled.
async fn give_up(shared: &Shared, claim: &Claim) -> Result<Stop, Stop> {
    let (lease, store) = (&claim.lease, &shared.store);
    match store.inbox(&lease.key, 0).await {
        Ok(rows) => {
            if let Some(commit) = cancel_unread(rows) {
                store.commit(lease, commit).await?;
                return Ok(Stop::Released);
            }
        }
        // What cannot be read does not keep the run from being parked. If it hides a cancel, that wakes the run again at
        // once.
        Err(StoreError::Corrupt { .. } | StoreError::Decryption { .. }) => {
            tokio::time::sleep((shared.lease / 3).min(UNREADABLE_PAUSE)).await;
        }
        Err(error) => return Err(error.into()),
    }
    let claims = shared.max_failed_claims;
    let last = claim.info.error.as_deref();
    let last = last.unwrap_or("its worker crashed or lost its lease");
    let error = match claim.info.status {
        // It was parked before.
        Status::Failed => last.to_owned(),
        _ => format!(
            "it was claimed {claims} times in a row without a commit; the last error: {last}"
        ),
    };
    tracing::error!(run = %lease.key, error, "the run is parked");
    store.release(lease, Release::Parked { error }).await?;
    Ok(Stop::Released)
}

async fn execute_steps(shared: &Shared, lease: &Lease, claimed: Instant) -> Result<Stop, Stop> {
    let store = &shared.store;
    // Before the run is read, so that no command is missed.
    let notifications = store.notifications();
    let keeper = Keeper::start(Arc::clone(store), lease.clone(), (claimed, shared.lease));
    let loaded = store.load(&lease.key).await?;
    let run = match shared.flows.restore(&loaded, store.clock()) {
        Ok(run) => run,
        Err(error) => {
            let commit = cancel_unread(loaded.inbox).ok_or(error)?;
            store.commit(lease, commit).await?;
            return Ok(Stop::Released);
        }
    };
    let mut session = Session {
        shared,
        lease,
        run,
        keeper,
        notifications,
        stop: shared.stop.clone(),
        failed_claims: loaded.info.failed_claims,
    };
    session.commit_upgrade().await?;
    session.execute_steps().await
}

/// A run that is being driven.
struct Session<'a> {
    shared: &'a Shared,
    lease: &'a Lease,
    run: HostedRun,
    keeper: Keeper,
    notifications: Notifications,
    stop: watch::Receiver<bool>,
    failed_claims: u32,
}

impl Session<'_> {
    async fn execute_steps(mut self) -> Result<Stop, Stop> {
        loop {
            let result = self.step().await?;
            if self.commit(result).await? {
                return Ok(Stop::Released);
            }
        }
    }

    /// Stores a run as this version of its flow has it, before its first step here: what a step changes is stored
    /// beside what was there.
    async fn commit_upgrade(&mut self) -> Result<(), Stop> {
        // Nothing was taken yet: what was read of the inbox counts as seen with the next commit.
        if let Some(commit) = self.run.take_upgrade()? {
            self.shared.store.commit(self.lease, commit).await?;
        }
        Ok(())
    }

    /// Executes one step, and hands over the commands that come meanwhile.
    async fn step(&mut self) -> Result<Result<(), FlowError>, Stop> {
        let (store, key) = (&self.shared.store, &self.lease.key);
        let (mut next, mut commands) = self.run.next_step(self.shared.ctx.clone());
        loop {
            tokio::select! {
                biased;
                () = stopped(&mut self.stop) => return Err(Stop::Stopped),
                lease = lease_changed(&mut self.keeper.state) => {
                    if lease.is_lost {
                        return Err(Stop::LeaseLost);
                    }
                    if lease.last_command <= commands.seen() {
                        continue;
                    }
                }
                () = self.notifications.of(key) => {}
                result = &mut next => return Ok(result),
            }
            match store.inbox(key, commands.seen()).await {
                Ok(rows) => commands.add(rows),
                // The commit after the step says whether there is anything.
                Err(error) => tracing::warn!(run = %key, %error, "the inbox could not be read"),
            }
        }
    }

    /// Writes a step. Returns whether the run was released with it.
    async fn commit(&mut self, result: Result<(), FlowError>) -> Result<bool, Stop> {
        if self.run.may_be_stored_later(&result) {
            return Ok(false);
        }
        let mut commit = self.run.commit(result)?;
        if commit.status == Status::Ready && commit.error.is_some() {
            commit.wake_at = Some(self.shared.retry_at(self.failed_claims));
        }
        let is_released = commit.release;
        if !is_released && !commit.is_step() {
            return Ok(false);
        }
        let problems = Problems::of(&commit);
        let last_command = self.shared.store.commit(self.lease, commit).await?;
        problems.log(self.lease);
        let seen = self.run.commands().seen();
        if !is_released && last_command > seen {
            let rows = self.shared.store.inbox(&self.lease.key, seen).await?;
            self.run.commands().add(rows);
        }
        Ok(is_released)
    }
}

/// What in a commit an operator may have to look at.
struct Problems {
    refused: Vec<Refusal>,
    failure: Option<String>,
}

impl Problems {
    fn of(commit: &Commit) -> Self {
        let has_failed = commit.status == Status::Failed;
        Self {
            refused: commit.refused.clone(),
            failure: commit.error.clone().filter(|_| has_failed),
        }
    }

    /// Logs them, once they are stored.
    fn log(self, lease: &Lease) {
        let run = &lease.key;
        for Refusal { number, error } in self.refused {
            tracing::warn!(%run, command = number, error, "the run refused a command");
        }
        if let Some(error) = self.failure {
            tracing::warn!(%run, error, "the run has failed");
        }
    }
}

impl Shared {
    /// When to try again after this many claims in a row without a commit.
    fn retry_at(&self, failed_claims: u32) -> SystemTime {
        time::after(self.store.clock().now(), retry_after(failed_claims))
    }
}

/// Ends once the worker is to end.
async fn stopped(stop: &mut watch::Receiver<bool>) {
    // Without a worker nobody executes steps either.
    let _ = stop.wait_for(|is_stopped| *is_stopped).await;
}

/// What has changed of the lease.
async fn lease_changed(state: &mut watch::Receiver<LeaseState>) -> LeaseState {
    let is_renewed = state.changed().await.is_ok();
    let now = *state.borrow_and_update();
    LeaseState {
        is_lost: now.is_lost || !is_renewed,
        ..now
    }
}

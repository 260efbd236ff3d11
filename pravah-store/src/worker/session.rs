//! One run in the hands of a worker: from its claim to its release.

use std::{
    collections::BTreeMap,
    mem::take,
    sync::Arc,
    time::{Duration, SystemTime},
};

use pravah_runtime::{Changes, Context, FlowError, Hub, LoadOptions, RunStatus};
use tokio::{sync::watch, time::Instant};

use super::{
    inbox::{Inbox, Settled, SnapshotCommands},
    keeper::{Keeper, LeaseState},
    served::{LiveRun, Restore, Restored},
};
use crate::{
    Claim, Commit, InboxRow, Lease, LoadedRun, Notifications, Question, Release, RunStore, Status,
    StepNode, StoreError, error::with_sources, time,
};

/// What the sessions of a worker have in common.
pub(super) struct Shared {
    pub(super) store: Arc<dyn RunStore>,
    pub(super) ctx: Context,
    /// By the ids of flows.
    pub(super) load_options: BTreeMap<String, LoadOptions>,
    pub(super) lease: Duration,
    pub(super) max_failed_claims: u32,
    /// Whether the worker is to end.
    pub(super) stop: watch::Receiver<bool>,
}

/// Why no further step is made.
enum Stop {
    /// The run was given back with its last commit.
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

impl From<FlowError> for Stop {
    fn from(error: FlowError) -> Self {
        Self::Failed(with_sources(&error))
    }
}

/// Makes the steps of a claimed run until it waits, has ended, or is not this worker's any more.
pub(super) async fn drive(shared: Arc<Shared>, claim: Claim, claimed: Instant, restore: Restore) {
    let (lease, failed_claims) = (&claim.lease, claim.info.failed_claims);
    let stop = match failed_claims > shared.max_failed_claims {
        true => give_up(&shared, &claim).await,
        false => make_steps(&shared, lease, claimed, restore).await,
    };
    let release = match stop.unwrap_or_else(|stop| stop) {
        Stop::Released => return,
        Stop::LeaseLost => {
            tracing::warn!(run = %lease.key, "the lease was lost: the step is not committed");
            return;
        }
        Stop::Stopped => Release::Stopped,
        Stop::Failed(error) => {
            tracing::warn!(run = %lease.key, error, "no step could be made");
            let retry_at = shared.retry_at(failed_claims);
            Release::Failed { error, retry_at }
        }
    };
    if let Err(error) = shared.store.release(lease, release).await {
        // It ends by itself.
        tracing::warn!(run = %lease.key, %error, "the run was not given back");
    }
}

/// Parks a run that was claimed too often without a step, unless it is to be cancelled.
async fn give_up(shared: &Shared, claim: &Claim) -> Result<Stop, Stop> {
    let (lease, store) = (&claim.lease, &shared.store);
    match store.inbox(&lease.key, 0).await {
        Ok(rows) => {
            if let Some(commit) = Inbox::new(rows).cancel_unread() {
                store.commit(lease, commit).await?;
                return Ok(Stop::Released);
            }
        }
        // What cannot be read does not keep the run from being parked.
        Err(StoreError::Corrupt { .. } | StoreError::Decryption { .. }) => {}
        Err(error) => return Err(error.into()),
    }
    let claims = shared.max_failed_claims;
    let last = claim.info.error.as_deref();
    let last = last.unwrap_or("its worker crashed or lost its lease");
    let error =
        format!("it was claimed {claims} times in a row without a commit; the last error: {last}");
    tracing::error!(run = %lease.key, error, "the run is parked");
    store.release(lease, Release::Parked { error }).await?;
    Ok(Stop::Released)
}

async fn make_steps(
    shared: &Shared,
    lease: &Lease,
    claimed: Instant,
    restore: Restore,
) -> Result<Stop, Stop> {
    let store = &shared.store;
    // Before the run is read, so that no command is missed.
    let notifications = store.notifications();
    let keeper = Keeper::start(Arc::clone(store), lease.clone(), (claimed, shared.lease));
    let mut loaded = store.load(&lease.key).await?;
    let inbox = Inbox::new(std::mem::take(&mut loaded.inbox));
    let Restored { mut run, upgrade } = match shared.restore(&loaded, &restore) {
        Ok(restored) => restored,
        Err(error) => {
            let commit = inbox.cancel_unread().ok_or(error)?;
            store.commit(lease, commit).await?;
            return Ok(Stop::Released);
        }
    };
    let snapshot_commands = SnapshotCommands::of(&loaded.entries);
    let mut session = Session {
        hub: run.hub(),
        snapshot_commands,
        shared,
        lease,
        run,
        inbox,
        keeper,
        notifications,
        stop: shared.stop.clone(),
        steps: 0,
        failed_claims: loaded.info.failed_claims,
    };
    session.commit_upgrade(upgrade).await?;
    session.make_steps().await
}

/// A run that is being driven.
struct Session<'a> {
    shared: &'a Shared,
    lease: &'a Lease,
    run: Box<dyn LiveRun>,
    hub: Hub,
    inbox: Inbox,
    snapshot_commands: SnapshotCommands,
    keeper: Keeper,
    notifications: Notifications,
    stop: watch::Receiver<bool>,
    /// The number of the last step that is in the history.
    steps: u64,
    failed_claims: u32,
}

impl Session<'_> {
    async fn make_steps(mut self) -> Result<Stop, Stop> {
        loop {
            self.inbox.deliver(&self.hub);
            let made = self.step().await?;
            self.inbox.note_step();
            if self.commit(made).await? {
                return Ok(Stop::Released);
            }
        }
    }

    /// Stores a run as this version of its flow has it, before its first step here: what a step changes is stored
    /// beside what was there.
    async fn commit_upgrade(&mut self, changes: Changes) -> Result<(), Stop> {
        if changes.is_empty() {
            return Ok(());
        }
        let mut commit = Commit::new(changes, Status::Ready);
        self.say_where(&mut commit, Ok(()))?;
        // Nothing was taken yet: it counts as seen with the next commit.
        commit.seen = 0;
        self.shared.store.commit(self.lease, commit).await?;
        Ok(())
    }

    /// Makes one step, and hands over the commands that come meanwhile.
    async fn step(&mut self) -> Result<Result<(), FlowError>, Stop> {
        let Self {
            run, inbox, keeper, ..
        } = self;
        let (store, key) = (&self.shared.store, &self.lease.key);
        let mut next = run.next(self.shared.ctx.clone());
        loop {
            tokio::select! {
                biased;
                () = stopped(&mut self.stop) => return Err(Stop::Stopped),
                lease = lease_changed(&mut keeper.state) => match lease.is_lost {
                    true => return Err(Stop::LeaseLost),
                    false if lease.last_command <= inbox.seen => continue,
                    false => {}
                },
                () = self.notifications.of(key) => {}
                made = &mut next => return Ok(made),
            }
            match store.inbox(key, inbox.seen).await {
                Ok(rows) => {
                    inbox.add(rows);
                    inbox.deliver(&self.hub);
                }
                // The commit after the step says whether there is anything.
                Err(error) => tracing::warn!(run = %key, %error, "the inbox could not be read"),
            }
        }
    }

    /// Writes a step. Returns whether the run was given back with it.
    async fn commit(&mut self, made: Result<(), FlowError>) -> Result<bool, Stop> {
        let mut settled = self.inbox.settle();
        let changes = self.run.take_changes()?;
        self.snapshot_commands.apply(&changes);
        let mut commit = Commit::new(changes, Status::Ready);
        commit.taken = take(&mut settled.taken);
        commit.refused = take(&mut settled.refused);
        commit.seen = self.inbox.seen;
        commit.node = self.node();
        let has_failed = made.is_err();
        self.say_where(&mut commit, made)?;
        // Of several nodes another one has made its step: the one that failed is tried again.
        if commit.status == Status::Failed && !commit.changes.is_empty() && !has_failed {
            (commit.status, commit.error) = (Status::Ready, None);
        }
        let is_over = commit.status.has_ended() || commit.error.is_some();
        commit.release = is_over || !self.has_more_to_do(&commit, &settled);
        let is_released = commit.release;
        if !is_released && !commit.is_step() {
            return Ok(false);
        }
        let last_command = self.shared.store.commit(self.lease, commit).await?;
        if !is_released && last_command > self.inbox.seen {
            self.read_inbox().await?;
        }
        Ok(is_released)
    }

    /// Whether the run may make another step at once, after one that came to this commit.
    fn has_more_to_do(&self, commit: &Commit, settled: &Settled) -> bool {
        let has_changed = !commit.changes.is_empty();
        // Answers that came too early may have their questions now, unless the run has no room for what comes first.
        let has_room = has_changed || !settled.is_full;
        let may_deliver = has_room && self.inbox.has_deliverable(&self.hub);
        // A command in the snapshot of the run may be for what it has just come to.
        let may_take_own = has_changed && !self.snapshot_commands.is_empty();
        commit.status == Status::Ready || settled.is_pending || may_deliver || may_take_own
    }

    async fn read_inbox(&mut self) -> Result<(), Stop> {
        let (store, key) = (&self.shared.store, &self.lease.key);
        let rows: Vec<InboxRow> = store.inbox(key, self.inbox.seen).await?;
        self.inbox.add(rows);
        Ok(())
    }

    /// The node of the last step, unless that is in the history.
    fn node(&mut self) -> Option<StepNode> {
        let step = self.run.last_step();
        let step = step.filter(|step| step.step > self.steps)?;
        self.steps = step.step;
        Some(StepNode::new(step.node, step.items, step.kind))
    }

    /// Says in a commit where the run is, and what it waits for.
    fn say_where(&self, commit: &mut Commit, made: Result<(), FlowError>) -> Result<(), Stop> {
        let open = self.run.suspensions().into_iter();
        commit.questions = open.map(Question::from).collect();
        let timeouts = commit
            .questions
            .iter()
            .filter_map(|question| question.until);
        let timeout = timeouts.min();
        let (status, wake_at, error) = match (self.run.status(), made) {
            (RunStatus::Done, _) => (Status::Done, None, None),
            (RunStatus::Cancelled { reason, .. }, _) => (Status::Cancelled, None, Some(reason)),
            (RunStatus::Failed { node, message, .. }, _) => {
                // Most messages name the node.
                let is_named = message.contains(&format!("`{node}`"));
                let error = match is_named {
                    true => message,
                    false => format!("`{node}` failed: {message}"),
                };
                (Status::Failed, None, Some(error))
            }
            (RunStatus::Waiting { until, .. }, _) => {
                let until = timeout.map_or(until, |timeout| timeout.min(until));
                (Status::Waiting, Some(until), None)
            }
            (RunStatus::Suspended { .. }, _) => (Status::Suspended, timeout, None),
            (RunStatus::Paused, _) => (Status::Paused, None, None),
            (_, Ok(())) => (Status::Ready, None, None),
            // Another try would come to the same.
            (_, Err(error @ FlowError::MaxSteps { .. })) => {
                (Status::Failed, None, Some(error.to_string()))
            }
            (_, Err(error)) => {
                let retry_at = self.shared.retry_at(self.failed_claims);
                (Status::Ready, Some(retry_at), Some(with_sources(&error)))
            }
        };
        (commit.status, commit.wake_at, commit.error) = (status, wake_at, error);
        if status == Status::Done {
            commit.output = self.run.output()?;
        }
        Ok(())
    }
}

impl Shared {
    fn restore(&self, loaded: &LoadedRun, restore: &Restore) -> Result<Restored, StoreError> {
        let default = LoadOptions::new();
        let options = self.load_options.get(&loaded.info.flow);
        restore(loaded, options.unwrap_or(&default), self.store.clock())
    }

    /// When to try again after this many claims in a row that came to nothing: a second, then twice as long each time,
    /// and a minute at most.
    fn retry_at(&self, failed_claims: u32) -> SystemTime {
        let doubled = failed_claims.saturating_sub(1).min(6);
        let wait = Duration::from_secs(1 << doubled).min(Duration::from_secs(60));
        time::after(self.store.clock().now(), wait)
    }
}

/// Ends once the worker is to end.
async fn stopped(stop: &mut watch::Receiver<bool>) {
    // Without a worker nobody makes steps either.
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

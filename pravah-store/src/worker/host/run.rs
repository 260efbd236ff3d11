//! One run that a host executes, and what to store of it after each step.

use std::{future::Future, mem::take, pin::Pin};

use pravah_runtime::{Changes, Context, Entries, FlowError, Hub, RunStatus};

use super::super::{
    inbox::{Inbox, Settled, SnapshotCommands},
    served::{LiveRun, Restored},
};
use crate::{Commit, InboxRow, Question, Status, StepNode, StoreError, error::with_sources};

/// A step that is being executed. It resolves once there is something to [commit](HostedRun::commit).
pub type StepFuture<'a> = Pin<Box<dyn Future<Output = Result<(), FlowError>> + Send + 'a>>;

/// A run that [`Flows`](super::Flows) have restored. It lives until its host drops it, and bodies that run side by side
/// live on in it from one step to the next.
pub struct HostedRun {
    run: Box<dyn LiveRun>,
    hub: Hub,
    inbox: Inbox,
    snapshot_commands: SnapshotCommands,
    upgrade: Changes,
    /// The number of the last step whose node was committed.
    steps: u64,
    /// How many steps were not stored.
    unstored: u32,
}

/// How many steps of pure nodes are executed again at most where a process ends.
const MAX_UNSTORED: u32 = 63;

/// How commands reach a run, also while a step of it is being executed.
pub struct Commands<'a> {
    inbox: &'a mut Inbox,
    hub: &'a Hub,
}

impl Commands<'_> {
    /// Hands commands over, as far as the run can take them now; the others wait here for its next steps. Those that were
    /// handed over before are left out.
    pub fn add(&mut self, rows: Vec<InboxRow>) {
        let rows = rows.into_iter();
        self.inbox
            .add(rows.filter(|row| row.number > self.inbox.seen).collect());
        self.inbox.deliver(self.hub);
    }

    /// The number of the last command that was added.
    pub fn seen(&self) -> u64 {
        self.inbox.seen
    }
}

impl HostedRun {
    pub(super) fn new(restored: Restored, entries: &Entries, inbox: Vec<InboxRow>) -> Self {
        let Restored { mut run, upgrade } = restored;
        Self {
            hub: run.hub(),
            run,
            inbox: Inbox::new(inbox),
            snapshot_commands: SnapshotCommands::of(entries),
            upgrade,
            steps: 0,
            unstored: 0,
        }
    }

    /// What is to be stored before the first step, once: a run of another version of its flow as this version has it.
    /// Nothing for all others.
    ///
    /// # Errors
    ///
    /// [`StoreError::Flow`] if the output cannot be written as JSON.
    pub fn take_upgrade(&mut self) -> Result<Option<Commit>, StoreError> {
        let changes = take(&mut self.upgrade);
        if changes.is_empty() {
            return Ok(None);
        }
        let mut commit = Commit::new(changes, Status::Ready);
        self.set_status(&mut commit, Ok(()))?;
        Ok(Some(commit))
    }

    /// Starts a step, which takes the commands that wait. Others may be handed over until it has ended.
    pub fn next_step(&mut self, ctx: Context) -> (StepFuture<'_>, Commands<'_>) {
        self.inbox.deliver(&self.hub);
        let commands = Commands {
            inbox: &mut self.inbox,
            hub: &self.hub,
        };
        (self.run.next(ctx), commands)
    }

    /// The way for commands between two steps.
    pub fn commands(&mut self) -> Commands<'_> {
        Commands {
            inbox: &mut self.inbox,
            hub: &self.hub,
        }
    }

    /// Whether a step with this result may be stored with the next one: its node is [pure](pravah_runtime::Policy::is_pure),
    /// and it took no command. The history then has no row for it. No more than 64 steps are stored at once.
    pub fn may_be_stored_later(&mut self, result: &Result<(), FlowError>) -> bool {
        let is_pure = || self.run.last_step().is_some_and(|step| step.is_pure);
        let is_ready = matches!(self.run.status(), RunStatus::Ready);
        let may_be = result.is_ok()
            && is_ready
            && self.unstored < MAX_UNSTORED
            && self.inbox.is_settled()
            && is_pure();
        if may_be {
            self.inbox.note_step();
            self.unstored += 1;
        }
        may_be
    }

    /// What to store after a step with this result. It [releases](Commit::release) the run where no other step can be executed
    /// at once.
    ///
    /// A step that could not be executed leaves the run [`Ready`](Status::Ready) with an [error](Commit::error): when to try
    /// again is the host's to say.
    ///
    /// # Errors
    ///
    /// [`StoreError::Flow`] if the run or its output cannot be written as JSON.
    pub fn commit(&mut self, result: Result<(), FlowError>) -> Result<Commit, StoreError> {
        self.inbox.note_step();
        self.unstored = 0;
        let mut settled = self.inbox.settle();
        let changes = self.run.take_changes()?;
        self.snapshot_commands.apply(&changes);
        let mut commit = Commit::new(changes, Status::Ready);
        commit.taken = take(&mut settled.taken);
        commit.refused = take(&mut settled.refused);
        commit.seen = self.inbox.seen;
        commit.node = self.node();
        let has_failed = result.is_err();
        self.set_status(&mut commit, result)?;
        // Of several nodes another one has executed its step: the one that failed is tried again.
        if commit.status == Status::Failed && !commit.changes.is_empty() && !has_failed {
            (commit.status, commit.error) = (Status::Ready, None);
        }
        let is_over = commit.status.has_ended() || commit.error.is_some();
        commit.release = is_over || !self.has_more_to_do(&commit, &settled);
        Ok(commit)
    }

    /// Whether the run may execute another step at once, after one with this commit.
    fn has_more_to_do(&self, commit: &Commit, settled: &Settled) -> bool {
        let has_changed = !commit.changes.is_empty();
        // Answers that came too early may have their questions now, unless the run has no room for what comes first.
        let has_room = has_changed || !settled.is_full;
        let may_deliver = has_room && self.inbox.has_deliverable(&self.hub);
        // A command in the snapshot of the run may be for what it asks now.
        let may_take_own = has_changed && !self.snapshot_commands.is_empty();
        commit.status == Status::Ready || settled.is_pending || may_deliver || may_take_own
    }

    /// The node of the last step, unless it was committed.
    fn node(&mut self) -> Option<StepNode> {
        let step = self.run.last_step();
        let step = step.filter(|step| step.step > self.steps)?;
        self.steps = step.step;
        Some(StepNode::new(step.node, step.items, step.kind))
    }

    /// Sets in a commit where the run is, and what it waits for.
    fn set_status(
        &self,
        commit: &mut Commit,
        result: Result<(), FlowError>,
    ) -> Result<(), StoreError> {
        let open = self.run.suspensions().into_iter();
        commit.questions = open.map(Question::from).collect();
        let timeouts = commit
            .questions
            .iter()
            .filter_map(|question| question.until);
        let timeout = timeouts.min();
        let (status, wake_at, error) = match (self.run.status(), result) {
            (RunStatus::Done, _) => (Status::Done, None, None),
            (RunStatus::Cancelled { reason, .. }, _) => (Status::Cancelled, None, Some(reason)),
            (RunStatus::Failed { node, message, .. }, _) => {
                // Most messages name the node.
                let is_named = message.contains(&format!("`{node}`"));
                let error = if is_named {
                    message
                } else {
                    format!("`{node}` failed: {message}")
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
            // Another try would have the same result.
            (_, Err(error @ FlowError::MaxSteps { .. })) => {
                (Status::Failed, None, Some(error.to_string()))
            }
            (_, Err(error)) => (Status::Ready, None, Some(with_sources(&error))),
        };
        (commit.status, commit.wake_at, commit.error) = (status, wake_at, error);
        if status == Status::Done {
            commit.output = self.run.output()?;
        }
        Ok(())
    }
}

impl std::fmt::Debug for HostedRun {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("HostedRun")
            .field("status", &self.run.status())
            .finish_non_exhaustive()
    }
}

impl std::fmt::Debug for Commands<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Commands")
            .field("seen", &self.inbox.seen)
            .finish_non_exhaustive()
    }
}

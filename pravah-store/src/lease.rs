//! What a worker says to a store.

use std::time::{Duration, SystemTime};

use pravah_runtime::Changes;

use crate::{Question, Refusal, RunInfo, RunKey, Status, StepNode};

/// Which runs a worker wants, and for how long.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ClaimRequest {
    /// Who claims them: another text for each worker.
    pub owner: String,
    /// The ids of the flows whose runs are wanted.
    pub flows: Vec<String>,
    /// How many at most.
    pub limit: usize,
    /// How long the leases last.
    pub lease: Duration,
}

impl ClaimRequest {
    /// A request of one run for 30 seconds.
    pub fn new(owner: impl Into<String>, flows: impl IntoIterator<Item = String>) -> Self {
        Self {
            owner: owner.into(),
            flows: flows.into_iter().collect(),
            limit: 1,
            lease: Duration::from_secs(30),
        }
    }

    /// The same of up to `limit` runs.
    #[must_use]
    pub fn with_limit(mut self, limit: usize) -> Self {
        self.limit = limit;
        self
    }

    /// The same with leases that last this long.
    #[must_use]
    pub fn with_lease(mut self, lease: Duration) -> Self {
        self.lease = lease;
        self
    }
}

/// The right to execute the steps of a run, until a time. The number grows with each claim in the store: it fences off
/// whoever had the run before.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Lease {
    /// The run.
    pub key: RunKey,
    /// Who has it.
    pub owner: String,
    /// Its number, larger than that of every lease that the store gave before, of any run.
    pub number: u64,
}

impl Lease {
    /// A lease that a store has given.
    pub fn new(key: RunKey, owner: impl Into<String>, number: u64) -> Self {
        let owner = owner.into();
        Self { key, owner, number }
    }
}

/// A run whose steps a worker may execute.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Claim {
    /// The right to it.
    pub lease: Lease,
    /// What is known of it.
    pub info: RunInfo,
}

impl Claim {
    /// A claim that a store has granted.
    pub fn new(lease: Lease, info: RunInfo) -> Self {
        Self { lease, info }
    }
}

/// What a worker writes after a step, in one transaction.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Commit {
    /// The entries that were put and deleted.
    pub changes: Changes,
    /// The node whose step it was.
    pub node: Option<StepNode>,
    /// Where the run is now.
    pub status: Status,
    /// From when a worker may claim it again, once it is released. `None` means at once for a run that is
    /// [`Ready`](Status::Ready), and otherwise that only a command helps.
    pub wake_at: Option<SystemTime>,
    /// The questions that are open.
    pub questions: Vec<Question>,
    /// The output as JSON, if the run is done.
    pub output: Option<String>,
    /// Why the run has failed or was cancelled. With the status [`Ready`](Status::Ready) it says why a step could not be
    /// executed, and the claim counts as one that failed.
    pub error: Option<String>,
    /// The numbers of the commands that the run has taken. They are removed.
    pub taken: Vec<u64>,
    /// The commands that it could not take. They are removed.
    pub refused: Vec<Refusal>,
    /// The number of the last command that the worker has seen: a later one makes the run ready to be claimed.
    pub seen: u64,
    /// Whether the lease ends with it.
    pub release: bool,
}

impl Commit {
    /// A commit of `changes` after which the run is in `status`; nothing else until set.
    pub fn new(changes: Changes, status: Status) -> Self {
        Self {
            changes,
            node: None,
            status,
            wake_at: None,
            questions: Vec::new(),
            output: None,
            error: None,
            taken: Vec::new(),
            refused: Vec::new(),
            seen: 0,
            release: false,
        }
    }

    /// Whether there is something to remember: a commit of nothing is no step, and has no row in the history.
    pub fn is_step(&self) -> bool {
        !self.changes.is_empty() || !self.taken.is_empty() || !self.refused.is_empty()
    }

    /// From when a worker may claim the run again, if this is committed `now`. While the lease lasts nobody can, and
    /// where it ends without a release, because its process has, somebody else has to resume it at once.
    pub fn claimable_at(&self, now: SystemTime) -> Option<SystemTime> {
        match self.claimable() {
            Claimable::AtOnce => Some(now),
            Claimable::At(time) => Some(time),
            Claimable::Never => None,
        }
    }

    pub(crate) fn claimable(&self) -> Claimable {
        let at_or = |otherwise| self.wake_at.map_or(otherwise, Claimable::At);
        match self.status {
            Status::Done | Status::Cancelled => Claimable::Never,
            Status::Failed => at_or(Claimable::Never),
            Status::Ready if self.release => at_or(Claimable::AtOnce),
            _ if self.release => at_or(Claimable::Never),
            _ => Claimable::AtOnce,
        }
    }

    /// The numbers of the commands that it removes.
    pub(crate) fn removed(&self) -> impl Iterator<Item = u64> + use<'_> {
        let refused = self.refused.iter().map(|refusal| refusal.number);
        self.taken.iter().copied().chain(refused)
    }

    /// Whether the claim had a result.
    pub fn is_progress(&self) -> bool {
        self.status != Status::Ready || self.error.is_none()
    }
}

/// From when a worker may claim a run.
pub(crate) enum Claimable {
    /// From the time of the commit on.
    AtOnce,
    At(SystemTime),
    /// Unless a command is a reason for it.
    Never,
}

/// How a worker releases a run without a commit.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Release {
    /// The worker shuts down. The claim does not count as failed.
    Stopped,
    /// It could not execute a step. It may be tried again from this time on.
    Failed {
        /// Why.
        error: String,
        /// When to try again.
        retry_at: SystemTime,
    },
    /// Nobody is to try again: the run is [`Failed`](Status::Failed).
    Parked {
        /// Why.
        error: String,
    },
}

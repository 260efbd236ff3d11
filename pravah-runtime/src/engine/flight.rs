//! Bodies that were started and are not committed yet. They hold nothing of the run.

use std::{
    collections::BTreeSet,
    panic::{AssertUnwindSafe, catch_unwind},
    task::{Context as Task, Poll},
    time::Duration,
};

use super::{
    clock::Sleep,
    outcome::StepOutcome,
    state::path::{FramePath, NodePath},
};
use crate::{
    agent::AgentFuture,
    cancel::CancelToken,
    error::{FlowError, panicked, quietly},
    graph::NodeIx,
    node::BodyFuture,
};

/// What a step awaits.
pub(super) enum Pending {
    Body(BodyFuture),
    Agent {
        step: AgentFuture,
        /// Whether a model is asked.
        asks: bool,
    },
}

/// How long a body may take.
pub(super) struct TimeLimit {
    /// When it was started, in milliseconds since 1970.
    pub(super) started: u64,
    pub(super) sleep: Sleep,
    /// What is said where it took longer.
    pub(super) limit: Duration,
}

/// A step that was started.
pub(super) struct Flight {
    pub(super) path: NodePath,
    pub(super) pending: Pending,
    /// How long it may take.
    pub(super) limit: Option<TimeLimit>,
    /// Cancels the body, if its context may see that.
    pub(super) cancel: Option<CancelToken>,
}

/// A step that has ended.
pub(super) struct Landed {
    pub(super) path: NodePath,
    pub(super) outcome: StepOutcome,
    /// When it was started, in milliseconds since 1970, if its time is limited.
    pub(super) started: Option<u64>,
    /// Cancels what its body has started, where the step is not committed.
    cancel: Option<CancelToken>,
}

/// The steps that were started and are not committed.
#[derive(Default)]
pub(super) struct Flights {
    /// In the order in which they were started.
    pending: Vec<Flight>,
    /// In the order in which they ended.
    ended: Vec<Landed>,
    /// The paths of all of them.
    paths: BTreeSet<NodePath>,
}

/// Up to this many paths are compared one by one, which is faster than making the key for a look-up.
const FEW: usize = 8;

impl Flights {
    #[inline]
    pub(super) fn is_empty(&self) -> bool {
        self.paths.is_empty()
    }

    #[inline]
    pub(super) fn len(&self) -> usize {
        self.paths.len()
    }

    /// Whether all have ended.
    pub(super) fn is_landed(&self) -> bool {
        self.pending.is_empty()
    }

    pub(super) fn holds(&self, frame: &FramePath, node: NodeIx) -> bool {
        if self.paths.len() <= FEW {
            return self.paths.iter().any(|path| path.is(frame, node));
        }
        self.paths.contains(&NodePath::new(frame, node))
    }

    /// Whether fewer than `limit` are within a node.
    pub(super) fn has_room(&self, frame: &FramePath, node: NodeIx, limit: Option<u32>) -> bool {
        let Some(limit) = limit.map(|limit| limit as usize) else {
            return true;
        };
        if self.paths.len() < limit {
            return true;
        }
        // What is within a node comes right after it.
        let paths = self.paths.range(NodePath::new(frame, node)..);
        let within = paths.take_while(|path| path.is_within(frame, node));
        within.take(limit).count() < limit
    }

    /// How many models are being asked.
    pub(super) fn asking(&self) -> usize {
        let asks = |flight: &&Flight| matches!(flight.pending, Pending::Agent { asks: true, .. });
        self.pending.iter().filter(asks).count()
    }

    pub(super) fn add(&mut self, flight: Flight) {
        self.paths.insert(flight.path.clone());
        self.pending.push(flight);
    }

    /// Polls what has not ended. `id_of` names a node, for the error if its body panics.
    pub(super) fn poll(&mut self, task: &mut Task<'_>, id_of: impl Fn(&NodePath) -> String) {
        for flight in std::mem::take(&mut self.pending) {
            match flight.poll(task, &id_of) {
                Ok(landed) => self.ended.push(landed),
                Err(flight) => self.pending.push(flight),
            }
        }
    }

    /// Takes out the first that has ended and for which `is_meant` holds.
    pub(super) fn take_ended(&mut self, is_meant: impl Fn(&NodePath) -> bool) -> Option<Landed> {
        let at = self
            .ended
            .iter()
            .position(|landed| is_meant(&landed.path))?;
        let landed = self.ended.remove(at);
        self.paths.remove(&landed.path);
        Some(landed)
    }

    /// Cancels those for which `is_over` holds, and drops them.
    pub(super) fn cancel_where(&mut self, is_over: impl Fn(&NodePath) -> bool) {
        let pending = self.pending.iter().map(|it| (&it.path, &it.cancel));
        let ended = self.ended.iter().map(|it| (&it.path, &it.cancel));
        for (path, cancel) in pending.chain(ended) {
            if let Some(cancel) = cancel.as_ref().filter(|_| is_over(path)) {
                cancel.cancel();
            }
        }
        self.drop_where(is_over);
    }

    /// Drops those for which `is_over` holds, which may start again.
    pub(super) fn drop_where(&mut self, is_over: impl Fn(&NodePath) -> bool) {
        if self.is_empty() {
            return;
        }
        self.paths.retain(|path| !is_over(path));
        let pending = self.pending.extract_if(.., |flight| is_over(&flight.path));
        pending.for_each(|flight| quietly(|| drop(flight)));
        let ended = self.ended.extract_if(.., |landed| is_over(&landed.path));
        ended.for_each(|landed| quietly(|| drop(landed)));
    }

    pub(super) fn clear(&mut self) {
        self.drop_where(|_| true);
    }
}

impl Drop for Flights {
    /// A body whose `Drop` panics is gone all the same.
    fn drop(&mut self) {
        self.clear();
    }
}

impl Landed {
    /// A step that ended as it was started.
    pub(super) fn at_once(path: NodePath, outcome: StepOutcome) -> Self {
        Self {
            path,
            outcome,
            started: None,
            cancel: None,
        }
    }
}

impl Flight {
    /// Its outcome, or itself where it has not ended. `id_of` names its node.
    pub(super) fn poll(
        mut self,
        task: &mut Task<'_>,
        id_of: impl Fn(&NodePath) -> String,
    ) -> Result<Landed, Self> {
        let id = || id_of(&self.path);
        let pending = &mut self.pending;
        let polled = catch_unwind(AssertUnwindSafe(|| match pending {
            Pending::Body(body) => {
                let returned = body.as_mut().poll(task);
                returned.map(|returned| StepOutcome::of_body(returned, id))
            }
            Pending::Agent { step, .. } => step.as_mut().poll(task).map(StepOutcome::of_agent),
        }));
        let outcome = match polled {
            Ok(Poll::Ready(outcome)) => outcome,
            Err(panic) => StepOutcome::failed(panicked(&id(), panic)),
            Ok(Poll::Pending) => match self.limit.as_mut().map(|limit| limit.poll(task)) {
                Some(Poll::Ready(limit)) => {
                    if let Some(cancel) = &self.cancel {
                        cancel.cancel();
                    }
                    StepOutcome::failed(FlowError::TimedOut { node: id(), limit })
                }
                _ => return Err(self),
            },
        };
        let Self {
            path,
            pending,
            limit,
            cancel,
        } = self;
        quietly(|| drop(pending));
        Ok(Landed {
            path,
            outcome,
            started: limit.map(|limit| limit.started),
            cancel,
        })
    }
}

impl TimeLimit {
    /// The limit, once it has passed.
    fn poll(&mut self, task: &mut Task<'_>) -> Poll<Duration> {
        self.sleep.as_mut().poll(task).map(|()| self.limit)
    }
}

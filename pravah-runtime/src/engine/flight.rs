//! Bodies that were started and are not committed yet. They hold nothing of the run.

mod sync;
pub(super) mod waker;

use std::{
    cell::Cell,
    collections::BTreeSet,
    panic::{AssertUnwindSafe, catch_unwind},
    sync::Arc,
    task::{Context as Task, Poll, Waker},
    time::Duration,
};

use self::waker::{BodyWaker, StepTask};
use super::{
    clock::Sleep,
    outcome::StepOutcome,
    remote::step::RemoteFuture,
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
    Remote(RemoteFuture),
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
    pub(super) limit: Option<Box<TimeLimit>>,
    /// Cancels the body, if its context may see that.
    pub(super) cancel: Option<CancelToken>,
    /// Its own waker. One that started when fewer than [`FEW`] were in flight has none, and is polled with the task's,
    /// whichever of them wakes.
    pub(super) waker: Option<Arc<BodyWaker>>,
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
    /// The last to end first: the next one is taken from the end.
    ended: Vec<Landed>,
    /// The paths of all of them, from when there are more than [`FEW`] until none is left.
    index: Option<BTreeSet<NodePath>>,
    /// The task that the bodies' own wakers wake.
    task: Option<Arc<StepTask>>,
}

/// Up to this many steps, it is faster to compare all paths than to look one up, and to poll all bodies than to tell
/// which of them woke.
const FEW: usize = if cfg!(test) { 2 } else { 8 };

impl Flights {
    #[inline]
    pub(super) fn is_empty(&self) -> bool {
        self.len() == 0
    }

    #[inline]
    pub(super) fn len(&self) -> usize {
        self.pending.len() + self.ended.len()
    }

    /// Whether all have ended.
    pub(super) fn is_landed(&self) -> bool {
        self.pending.is_empty()
    }

    fn paths(&self) -> impl Iterator<Item = &NodePath> {
        let pending = self.pending.iter().map(|flight| &flight.path);
        pending.chain(self.ended.iter().map(|landed| &landed.path))
    }

    #[inline]
    pub(super) fn holds(&self, frame: &FramePath, node: NodeIx) -> bool {
        if let Some(index) = &self.index {
            return index.contains(&NodePath::new(frame, node));
        }
        // Not through `paths`: it is slower here.
        self.pending.iter().any(|it| it.path.is(frame, node))
            || self.ended.iter().any(|it| it.path.is(frame, node))
    }

    /// Whether fewer than `limit` are within a node.
    pub(super) fn has_room(&self, frame: &FramePath, node: NodeIx, limit: Option<u32>) -> bool {
        let Some(limit) = limit.map(|limit| limit as usize) else {
            return true;
        };
        if self.len() < limit {
            return true;
        }
        let is_within = |path: &&NodePath| path.is_within(frame, node);
        let Some(index) = &self.index else {
            return self.paths().filter(is_within).count() < limit;
        };
        // What is within a node comes right after it.
        let paths = index.range(NodePath::new(frame, node)..);
        paths.take_while(is_within).take(limit).count() < limit
    }

    /// How many models are being asked.
    pub(super) fn asking(&self) -> usize {
        let asks = |flight: &&Flight| matches!(flight.pending, Pending::Agent { asks: true, .. });
        self.pending.iter().filter(asks).count()
    }

    /// Before the first is added, makes room for all that may be in flight, up to [`FEW`]: one allocation in place of several.
    #[inline]
    pub(super) fn reserve(&mut self, concurrency: usize) {
        if self.pending.capacity() == 0 {
            self.pending.reserve_exact(concurrency.min(FEW));
        }
    }

    pub(super) fn add(&mut self, flight: Flight) {
        if let Some(index) = &mut self.index {
            index.insert(flight.path.clone());
        }
        self.pending.push(flight);
        if self.index.is_none() && self.len() > FEW {
            self.index = Some(self.paths().cloned().collect());
        }
    }

    /// The own waker of a body that is about to start in `task`, where it gets one; it wakes `task` until the next poll.
    #[inline]
    pub(super) fn new_waker(&mut self, task: &Task<'_>) -> Option<Arc<BodyWaker>> {
        match self.len() < FEW {
            true => None,
            false => Some(self.new_waker_slow(task)),
        }
    }

    #[inline(never)]
    fn new_waker_slow(&mut self, task: &Task<'_>) -> Arc<BodyWaker> {
        let step_task = self.task.get_or_insert_default();
        step_task.register(task);
        BodyWaker::new(step_task)
    }

    /// Polls what has not ended and can go on. `id_of` names a node, for the error if its body panics.
    pub(super) fn poll(&mut self, task: &Task<'_>, id_of: impl Fn(&NodePath) -> String) {
        if let Some(step_task) = &self.task {
            step_task.register(task);
        }
        let capacity = self.pending.len().min(FEW);
        let mut just_ended = Vec::new();
        // Set for each flight just before `extract_if` hands it out.
        let outcome = Cell::new(None);
        let ended = self
            .pending
            .extract_if(.., |flight| match flight.poll(task, &id_of) {
                Poll::Ready(ready) => {
                    outcome.set(Some(ready));
                    true
                }
                Poll::Pending => false,
            });
        for flight in ended {
            if let Some(outcome) = outcome.take() {
                if just_ended.is_empty() {
                    just_ended.reserve(capacity);
                }
                just_ended.push(flight.end(outcome));
            }
        }
        // Before those that had ended already, which are taken out first.
        just_ended.reverse();
        just_ended.append(&mut self.ended);
        self.ended = just_ended;
    }

    /// Takes out the first that has ended and for which `is_meant` holds.
    pub(super) fn take_ended(&mut self, is_meant: impl Fn(&NodePath) -> bool) -> Option<Landed> {
        let mut ended = self.ended.iter();
        let at = ended.rposition(|landed| is_meant(&landed.path))?;
        let landed = self.ended.remove(at);
        if let Some(index) = &mut self.index {
            index.remove(&landed.path);
        }
        self.forget_if_empty();
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
    #[inline]
    pub(super) fn drop_where(&mut self, is_over: impl Fn(&NodePath) -> bool) {
        if !self.is_empty() {
            self.drop_where_slow(is_over);
        }
    }

    #[inline(never)]
    fn drop_where_slow(&mut self, is_over: impl Fn(&NodePath) -> bool) {
        if let Some(index) = &mut self.index {
            index.retain(|path| !is_over(path));
        }
        let pending = self.pending.extract_if(.., |flight| is_over(&flight.path));
        pending.for_each(|flight| quietly(|| drop(flight)));
        let ended = self.ended.extract_if(.., |landed| is_over(&landed.path));
        ended.for_each(|landed| quietly(|| drop(landed)));
        self.forget_if_empty();
    }

    /// Where nothing is in flight, the waker of a task is not kept: it may keep the task, and that this run. The index is
    /// made anew when there are many.
    fn forget_if_empty(&mut self) {
        if self.is_empty() {
            self.task = None;
            self.index = None;
        }
    }

    #[inline]
    pub(super) fn clear(&mut self) {
        self.drop_where(|_| true);
    }
}

impl Drop for Flights {
    /// A body whose `Drop` panics is gone all the same.
    #[inline]
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
    /// Its outcome, once it has ended; polls it if it can go on. `id_of` names its node.
    pub(super) fn poll(
        &mut self,
        task: &Task<'_>,
        id_of: impl Fn(&NodePath) -> String,
    ) -> Poll<StepOutcome> {
        if self.waker.as_ref().is_some_and(|own| !own.take_woken()) {
            return Poll::Pending;
        }
        let own = self.waker.clone().map(Waker::from);
        let task = &mut Task::from_waker(own.as_ref().unwrap_or(task.waker()));
        let id = || id_of(&self.path);
        let pending = &mut self.pending;
        let polled = catch_unwind(AssertUnwindSafe(|| match pending {
            Pending::Body(body) => {
                let returned = body.as_mut().poll(task);
                returned.map(|returned| StepOutcome::of_body(returned, id))
            }
            Pending::Agent { step, .. } => step.as_mut().poll(task).map(StepOutcome::of_agent),
            Pending::Remote(step) => {
                let step = step.as_mut().poll(task);
                step.map(|step| StepOutcome::Remote(step.into()))
            }
        }));
        match polled {
            Ok(Poll::Ready(outcome)) => return Poll::Ready(outcome),
            Ok(Poll::Pending) => {}
            Err(panic) => return Poll::Ready(StepOutcome::failed(panicked(&id(), panic))),
        }
        let Some(limit) = &mut self.limit else {
            return Poll::Pending;
        };
        limit.poll(task).map(|limit| {
            if let Some(cancel) = &self.cancel {
                cancel.cancel();
            }
            StepOutcome::failed(FlowError::TimedOut { node: id(), limit })
        })
    }

    /// The step, which has ended with this outcome.
    pub(super) fn end(self, outcome: StepOutcome) -> Landed {
        let Self {
            path,
            pending,
            limit,
            cancel,
            waker: _,
        } = self;
        quietly(|| drop(pending));
        Landed {
            path,
            outcome,
            started: limit.map(|limit| limit.started),
            cancel,
        }
    }
}

impl TimeLimit {
    /// The limit, once it has passed.
    fn poll(&mut self, task: &mut Task<'_>) -> Poll<Duration> {
        self.sleep.as_mut().poll(task).map(|()| self.limit)
    }
}

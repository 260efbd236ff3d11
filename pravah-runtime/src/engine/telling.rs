//! What the observers of a run are told by its steps.

use std::{mem::take, sync::Arc};

use super::{
    last_step::{Outputs, StepKind},
    run::Run,
    state::{End, path::NodePath},
};
use crate::{
    events::{EventKind, Origin},
    graph::NodeKind,
};

impl Run {
    /// Sends observers the last committed step, if they have not received it.
    #[cold]
    #[inline(never)]
    pub(super) fn tell_step(&mut self) {
        if self.options.last_reported >= self.state.steps {
            return;
        }
        self.options.last_reported = self.state.steps;
        let (Some(last), Some(step)) = (&self.last, self.last_step()) else {
            return;
        };
        let node = step.node.clone();
        // By the name in the step: the item of a list that it was of may be gone.
        let tell = |kind| {
            let origin = self.origin(last.path.items().collect(), last.attempt);
            self.options.observers.tell(origin.event(Some(&node), kind));
        };
        tell(EventKind::Step(step));
        if last.outputs != Outputs::Nothing && last.kind != StepKind::Failure {
            tell(EventKind::NodeEnded);
        }
        if let Some(End::Done(_)) = self.state.end {
            self.tell_run(|| EventKind::run_ended(true));
        }
    }

    /// Sends observers that the run goes on in this process, once.
    pub(super) fn tell_run_start(&mut self) {
        let is_due = !self.options.observers.is_empty() && !self.options.is_announced;
        if is_due && self.state.end.is_none() {
            self.options.is_announced = true;
            self.tell_run(|| EventKind::run_started(&*self.known.id));
        }
    }

    /// Sends observers that a node starts, and the run of an agent, unless the step goes on with what has begun.
    pub(super) fn tell_node_start(&mut self, path: &NodePath) {
        if self.options.observers.is_empty() {
            return;
        }
        let frame = self.state.frame(&path.frame);
        let (progress, node) = (&frame.progress, &path.node);
        let agent = progress.agents.get(node);
        let has_begun = progress.gates.contains(node) || agent.is_some_and(|it| it.has_started());
        let goes_on = has_begun && !progress.failed.contains(node);
        let is_agent = matches!(frame.table.node(*node).kind, NodeKind::Agent(_));
        if !goes_on {
            self.tell(path, || EventKind::NodeStarted);
        }
        if is_agent && !self.options.agent_runs.contains_key(path) {
            let id = format!("{}@{}", self.step_key(path), self.observed_attempt(path));
            if !goes_on {
                self.tell(path, || EventKind::agent_started(&*id));
            }
            self.options.agent_runs.insert(path.clone(), id);
        }
    }

    /// Sends observers that the run of an agent has ended, if one has begun at `path`.
    pub(super) fn tell_agent_end(&mut self, path: &NodePath, success: bool) {
        if self.options.agent_runs.is_empty() {
            return;
        }
        if let Some(id) = self.options.agent_runs.remove(path) {
            self.tell(path, || EventKind::agent_ended(id, success));
        }
    }

    /// Sends observers that the run was cancelled, and with it the runs of its agents.
    pub(super) fn tell_cancelled(&mut self, reason: &str) {
        self.tell_run(|| EventKind::cancelled(reason));
        if !self.options.agent_runs.is_empty() {
            for (path, id) in take(&mut self.options.agent_runs) {
                self.tell(&path, || EventKind::agent_ended(id, false));
            }
        }
    }

    /// Sends observers that this question is open.
    pub(super) fn tell_asked(&self, id: &str) {
        if let Some((frame, question)) = self.state.question(id) {
            let path = NodePath::new(frame, question.node);
            self.tell(&path, || EventKind::asked(id));
        }
    }

    /// Sends observers what happened at a node, in the attempt that is being made.
    pub(super) fn tell(&self, path: &NodePath, kind: impl FnOnce() -> EventKind) {
        if self.options.observers.is_empty() {
            return;
        }
        let origin = self.origin(path.items().collect(), self.observed_attempt(path));
        let event = origin.event(Some(&self.node_id(path)), kind());
        self.options.observers.tell(event);
    }

    /// Sends observers what happened to the run as a whole.
    pub(super) fn tell_run(&self, kind: impl FnOnce() -> EventKind) {
        if !self.options.observers.is_empty() {
            let event = self.origin(Vec::new(), 0).event(None, kind());
            self.options.observers.tell(event);
        }
    }

    /// Which attempt at the node is being made, from 1, if somebody observes the run.
    pub(super) fn observed_attempt(&self, path: &NodePath) -> u32 {
        match self.options.observers.is_empty() {
            true => 1,
            false => self.state.failed_attempts(path).saturating_add(1),
        }
    }

    pub(super) fn origin(&self, items: Vec<usize>, attempt: u32) -> Origin {
        Origin {
            run_id: Arc::clone(self.state.id.get()),
            step: self.state.steps,
            items,
            attempt,
            clock: Arc::clone(self.clock.clock()),
        }
    }
}

//! Which events a run sends to its observers.

use std::{sync::Arc, time::Duration};

use super::{
    last_step::{Outputs, StepKind},
    memory::EndedRegion,
    run::Run,
    state::{End, RunState, path::NodePath},
};
use crate::{
    events::{EventKind, Origin},
    graph::NodeKind,
};

/// Whether a node is one that somebody wrote: what a document's run starts and ends with is none, nor is the region of a
/// loop edge, `from..to`.
pub(super) fn is_shown(node: &str) -> bool {
    !node.starts_with('(') && !node.contains("..")
}

impl RunState {
    /// What names the run of an agent, in all processes that it goes on in.
    pub(super) fn agent_run_id(&self, path: &NodePath) -> String {
        format!("{}@{}", self.step_key(path), self.attempt(path))
    }
}

impl Run {
    /// Sends observers the last committed step, if they have not received it.
    #[cold]
    #[inline(never)]
    pub(super) fn notify_step(&mut self) {
        if self.options.last_reported >= self.state.steps {
            return;
        }
        self.options.last_reported = self.state.steps;
        let (Some(last), Some(step)) = (&self.last, self.last_step()) else {
            return;
        };
        // By the name in the step: the item of a list that it was of may be gone.
        let node = step.node.clone();
        self.notify_at(&last.path, &node, last.attempt, EventKind::Step(step));
        if last.outputs != Outputs::Nothing && last.kind != StepKind::Failure && is_shown(&node) {
            let result = self.memory.result.clone();
            let ended = EventKind::NodeEnded { result };
            self.notify_at(&last.path, &node, last.attempt, ended);
        }
        for EndedRegion { path, id, ended } in &self.memory.ended {
            self.notify_at(path, id, 1, ended.clone());
        }
        self.notify_done();
    }

    /// Notifies observers that the run has ended, if it is done.
    pub(super) fn notify_done(&self) {
        if let Some(End::Done(output)) = &self.state.end {
            let phase = self.known.phase;
            let failure = phase.and_then(|phase| (phase.failure)(output));
            self.notify_run_end(failure.is_none(), failure.as_deref());
        }
    }

    /// Notifies observers that the run goes on in this process, once.
    #[inline]
    pub(super) fn notify_run_start(&mut self) {
        if !self.options.observers.is_empty() && self.options.observed_since.is_none() {
            self.notify_run_start_slow();
        }
    }

    #[cold]
    fn notify_run_start_slow(&mut self) {
        if !self.state.is_paused && self.state.end.is_none() {
            self.options.observed_since = Some(self.now());
            self.notify_run(|| EventKind::run_started(&*self.known.name));
            if let Some(phase) = self.known.phase {
                self.notify_run(|| EventKind::phase_started(phase.name));
            }
        }
    }

    /// Notifies observers that a node starts, and the run of an agent, unless the step goes on with what has started.
    #[inline]
    pub(super) fn notify_node_start(&mut self, path: &NodePath) {
        if !self.options.observers.is_empty() {
            self.notify_node_start_slow(path);
        }
    }

    #[cold]
    fn notify_node_start_slow(&mut self, path: &NodePath) {
        let frame = self.state.frame(&path.frame);
        let (progress, node) = (&frame.progress, &path.node);
        let agent = progress.agents.get(node);
        let has_started = progress.gates.contains(node)
            || progress.remotes.contains(node)
            || frame.has_tasks(*node)
            || agent.is_some_and(|it| it.has_started());
        let goes_on = has_started && !progress.failed.contains(node);
        let entry = frame.table.node(*node);
        let is_agent = matches!(entry.kind, NodeKind::Agent(_));
        if !goes_on && is_shown(&entry.id) && !self.has_started_task(path, &entry.kind) {
            self.notify(path, || EventKind::NodeStarted);
        }
        if is_agent && !self.options.agent_runs.contains_key(path) {
            let id = self.agent_run_id(path);
            if !goes_on {
                let agent = entry.id.to_string();
                self.notify(path, || EventKind::agent_started(agent, &*id));
            }
            self.options.agent_runs.insert(path.clone(), id);
        }
    }

    /// Whether the task of a document's node has started before: with its first attempt, or the first of its items.
    fn has_started_task(&self, path: &NodePath, kind: &NodeKind) -> bool {
        if self.known.phase.is_none() {
            return false;
        }
        match kind {
            NodeKind::Each(_) => {
                let lists = &self.state.frame(&path.frame).progress.lists;
                lists.get(&path.node).is_some_and(|list| list.next > 0)
            }
            _ => self.state.attempt(path) > 1,
        }
    }

    /// Notifies observers that the run of an agent has ended, if one has started at `path`.
    pub(super) fn notify_agent_end(&mut self, path: &NodePath, success: bool) {
        if self.options.agent_runs.is_empty() {
            return;
        }
        if let Some(id) = self.options.agent_runs.remove(path) {
            self.notify_agent_end_of(path, &id, success);
        }
    }

    fn notify_agent_end_of(&self, path: &NodePath, id: &str, success: bool) {
        self.notify(path, || {
            EventKind::agent_ended(&*self.node_id(path), id, success)
        });
    }

    /// Notifies observers that the runs of agents have ended for which `is_dropped` holds, since nobody waits for them
    /// any more.
    pub(super) fn notify_agents_dropped(&mut self, is_dropped: impl Fn(&NodePath) -> bool) {
        if self.options.agent_runs.is_empty() {
            return;
        }
        let is_dropped = |path: &NodePath, _: &mut String| is_dropped(path);
        let runs = &mut self.options.agent_runs;
        for (path, id) in runs.extract_if(.., is_dropped).collect::<Vec<_>>() {
            self.notify_agent_end_of(&path, &id, false);
        }
    }

    /// Notifies observers that a cancelled run has ended, and before that the runs of its agents.
    pub(super) fn notify_cancelled(&self) {
        for (path, id) in &self.options.agent_runs {
            self.notify_agent_end_of(path, id, false);
        }
        self.notify_run_end(false, Some("cancelled"));
    }

    /// Notifies observers that a run has ended that failed: nobody goes on with it.
    #[cfg(feature = "documents")]
    pub(super) fn notify_failed_end(&self, error: &str) {
        self.notify_failed_regions();
        self.notify_run_end(false, Some(error));
    }

    fn notify_run_end(&self, success: bool, error: Option<&str>) {
        if let Some(phase) = self.known.phase {
            self.notify_run(|| match error {
                Some(error) => EventKind::phase_failed(phase.name, error),
                None => EventKind::phase_ended(phase.name),
            });
        }
        self.notify_run(|| {
            let now = self.now();
            let since = self.options.observed_since.unwrap_or(now);
            EventKind::run_ended(success, Duration::from_millis(now.saturating_sub(since)))
        });
    }

    /// Notes what has happened before anybody observed the run: of that only the runs of agents are still to end.
    pub(super) fn start_notifying(&mut self) {
        if self.state.end.is_some() {
            self.options.observers.end_streams();
        }
        self.options.last_reported = self.state.steps;
        self.options.observed_since = self.last.is_some().then(|| self.now());
        let mut started = Vec::new();
        self.state.root.walk(|at, frame| {
            let progress = &frame.progress;
            let agents = progress
                .agents
                .iter()
                .filter(|(node, agent)| agent.has_started() && !progress.failed.contains(node));
            started.extend(agents.map(|(node, _)| NodePath::new(at, *node)));
        });
        for path in started {
            let id = self.agent_run_id(&path);
            self.options.agent_runs.insert(path, id);
        }
    }

    pub(super) fn agent_run_id(&self, path: &NodePath) -> String {
        self.state.agent_run_id(path)
    }

    /// Sends observers what happened at a node, in the attempt that is being made.
    pub(super) fn notify(&self, path: &NodePath, kind: impl FnOnce() -> EventKind) {
        if !self.options.observers.is_empty() {
            self.notify_at(path, &self.node_id(path), self.state.attempt(path), kind());
        }
    }

    /// Like `notify`, after publishing the status: whoever reacts to the event finds on the hub what it is about.
    pub(super) fn notify_published(&self, path: &NodePath, kind: impl FnOnce() -> EventKind) {
        self.publish_status();
        self.notify(path, kind);
    }

    fn notify_at(&self, path: &NodePath, node: &str, attempt: u32, kind: EventKind) {
        let event = self
            .origin(path.items().collect(), attempt)
            .event(Some(node), kind);
        self.options.observers.notify(event);
    }

    /// Sends observers what happened to the run as a whole.
    pub(super) fn notify_run(&self, kind: impl FnOnce() -> EventKind) {
        if !self.options.observers.is_empty() {
            let event = self.origin(Vec::new(), 0).event(None, kind());
            self.options.observers.notify(event);
        }
    }

    /// Which attempt at the node is being made, from 1, if somebody observes the run.
    pub(super) fn observed_attempt(&self, path: &NodePath) -> u32 {
        match self.options.observers.is_empty() {
            true => 1,
            false => self.state.attempt(path),
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

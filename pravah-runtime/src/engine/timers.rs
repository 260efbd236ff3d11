//! Nodes that wait for a time: an agent whose model could not answer, and is asked again later.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use super::{
    marking::Progress,
    run::{NodePath, Out, Run},
    suspension::accept,
};
use crate::{agent::AgentProgress, error::FlowError, graph::NodeIx, numbers::millis};

/// A node that waits for a time.
#[derive(Clone, Debug)]
pub(super) struct Timer {
    /// In milliseconds since 1970.
    pub(super) until: u64,
    /// The lists and items around the node, outermost first.
    pub(super) items: Vec<(NodeIx, usize)>,
    pub(super) node: NodeIx,
}

impl Timer {
    pub(super) fn path(&self) -> NodePath {
        NodePath::through(&self.items, self.node)
    }

    fn is_at(&self, path: &NodePath) -> bool {
        path.is(&self.items, self.node)
    }
}

impl Run {
    /// The time, in milliseconds since 1970. A wait that was slept out is over, whatever the
    /// system's clock says.
    fn now(&self) -> u64 {
        let now = SystemTime::now().duration_since(UNIX_EPOCH);
        millis(now.unwrap_or_default()).max(self.slept_until)
    }

    /// Notes that whoever drives the run has slept until then.
    pub(super) fn note_slept_until(&mut self, until: SystemTime) {
        let until = until.duration_since(UNIX_EPOCH).unwrap_or_default();
        self.slept_until = self.slept_until.max(millis(until));
    }

    /// The node whose time has come first.
    pub(super) fn next_due_timer(&self) -> Option<NodePath> {
        let first = self.state.timers.first()?;
        (first.until <= self.now()).then(|| first.path())
    }

    /// The same, where no node can move before.
    pub(super) fn waits_until(&self) -> Option<SystemTime> {
        let can_move = !self.state.marking.ready.is_empty();
        self.next_time().filter(|_| !can_move)
    }

    /// When the first time comes.
    pub(super) fn next_time(&self) -> Option<SystemTime> {
        let first = self.state.timers.first()?;
        UNIX_EPOCH.checked_add(Duration::from_millis(first.until))
    }

    /// Lets an agent wait; other nodes go on.
    pub(super) fn wait(
        &mut self,
        path: &NodePath,
        progress: AgentProgress,
        wait: Duration,
    ) -> Result<Out, FlowError> {
        self.suspend(path, Progress::Agent(progress.into()))?;
        let timer = Timer {
            until: self.now().saturating_add(millis(wait)),
            items: path.items().collect(),
            node: path.node,
        };
        let timers = &mut self.state.timers;
        let at = timers.partition_point(|other| other.until <= timer.until);
        timers.insert(at, timer);
        Ok(Out::Continue)
    }

    /// Puts a node back in the ready queue that has waited and whose step is about to be committed.
    pub(super) fn wake(&mut self, path: &NodePath) -> Result<(), FlowError> {
        let Some(at) = self.state.timers.iter().position(|timer| timer.is_at(path)) else {
            return Ok(());
        };
        let (_, marking) = self.locate(&path.items_path)?;
        let Some(progress) = marking.progress(path.node).cloned() else {
            return Ok(());
        };
        accept(
            &self.table,
            &mut self.state.marking,
            &path.items_path,
            path.node,
            (progress, &mut Vec::new()),
        )?;
        self.state.timers.remove(at);
        Ok(())
    }
}

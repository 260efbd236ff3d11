//! Where a run is, as its callers ask.

use std::time::SystemTime;

use super::{
    clock::at,
    last_step::StepInfo,
    run::Run,
    state::{End, RunState, path::NodePath, progress::WaitReason},
};
use crate::node::FailureKind;

/// Where a run is; see [`FlowRuntime::status`](crate::FlowRuntime::status).
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum RunStatus {
    /// A step can be made.
    Ready,
    /// Nothing can move before a time.
    #[non_exhaustive]
    Waiting {
        /// The time.
        until: SystemTime,
        /// What it waits for.
        why: WaitReason,
    },
    /// Nothing can move before somebody answers.
    #[non_exhaustive]
    Suspended {
        /// The ids of the open questions, in the order in which they were asked.
        open: Vec<String>,
    },
    /// No step is made before [`FlowRuntime::unpause`](crate::FlowRuntime::unpause).
    Paused,
    /// A node failed, with nothing left to try. Another step tries it again.
    #[non_exhaustive]
    Failed {
        /// The node.
        node: String,
        /// The items of the lists around it, outermost first.
        items: Vec<usize>,
        /// What kind of failure it was.
        kind: FailureKind,
        /// What the error said.
        message: String,
        /// How often the node was tried.
        attempts: u32,
    },
    /// The flow is done.
    Done,
    /// The run was cancelled.
    #[non_exhaustive]
    Cancelled {
        /// Why, in the words of whoever did it.
        reason: String,
    },
}

impl RunState {
    /// The status of a run in which nothing can move before somebody answers.
    pub(crate) fn suspended(&self) -> RunStatus {
        let open = self.questions().map(|(id, _)| id.to_string()).collect();
        RunStatus::Suspended { open }
    }
}

impl Run {
    pub(super) fn status(&self) -> RunStatus {
        let status = self.status_unless_suspended();
        status.unwrap_or_else(|| self.state.suspended())
    }

    /// The same, but for the ids of open questions, of which there may be many.
    pub(super) fn status_unless_suspended(&self) -> Option<RunStatus> {
        match &self.state.end {
            Some(End::Done(_)) => return Some(RunStatus::Done),
            Some(End::Cancelled(reason)) => {
                let reason = reason.to_string();
                return Some(RunStatus::Cancelled { reason });
            }
            None if self.state.is_paused => return Some(RunStatus::Paused),
            None => {}
        }
        let failed = match self.known.graph.fail_fast() {
            true => self.state.waits.failed().next().cloned(),
            false => self.failed_next(),
        };
        if let Some(failed) = failed.and_then(|path| self.failed_at(&path)) {
            return Some(failed);
        }
        if self.can_move() {
            return Some(RunStatus::Ready);
        }
        if let Some((until, why)) = self.next_time() {
            let until = at(until);
            return Some(RunStatus::Waiting { until, why });
        }
        if self.state.questions().next().is_some() {
            return None;
        }
        let failed = self.state.waits.failed().next();
        let failed = failed.and_then(|path| self.failed_at(path));
        Some(failed.unwrap_or(RunStatus::Ready))
    }

    fn failed_at(&self, path: &NodePath) -> Option<RunStatus> {
        let frame = self.state.frame(&path.frame);
        let failed = frame.progress.failed.get(&path.node)?;
        Some(RunStatus::Failed {
            node: frame.table.node_id(path.node).to_owned(),
            items: path.items().collect(),
            kind: failed.kind,
            message: failed.message.to_string(),
            attempts: failed.attempts,
        })
    }

    pub(super) fn last_step(&self) -> Option<StepInfo> {
        let last = self.last.as_ref()?;
        last.named(self.state.steps, self.table())
    }
}

//! Where a run is, as its callers ask.

use std::time::SystemTime;

use serde::Serialize;

use super::{
    clock::at,
    last_step::StepInfo,
    run::Run,
    state::{End, RunState, path::NodePath, progress::WaitReason},
};
use crate::node::FailureKind;

/// Where a run is; see [`FlowRuntime::status`](crate::FlowRuntime::status). As JSON it is an object with its `type`,
/// such as `{"type": "suspended", "open": ["approve"]}`, in which times are in milliseconds since 1970.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
#[non_exhaustive]
pub enum RunStatus {
    /// A step can be made.
    Ready,
    /// Nothing can move before a time.
    #[non_exhaustive]
    Waiting {
        /// The time.
        #[serde(serialize_with = "crate::events::millis::serialize")]
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
        #[serde(rename = "error")]
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

#[cfg(test)]
mod tests {
    use serde_json::{json, to_value};

    use super::*;

    #[test]
    fn a_status_is_one_object_with_its_type() {
        let failed = RunStatus::Failed {
            node: "brew".to_owned(),
            items: vec![1],
            kind: FailureKind::Timeout,
            message: "too late".to_owned(),
            attempts: 2,
        };
        let waiting = RunStatus::Waiting {
            until: at(1_500),
            why: WaitReason::Retry,
        };
        let cancelled = RunStatus::Cancelled {
            reason: "enough".to_owned(),
        };
        let open = vec!["approve".to_owned()];
        for (status, expected) in [
            (RunStatus::Ready, json!({ "type": "ready" })),
            (
                waiting,
                json!({ "type": "waiting", "until": 1_500, "why": "retry" }),
            ),
            (
                RunStatus::Suspended { open },
                json!({ "type": "suspended", "open": ["approve"] }),
            ),
            (RunStatus::Paused, json!({ "type": "paused" })),
            (
                failed,
                json!({
                    "type": "failed", "node": "brew", "items": [1], "kind": "timeout",
                    "error": "too late", "attempts": 2,
                }),
            ),
            (RunStatus::Done, json!({ "type": "done" })),
            (
                cancelled,
                json!({ "type": "cancelled", "reason": "enough" }),
            ),
        ] {
            assert_eq!(to_value(status).unwrap(), expected);
        }
    }
}

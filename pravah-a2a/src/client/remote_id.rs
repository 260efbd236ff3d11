//! What the snapshot of the calling run keeps of a task.

use pravah_runtime::invocation::{RemoteTaskHandle, RunnerError, RunnerErrorKind};
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// What [`start`](pravah_runtime::invocation::Runner::start) returns, as JSON.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub(super) enum RemoteId {
    Task(TaskAddress),
    /// The agent has answered with a message, and made no task of it.
    Answered(Value),
}

/// Where a task is.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct TaskAddress {
    /// Of the agent.
    pub(super) url: String,
    pub(super) context_id: String,
    pub(super) id: String,
}

impl RemoteId {
    pub(super) fn to_json(&self) -> Result<String, RunnerError> {
        serde_json::to_string(self).map_err(|error| {
            let why = "the task cannot be written as JSON";
            RunnerError::new(RunnerErrorKind::Malformed, why).with_source(error)
        })
    }

    pub(super) fn of(handle: &RemoteTaskHandle) -> Result<Self, RunnerError> {
        serde_json::from_str(&handle.remote_id).map_err(|error| {
            let why = "this is no task of the A2A runner";
            RunnerError::new(RunnerErrorKind::UnknownTask, why).with_source(error)
        })
    }
}

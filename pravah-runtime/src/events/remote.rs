//! What observers learn of remote agents.

use std::time::SystemTime;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::envelope;
use crate::json;

/// What happened to a remote agent. In JSON `event` names it, beside its fields.
///
/// ```
/// use pravah_runtime::RemoteEvent;
/// use serde_json::{from_value, json};
///
/// let event = json!({ "event": "started", "taskId": "t1", "runner": "a2a" });
/// assert_eq!(from_value::<RemoteEvent>(event)?, RemoteEvent::started("t1", "a2a"));
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "snake_case")]
#[non_exhaustive]
pub enum RemoteEvent {
    /// Its task was started.
    #[serde(rename_all = "camelCase")]
    #[non_exhaustive]
    Started {
        /// What the run calls its task.
        task_id: String,
        /// The kind of the runner.
        runner: String,
    },
    /// An event of the remote agent.
    #[serde(rename_all = "camelCase")]
    #[non_exhaustive]
    Relayed {
        /// What the run calls its task.
        task_id: String,
        /// What happened, in the words of the runner; the `loopback` runner has the events of the run there.
        #[serde(deserialize_with = "json::value")]
        value: Value,
    },
    /// Its runner cannot be reached, and is tried again.
    #[serde(rename_all = "camelCase")]
    #[non_exhaustive]
    Retrying {
        /// What the run calls its task.
        task_id: String,
        /// What the runner said, for the operator.
        #[serde(rename = "error")]
        why: String,
        /// When it is tried again.
        #[serde(with = "envelope::millis")]
        until: SystemTime,
    },
    /// It was to be cancelled, and its runner could not do that: it may go on where it runs.
    #[serde(rename_all = "camelCase")]
    #[non_exhaustive]
    CancelFailed {
        /// What the run calls its task.
        task_id: String,
        /// What the runner said, for the operator.
        #[serde(rename = "error")]
        why: String,
    },
}

/// Constructors, for tests of an observer; the variants say what the arguments are.
impl RemoteEvent {
    /// Its task was started.
    pub fn started(task_id: impl Into<String>, runner: impl Into<String>) -> Self {
        Self::Started {
            task_id: task_id.into(),
            runner: runner.into(),
        }
    }

    /// An event of the remote agent.
    pub fn relayed(task_id: impl Into<String>, value: impl Into<Value>) -> Self {
        Self::Relayed {
            task_id: task_id.into(),
            value: value.into(),
        }
    }

    /// Its runner cannot be reached, and is tried again.
    pub fn retrying(task_id: impl Into<String>, why: impl Into<String>, until: SystemTime) -> Self {
        Self::Retrying {
            task_id: task_id.into(),
            why: why.into(),
            until,
        }
    }

    /// It was to be cancelled, and its runner could not do that.
    pub fn cancel_failed(task_id: impl Into<String>, why: impl Into<String>) -> Self {
        Self::CancelFailed {
            task_id: task_id.into(),
            why: why.into(),
        }
    }
}

//! What the nodes of a run have done towards the ends of their steps, and what they wait for.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{graph::NodeIx, json, node::FailureKind, numbers::is_zero};

/// What became of the question of a gate: the answer, if it has come.
pub(crate) type GateAnswer = Option<Arc<Value>>;

/// Something that waits for an answer: a gate, a tool that suspended or is to be approved, an answer to be
/// reviewed.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Question {
    /// Those asked earlier have smaller numbers.
    pub(crate) number: u64,
    pub(crate) node: NodeIx,
    /// The tool call, if it is one.
    pub(crate) call: Option<String>,
    pub(crate) value: json::Text,
    /// The event that answers it, if one does.
    pub(crate) event: Option<Arc<str>>,
}

impl Question {
    /// The event that is named in what is asked.
    pub(crate) fn event_in(value: &Value) -> Option<Arc<str>> {
        value.get("event").and_then(Value::as_str).map(Arc::from)
    }
}

/// A node that waits for a time.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Timer {
    /// In milliseconds since 1970.
    pub(crate) until: u64,
    pub(crate) why: WaitReason,
}

/// Why nothing can move before a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum WaitReason {
    /// The model of an agent could not answer, and is asked again.
    Model,
    /// A node failed, and is tried again.
    Retry,
    /// A multi-turn agent has answered, and a message may come.
    Message,
    /// An open question has to be answered by then.
    Question,
    /// A node does nothing but wait until then.
    Time,
    /// An agent waits for a detached task to end.
    Task,
    /// The runner of a remote agent could not be reached or had no news, and is asked again.
    Runner,
    /// The run is paused.
    Paused,
}

/// The attempts at one visit of a node that has a policy.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Attempts {
    /// How many have failed.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub(crate) failed: u32,
    /// When the node became ready, in milliseconds since 1970, if the time for all attempts is limited. It
    /// moves on by the time in which the node waits for an answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) ready_at: Option<u64>,
    /// Since when it waits for an answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) asked_at: Option<u64>,
    /// How many milliseconds the committed steps of this attempt have taken: of an agent's.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub(crate) spent: u64,
}

/// A node that failed, with nothing left to try.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct FailedNode {
    pub(crate) kind: FailureKind,
    pub(crate) message: Arc<str>,
    pub(crate) attempts: u32,
    /// Whether everything else goes on before it is tried again; noted of agents that have called others.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(crate) is_tried_last: bool,
}

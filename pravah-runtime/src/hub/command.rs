//! What a run may be told from outside.

use std::ops::Not;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::json;

/// A command that a run has not taken yet, as its snapshot has it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case", deny_unknown_fields)]
pub(crate) enum Command {
    Reply {
        id: String,
        /// The question that is meant, where the sender says so: others may have this id after it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        number: Option<u64>,
        #[serde(deserialize_with = "json::value")]
        answer: Value,
    },
    Emit {
        name: String,
        #[serde(deserialize_with = "json::value")]
        value: Value,
        /// Whether observers have received its event; no gate has taken it yet.
        #[serde(rename = "announced", default, skip_serializing_if = "Not::not")]
        is_announced: bool,
    },
    /// To the agent run of this id.
    Message {
        agent: String,
        text: String,
    },
    /// To whichever agent run the node has when it is taken.
    MessageToNode {
        node: String,
        text: String,
    },
    /// Lets the last answer of this agent run go on.
    Close {
        agent: String,
    },
    // Without the braces, serde would let any field in.
    Pause {},
    Unpause {},
    Cancel {
        reason: String,
    },
}

impl Command {
    /// The same, once observers have received the event that it emits.
    pub(crate) fn announced(&self) -> Self {
        let mut announced = self.clone();
        if let Self::Emit { is_announced, .. } = &mut announced {
            *is_announced = true;
        }
        announced
    }

    pub(super) fn is_cancel(&self) -> bool {
        matches!(self, Self::Cancel { .. })
    }

    pub(super) fn is_event(&self) -> bool {
        matches!(self, Self::Emit { .. })
    }

    /// The value that it carries.
    pub(super) fn payload(&self) -> Option<&Value> {
        match self {
            Self::Reply { answer: value, .. } | Self::Emit { value, .. } => Some(value),
            _ => None,
        }
    }
}

//! A tool call that a model has asked for, until its result is told.

use std::{borrow::Cow, slice};

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{AgentCall, Review, TaskEnd, TaskRequest, contract::read_review};
use crate::{
    json,
    model::{ToolCall, ToolResult},
    model_text::journal,
};

/// A tool call that has been asked for.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Pending {
    /// It has yet to be run.
    Asked,
    /// A person is to look at it before it is run.
    InReview,
    /// A person has looked at it; it is to be run, or its rejection to be told.
    Reviewed {
        #[serde(deserialize_with = "read_review")]
        review: Review<Value>,
    },
    /// It waits for a payload. Of its questions, an approval included, this is the `times`th.
    Suspended {
        #[serde(deserialize_with = "json::value")]
        value: Value,
        times: u32,
        /// What a person put in place of the arguments.
        #[serde(
            default,
            skip_serializing_if = "Option::is_none",
            deserialize_with = "json::value"
        )]
        edited: Option<Value>,
    },
    /// The payload is there; it is to be run again. What it asked is kept, for a payload that the
    /// tool cannot read.
    Resumed {
        #[serde(deserialize_with = "json::value")]
        payload: Value,
        #[serde(deserialize_with = "json::value")]
        value: Value,
        times: u32,
        #[serde(
            default,
            skip_serializing_if = "Option::is_none",
            deserialize_with = "json::value"
        )]
        edited: Option<Value>,
    },
    /// It is to call an agent or a flow: the task starts when the step is committed. In no snapshot.
    #[serde(skip)]
    Calls(AgentCall),
    /// It waits for a task.
    Delegated {
        task: usize,
        /// Whether an agent has taken over with it.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        is_handoff: bool,
    },
    /// It waits for several tasks, in the order of the targets.
    DelegatedAll { tasks: Vec<usize> },
    /// It is a request about detached tasks, carried out when the step is committed. In no snapshot.
    #[serde(skip)]
    TaskRequest(TaskRequest),
    /// It waits for a detached task, until a time in milliseconds since 1970.
    AwaitsTask { task: usize, until: u64 },
    /// What it waited for has come. In no snapshot: the step that takes the result is not committed.
    #[serde(skip)]
    Returned {
        /// What the model reads, if it is asked again.
        result: ToolResult,
        /// How the agent has ended that has taken over, if one has.
        handoff: Option<TaskEnd>,
    },
    /// It was run.
    Done(#[serde(deserialize_with = "journal::result")] ToolResult),
}

impl Pending {
    /// How often somebody was asked about the call.
    pub(super) fn times(&self) -> u32 {
        match self {
            Self::Suspended { times, .. } | Self::Resumed { times, .. } => *times,
            Self::InReview | Self::Reviewed { .. } => 1,
            Self::Asked
            | Self::Calls(_)
            | Self::Delegated { .. }
            | Self::DelegatedAll { .. }
            | Self::TaskRequest(_)
            | Self::AwaitsTask { .. }
            | Self::Returned { .. }
            | Self::Done(_) => 0,
        }
    }

    /// Whether it waits for a payload.
    pub(super) fn is_open(&self) -> bool {
        matches!(self, Self::InReview | Self::Suspended { .. })
    }

    /// Whether its result is there.
    pub(super) fn is_done(&self) -> bool {
        matches!(self, Self::Done(_))
    }

    /// Whether a payload is there that no step has taken yet.
    pub(super) fn is_answered(&self) -> bool {
        matches!(self, Self::Reviewed { .. } | Self::Resumed { .. })
    }

    /// The called tasks that it waits for; detached ones are in [`AwaitsTask`](Self::AwaitsTask).
    pub(super) fn tasks(&self) -> &[usize] {
        match self {
            Self::Delegated { task, .. } => slice::from_ref(task),
            Self::DelegatedAll { tasks } => tasks,
            _ => &[],
        }
    }

    /// Whether the engine, and no tool, produces its result: it waits for tasks.
    pub(super) fn waits_for_tasks(&self) -> bool {
        matches!(self, Self::AwaitsTask { .. }) || !self.tasks().is_empty()
    }

    /// What its question is found by: each of a call has another.
    pub(super) fn question_id<'a>(&self, call: &'a ToolCall) -> Cow<'a, str> {
        match self.times() {
            0 | 1 => Cow::Borrowed(&call.id),
            times => Cow::Owned(format!("{}#{times}", call.id)),
        }
    }

    /// What a person put in place of the arguments.
    pub(super) fn edited(&self) -> Option<&Value> {
        match self {
            Self::Reviewed {
                review: Review::Edit { output },
            } => Some(output),
            Self::Suspended { edited, .. } | Self::Resumed { edited, .. } => edited.as_ref(),
            _ => None,
        }
    }

    /// The same, suspended by its tool.
    pub(super) fn suspended(&self, value: Value) -> Self {
        Self::Suspended {
            value,
            times: self.times().saturating_add(1),
            edited: self.edited().cloned(),
        }
    }

    /// The same, with the payload that it waits for.
    pub(super) fn resumed(&self, payload: Value) -> Self {
        match self {
            Self::Suspended {
                value,
                times,
                edited,
            } => Self::Resumed {
                payload,
                value: value.clone(),
                times: *times,
                edited: edited.clone(),
            },
            other => other.clone(),
        }
    }

    /// The same, without a payload that is of no use.
    pub(super) fn reopened(&self) -> Self {
        match self {
            Self::Resumed {
                value,
                times,
                edited,
                ..
            } => Self::Suspended {
                value: value.clone(),
                times: *times,
                edited: edited.clone(),
            },
            other => other.clone(),
        }
    }
}

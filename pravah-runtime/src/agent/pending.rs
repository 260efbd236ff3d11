//! A tool call that a model has asked for, until its result is told.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{channel::journal, model::ToolResult};

/// A tool call that has been asked for.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Pending {
    /// It has yet to be run.
    Asked,
    /// It waits for a payload, for the `times`th time.
    Suspended { value: Value, times: u32 },
    /// The payload is there; it is to be run again. What it asked is kept, for a payload that the
    /// tool cannot read.
    Resumed {
        payload: Value,
        value: Value,
        times: u32,
    },
    /// It was run.
    Done(#[serde(deserialize_with = "journal::result")] ToolResult),
}

impl Pending {
    /// How often the call was suspended.
    pub(super) fn times(&self) -> u32 {
        match self {
            Self::Suspended { times, .. } | Self::Resumed { times, .. } => *times,
            Self::Asked | Self::Done(_) => 0,
        }
    }
}

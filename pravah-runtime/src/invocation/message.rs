//! What an agent is told.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::json;

/// What an agent is told: the first message of its conversation, or the input of a flow.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(
    deny_unknown_fields,
    expecting = "a message as an object, such as { \"role\": \"user\", \"parts\": [{ \"text\": \"Hello.\" }] }"
)]
#[non_exhaustive]
pub struct Message {
    /// Who says it.
    pub role: Role,
    /// What is said.
    pub parts: Vec<Part>,
}

/// Who says something.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Role {
    /// Whoever asks.
    User,
    /// Whoever answers.
    Agent,
}

/// A part of a message: `{ "text": "…" }` or `{ "data": … }`, as [A2A](https://a2a-protocol.org) writes them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Part {
    /// Text.
    Text(String),
    /// JSON.
    Data(#[serde(deserialize_with = "json::value")] Value),
}

impl Message {
    /// A text that is asked.
    #[must_use]
    pub fn user(text: impl Into<String>) -> Self {
        Self {
            role: Role::User,
            parts: vec![Part::Text(text.into())],
        }
    }

    /// A JSON value that is given.
    #[must_use]
    pub fn data(value: impl Into<Value>) -> Self {
        Self {
            role: Role::User,
            parts: vec![Part::Data(value.into())],
        }
    }

    /// Whether it says nothing.
    pub(super) fn is_empty(&self) -> bool {
        let says_nothing = |part: &Part| matches!(part, Part::Text(text) if text.trim().is_empty());
        self.parts.iter().all(says_nothing)
    }
}

impl From<&str> for Message {
    fn from(text: &str) -> Self {
        Self::user(text)
    }
}

impl From<Value> for Message {
    fn from(data: Value) -> Self {
        Self::data(data)
    }
}

impl From<String> for Message {
    fn from(text: String) -> Self {
        Self::user(text)
    }
}

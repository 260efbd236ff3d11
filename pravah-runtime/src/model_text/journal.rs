//! Conversations of agents as a snapshot keeps them: the only way in which a text comes to a
//! [`ModelText`] from JSON. Whatever else is read stays plain text.

use std::sync::Arc;

use serde::{Deserialize, Deserializer};

use super::ModelText;
use crate::model::{Message, Messages, ToolResult};

/// Reads what an agent has said so far.
pub(crate) fn messages<'de, D: Deserializer<'de>>(from: D) -> Result<Messages, D::Error> {
    let messages = Vec::<Message<Arc<str>>>::deserialize(from)?.into_iter();
    Ok(messages.map(|message| message.map(ModelText)).collect())
}

/// Reads the result of a call that was run.
pub(crate) fn result<'de, D: Deserializer<'de>>(from: D) -> Result<ToolResult, D::Error> {
    let result = ToolResult::<Arc<str>>::deserialize(from)?;
    Ok(result.map(ModelText))
}

/// What was said, for the record: no carrier is left in it.
pub(crate) fn record(messages: &Messages) -> Arc<[Message<Arc<str>>]> {
    let messages = messages.iter().cloned();
    messages.map(|message| message.map(|text| text.0)).collect()
}

//! Conversations of agents as a snapshot keeps them: the only way in which a text comes to a
//! [`ModelText`] from JSON. Whatever else is read stays plain text.

use std::sync::Arc;

use serde::{Deserialize, Deserializer};

use super::ModelText;
use crate::model::{Message, ToolResult};

/// Reads what an agent has said so far.
pub(crate) fn messages<'de, D>(from: D) -> Result<Arc<Vec<Message>>, D::Error>
where
    D: Deserializer<'de>,
{
    let messages = Vec::<Message<Arc<str>>>::deserialize(from)?;
    let messages = messages.into_iter().map(|message| message.map(ModelText));
    Ok(Arc::new(messages.collect()))
}

/// Reads the result of a call that was run.
pub(crate) fn result<'de, D: Deserializer<'de>>(from: D) -> Result<ToolResult, D::Error> {
    let result = ToolResult::<Arc<str>>::deserialize(from)?;
    Ok(result.map(ModelText))
}

/// What was said, for the record: no carrier is left in it.
pub(crate) fn record(messages: Arc<Vec<Message>>) -> Vec<Message<Arc<str>>> {
    let messages = Arc::unwrap_or_clone(messages).into_iter();
    messages.map(|message| message.map(|text| text.0)).collect()
}

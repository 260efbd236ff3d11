//! Conversations as they are read back: the only way in which a text comes to a [`ModelText`] from
//! JSON. What is read was written by a run, in its snapshot or its history.

use serde::{Deserialize, Deserializer};

use super::ModelText;
use crate::model::{Message, Opaque, ToolCall, ToolResult};

#[derive(Deserialize)]
#[serde(tag = "role", rename_all = "snake_case")]
enum Entry {
    User {
        text: Text,
    },
    Assistant {
        #[serde(default)]
        text: Option<String>,
        #[serde(default)]
        calls: Vec<ToolCall>,
        #[serde(default)]
        opaque: Option<Opaque>,
    },
    Tool {
        results: Vec<Answer>,
    },
}

#[derive(Deserialize)]
struct Answer {
    call_id: String,
    name: String,
    text: Text,
    #[serde(default)]
    is_error: bool,
}

#[derive(Deserialize)]
struct Text(String);

impl From<Text> for ModelText {
    fn from(Text(text): Text) -> Self {
        Self(text.into())
    }
}

impl From<Answer> for ToolResult {
    fn from(answer: Answer) -> Self {
        Self {
            call_id: answer.call_id,
            name: answer.name,
            text: answer.text.into(),
            is_error: answer.is_error,
        }
    }
}

impl From<Entry> for Message {
    fn from(entry: Entry) -> Self {
        match entry {
            Entry::User { text } => Self::User { text: text.into() },
            Entry::Assistant {
                text,
                calls,
                opaque,
            } => Self::Assistant {
                text,
                calls,
                opaque,
            },
            Entry::Tool { results } => Self::Tool {
                results: results.into_iter().map(Into::into).collect(),
            },
        }
    }
}

pub(crate) fn messages<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<Message>, D::Error> {
    let entries = Vec::<Entry>::deserialize(from)?;
    Ok(entries.into_iter().map(Into::into).collect())
}

pub(crate) fn result<'de, D: Deserializer<'de>>(from: D) -> Result<ToolResult, D::Error> {
    Answer::deserialize(from).map(Into::into)
}

//! A conversation with a model, in the same words for every provider.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::{ModelResponse, Part};
use crate::{json, model_text::ModelText};

/// One message of a conversation. The system prompt is beside the messages, not among them.
///
/// On its way to a model a text is carried by [`ModelText`], so such a message is not read from JSON.
/// In the [record](crate::ClientHistory) of what was said it is plain text, from which no model reads.
///
/// ```
/// use std::sync::Arc;
/// use pravah_runtime::Message;
///
/// let json = r#"{ "role": "user", "parts": [{ "text": "Hello" }] }"#;
/// let message: Message<Arc<str>> = serde_json::from_str(json)?;
/// assert_eq!(message, Message::user("Hello".into()));
/// # Ok::<(), serde_json::Error>(())
/// ```
///
/// ```compile_fail,E0277
/// let message: pravah_runtime::Message = serde_json::from_str("{}").unwrap();
/// ```
///
/// ```compile_fail,E0277
/// let messages: pravah_runtime::Messages = serde_json::from_str("[]").unwrap();
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "role", rename_all = "snake_case")]
#[non_exhaustive]
pub enum Message<Text = ModelText> {
    /// What the user, or the engine in the user's place, said.
    #[non_exhaustive]
    User {
        /// Text, images and files, in order.
        parts: Vec<Part<Text>>,
    },
    /// What the model answered.
    #[non_exhaustive]
    Assistant {
        /// Its text, if there was any.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        text: Option<String>,
        /// The tools it wants called.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        calls: Vec<ToolCall>,
        /// What the provider wants back unchanged.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        opaque: Option<Opaque>,
    },
    /// The results of the calls in the message before, in the order asked, one for each.
    #[non_exhaustive]
    Tool {
        /// The results.
        results: Vec<ToolResult<Text>>,
    },
}

/// A call that a model asks for.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ToolCall {
    /// What the result refers to; unique within a conversation.
    pub id: String,
    /// The tool's name.
    pub name: String,
    /// What to call it with.
    pub arguments: Arguments,
}

impl ToolCall {
    /// A call. An id that is empty is replaced by the engine.
    pub fn new(id: impl Into<String>, name: impl Into<String>, arguments: Arguments) -> Self {
        Self {
            id: id.into(),
            name: name.into(),
            arguments,
        }
    }
}

/// The arguments of a [`ToolCall`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Arguments {
    /// JSON, as it should be.
    Json(#[serde(deserialize_with = "json::value")] Value),
    /// What the model wrote instead of JSON.
    Text(String),
}

impl<Text> Message<Text> {
    /// A text of the user's.
    pub fn user(text: Text) -> Self {
        Self::parts([Part::Text(text)])
    }

    /// Texts, images and files of the user's, in order.
    pub fn parts(parts: impl IntoIterator<Item = Part<Text>>) -> Self {
        Self::User {
            parts: parts.into_iter().collect(),
        }
    }

    /// An answer of the model, as the conversation keeps it.
    ///
    /// ```
    /// use pravah_runtime::{Message, ModelResponse};
    ///
    /// let answer: Message = Message::assistant(ModelResponse::text("Hello"));
    /// assert!(matches!(answer, Message::Assistant { text: Some(_), .. }));
    /// ```
    pub fn assistant(answer: ModelResponse) -> Self {
        Self::Assistant {
            text: answer.text,
            calls: answer.calls,
            opaque: answer.opaque,
        }
    }

    /// The results of the calls in the message before: one for each, in their order.
    pub fn results(results: impl IntoIterator<Item = ToolResult<Text>>) -> Self {
        Self::Tool {
            results: results.into_iter().collect(),
        }
    }

    /// The texts that the user said, without images and files; nothing if somebody else speaks.
    ///
    /// ```
    /// use pravah_runtime::{Message, ToModel};
    ///
    /// let message = Message::user("Hello".to_model());
    /// assert_eq!(message.user_text().as_deref(), Some("Hello"));
    /// ```
    pub fn user_text(&self) -> Option<String>
    where
        Text: AsRef<str>,
    {
        let Self::User { parts } = self else {
            return None;
        };
        let texts: Vec<&str> = parts
            .iter()
            .filter_map(|part| part.as_text().map(AsRef::as_ref))
            .collect();
        Some(texts.join("\n\n"))
    }

    /// The calls that it asks for; none unless the model speaks.
    pub(crate) fn calls(&self) -> &[ToolCall] {
        match self {
            Self::Assistant { calls, .. } => calls,
            Self::User { .. } | Self::Tool { .. } => &[],
        }
    }

    /// The text of a message of the model; `None` for other messages, and for one without text.
    pub(crate) fn answer_text(&self) -> Option<&str> {
        match self {
            Self::Assistant { text, .. } => text.as_deref(),
            Self::User { .. } | Self::Tool { .. } => None,
        }
    }

    /// The same message with its texts carried otherwise.
    pub(crate) fn map<To>(self, mut carry: impl FnMut(Text) -> To) -> Message<To> {
        match self {
            Self::User { parts } => {
                let parts = parts.into_iter().map(|part| part.map(&mut carry));
                Message::User {
                    parts: parts.collect(),
                }
            }
            Self::Assistant {
                text,
                calls,
                opaque,
            } => Message::Assistant {
                text,
                calls,
                opaque,
            },
            Self::Tool { results } => {
                let results = results.into_iter().map(|result| result.map(&mut carry));
                Message::Tool {
                    results: results.collect(),
                }
            }
        }
    }
}

impl<Text> ToolResult<Text> {
    /// What the tool returned.
    pub fn new(call: &ToolCall, text: Text) -> Self {
        Self {
            call_id: call.id.clone(),
            name: call.name.clone(),
            text,
            is_error: false,
        }
    }

    /// The same text as what went wrong.
    #[must_use]
    pub fn as_error(mut self) -> Self {
        self.is_error = true;
        self
    }

    /// The same result with its text carried otherwise.
    pub(crate) fn map<To>(self, carry: impl FnOnce(Text) -> To) -> ToolResult<To> {
        ToolResult {
            call_id: self.call_id,
            name: self.name,
            text: carry(self.text),
            is_error: self.is_error,
        }
    }
}

impl Arguments {
    /// Reads what a model wrote. Nothing at all counts as no arguments.
    ///
    /// ```
    /// use pravah_runtime::Arguments;
    ///
    /// assert_eq!(Arguments::parse("[1]"), Arguments::Json([1].into()));
    /// assert_eq!(Arguments::parse("{\"a"), Arguments::Text("{\"a".into()));
    /// ```
    pub fn parse(text: &str) -> Self {
        if text.trim().is_empty() {
            return Self::Json(Value::Object(Map::new()));
        }
        match json::from_str(text) {
            Ok(value) => Self::Json(value),
            Err(_) => Self::Text(text.to_owned()),
        }
    }
}

/// The result of a [`ToolCall`], as the model reads it.
///
/// ```compile_fail,E0277
/// let result: pravah_runtime::ToolResult = serde_json::from_str("{}").unwrap();
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ToolResult<Text = ModelText> {
    /// The id of the call.
    pub call_id: String,
    /// The tool's name.
    pub name: String,
    /// The result, or what went wrong.
    pub text: Text,
    /// Whether something went wrong.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_error: bool,
}

/// Part of an answer that only its provider understands, such as encrypted reasoning. It goes back
/// with the conversation to the same provider and model, and to no other.
///
/// It is bound to what the model had read when it made them: where the system prompt, the tools or the
/// messages before have changed since, it is left out.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Opaque {
    /// The scheme of the provider's model URLs.
    pub provider: String,
    /// The model.
    pub model: String,
    /// The items, as they came.
    #[serde(deserialize_with = "json::value")]
    pub items: Value,
    /// A fingerprint of what the model had read. The engine sets it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bound_to: Option<String>,
}

impl Opaque {
    /// The items of an answer, as they came from `model` of the provider with this scheme.
    pub fn new(provider: impl Into<String>, model: impl Into<String>, items: Value) -> Self {
        Self {
            provider: provider.into(),
            model: model.into(),
            items,
            bound_to: None,
        }
    }

    /// The items that this model returned and wants back.
    #[cfg(feature = "providers")]
    pub(super) fn of<'a>(
        opaque: &'a Option<Self>,
        provider: &str,
        model: &str,
    ) -> Option<&'a Value> {
        let opaque = opaque.as_ref()?;
        (opaque.provider == provider && opaque.model == model).then_some(&opaque.items)
    }
}

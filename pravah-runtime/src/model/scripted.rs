//! A model that answers from a script, for tests and for trying things without a key.

use std::{collections::BTreeMap, path::Path, str::FromStr};

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{
    Arguments, Message, ModelClient, ModelError, ModelErrorKind, ModelFuture, ModelRequest,
    ModelResponse, StopReason, ToolCall, Usage,
};
use crate::agent::SUBMIT;

/// A model that answers from a script, by node and turn.
///
/// The first answer for a node is given where its conversation has no answer yet, the second where
/// it has one, and so on. Nothing is counted on the side: a run that was restored gets the same
/// answers. Answers may be kept apart by visit of a loop and by item of an `each`; the nearest
/// name counts: `node[0]#2`, `node[0]`, `node#2`, `node`.
///
/// ```
/// use pravah_runtime::ScriptedModel;
/// use serde_json::json;
///
/// let model = ScriptedModel::new()
///     .call("triage", "recent_orders", json!({ "email": "a@example.com" }))
///     .reply("triage", json!({ "urgent": true, "topic": "delivery" }));
///
/// // The same as a file:
/// let read: ScriptedModel = r#"{ "triage": [
///     { "calls": [{ "tool": "recent_orders", "arguments": { "email": "a@example.com" } }] },
///     { "reply": { "urgent": true, "topic": "delivery" } }
/// ] }"#.parse()?;
/// assert_eq!(model, read);
/// # Ok::<(), pravah_runtime::ModelError>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct ScriptedModel {
    nodes: BTreeMap<String, Vec<ScriptedTurn>>,
}

/// One answer of a [`ScriptedModel`].
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ScriptedTurn {
    /// The agent's output, or under a [`Contract`](crate::Contract) the envelope around it. An agent
    /// with tools gets it as a call of `submit`, after `calls`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reply: Option<Value>,
    /// Plain text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// Tools to call.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub calls: Vec<ScriptedCall>,
    /// Fails instead, with these words, as a model that is overloaded.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// What the answer costs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub usage: Option<Usage>,
    /// How probable the tokens of the answer were, from 0 to 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub token_probability: Option<f64>,
}

/// A tool call of a [`ScriptedTurn`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ScriptedCall {
    /// The tool's name.
    pub tool: String,
    /// What to call it with.
    #[serde(default)]
    pub arguments: Value,
}

impl ScriptedModel {
    /// An empty script.
    pub fn new() -> Self {
        Self::default()
    }

    /// Reads a script from a JSON file: an object from nodes to lists of [`ScriptedTurn`]s.
    ///
    /// # Errors
    ///
    /// [`ModelErrorKind::Config`] if the file cannot be read or is no script.
    pub fn from_file(path: impl AsRef<Path>) -> Result<Self, ModelError> {
        let path = path.as_ref();
        std::fs::read_to_string(path)
            .map_err(|error| {
                let message = format!("the script `{}` could not be read", path.display());
                ModelError::new(ModelErrorKind::Config, message).with_source(error)
            })?
            .parse()
    }

    /// The next answer of `node` is this output, or under a [`Contract`](crate::Contract) the envelope
    /// around it.
    #[must_use]
    pub fn reply(self, node: impl Into<String>, output: Value) -> Self {
        let reply = Some(output);
        self.turn(
            node,
            ScriptedTurn {
                reply,
                ..Default::default()
            },
        )
    }

    /// The next answer of `node` calls a tool.
    #[must_use]
    pub fn call(self, node: impl Into<String>, tool: impl Into<String>, arguments: Value) -> Self {
        self.calls(node, [(tool, arguments)])
    }

    /// The next answer of `node` calls several tools at once.
    #[must_use]
    pub fn calls<T: Into<String>>(
        self,
        node: impl Into<String>,
        calls: impl IntoIterator<Item = (T, Value)>,
    ) -> Self {
        let calls = calls
            .into_iter()
            .map(|(tool, arguments)| ScriptedCall {
                tool: tool.into(),
                arguments,
            })
            .collect();
        self.turn(
            node,
            ScriptedTurn {
                calls,
                ..Default::default()
            },
        )
    }

    /// The next answer of `node` is plain text.
    #[must_use]
    pub fn text(self, node: impl Into<String>, text: impl Into<String>) -> Self {
        let text = Some(text.into());
        self.turn(
            node,
            ScriptedTurn {
                text,
                ..Default::default()
            },
        )
    }

    /// Where `node` would be answered next, the model fails with these words, each time; it is not
    /// asked again.
    #[must_use]
    pub fn error(self, node: impl Into<String>, message: impl Into<String>) -> Self {
        let error = Some(message.into());
        self.turn(
            node,
            ScriptedTurn {
                error,
                ..Default::default()
            },
        )
    }

    /// The next answer of `node`, in full.
    #[must_use]
    pub fn turn(mut self, node: impl Into<String>, turn: ScriptedTurn) -> Self {
        self.nodes.entry(node.into()).or_default().push(turn);
        self
    }

    fn answer(&self, request: &ModelRequest) -> Result<ModelResponse, ModelError> {
        let turn = request.turn();
        let Some((name, turns)) = self.script_for(request) else {
            return Err(missing(format!(
                "the script has no node `{}`: it has {}",
                request.node,
                list(self.nodes.keys())
            )));
        };
        let Some(scripted) = turns.get(turn) else {
            let said = request.messages.last().and_then(Message::user_text);
            let told = match said {
                Some(text) if turn > 0 => format!(", after which came: {text}"),
                _ => String::new(),
            };
            return Err(missing(format!(
                "the script has no answer {} for `{name}`: it has {}{told}",
                turn + 1,
                turns.len()
            )));
        };
        if let Some(error) = &scripted.error {
            let error = ModelError::new(ModelErrorKind::Upstream, error.as_str());
            return Err(error.with_retryable(Some(false)));
        }
        Ok(scripted.respond(request, turn))
    }

    /// The script of the nearest name.
    fn script_for(&self, request: &ModelRequest) -> Option<(String, &[ScriptedTurn])> {
        let node = &request.node;
        let items: String = request
            .items
            .iter()
            .map(|item| format!("[{item}]"))
            .collect();
        let visit = format!("#{}", request.visit);
        [
            format!("{node}{items}{visit}"),
            format!("{node}{items}"),
            format!("{node}{visit}"),
            node.clone(),
        ]
        .into_iter()
        .find_map(|name| {
            let turns = self.nodes.get(&name)?;
            Some((name, turns.as_slice()))
        })
    }
}

impl ScriptedTurn {
    fn respond(&self, request: &ModelRequest, turn: usize) -> ModelResponse {
        let mut text = self.text.clone();
        let mut calls: Vec<(String, Value)> = self
            .calls
            .iter()
            .map(|call| (call.tool.clone(), call.arguments.clone()))
            .collect();
        if let Some(reply) = &self.reply {
            if request.tools.is_empty() {
                text = Some(reply.to_string());
            } else {
                calls.push((SUBMIT.to_owned(), reply.clone()));
            }
        }
        let calls: Vec<ToolCall> = calls
            .into_iter()
            .enumerate()
            .map(|(i, (name, arguments))| ToolCall {
                id: format!("call_{}_{}", turn + 1, i + 1),
                name,
                arguments: Arguments::Json(arguments),
            })
            .collect();
        ModelResponse {
            text,
            stop: match calls.is_empty() {
                true => StopReason::End,
                false => StopReason::ToolCalls,
            },
            calls,
            usage: self.usage.unwrap_or_default(),
            token_probability: self
                .token_probability
                .filter(|_| request.token_probabilities),
            ..Default::default()
        }
    }
}

impl FromStr for ScriptedModel {
    type Err = ModelError;

    fn from_str(json: &str) -> Result<Self, Self::Err> {
        serde_json::from_str(json).map_err(|error| {
            ModelError::new(
                ModelErrorKind::Config,
                format!("this is no script: {error}"),
            )
            .with_source(error)
        })
    }
}

impl ModelClient for ScriptedModel {
    fn complete<'a>(&'a self, request: &'a ModelRequest) -> ModelFuture<'a> {
        Box::pin(async move { self.answer(request) })
    }
}

fn missing(message: String) -> ModelError {
    ModelError::new(ModelErrorKind::InvalidRequest, message)
}

fn list<'a>(names: impl Iterator<Item = &'a String>) -> String {
    let names: Vec<String> = names.map(|name| format!("`{name}`")).collect();
    match names.is_empty() {
        true => "none".to_owned(),
        false => names.join(", "),
    }
}

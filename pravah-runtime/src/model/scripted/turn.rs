//! One answer of a script.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{
    agent::SUBMIT,
    json,
    model::{Arguments, ModelRequest, ModelResponse, StopReason, ToolCall, Usage},
    state::to_finite_value,
};

/// One answer of a [`ScriptedModel`](super::ScriptedModel).
///
/// ```
/// use pravah_runtime::{ScriptedModel, ScriptedTurn, Usage};
/// use serde_json::json;
///
/// let turn = ScriptedTurn::text("I look it up.")
///     .with_call("recent_orders", json!({}))
///     .with_usage(Usage::new(200, 20));
/// let model = ScriptedModel::new().turn("triage", turn);
/// # assert_eq!(model.unused(), ["`triage`: answer 1, a text and a call of `recent_orders`"]);
/// ```
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[non_exhaustive]
pub struct ScriptedTurn {
    /// The agent's output, or under a [`Contract`](crate::Contract) the envelope around it. An agent
    /// with tools gets it as a call of `submit`, after `calls`, of which none is run: an answer that calls
    /// `submit` is the agent's last.
    #[serde(
        skip_serializing_if = "Option::is_none",
        deserialize_with = "json::value"
    )]
    pub reply: Option<Value>,
    /// Plain text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// Tools to call.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub calls: Vec<ScriptedCall>,
    /// Fails instead, with these words, as a model that is overloaded: the agent goes on with its next
    /// fallback, or fails.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// Whether after `error` the agent waits and asks again, as often as its retries allow.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub retry: bool,
    /// What the answer, or the failure, costs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub usage: Option<Usage>,
    /// How probable the tokens of the answer were, from 0 to 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub token_probability: Option<f64>,
    /// Why the reply cannot be serialised as JSON.
    #[serde(skip)]
    pub(crate) bad_reply: Option<String>,
}

/// A tool call of a [`ScriptedTurn`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct ScriptedCall {
    /// The tool's name.
    pub tool: String,
    /// What to call it with.
    #[serde(default, deserialize_with = "json::value")]
    pub arguments: Value,
}

impl ScriptedCall {
    /// A call of `tool`.
    pub fn new(tool: impl Into<String>, arguments: Value) -> Self {
        Self {
            tool: tool.into(),
            arguments,
        }
    }
}

impl ScriptedTurn {
    /// The agent's output, or the envelope around it: a state, or the JSON of one. If it cannot be serialised as JSON,
    /// the model fails and says so.
    pub fn reply(output: impl Serialize) -> Self {
        Self::default().with_reply(output)
    }

    /// Plain text.
    pub fn text(text: impl Into<String>) -> Self {
        Self {
            text: Some(text.into()),
            ..Self::default()
        }
    }

    /// A tool call.
    pub fn call(tool: impl Into<String>, arguments: Value) -> Self {
        Self::default().with_call(tool, arguments)
    }

    /// A failure of the model.
    pub fn error(message: impl Into<String>) -> Self {
        Self {
            error: Some(message.into()),
            ..Self::default()
        }
    }

    /// The same answer with an output, as [`reply`](Self::reply) takes it.
    #[must_use]
    pub fn with_reply(mut self, output: impl Serialize) -> Self {
        (self.reply, self.bad_reply) = match to_finite_value(&output) {
            Ok(output) => (Some(output), None),
            Err(why) => (None, Some(why.to_string())),
        };
        self
    }

    /// The same answer with one more tool call.
    #[must_use]
    pub fn with_call(mut self, tool: impl Into<String>, arguments: Value) -> Self {
        self.calls.push(ScriptedCall::new(tool, arguments));
        self
    }

    /// The same failure, after which the agent waits and asks again.
    #[must_use]
    pub fn with_retry(mut self) -> Self {
        self.retry = true;
        self
    }

    /// The same answer, or failure, with what it costs.
    #[must_use]
    pub fn with_usage(mut self, usage: Usage) -> Self {
        self.usage = Some(usage);
        self
    }

    /// The same answer with how probable its tokens were, from 0 to 1.
    #[must_use]
    pub fn with_token_probability(mut self, probability: f64) -> Self {
        self.token_probability = Some(probability);
        self
    }

    pub(super) fn respond(&self, request: &ModelRequest, turn: usize) -> ModelResponse {
        let submits = request.tools.iter().any(|tool| tool.name == SUBMIT);
        let (as_text, as_call) = match submits {
            true => (None, self.reply.as_ref()),
            false => (self.reply.as_ref(), None),
        };
        let is_json = request.output.is_some();
        let as_text = as_text.map(|reply| match reply {
            Value::String(text) if !is_json => text.clone(),
            reply => reply.to_string(),
        });
        let calls = self.calls.iter().map(|call| (&*call.tool, &call.arguments));
        let calls: Vec<ToolCall> = calls
            .chain(as_call.map(|reply| (SUBMIT, reply)))
            .enumerate()
            .map(|(i, (name, arguments))| ToolCall {
                id: format!("call_{}_{}", turn + 1, i + 1),
                name: name.to_owned(),
                arguments: Arguments::Json(arguments.clone()),
            })
            .collect();
        ModelResponse {
            text: as_text.or_else(|| self.text.clone()),
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

    /// What it is, for whoever looks for it in a script.
    pub(super) fn summary(&self) -> String {
        let mut parts: Vec<String> = Vec::new();
        parts.extend(self.error.as_ref().map(|_| "an error".to_owned()));
        parts.extend(self.text.as_ref().map(|_| "a text".to_owned()));
        parts.extend(
            self.calls
                .iter()
                .map(|call| format!("a call of `{}`", call.tool)),
        );
        parts.extend(self.reply.as_ref().map(|_| "a reply".to_owned()));
        match parts.is_empty() {
            true => "nothing".to_owned(),
            false => parts.join(" and "),
        }
    }
}

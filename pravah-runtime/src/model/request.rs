//! What a model is asked and what it answers, and the trait of those who carry it there and back.

use std::{future::Future, pin::Pin, sync::Arc};

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{Messages, ModelError, ModelOptions, Opaque, ScriptedModel, ToolCall};
use crate::json;

/// What a model client's future is.
pub type ModelFuture<'a> =
    Pin<Box<dyn Future<Output = Result<ModelResponse, ModelError>> + Send + 'a>>;

/// Who hears the text of an answer as it comes.
pub type OnText<'a> = &'a (dyn Fn(&str) + Send + Sync);

/// Carries requests to a model. Implement it for providers of your own and
/// [register](super::ClientFactory::register) them.
///
/// ```
/// use pravah_runtime::{ModelClient, ModelFuture, ModelRequest, ModelResponse};
///
/// struct Parrot;
///
/// impl ModelClient for Parrot {
///     fn complete<'a>(&'a self, request: &'a ModelRequest) -> ModelFuture<'a> {
///         Box::pin(async move {
///             Ok(ModelResponse::text(request.system.clone()))
///         })
///     }
/// }
/// ```
pub trait ModelClient: Send + Sync {
    /// Asks once; whoever calls decides about trying again.
    fn complete<'a>(&'a self, request: &'a ModelRequest) -> ModelFuture<'a>;

    /// Says what is wrong with a request that could not be sent, without sending it. An agent checks
    /// what it would ask its [fallbacks](crate::AgentConfig::with_fallback) before it asks anybody.
    ///
    /// Unless written otherwise every request can be sent.
    ///
    /// # Errors
    ///
    /// The error that [`complete`](Self::complete) would end with.
    fn check(&self, request: &ModelRequest) -> Result<(), ModelError> {
        let _ = request;
        Ok(())
    }

    /// The script it answers from. A client that wraps another returns the inner client's: answers are
    /// counted over all models that share a script.
    fn script(&self) -> Option<&ScriptedModel> {
        None
    }

    /// Whether a run counts how often it asks: for [`ModelRequest::asked`] and
    /// [`ModelRequest::visit`], and in its snapshot. Unless written otherwise it does. The clients of
    /// providers have no use for that: what they answer does not depend on it.
    fn wants_counts(&self) -> bool {
        true
    }

    /// Asks once, and hands the text of the answer to `on_text` as it comes. The response is the
    /// same as that of [`complete`](Self::complete).
    ///
    /// Unless written otherwise the text comes in one piece, at the end.
    fn stream<'a>(&'a self, request: &'a ModelRequest, on_text: OnText<'a>) -> ModelFuture<'a> {
        Box::pin(async move {
            let response = self.complete(request).await?;
            if let Some(text) = &response.text {
                on_text(text);
            }
            Ok(response)
        })
    }
}

/// One question to a model.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct ModelRequest {
    /// The node that asks. It is not sent.
    pub node: String,
    /// Which items of `each`, and which tasks, the node works on, outermost first. They are not sent.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub items: Vec<usize>,
    /// Which visit of the node, with these items, this is, from 1: each in which a model was asked
    /// counts. It is 1 where [nobody counts](ModelClient::wants_counts). It is not sent.
    pub visit: u32,
    /// How often models that share this one's answers (the same script, client or scheme) were asked in each
    /// visit of the node, with these items, this visit last; a question that failed counts too. It is not
    /// sent.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub asked: Vec<u32>,
    /// The model's name, without the scheme.
    pub model: String,
    /// The system prompt.
    pub system: String,
    /// The conversation so far.
    pub messages: Messages,
    /// The tools that the model may call. If there are any, it is expected to call one.
    #[serde(default, skip_serializing_if = "<[_]>::is_empty")]
    pub tools: Arc<[ToolSpec]>,
    /// The JSON that the model is to answer with; `None` if it answers through a tool.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output: Option<OutputSpec>,
    /// Whether the answer is to come with [`ModelResponse::token_probability`].
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub token_probabilities: bool,
    /// What else the request says.
    #[serde(default, skip_serializing_if = "ModelOptions::says_nothing")]
    pub options: ModelOptions,
}

impl ModelRequest {
    /// A question to `model`: the messages alone, until more is set. [`asked`](Self::asked) counts the
    /// answers among them.
    pub fn new(model: impl Into<String>, messages: impl Into<Messages>) -> Self {
        let mut request = Self {
            node: String::new(),
            items: Vec::new(),
            visit: 1,
            asked: Vec::new(),
            model: model.into(),
            system: String::new(),
            messages: messages.into(),
            tools: Arc::default(),
            output: None,
            token_probabilities: false,
            options: ModelOptions::default(),
        };
        request.asked = vec![u32::try_from(request.turn()).unwrap_or(u32::MAX)];
        request
    }

    /// How often the model has answered in this conversation: 0 for the first question.
    pub fn turn(&self) -> usize {
        self.messages.answers()
    }
}

/// A tool as a model sees it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ToolSpec {
    /// Its name.
    pub name: String,
    /// What it is for.
    pub description: String,
    /// The JSON Schema of its arguments, an object.
    #[serde(deserialize_with = "json::value")]
    pub parameters: Arc<Value>,
}

impl ToolSpec {
    /// A tool whose arguments are an object of this schema.
    pub fn new(
        name: impl Into<String>,
        description: impl Into<String>,
        parameters: impl Into<Arc<Value>>,
    ) -> Self {
        Self {
            name: name.into(),
            description: description.into(),
            parameters: parameters.into(),
        }
    }
}

/// The JSON that a model is to answer with.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct OutputSpec {
    /// What it is called.
    pub name: String,
    /// Its JSON Schema, an object.
    #[serde(deserialize_with = "json::value")]
    pub schema: Arc<Value>,
}

impl OutputSpec {
    /// An object of this schema.
    pub fn new(name: impl Into<String>, schema: impl Into<Arc<Value>>) -> Self {
        Self {
            name: name.into(),
            schema: schema.into(),
        }
    }
}

/// What a model answered.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ModelResponse {
    /// Its text, if there is any; for [`StopReason::Refusal`], why it refuses.
    pub text: Option<String>,
    /// The tools it wants called.
    pub calls: Vec<ToolCall>,
    /// Why it stopped.
    pub stop: StopReason,
    /// What it cost.
    pub usage: Usage,
    /// What the provider wants back unchanged with the next request.
    pub opaque: Option<Opaque>,
    /// How probable its tokens were, from 0 to 1: their geometric mean. Only if it was asked for,
    /// and where the provider tells.
    pub token_probability: Option<f64>,
}

impl ModelResponse {
    /// An answer in words.
    pub fn text(text: impl Into<String>) -> Self {
        Self::default().with_text(text)
    }

    /// An answer that calls tools.
    pub fn calls(calls: impl IntoIterator<Item = ToolCall>) -> Self {
        Self::default()
            .with_calls(calls)
            .with_stop(StopReason::ToolCalls)
    }

    /// The same answer with a text.
    #[must_use]
    pub fn with_text(mut self, text: impl Into<String>) -> Self {
        self.text = Some(text.into());
        self
    }

    /// The same answer with calls of tools.
    #[must_use]
    pub fn with_calls(mut self, calls: impl IntoIterator<Item = ToolCall>) -> Self {
        self.calls = calls.into_iter().collect();
        self
    }

    /// The same answer with why it ended.
    #[must_use]
    pub fn with_stop(mut self, stop: StopReason) -> Self {
        self.stop = stop;
        self
    }

    /// The same answer with what it cost.
    #[must_use]
    pub fn with_usage(mut self, usage: Usage) -> Self {
        self.usage = usage;
        self
    }

    /// The same answer with what the provider wants back unchanged.
    #[must_use]
    pub fn with_opaque(mut self, opaque: impl Into<Option<Opaque>>) -> Self {
        self.opaque = opaque.into();
        self
    }

    /// The same answer with how probable its tokens were, from 0 to 1.
    #[must_use]
    pub fn with_token_probability(mut self, probability: impl Into<Option<f64>>) -> Self {
        self.token_probability = probability.into();
        self
    }
}

/// Why a model stopped.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum StopReason {
    /// It had said everything.
    #[default]
    End,
    /// It wants tools called.
    ToolCalls,
    /// It reached the number of tokens it may answer with: the answer is cut off, and so may be any
    /// of its calls. None of them is run.
    MaxTokens,
    /// The conversation fills the model's context window: there is no room for an answer.
    ContextWindow,
    /// The provider's filter stopped it.
    ContentFilter,
    /// It refuses.
    Refusal,
    /// A reason of the provider's own, in its own word. Calls of such an answer are not run, since it
    /// may have been interrupted.
    Other(String),
}

/// Tokens used.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct Usage {
    /// Tokens of what was asked, cached ones included.
    pub input: u64,
    /// Tokens of what was answered, reasoning included.
    pub output: u64,
    /// The part of `input` that the provider had cached.
    pub cached: u64,
    /// The part of `output` that was reasoning.
    pub reasoning: u64,
}

impl Usage {
    /// So many tokens asked and answered.
    ///
    /// ```
    /// use pravah_runtime::Usage;
    ///
    /// let usage = Usage::new(1_000, 200).with_cached(800);
    /// assert_eq!((usage.total(), usage.reasoning), (1_200, 0));
    /// ```
    pub fn new(input: u64, output: u64) -> Self {
        Self {
            input,
            output,
            ..Self::default()
        }
    }

    /// The same with how much of the input the provider had cached.
    #[must_use]
    pub fn with_cached(mut self, cached: u64) -> Self {
        self.cached = cached;
        self
    }

    /// The same with how much of the output was reasoning.
    #[must_use]
    pub fn with_reasoning(mut self, reasoning: u64) -> Self {
        self.reasoning = reasoning;
        self
    }

    /// Input and output together.
    pub fn total(self) -> u64 {
        self.input.saturating_add(self.output)
    }
}

impl std::ops::Add for Usage {
    type Output = Self;

    /// The sum; it stops at the largest number instead of overflowing.
    fn add(self, other: Self) -> Self {
        Self {
            input: self.input.saturating_add(other.input),
            output: self.output.saturating_add(other.output),
            cached: self.cached.saturating_add(other.cached),
            reasoning: self.reasoning.saturating_add(other.reasoning),
        }
    }
}

impl std::ops::Sub for Usage {
    type Output = Self;

    /// What was used since `earlier`; it stops at zero instead of overflowing.
    fn sub(self, earlier: Self) -> Self {
        Self {
            input: self.input.saturating_sub(earlier.input),
            output: self.output.saturating_sub(earlier.output),
            cached: self.cached.saturating_sub(earlier.cached),
            reasoning: self.reasoning.saturating_sub(earlier.reasoning),
        }
    }
}

impl std::ops::AddAssign for Usage {
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

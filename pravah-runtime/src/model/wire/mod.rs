//! The interfaces of the providers: requests written, answers read. Nothing here touches a network.
//!
//! An answer that comes as a stream is put together to the body that would have come in one piece,
//! and read as that: whole and streamed answers end in one [`Wire::lift`].

mod anthropic;
mod chat;
mod error;
mod gemini;
mod ollama;
mod responses;
mod value;

use serde_json::{Value, json};

use self::value::text;
pub(super) use self::{
    anthropic::Anthropic,
    chat::Chat,
    error::{Hints, WireError, failure, start_of},
    gemini::Gemini,
    ollama::Ollama,
    responses::Responses,
};
use super::{
    ModelError, ModelErrorKind, ModelRequest, ModelResponse, Part, ToolCall, ToolSpec, Usage,
    schema::{Cache, Dialect},
};

/// The interface of one provider.
pub(super) trait Wire: Send + Sync {
    /// The path beneath the base address that a model is asked at.
    fn path(&self, model: &str, stream: bool) -> String;

    /// The body of a request; an error says what of it the interface does not take.
    fn lower(
        &self,
        request: &ModelRequest,
        schemas: &Cache,
        stream: bool,
    ) -> Result<Value, ModelError>;

    /// Reads the body of an answer.
    fn lift(&self, body: &Value, model: &str) -> Result<ModelResponse, ModelError>;

    /// What an answer cost, as far as its body says: it may have broken off.
    fn usage(&self, body: &Value) -> Usage;

    /// Reads the body of an error, and an error that is in an answer.
    fn error(&self, body: &Value) -> Option<WireError>;

    /// How a stream is cut into events.
    fn framing(&self) -> Framing {
        Framing::Sse
    }

    /// Adds an event to the body so far.
    fn merge(&self, body: &mut Value, event: Value) -> Result<Merged, ModelError>;

    /// Whether a stream that ended here had said everything.
    fn is_whole(&self, body: &Value) -> bool;
}

/// What a user says: a text, or a list where there is more than one text.
fn user_content(parts: &[Part], lower_part: fn(&Part) -> Value) -> Value {
    match parts {
        [Part::Text(text)] => text.as_str().into(),
        parts => parts.iter().map(lower_part).collect(),
    }
}

/// A tool as chat completions have it; only OpenAI's dialect says whether its schema is strict.
fn lower_tool(tool: &ToolSpec, schemas: &Cache, dialect: Dialect) -> Result<Value, ModelError> {
    let lowered = schemas.lower(&tool.parameters, dialect, &tool.name)?;
    let mut function = value::fields(json!({
        "name": tool.name,
        "description": tool.description,
        "parameters": lowered.schema,
    }));
    let strict = (dialect == Dialect::OpenAi).then_some(lowered.strict);
    value::set(&mut function, "strict", strict);
    Ok(json!({ "type": "function", "function": function }))
}

/// How a stream is cut into events.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Framing {
    /// Server-sent events, with JSON as their data.
    Sse,
    /// A line of JSON each.
    Lines,
}

/// What an event added.
#[derive(Debug, Default)]
pub(super) struct Merged {
    /// Text that the model said.
    pub(super) text: Option<String>,
    /// Nothing comes after it.
    pub(super) is_last: bool,
}

impl Merged {
    fn text(text: Option<&str>) -> Self {
        Self {
            text: text.filter(|text| !text.is_empty()).map(str::to_owned),
            is_last: false,
        }
    }

    fn last() -> Self {
        Self {
            text: None,
            is_last: true,
        }
    }
}

/// Reads a tool call, whose parts are at these JSON pointers.
fn lift_call(call: &Value, [id, name, arguments]: [&str; 3]) -> Result<ToolCall, ModelError> {
    Ok(ToolCall {
        // Not every provider has one.
        id: text(call, id).unwrap_or_default().to_owned(),
        name: text(call, name)
            .ok_or_else(|| malformed("a tool call has no name"))?
            .to_owned(),
        arguments: value::arguments(call.pointer(arguments)),
    })
}

fn malformed(what: impl Into<String>) -> ModelError {
    ModelError::new(ModelErrorKind::Malformed, what)
}

/// The system prompt with the schema of the answer, for models that follow a schema better that they
/// have read, and for servers that take none.
pub(super) fn with_schema(system: &str, schema: &Value) -> String {
    let gap = if system.is_empty() { "" } else { "\n\n" };
    format!("{system}{gap}Answer with JSON that fits this schema:\n{schema}")
}

/// The most parts that a streamed answer may have.
const MAX_PARTS: u64 = 1_000;

/// Which part of a streamed answer an event is about.
fn index(value: &Value) -> Result<usize, ModelError> {
    value
        .as_u64()
        .filter(|index| *index < MAX_PARTS)
        .and_then(|index| usize::try_from(index).ok())
        .ok_or_else(|| malformed("an event is about a part that the answer cannot have"))
}

/// The geometric mean of the probabilities of an answer's tokens.
fn token_probability(tokens: &[Value]) -> Option<f64> {
    let logprobs = tokens.iter().map(|token| token.get("logprob")?.as_f64());
    let sum: f64 = logprobs.sum::<Option<f64>>()?;
    mean_probability(sum / f64::from(u32::try_from(tokens.len()).ok()?))
}

/// The probability of a mean logarithm.
fn mean_probability(mean: f64) -> Option<f64> {
    let probability = mean.exp();
    probability.is_finite().then(|| probability.clamp(0.0, 1.0))
}

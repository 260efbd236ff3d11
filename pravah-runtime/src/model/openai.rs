//! OpenAI's chat completions: requests written, answers and errors read. Nothing here touches a
//! network.

use std::time::Duration;

use serde::{Deserialize, Deserializer, de::DeserializeOwned};
use serde_json::{Map, Value, json};

use super::{
    Arguments, Message, ModelError, ModelErrorKind, ModelRequest, ModelResponse, StopReason,
    ToolCall, ToolResult, Usage, schema,
};

/// Tool and schema names are at most this long, in characters.
const MAX_NAME: usize = 64;

/// The longest part of a provider's error message that is kept, in characters.
const MAX_MESSAGE: usize = 500;

/// The body of the request.
pub(super) fn lower(request: &ModelRequest) -> Value {
    let mut messages = Vec::new();
    if !request.system.is_empty() {
        messages.push(json!({ "role": "system", "content": request.system }));
    }
    for message in request.messages.iter() {
        lower_message(message, &mut messages);
    }
    let mut body = fields(json!({ "model": request.model, "messages": messages }));
    if let Some(output) = &request.output {
        let (schema, strict) = schema::lower(&output.schema);
        let name = name(&output.name);
        body.extend(fields(json!({
            "response_format": {
                "type": "json_schema",
                "json_schema": { "name": name, "schema": schema, "strict": strict },
            },
        })));
    }
    if !request.tools.is_empty() {
        let tools: Vec<Value> = request.tools.iter().map(lower_tool).collect();
        body.extend(fields(json!({ "tools": tools, "tool_choice": "required" })));
    }
    Value::Object(body)
}

fn fields(value: Value) -> Map<String, Value> {
    match value {
        Value::Object(fields) => fields,
        _ => Map::new(),
    }
}

fn lower_tool(tool: &super::ToolSpec) -> Value {
    let (parameters, strict) = schema::lower(&tool.parameters);
    json!({
        "type": "function",
        "function": {
            "name": tool.name,
            "description": tool.description,
            "parameters": parameters,
            "strict": strict,
        },
    })
}

fn lower_message(message: &Message, out: &mut Vec<Value>) {
    match message {
        Message::User { text } => out.push(json!({ "role": "user", "content": text })),
        Message::Assistant { text, calls, .. } => {
            let mut message = fields(json!({ "role": "assistant", "content": text }));
            if !calls.is_empty() {
                let calls = calls.iter().map(lower_call).collect();
                message.insert("tool_calls".to_owned(), calls);
            }
            out.push(Value::Object(message));
        }
        Message::Tool { results } => {
            for ToolResult { call_id, text, .. } in results {
                out.push(json!({ "role": "tool", "tool_call_id": call_id, "content": text }));
            }
        }
    }
}

fn lower_call(call: &ToolCall) -> Value {
    let arguments = match &call.arguments {
        Arguments::Json(value) => value.to_string(),
        Arguments::Text(text) => text.clone(),
    };
    json!({
        "id": call.id,
        "type": "function",
        "function": { "name": call.name, "arguments": arguments },
    })
}

/// A name of the letters that are allowed.
fn name(text: &str) -> String {
    text.chars()
        .map(|c| {
            if c.is_ascii_alphanumeric() || c == '-' {
                c
            } else {
                '_'
            }
        })
        .take(MAX_NAME)
        .collect()
}

#[derive(Deserialize)]
struct Completion {
    #[serde(default, deserialize_with = "or_default")]
    choices: Vec<Choice>,
    #[serde(default, deserialize_with = "or_default")]
    usage: WireUsage,
}

#[derive(Deserialize)]
struct Choice {
    message: Answer,
    #[serde(default)]
    finish_reason: Option<String>,
}

#[derive(Deserialize)]
struct Answer {
    #[serde(default)]
    content: Option<Content>,
    #[serde(default)]
    refusal: Option<String>,
    #[serde(default, deserialize_with = "or_default")]
    tool_calls: Vec<WireCall>,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Content {
    Text(String),
    Parts(Vec<Part>),
}

#[derive(Deserialize)]
struct Part {
    #[serde(default)]
    text: String,
}

#[derive(Deserialize)]
struct WireCall {
    #[serde(default, deserialize_with = "or_default")]
    id: String,
    function: Function,
}

#[derive(Deserialize)]
struct Function {
    name: String,
    /// A text with JSON in it; some servers send the JSON itself.
    #[serde(default)]
    arguments: Value,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct WireUsage {
    #[serde(deserialize_with = "or_default")]
    prompt_tokens: u64,
    #[serde(deserialize_with = "or_default")]
    completion_tokens: u64,
    #[serde(deserialize_with = "or_default")]
    prompt_tokens_details: PromptDetails,
    #[serde(deserialize_with = "or_default")]
    completion_tokens_details: CompletionDetails,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct PromptDetails {
    #[serde(deserialize_with = "or_default")]
    cached_tokens: u64,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct CompletionDetails {
    #[serde(deserialize_with = "or_default")]
    reasoning_tokens: u64,
}

/// Takes `null` for nothing.
fn or_default<'de, T, D>(deserializer: D) -> Result<T, D::Error>
where
    T: DeserializeOwned + Default,
    D: Deserializer<'de>,
{
    Ok(Option::deserialize(deserializer)?.unwrap_or_default())
}

/// Reads the body of an answer.
pub(super) fn lift(body: &[u8]) -> Result<ModelResponse, ModelError> {
    let malformed = |what: String| ModelError::new(ModelErrorKind::Malformed, what);
    let completion: Completion = serde_json::from_slice(body).map_err(|error| {
        // The error's own text may quote the answer.
        malformed(format!(
            "the answer is not a chat completion (line {}, column {})",
            error.line(),
            error.column()
        ))
        .with_source(error)
    })?;
    let Some(choice) = completion.choices.into_iter().next() else {
        return Err(match wire_error(body) {
            Some(error) => ModelError::new(ModelErrorKind::Upstream, error.to_string()),
            None => malformed("the answer has no choices".to_owned()),
        });
    };
    let answer = choice.message;
    let refused = answer.refusal.is_some();
    let text = answer.refusal.or(match answer.content {
        Some(Content::Text(text)) => Some(text),
        Some(Content::Parts(parts)) => Some(parts.into_iter().map(|part| part.text).collect()),
        None => None,
    });
    let calls: Vec<ToolCall> = answer.tool_calls.into_iter().map(lift_call).collect();
    let stop = match choice.finish_reason.as_deref() {
        _ if refused => StopReason::Refusal,
        // Some servers say `stop` after tool calls.
        _ if !calls.is_empty() => StopReason::ToolCalls,
        Some("stop") | None => StopReason::End,
        Some("tool_calls") => StopReason::ToolCalls,
        Some("length") => StopReason::MaxTokens,
        Some("content_filter") => StopReason::ContentFilter,
        Some(other) => StopReason::Other(other.to_owned()),
    };
    let usage = completion.usage;
    Ok(ModelResponse {
        text: text.filter(|text| !text.is_empty()),
        calls,
        stop,
        usage: Usage {
            input: usage.prompt_tokens,
            output: usage.completion_tokens,
            cached: usage.prompt_tokens_details.cached_tokens,
            reasoning: usage.completion_tokens_details.reasoning_tokens,
        },
        opaque: None,
    })
}

fn lift_call(call: WireCall) -> ToolCall {
    ToolCall {
        id: call.id,
        name: call.function.name,
        arguments: match call.function.arguments {
            Value::String(text) => Arguments::parse(&text),
            Value::Null => Arguments::parse(""),
            value => Arguments::Json(value),
        },
    }
}

/// What an error's headers say.
#[derive(Default)]
pub(super) struct Hints {
    pub(super) retry_after: Option<Duration>,
    pub(super) should_retry: Option<bool>,
}

/// Makes an error of an answer whose status is not a success.
pub(super) fn lift_error(status: u16, body: &[u8], hints: Hints) -> ModelError {
    let error = wire_error(body);
    let code = error.as_ref().and_then(|error| error.code.as_deref());
    let kind = match (status, code) {
        (_, Some("insufficient_quota" | "billing_hard_limit_reached")) | (402, _) => {
            ModelErrorKind::Quota
        }
        (401 | 403, _) => ModelErrorKind::Auth,
        (429, _) => ModelErrorKind::RateLimited,
        (408 | 409 | 500.., _) => ModelErrorKind::Upstream,
        _ => ModelErrorKind::InvalidRequest,
    };
    let message = match &error {
        // What providers say about a wrong key shows part of it.
        _ if kind == ModelErrorKind::Auth => "the key was not accepted".to_owned(),
        Some(error) => error.to_string(),
        None => "no reason was given".to_owned(),
    };
    let retryable = match kind {
        ModelErrorKind::Quota => Some(false),
        _ => hints.should_retry,
    };
    ModelError::new(kind, format!("{message} (status {status})"))
        .with_retry_after(hints.retry_after)
        .with_retryable(retryable)
}

struct WireError {
    message: String,
    code: Option<String>,
}

impl std::fmt::Display for WireError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.message)
    }
}

/// Reads `{"error": {"message": …, "code": …}}`, and `{"error": "…"}` of compatible servers.
fn wire_error(body: &[u8]) -> Option<WireError> {
    let body: Value = serde_json::from_slice(body).ok()?;
    let error = body.get("error")?;
    let text = |key| error.get(key).and_then(Value::as_str);
    let message = error.as_str().or_else(|| text("message"))?;
    Some(WireError {
        message: message.chars().take(MAX_MESSAGE).collect(),
        code: text("code").or_else(|| text("type")).map(str::to_owned),
    })
}

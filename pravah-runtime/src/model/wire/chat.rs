//! OpenAI's chat completions, and the many servers that speak the same.
//!
//! <https://platform.openai.com/docs/api-reference/chat>

mod lower;

use serde_json::{Map, Value, json};

use super::{
    Merged, Wire, WireError, malformed,
    value::{append, count, edit, edit_item, field, list, push, text},
};
use crate::model::{
    ModelError, ModelRequest, ModelResponse, Opaque, OutputMode, StopReason, ToolCall, Usage,
    known, schema::Cache,
};

/// Where the parts of a tool call are.
const CALL: [&str; 3] = ["/id", "/function/name", "/function/arguments"];

/// What compatible servers send of a model's reasoning, and want back as it came. OpenAI itself sends
/// none here.
const REASONING: [&str; 3] = ["reasoning", "reasoning_content", "reasoning_details"];

/// What Gemini's compatible server sends beside a call, and wants back with it.
const BESIDE_CALL: &str = "extra_content";

/// What OpenAI and compatible servers say of an answer that is complete.
const FINISHED: [&str; 8] = [
    "stop",
    "tool_calls",
    "function_call",
    "tool_use",
    "end_turn",
    "stop_sequence",
    "eos",
    "STOP",
];

/// Chat completions, as one server has them.
pub(in crate::model) struct Chat {
    /// The scheme of its model URLs: what only this server understands goes back to it alone.
    pub(in crate::model) scheme: String,
    /// Whether it is somebody else's server, which speaks as OpenAI did first.
    pub(in crate::model) is_compatible: bool,
    /// How JSON is asked for, if the user says so.
    pub(in crate::model) output: Option<OutputMode>,
    /// Whether the text beside tool calls may not be missing.
    pub(in crate::model) string_content: bool,
}

impl Chat {
    /// How a model is asked for JSON.
    fn output(&self, model: &str) -> OutputMode {
        self.output
            .unwrap_or(match known::family(model).chat_schema {
                true => OutputMode::Schema,
                false => OutputMode::Object,
            })
    }
}

impl Wire for Chat {
    fn path(&self, _: &str, _: bool) -> String {
        "/chat/completions".to_owned()
    }

    fn lower(
        &self,
        request: &ModelRequest,
        schemas: &Cache,
        stream: bool,
    ) -> Result<Value, ModelError> {
        lower::lower(self, request, schemas, stream)
    }

    fn lift(&self, body: &Value, model: &str) -> Result<ModelResponse, ModelError> {
        if !matches!(
            body.get("choices"),
            Some(Value::Array(_) | Value::Null) | None
        ) || !body.is_object()
        {
            return Err(malformed("the answer is not a chat completion"));
        }
        if let Some(error) = self.error(body) {
            return Err(error.into_error());
        }
        let Some(choice) = list(body, "/choices").first() else {
            return Err(malformed("the answer has no choices"));
        };
        let message = choice
            .get("message")
            .filter(|message| message.is_object())
            .ok_or_else(|| malformed("the answer has no message"))?;
        if text(choice, "/finish_reason") == Some("error") {
            return Err(WireError::default().into_error());
        }
        let refusal = text(message, "/refusal").filter(|refusal| !refusal.is_empty());
        let refusal = refusal.map(str::to_owned);
        let calls: Vec<ToolCall> = list(message, "/tool_calls")
            .iter()
            .filter(|call| !call.is_null())
            .map(|call| super::lift_call(call, CALL))
            .collect::<Result<_, _>>()?;
        let stop = match text(choice, "/finish_reason") {
            _ if refusal.is_some() => StopReason::Refusal,
            Some("content_filter") => StopReason::ContentFilter,
            Some("length" | "max_tokens" | "MAX_TOKENS" | "model_length") => StopReason::MaxTokens,
            // Some servers say `stop` after tool calls, or a word of their own for it.
            Some(word) if !FINISHED.contains(&word) => StopReason::Other(word.to_owned()),
            Some("tool_calls") => StopReason::ToolCalls,
            _ if !calls.is_empty() => StopReason::ToolCalls,
            _ => StopReason::End,
        };
        Ok(ModelResponse {
            text: refusal
                .or_else(|| content(message))
                .filter(|text| !text.is_empty()),
            calls,
            stop,
            usage: self.usage(body),
            opaque: opaque(message, &self.scheme, model),
            token_probability: super::token_probability(list(choice, "/logprobs/content")),
        })
    }

    fn usage(&self, body: &Value) -> Usage {
        Usage {
            input: count(body, "/usage/prompt_tokens"),
            output: count(body, "/usage/completion_tokens"),
            cached: count(body, "/usage/prompt_tokens_details/cached_tokens"),
            reasoning: count(body, "/usage/completion_tokens_details/reasoning_tokens"),
        }
    }

    fn error(&self, body: &Value) -> Option<WireError> {
        // Some servers put the error of an answer that failed halfway beside it.
        let choice = body.pointer("/choices/0").and_then(WireError::of_openai);
        WireError::of_openai(body).or_else(|| choice.map(WireError::reported_by_provider))
    }

    fn merge(&self, body: &mut Value, event: Value) -> Result<Merged, ModelError> {
        if event == json!("[DONE]") {
            return Ok(Merged::last());
        }
        // An error may come with what was charged until then.
        edit(body, |body| {
            if let Some(usage) = event.get("usage").filter(|usage| !usage.is_null()) {
                body.insert("usage".to_owned(), usage.clone());
            }
        });
        if let Some(error) = self.error(&event) {
            // Whoever has started to answer knows the path and the model.
            return Err(match body.get("choices") {
                Some(_) => error.reported_by_provider().into_error(),
                None => error.into_error(),
            });
        }
        let choice = list(&event, "/choices").first();
        edit(body, |body| -> Result<(), ModelError> {
            if let Some(choice) = choice {
                let mut whole = Ok(());
                edit_item(field(body, "choices"), 0, |choices| {
                    whole = merge_choice(choices, choice);
                });
                whole?;
            }
            Ok(())
        })?;
        Ok(Merged::text(
            choice.and_then(|choice| text(choice, "/delta/content")),
        ))
    }

    fn is_whole(&self, body: &Value) -> bool {
        // Some servers leave out the last line, `[DONE]`.
        text(body, "/choices/0/finish_reason").is_some()
    }
}

fn content(message: &Value) -> Option<String> {
    match message.get("content")? {
        Value::String(text) => Some(text.clone()),
        Value::Array(parts) => Some(
            parts
                .iter()
                .filter_map(|part| text(part, "/text"))
                .collect(),
        ),
        _ => None,
    }
}

fn opaque(message: &Value, scheme: &str, model: &str) -> Option<Opaque> {
    let mut extra: Map<String, Value> = message
        .as_object()?
        .iter()
        .filter(|(key, value)| REASONING.contains(&key.as_str()) && !value.is_null())
        .map(|(key, value)| (key.clone(), value.clone()))
        .collect();
    let calls = list(message, "/tool_calls").iter();
    let beside: Vec<Value> = calls
        .map(|call| call.get(BESIDE_CALL).cloned().unwrap_or_default())
        .collect();
    if !beside.iter().all(Value::is_null) {
        extra.insert(BESIDE_CALL.to_owned(), beside.into());
    }
    (!extra.is_empty()).then(|| Opaque::new(scheme, model, extra.into()))
}

/// Adds what a chunk says of the answer.
fn merge_choice(whole: &mut Value, chunk: &Value) -> Result<(), ModelError> {
    edit(whole, |whole| {
        if let Some(reason) = text(chunk, "/finish_reason") {
            whole.insert("finish_reason".to_owned(), reason.into());
        }
        let probabilities = list(chunk, "/logprobs/content");
        if !probabilities.is_empty() {
            edit(field(whole, "logprobs"), |logprobs| {
                for token in probabilities {
                    push(field(logprobs, "content"), token.clone());
                }
            });
        }
        // Some servers answer in one piece, whatever they were asked.
        let delta = chunk.get("delta").or_else(|| chunk.get("message"));
        let delta = delta.and_then(Value::as_object);
        edit(field(whole, "message"), |message| {
            for (key, value) in delta.into_iter().flatten() {
                match (key.as_str(), value) {
                    ("tool_calls", Value::Array(calls)) => {
                        for call in calls {
                            merge_call(field(message, "tool_calls"), call)?;
                        }
                    }
                    ("role", value) => {
                        message.insert("role".to_owned(), value.clone());
                    }
                    (_, Value::String(more)) => append(field(message, key), more),
                    (_, Value::Null) => {}
                    (_, Value::Array(more)) => {
                        for item in more {
                            push(field(message, key), item.clone());
                        }
                    }
                    (_, value) => {
                        message.insert(key.clone(), value.clone());
                    }
                }
            }
            Ok(())
        })
    })
}

fn merge_call(calls: &mut Value, part: &Value) -> Result<(), ModelError> {
    // A server that numbers none sends each call whole.
    let known = calls.as_array().map_or(0, Vec::len);
    let index = match part.get("index").filter(|index| !index.is_null()) {
        Some(index) => super::index(index)?,
        None => known,
    };
    // Some number all calls alike: a new id begins a new call.
    let of = |call: Option<&Value>| call.and_then(|call| text(call, "/id")).map(str::to_owned);
    let (there, new) = (of(calls.get(index)), of(Some(part)));
    let index = match (there, new) {
        (Some(there), Some(new)) if !new.is_empty() && there != new => {
            let calls = calls.as_array().map(Vec::as_slice).unwrap_or_default();
            let same = calls
                .iter()
                .position(|call| text(call, "/id") == Some(&*new));
            same.unwrap_or(known)
        }
        _ => index,
    };
    edit_item(calls, index, |call| {
        edit(call, |call| {
            for (key, value) in part.as_object().into_iter().flatten() {
                if key == "function" {
                    merge_function(field(call, "function"), value);
                } else {
                    update_one(call, key, value);
                }
            }
        });
    });
    Ok(())
}

fn merge_function(function: &mut Value, part: &Value) {
    edit(function, |function| {
        for (key, value) in part.as_object().into_iter().flatten() {
            match value {
                Value::String(more) if key == "arguments" => append(field(function, key), more),
                value => update_one(function, key, value),
            }
        }
    });
}

fn update_one(fields: &mut Map<String, Value>, key: &str, value: &Value) {
    let is_empty = value.is_null() || value == "";
    if !is_empty {
        fields.insert(key.to_owned(), value.clone());
    }
}

//! Ollama's chat.
//!
//! <https://github.com/ollama/ollama/blob/main/docs/api.md>

mod lower;

use serde_json::{Value, json};

use super::{
    Framing, Merged, Wire, WireError, malformed,
    value::{append, count, edit, field, list, push, text},
};
use crate::model::{
    ModelError, ModelRequest, ModelResponse, Opaque, Provider, StopReason, Usage, schema::Cache,
};

const PROVIDER: &str = Provider::Ollama.scheme();

/// Where the parts of a tool call are.
const CALL: [&str; 3] = ["/id", "/function/name", "/function/arguments"];

/// Where a message and its opaque items keep what the model thought.
const THINKING: &str = "thinking";

/// Where the opaque items of a message keep, for each of its calls, whether the server gave it an id.
const HAS_ID: &str = "has_id";

pub(in crate::model) struct Ollama;

impl Wire for Ollama {
    fn path(&self, _: &str, _: bool) -> String {
        "/api/chat".to_owned()
    }

    fn lower(
        &self,
        request: &ModelRequest,
        schemas: &Cache,
        stream: bool,
    ) -> Result<Value, ModelError> {
        lower::lower(request, schemas, stream)
    }

    fn lift(&self, body: &Value, model: &str) -> Result<ModelResponse, ModelError> {
        if let Some(error) = self.error(body) {
            return Err(error.into_error());
        }
        let message = body
            .get("message")
            .filter(|message| message.is_object())
            .ok_or_else(|| malformed("the answer has no message"))?;
        let calls = list(message, "/tool_calls")
            .iter()
            .map(|call| super::lift_call(call, CALL))
            .collect::<Result<Vec<_>, _>>()?;
        let stop = match text(body, "/done_reason") {
            Some("length") => StopReason::MaxTokens,
            Some(other) if !["stop", "tool_calls"].contains(&other) => {
                StopReason::Other(other.to_owned())
            }
            None if body.get("done") == Some(&Value::Bool(false)) => {
                StopReason::Other("not done".to_owned())
            }
            _ if !calls.is_empty() => StopReason::ToolCalls,
            _ => StopReason::End,
        };
        let said = text(message, "/content").unwrap_or_default();
        Ok(ModelResponse {
            text: Some(said.to_owned()).filter(|said| !said.is_empty()),
            calls,
            stop,
            usage: self.usage(body),
            opaque: opaque(message, model),
            token_probability: super::token_probability(list(body, "/logprobs")),
        })
    }

    fn usage(&self, body: &Value) -> Usage {
        Usage {
            input: count(body, "/prompt_eval_count"),
            output: count(body, "/eval_count"),
            ..Default::default()
        }
    }

    fn error(&self, body: &Value) -> Option<WireError> {
        WireError::of_openai(body).map(WireError::reported_by_provider)
    }

    fn framing(&self) -> Framing {
        Framing::Lines
    }

    fn merge(&self, body: &mut Value, event: Value) -> Result<Merged, ModelError> {
        if let Some(error) = self.error(&event) {
            return Err(error.into_error());
        }
        edit(body, |body| {
            for (key, value) in event.as_object().into_iter().flatten() {
                match (key.as_str(), value) {
                    ("message", part) => merge_message(field(body, "message"), part),
                    ("logprobs", Value::Array(tokens)) => {
                        for token in tokens {
                            push(field(body, "logprobs"), token.clone());
                        }
                    }
                    (_, value) => {
                        body.insert(key.clone(), value.clone());
                    }
                }
            }
        });
        match event.get("done") {
            Some(Value::Bool(true)) => Ok(Merged {
                text: Merged::text(text(&event, "/message/content")).text,
                is_last: true,
            }),
            _ => Ok(Merged::text(text(&event, "/message/content"))),
        }
    }

    fn is_whole(&self, body: &Value) -> bool {
        body.get("done") == Some(&Value::Bool(true))
    }
}

/// What goes back as it came: the model's thinking, and which of its calls had an id of the server's.
fn opaque(message: &Value, model: &str) -> Option<Opaque> {
    let mut extra = serde_json::Map::new();
    if let Some(thinking) = text(message, "/thinking").filter(|thinking| !thinking.is_empty()) {
        extra.insert(THINKING.to_owned(), thinking.into());
    }
    let calls = list(message, "/tool_calls").iter();
    let has_id: Vec<bool> = calls
        .map(|call| text(call, "/id").is_some_and(|id| !id.is_empty()))
        .collect();
    if has_id.contains(&true) {
        extra.insert(HAS_ID.to_owned(), json!(has_id));
    }
    (!extra.is_empty()).then(|| Opaque::new(PROVIDER, model, extra.into()))
}

fn merge_message(whole: &mut Value, part: &Value) {
    edit(whole, |whole| {
        for (key, value) in part.as_object().into_iter().flatten() {
            match (key.as_str(), value) {
                ("content" | "thinking", Value::String(more)) => append(field(whole, key), more),
                ("tool_calls", Value::Array(calls)) => {
                    for call in calls {
                        push(field(whole, key), call.clone());
                    }
                }
                (_, value) => {
                    whole.insert(key.clone(), value.clone());
                }
            }
        }
    });
}

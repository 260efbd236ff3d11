//! Ollama's chat.
//!
//! <https://github.com/ollama/ollama/blob/main/docs/api.md>

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::{
    Framing, Merged, Wire, WireError, malformed,
    value::{append, arguments_object, count, edit, field, fields, list, push, text},
};
use crate::model::{
    Message, ModelError, ModelRequest, ModelResponse, Opaque, StopReason, ToolCall, ToolResult,
    ToolSpec, Usage,
    schema::{Cache, Dialect},
};

const PROVIDER: &str = "ollama";

/// Where the parts of a tool call stand.
const CALL: [&str; 3] = ["/id", "/function/name", "/function/arguments"];

/// Where a message and its opaque items keep what the model thought.
const THINKING: &str = "thinking";

/// Where the opaque items of a message keep, for each of its calls, whether the server gave it an id.
const HAS_ID: &str = "has_id";

pub(in crate::model) struct Ollama;

impl Wire for Ollama {
    fn dialect(&self) -> Dialect {
        Dialect::Ollama
    }

    fn path(&self, _: &str, _: bool) -> String {
        "/api/chat".to_owned()
    }

    fn lower(
        &self,
        request: &ModelRequest,
        schemas: &Cache,
        stream: bool,
    ) -> Result<Value, ModelError> {
        let mut system = request.system.clone();
        let mut body = fields(json!({ "model": request.model, "stream": stream }));
        if let Some(output) = &request.output {
            let lowered = schemas.lower(&output.schema, self.dialect(), &output.name)?;
            // Models follow a schema better that they have read.
            let told = format!(
                "Answer with JSON that fits this schema:\n{}",
                lowered.schema
            );
            system = match system.is_empty() {
                true => told,
                false => format!("{system}\n\n{told}"),
            };
            body.insert("format".to_owned(), lowered.schema.clone());
        }
        let mut messages = Vec::new();
        if !system.is_empty() {
            messages.push(json!({ "role": "system", "content": system }));
        }
        let mut ids = BTreeSet::new();
        for message in request.messages.iter() {
            lower_message(message, &request.model, &mut ids, &mut messages);
        }
        body.insert("messages".to_owned(), messages.into());
        if !request.tools.is_empty() {
            let tools = request.tools.iter().map(|tool| lower_tool(tool, schemas));
            let tools = tools.collect::<Result<Vec<_>, _>>()?;
            body.insert("tools".to_owned(), tools.into());
        }
        if request.token_probabilities {
            body.insert("logprobs".to_owned(), json!(true));
        }
        Ok(Value::Object(body))
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
            _ if !calls.is_empty() => StopReason::ToolCalls,
            Some("stop") | None => StopReason::End,
            Some(other) => StopReason::Other(other.to_owned()),
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
        WireError::of_openai(body)
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

fn lower_tool(tool: &ToolSpec, schemas: &Cache) -> Result<Value, ModelError> {
    let lowered = schemas.lower(&tool.parameters, Dialect::OllamaTool, &tool.name)?;
    Ok(json!({
        "type": "function",
        "function": {
            "name": tool.name,
            "description": tool.description,
            "parameters": lowered.schema,
        },
    }))
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

/// `ids` are those of the calls that were sent with one: not every server gives its calls any.
fn lower_message(message: &Message, model: &str, ids: &mut BTreeSet<String>, out: &mut Vec<Value>) {
    match message {
        Message::User { text } => out.push(json!({ "role": "user", "content": text })),
        Message::Assistant {
            text,
            calls,
            opaque,
        } => {
            let said = text.as_deref().unwrap_or_default();
            let mut message = fields(json!({ "role": "assistant", "content": said }));
            let extra = Opaque::of(opaque, PROVIDER, model);
            if let Some(thinking) = extra.and_then(|extra| extra.get(THINKING)) {
                message.insert(THINKING.to_owned(), thinking.clone());
            }
            let has_id = extra.map_or(&[][..], |extra| list(extra, "/has_id"));
            let is_with_id = |i: usize| has_id.get(i) == Some(&Value::Bool(true));
            if !calls.is_empty() {
                let calls = calls.iter().enumerate().map(|(i, call)| {
                    let mut lowered = lower_call(call);
                    if is_with_id(i) {
                        ids.insert(call.id.clone());
                        edit(&mut lowered, |it| {
                            it.insert("id".to_owned(), json!(call.id))
                        });
                    }
                    lowered
                });
                message.insert("tool_calls".to_owned(), calls.collect());
            }
            out.push(Value::Object(message));
        }
        Message::Tool { results } => {
            out.extend(results.iter().map(|result| lower_result(result, ids)));
        }
    }
}

fn lower_call(call: &ToolCall) -> Value {
    json!({ "function": { "name": call.name, "arguments": arguments_object(&call.arguments) } })
}

fn lower_result(result: &ToolResult, ids: &BTreeSet<String>) -> Value {
    let mut message = fields(json!({
        "role": "tool",
        "tool_name": result.name,
        "content": result.text,
    }));
    if ids.contains(&result.call_id) {
        message.insert("tool_call_id".to_owned(), json!(result.call_id));
    }
    Value::Object(message)
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

//! What is said to models and what they answer, as the conventions write it in attributes: JSON, by the schemas
//! `gen-ai-input-messages.json`, `gen-ai-output-messages.json` and `gen-ai-system-instructions.json`.

use serde_json::{Value, json};

use super::attributes as a;
use crate::model::{Arguments, Message, Messages, ModelResponse, Part, ToolCall};

pub(super) fn instructions(system: &str) -> String {
    json!([text(system)]).to_string()
}

pub(super) fn input(messages: &Messages) -> String {
    messages.iter().map(message).collect::<Value>().to_string()
}

pub(super) fn output(response: &ModelResponse) -> String {
    let parts = answer(response.text.as_deref(), &response.calls);
    let finish_reason = a::finish_reason(&response.stop);
    json!([{ "role": "assistant", "parts": parts, "finish_reason": finish_reason }]).to_string()
}

fn message(message: &Message) -> Value {
    match message {
        Message::User { parts } => {
            let parts: Value = parts.iter().map(part).collect();
            json!({ "role": "user", "parts": parts })
        }
        Message::Assistant { text, calls, .. } => {
            json!({ "role": "assistant", "parts": answer(text.as_deref(), calls) })
        }
        Message::Tool { results } => {
            let results = results.iter().map(|result| {
                let response = result.text.as_str();
                json!({ "type": "tool_call_response", "id": result.call_id, "response": response })
            });
            json!({ "role": "tool", "parts": results.collect::<Value>() })
        }
    }
}

/// Images and files are named without their bytes, which are too many for an attribute.
fn part(part: &Part) -> Value {
    match part {
        Part::Text(said) => text(said),
        Part::Image(_) => json!({ "type": "image" }),
        Part::File(_) => json!({ "type": "file" }),
    }
}

fn answer(said: Option<&str>, calls: &[ToolCall]) -> Value {
    said.map(text)
        .into_iter()
        .chain(calls.iter().map(call))
        .collect()
}

fn text(content: &str) -> Value {
    json!({ "type": "text", "content": content })
}

fn call(call: &ToolCall) -> Value {
    json!({ "type": "tool_call", "id": call.id, "name": call.name, "arguments": arguments(&call.arguments) })
}

/// The arguments of a call, or what the model wrote instead.
fn arguments(arguments: &Arguments) -> Value {
    match arguments {
        Arguments::Json(arguments) => arguments.clone(),
        Arguments::Text(text) => Value::from(&**text),
    }
}

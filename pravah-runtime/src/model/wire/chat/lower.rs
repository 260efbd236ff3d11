//! Requests of chat completions.

use serde_json::{Value, json};

use super::{
    super::only_text,
    super::value::{arguments_text, edit, fields},
    BESIDE_CALL, PROVIDER, update_one,
};
use crate::model::{
    Message, ModelError, ModelRequest, Opaque, Part, ToolCall, ToolResult, ToolSpec,
    schema::{Cache, Dialect, name},
};

pub(super) fn lower(
    request: &ModelRequest,
    schemas: &Cache,
    stream: bool,
) -> Result<Value, ModelError> {
    let mut messages = Vec::new();
    if !request.system.is_empty() {
        messages.push(json!({ "role": "system", "content": request.system }));
    }
    for message in request.messages.iter() {
        lower_message(message, &request.model, &mut messages);
    }
    let mut body = fields(json!({ "model": request.model, "messages": messages }));
    if let Some(output) = &request.output {
        let lowered = schemas.lower(&output.schema, Dialect::OpenAi, &output.name)?;
        let format = json!({
            "type": "json_schema",
            "json_schema": {
                "name": name(&output.name),
                "schema": lowered.schema,
                "strict": lowered.strict,
            },
        });
        body.insert("response_format".to_owned(), format);
    }
    if !request.tools.is_empty() {
        let tools = request.tools.iter().map(|tool| lower_tool(tool, schemas));
        let tools = tools.collect::<Result<Vec<_>, _>>()?;
        body.extend(fields(json!({ "tools": tools, "tool_choice": "required" })));
    }
    if request.token_probabilities {
        body.insert("logprobs".to_owned(), json!(true));
    }
    if stream {
        let usage = json!({ "include_usage": true });
        body.extend(fields(json!({ "stream": true, "stream_options": usage })));
    }
    Ok(Value::Object(body))
}

fn lower_tool(tool: &ToolSpec, schemas: &Cache) -> Result<Value, ModelError> {
    let lowered = schemas.lower(&tool.parameters, Dialect::OpenAi, &tool.name)?;
    Ok(json!({
        "type": "function",
        "function": {
            "name": tool.name,
            "description": tool.description,
            "parameters": lowered.schema,
            "strict": lowered.strict,
        },
    }))
}

fn lower_message(message: &Message, model: &str, out: &mut Vec<Value>) {
    match message {
        Message::User { parts } => {
            let content = match only_text(parts) {
                Some(text) => json!(text),
                None => parts.iter().map(lower_part).collect(),
            };
            out.push(json!({ "role": "user", "content": content }));
        }
        Message::Assistant {
            text,
            calls,
            opaque,
        } => {
            // Only beside calls may there be no text.
            let said = text.as_deref().or(calls.is_empty().then_some(""));
            let mut message = fields(json!({ "role": "assistant", "content": said }));
            let mut calls: Vec<Value> = calls.iter().map(lower_call).collect();
            if let Some(Value::Object(extra)) = Opaque::of(opaque, PROVIDER, model) {
                message.extend(extra.clone());
            }
            if let Some(Value::Array(beside)) = message.remove(BESIDE_CALL) {
                for (call, extra) in calls.iter_mut().zip(beside) {
                    edit(call, |call| update_one(call, BESIDE_CALL, &extra));
                }
            }
            if !calls.is_empty() {
                message.insert("tool_calls".to_owned(), calls.into());
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
    let arguments = arguments_text(&call.arguments);
    json!({
        "id": call.id,
        "type": "function",
        "function": { "name": call.name, "arguments": arguments },
    })
}

fn lower_part(part: &Part) -> Value {
    match part {
        Part::Text(text) => json!({ "type": "text", "text": text }),
        Part::Image(image) => {
            json!({ "type": "image_url", "image_url": { "url": image.to_url() } })
        }
        Part::File(file) => {
            let name = file.name().unwrap_or("file");
            json!({ "type": "file", "file": { "filename": name, "file_data": file.to_url() } })
        }
    }
}

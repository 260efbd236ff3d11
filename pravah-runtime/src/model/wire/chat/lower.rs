//! Requests of chat completions.

use serde_json::{Map, Value, json};

use super::{
    super::{
        lower_tool, user_content,
        value::{arguments_text, edit, fields, merge_fields, set},
        with_schema,
    },
    BESIDE_CALL, Chat, update_one,
};
use crate::model::{
    Message, ModelError, ModelOptions, ModelRequest, Opaque, OutputMode, OutputSpec, Part,
    Reasoning, ToolCall, ToolResult, known, limits,
    schema::{Cache, Dialect, name},
};

pub(super) fn lower(
    chat: &Chat,
    request: &ModelRequest,
    schemas: &Cache,
    stream: bool,
) -> Result<Value, ModelError> {
    let limits = match chat.is_compatible {
        true => &limits::COMPATIBLE,
        false => &limits::CHAT,
    };
    limits::check(request, limits)?;
    let mut body = fields(json!({ "model": request.model }));
    let mut system = request.system.clone();
    if let Some(output) = &request.output {
        let mode = chat.output(&request.model);
        if mode != OutputMode::Schema {
            system = with_schema(&system, &output.schema);
        }
        set(&mut body, "response_format", format(mode, output, schemas)?);
    }
    let mut messages = Vec::new();
    if !system.is_empty() {
        messages.push(json!({ "role": "system", "content": system }));
    }
    for message in request.messages.iter() {
        lower_message(chat, message, &request.model, &mut messages);
    }
    body.insert("messages".to_owned(), messages.into());
    if !request.tools.is_empty() {
        let tools = request
            .tools
            .iter()
            .map(|tool| lower_tool(tool, schemas, Dialect::OpenAi));
        let tools = tools.collect::<Result<Vec<_>, _>>()?;
        body.insert("tools".to_owned(), tools.into());
        let forced = known::forces_tools(request).then_some("required");
        set(&mut body, "tool_choice", forced);
    }
    if request.token_probabilities {
        body.insert("logprobs".to_owned(), json!(true));
    }
    if stream {
        let usage = json!({ "include_usage": true });
        body.extend(fields(json!({ "stream": true, "stream_options": usage })));
    }
    lower_options(chat, &request.options, &mut body);
    Ok(Value::Object(body))
}

fn lower_options(chat: &Chat, options: &ModelOptions, body: &mut Map<String, Value>) {
    if let Some(Reasoning::Effort(effort)) = options.reasoning {
        set(body, "reasoning_effort", Some(effort.word()));
    }
    // OpenAI's own models refuse the older word, and other servers may not know the newer one.
    let length = match chat.is_compatible {
        true => "max_tokens",
        false => "max_completion_tokens",
    };
    set(body, length, options.max_tokens);
    set(body, "temperature", options.temperature);
    set(body, "top_p", options.top_p);
    set(body, "seed", options.seed);
    set(
        body,
        "stop",
        Some(&options.stop).filter(|it| !it.is_empty()),
    );
    let metadata = Some(&options.metadata);
    set(body, "metadata", metadata.filter(|it| !it.is_empty()));
    merge_fields(body, &options.extra);
}

/// How JSON is asked for, as far as the server can be asked.
fn format(
    mode: OutputMode,
    output: &OutputSpec,
    schemas: &Cache,
) -> Result<Option<Value>, ModelError> {
    let schema = || schemas.lower(&output.schema, Dialect::OpenAi, &output.name);
    Ok(Some(match mode {
        OutputMode::Schema => {
            let lowered = schema()?;
            json!({
                "type": "json_schema",
                "json_schema": {
                    "name": name(&output.name),
                    "schema": lowered.schema,
                    "strict": lowered.strict,
                },
            })
        }
        OutputMode::Object => json!({ "type": "json_object" }),
        OutputMode::ObjectSchema => {
            json!({ "type": "json_object", "schema": schema()?.schema })
        }
        OutputMode::Prompt => return Ok(None),
    }))
}

fn lower_message(chat: &Chat, message: &Message, model: &str, out: &mut Vec<Value>) {
    match message {
        Message::User { parts } => {
            let content = user_content(parts, lower_part);
            out.push(json!({ "role": "user", "content": content }));
        }
        Message::Assistant {
            text,
            calls,
            opaque,
        } => {
            // Only beside calls may there be no text, and not on every server.
            let needs_text = calls.is_empty() || chat.string_content;
            let said = text.as_deref().or(needs_text.then_some(""));
            let mut message = fields(json!({ "role": "assistant", "content": said }));
            let mut calls: Vec<Value> = calls.iter().map(lower_call).collect();
            if let Some(Value::Object(extra)) = Opaque::of(opaque, &chat.scheme, model) {
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

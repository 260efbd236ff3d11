//! Requests of Responses.

use serde_json::{Map, Value, json};

use super::{
    super::{
        user_content,
        value::{arguments_text, edit, fields, merge_fields, set, text},
    },
    PROVIDER,
};
use crate::model::{
    Message, ModelError, ModelOptions, ModelRequest, Opaque, Part, Reasoning, ToolCall, ToolResult,
    ToolSpec, known, limits,
    schema::{Cache, Dialect, name},
};

pub(super) fn lower(
    request: &ModelRequest,
    schemas: &Cache,
    stream: bool,
) -> Result<Value, ModelError> {
    limits::check(request, &limits::RESPONSES)?;
    let mut input = Vec::new();
    for message in request.messages.iter() {
        lower_message(message, &request.model, &mut input);
    }
    let include: &[_] = match (request.token_probabilities, known::reasons(&request.model)) {
        (true, _) => &["message.output_text.logprobs"],
        (false, true) => &["reasoning.encrypted_content"],
        (false, false) => &[],
    };
    let mut body = fields(json!({
        "model": request.model,
        "input": input,
        "include": include,
        "store": false,
    }));
    if !request.system.is_empty() {
        body.insert("instructions".to_owned(), json!(request.system));
    }
    if let Some(output) = &request.output {
        let lowered = schemas.lower(&output.schema, Dialect::OpenAi, &output.name)?;
        let format = json!({
            "type": "json_schema",
            "name": name(&output.name),
            "schema": lowered.schema,
            "strict": lowered.strict,
        });
        body.insert("text".to_owned(), json!({ "format": format }));
    }
    if !request.tools.is_empty() {
        let tools = request.tools.iter().map(|tool| lower_tool(tool, schemas));
        let tools = tools.collect::<Result<Vec<_>, _>>()?;
        body.insert("tools".to_owned(), tools.into());
        let forced = known::forces_tools(request).then_some("required");
        set(&mut body, "tool_choice", forced);
    }
    if stream {
        body.insert("stream".to_owned(), json!(true));
    }
    lower_options(&request.options, &mut body);
    Ok(Value::Object(body))
}

fn lower_options(options: &ModelOptions, body: &mut Map<String, Value>) {
    if let Some(Reasoning::Effort(effort)) = options.reasoning {
        let effort = json!({ "effort": effort.word() });
        body.insert("reasoning".to_owned(), effort);
    }
    set(body, "max_output_tokens", options.max_tokens);
    set(body, "temperature", options.temperature);
    set(body, "top_p", options.top_p);
    let metadata = Some(&options.metadata);
    set(body, "metadata", metadata.filter(|it| !it.is_empty()));
    merge_fields(body, &options.extra);
}

fn lower_tool(tool: &ToolSpec, schemas: &Cache) -> Result<Value, ModelError> {
    let lowered = schemas.lower(&tool.parameters, Dialect::OpenAi, &tool.name)?;
    Ok(json!({
        "type": "function",
        "name": tool.name,
        "description": tool.description,
        "parameters": lowered.schema,
        "strict": lowered.strict,
    }))
}

fn lower_message(message: &Message, model: &str, out: &mut Vec<Value>) {
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
            if let Some(Value::Array(items)) = Opaque::of(opaque, PROVIDER, model) {
                out.extend(replay(items, calls));
                return;
            }
            if let Some(text) = text {
                out.push(json!({ "role": "assistant", "content": text }));
            }
            out.extend(calls.iter().map(lower_call));
        }
        Message::Tool { results } => {
            for ToolResult { call_id, text, .. } in results {
                out.push(json!({
                    "type": "function_call_output",
                    "call_id": call_id,
                    "output": text,
                }));
            }
        }
    }
}

/// The items as they came, but for ids that the engine had to change, and for reasoning that led to
/// nothing: it is refused without what follows it.
fn replay(items: &[Value], calls: &[ToolCall]) -> Vec<Value> {
    let mut calls = calls.iter();
    let is_last = |item: &Value| text(item, "/type") != Some("reasoning");
    let end = items.iter().rposition(is_last).map_or(0, |last| last + 1);
    let mut items: Vec<Value> = items.iter().take(end).cloned().collect();
    for item in &mut items {
        if text(item, "/type") == Some("function_call")
            && let Some(call) = calls.next()
        {
            edit(item, |item| {
                item.insert("call_id".to_owned(), call.id.clone().into())
            });
        }
    }
    items
}

fn lower_call(call: &ToolCall) -> Value {
    let arguments = arguments_text(&call.arguments);
    json!({
        "type": "function_call",
        "call_id": call.id,
        "name": call.name,
        "arguments": arguments,
    })
}

fn lower_part(part: &Part) -> Value {
    match part {
        Part::Text(text) => json!({ "type": "input_text", "text": text }),
        Part::Image(image) => {
            json!({ "type": "input_image", "image_url": image.to_url(), "detail": "auto" })
        }
        Part::File(file) => match file.address() {
            Some(url) => json!({ "type": "input_file", "file_url": url }),
            None => json!({
                "type": "input_file",
                "filename": file.name().unwrap_or("file"),
                "file_data": file.to_url(),
            }),
        },
    }
}

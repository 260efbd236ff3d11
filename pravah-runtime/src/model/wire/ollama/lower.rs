//! Requests of Ollama's chat.

use std::collections::BTreeSet;

use serde_json::{Map, Value, json};

use super::{
    super::{
        lower_tool,
        value::{arguments_object, edit, fields, list, merge_fields, set},
        with_schema,
    },
    PROVIDER, THINKING,
};
use crate::model::{
    Effort, Message, ModelError, ModelOptions, ModelRequest, Opaque, Part, Reasoning, ToolCall,
    ToolResult, limits,
    schema::{Cache, Dialect},
};

pub(super) fn lower(
    request: &ModelRequest,
    schemas: &Cache,
    stream: bool,
) -> Result<Value, ModelError> {
    limits::check(request, &limits::OLLAMA)?;
    let mut system = request.system.clone();
    let mut body = fields(json!({ "model": request.model, "stream": stream }));
    if let Some(output) = &request.output {
        let lowered = schemas.lower(&output.schema, Dialect::Ollama, &output.name)?;
        system = with_schema(&system, &lowered.schema);
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
        let tools = request
            .tools
            .iter()
            .map(|tool| lower_tool(tool, schemas, Dialect::OllamaTool));
        let tools = tools.collect::<Result<Vec<_>, _>>()?;
        body.insert("tools".to_owned(), tools.into());
    }
    if request.token_probabilities {
        body.insert("logprobs".to_owned(), json!(true));
    }
    lower_options(&request.options, &mut body);
    Ok(Value::Object(body))
}

fn lower_options(options: &ModelOptions, body: &mut Map<String, Value>) {
    if let Some(Reasoning::Effort(effort)) = options.reasoning {
        let think = match effort {
            Effort::None => json!(false),
            // It has no word for less.
            Effort::Minimal => json!("low"),
            Effort::ExtraHigh => json!("max"),
            effort => json!(effort.word()),
        };
        body.insert("think".to_owned(), think);
    }
    let mut of_model = Map::new();
    set(&mut of_model, "num_predict", options.max_tokens);
    set(&mut of_model, "temperature", options.temperature);
    set(&mut of_model, "top_p", options.top_p);
    set(&mut of_model, "seed", options.seed);
    let stop = Some(&options.stop).filter(|it| !it.is_empty());
    set(&mut of_model, "stop", stop);
    if !of_model.is_empty() {
        body.insert("options".to_owned(), Value::Object(of_model));
    }
    merge_fields(body, &options.extra);
}

/// `ids` are those of the calls that were sent with one: not every server has ids for its calls.
fn lower_message(message: &Message, model: &str, ids: &mut BTreeSet<String>, out: &mut Vec<Value>) {
    match message {
        Message::User { parts } => {
            let text = message.user_text().unwrap_or_default();
            let mut message = fields(json!({ "role": "user", "content": text }));
            let images: Vec<Value> = parts.iter().filter_map(image).collect();
            if !images.is_empty() {
                message.insert("images".to_owned(), images.into());
            }
            out.push(Value::Object(message));
        }
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

/// Images are beside the text, as their bytes.
fn image(part: &Part) -> Option<Value> {
    match part {
        Part::Image(image) => image.base64().map(Value::from),
        _ => None,
    }
}

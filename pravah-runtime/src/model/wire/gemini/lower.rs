//! Requests of `generateContent`.

use std::collections::BTreeSet;

use serde_json::{Map, Value, json};

use super::{
    super::value::{arguments_object, edit, field, fields, merge_fields, set},
    PROVIDER,
};
use crate::model::{
    Effort, Message, ModelError, ModelOptions, ModelRequest, Opaque, Part, Reasoning, ToolCall,
    ToolResult, ToolSpec, known, limits,
    schema::{Cache, Dialect},
};

/// Stands for the signature of a turn that another model made.
/// <https://ai.google.dev/gemini-api/docs/thought-signatures>
const NO_SIGNATURE: &str = "skip_thought_signature_validator";

pub(super) fn lower(request: &ModelRequest, schemas: &Cache) -> Result<Value, ModelError> {
    limits::check(request, &limits::GEMINI)?;
    let mut ids = BTreeSet::new();
    let contents = request.messages.iter();
    let contents: Vec<Value> = contents
        .map(|message| lower_message(message, &request.model, &mut ids))
        .collect();
    let mut body = fields(json!({ "contents": contents }));
    if !request.system.is_empty() {
        let parts = json!([{ "text": request.system }]);
        body.insert("systemInstruction".to_owned(), json!({ "parts": parts }));
    }
    let mut config = Map::new();
    if let Some(output) = &request.output {
        let lowered = schemas.lower(&output.schema, Dialect::Gemini, &output.name)?;
        config.extend(fields(json!({
            "responseMimeType": "application/json",
            "responseJsonSchema": lowered.schema,
        })));
    }
    if request.token_probabilities {
        config.insert("responseLogprobs".to_owned(), json!(true));
    }
    lower_options(&request.options, &mut config);
    if !config.is_empty() {
        body.insert("generationConfig".to_owned(), Value::Object(config));
    }
    if !request.tools.is_empty() {
        let tools = request.tools.iter().map(|tool| lower_tool(tool, schemas));
        let tools = tools.collect::<Result<Vec<_>, _>>()?;
        body.insert(
            "tools".to_owned(),
            json!([{ "functionDeclarations": tools }]),
        );
        let forced = known::forces_tools(request)
            .then(|| json!({ "functionCallingConfig": { "mode": "ANY" } }));
        set(&mut body, "toolConfig", forced);
    }
    merge_fields(&mut body, &request.options.extra);
    Ok(Value::Object(body))
}

fn lower_options(options: &ModelOptions, config: &mut Map<String, Value>) {
    let thinking = options.reasoning.map(|reasoning| match reasoning {
        Reasoning::Effort(Effort::None) => json!({ "thinkingBudget": 0 }),
        Reasoning::Effort(effort) => {
            let level = match effort {
                Effort::Max => Effort::ExtraHigh,
                effort => effort,
            };
            json!({ "thinkingLevel": level.word().to_ascii_uppercase() })
        }
        Reasoning::Tokens(budget) => json!({ "thinkingBudget": budget }),
    });
    set(config, "thinkingConfig", thinking);
    set(config, "maxOutputTokens", options.max_tokens);
    set(config, "temperature", options.temperature);
    set(config, "topP", options.top_p);
    set(config, "seed", options.seed);
    let stop = Some(&options.stop).filter(|it| !it.is_empty());
    set(config, "stopSequences", stop);
}

fn lower_tool(tool: &ToolSpec, schemas: &Cache) -> Result<Value, ModelError> {
    let lowered = schemas.lower(&tool.parameters, Dialect::Gemini, &tool.name)?;
    Ok(json!({
        "name": tool.name,
        "description": tool.description,
        "parametersJsonSchema": lowered.schema,
    }))
}

/// `ids` are those of the calls that were sent with one: not every model has ids for its calls.
fn lower_message(message: &Message, model: &str, ids: &mut BTreeSet<String>) -> Value {
    match message {
        Message::User { parts } => {
            let parts: Vec<Value> = parts.iter().map(lower_part).collect();
            json!({ "role": "user", "parts": parts })
        }
        Message::Assistant {
            text,
            calls,
            opaque,
        } => {
            let parts: Vec<Value> = match Opaque::of(opaque, PROVIDER, model) {
                Some(Value::Array(parts)) => replay(parts, calls, ids),
                _ => {
                    ids.extend(calls.iter().map(|call| call.id.clone()));
                    let said = text.iter().map(|text| json!({ "text": text }));
                    let calls = calls.iter().enumerate().map(|(index, call)| {
                        let mut part = lower_call(call);
                        // Later models want a signature on the first call of a turn.
                        if index == 0 {
                            edit(&mut part, |part| {
                                part.insert("thoughtSignature".to_owned(), json!(NO_SIGNATURE))
                            });
                        }
                        part
                    });
                    said.chain(calls).collect()
                }
            };
            // A content without parts is refused.
            match parts.is_empty() {
                true => json!({ "role": "model", "parts": [{ "text": "" }] }),
                false => json!({ "role": "model", "parts": parts }),
            }
        }
        Message::Tool { results } => {
            let results = results.iter().map(|result| lower_result(result, ids));
            json!({ "role": "user", "parts": results.collect::<Vec<_>>() })
        }
    }
}

fn lower_call(call: &ToolCall) -> Value {
    json!({ "functionCall": {
        "id": call.id,
        "name": call.name,
        "args": arguments_object(&call.arguments),
    } })
}

fn lower_result(result: &ToolResult, ids: &BTreeSet<String>) -> Value {
    let key = if result.is_error { "error" } else { "output" };
    let mut response = fields(json!({
        "name": result.name,
        "response": { key: result.text },
    }));
    if ids.contains(&result.call_id) {
        response.insert("id".to_owned(), json!(result.call_id));
    }
    json!({ "functionResponse": response })
}

/// The parts as they came, each with its signature, but for ids that the engine had to change.
fn replay(parts: &[Value], calls: &[ToolCall], ids: &mut BTreeSet<String>) -> Vec<Value> {
    let mut calls = calls.iter();
    let mut parts = parts.to_vec();
    for part in &mut parts {
        if part.get("functionCall").is_none() {
            continue;
        }
        let Some(call) = calls.next() else { continue };
        edit(part, |part| {
            edit(field(part, "functionCall"), |function| {
                if function.contains_key("id") {
                    ids.insert(call.id.clone());
                    function.insert("id".to_owned(), call.id.clone().into());
                }
            });
        });
    }
    parts
}

fn lower_part(part: &Part) -> Value {
    let media = match part {
        Part::Text(text) => return json!({ "text": text }),
        Part::Image(media) | Part::File(media) => media,
    };
    let (key, mut data) = match media.address() {
        Some(url) => ("fileData", fields(json!({ "fileUri": url }))),
        None => ("inlineData", fields(json!({ "data": media.base64() }))),
    };
    if let Some(media_type) = media.media_type() {
        data.insert("mimeType".to_owned(), json!(media_type));
    }
    json!({ key: data })
}

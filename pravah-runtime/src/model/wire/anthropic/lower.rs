//! Requests of Messages.

use serde_json::{Map, Value, json};

use super::{
    super::{
        user_content,
        value::{arguments_object, edit, field, fields, merge_fields, set, text},
    },
    PROVIDER,
};
use crate::model::{
    Effort, Media, Message, ModelError, ModelErrorKind, ModelRequest, Opaque, Part, Reasoning,
    ToolCall, ToolChoice, ToolResult, known, limits,
    options::Setting,
    schema::{Cache, Dialect, MAX_OPTIONAL, MAX_UNIONS},
};

/// The interface wants to know how long an answer may be, in tokens.
const MAX_TOKENS: u32 = 16_384;

/// The most tools of one request that can be strict.
const MAX_STRICT_TOOLS: usize = 20;

pub(super) fn lower(
    request: &ModelRequest,
    schemas: &Cache,
    stream: bool,
) -> Result<Value, ModelError> {
    limits::check(request, &limits::ANTHROPIC)?;
    let messages = request.messages.iter();
    let messages: Vec<Value> = messages
        .map(|message| lower_message(message, &request.model))
        .collect();
    let mut body = fields(json!({ "model": request.model, "messages": messages }));
    if !request.system.is_empty() {
        body.insert("system".to_owned(), json!(request.system));
    }
    if let Some(output) = &request.output {
        let lowered = schemas.lower(&output.schema, Dialect::Anthropic, &output.name)?;
        let format = json!({ "type": "json_schema", "schema": lowered.schema });
        body.insert("output_config".to_owned(), json!({ "format": format }));
    }
    if !request.tools.is_empty() {
        let tools = lower_tools(request, schemas)?;
        body.insert("tools".to_owned(), tools.into());
        let forced = forces_tools(request)?.then(|| json!({ "type": "any" }));
        set(&mut body, "tool_choice", forced);
    }
    if stream {
        body.insert("stream".to_owned(), json!(true));
    }
    if request.options.prompt_cache.unwrap_or(true) {
        mark_for_cache(&mut body, !request.tools.is_empty());
    }
    lower_options(request, &mut body)?;
    let thinks = body.get("thinking").and_then(|it| text(it, "/type")) == Some("enabled");
    if thinks && goes_on_without_thinking(&body) {
        body.remove("thinking");
    }
    Ok(Value::Object(body))
}

/// Whether the results of a turn are sent whose thinking is left out, as after a deploy: such a turn is
/// refused where thinking is asked for.
/// <https://docs.anthropic.com/en/docs/build-with-claude/extended-thinking>
fn goes_on_without_thinking(body: &Map<String, Value>) -> bool {
    let Some(Value::Array(messages)) = body.get("messages") else {
        return false;
    };
    let [.., answer, results] = messages.as_slice() else {
        return false;
    };
    let starts_with = |message: &Value| text(message, "/content/0/type").map(str::to_owned);
    starts_with(results).as_deref() == Some("tool_result")
        && !matches!(
            starts_with(answer).as_deref(),
            Some("thinking" | "redacted_thinking")
        )
}

/// Marks where what stays the same ends: the tools and the system prompt, which every conversation of
/// an agent shares, and the conversation so far, where the model is asked again with more of it.
/// <https://docs.anthropic.com/en/docs/build-with-claude/prompt-caching>
fn mark_for_cache(body: &mut Map<String, Value>, goes_on: bool) {
    match body.get_mut("system") {
        Some(system) => mark_last(system),
        None => mark_last(field(body, "tools")),
    }
    let last = body.get_mut("messages").and_then(Value::as_array_mut);
    if goes_on && let Some(last) = last.and_then(|messages| messages.last_mut()) {
        edit(last, |last| mark_last(field(last, "content")));
    }
}

/// Marks the last block of a list; a text becomes a list of one.
fn mark_last(content: &mut Value) {
    if let Value::String(text) = content {
        *content = json!([{ "type": "text", "text": text }]);
    }
    if let Some(last) = content.as_array_mut().and_then(|blocks| blocks.last_mut()) {
        edit(last, |last| {
            last.insert("cache_control".to_owned(), json!({ "type": "ephemeral" }))
        });
    }
}

/// A model that thinks with a budget cannot be made to call a tool.
fn forces_tools(request: &ModelRequest) -> Result<bool, ModelError> {
    let thinks = matches!(request.options.reasoning, Some(Reasoning::Tokens(_)));
    match (thinks, request.options.tool_choice) {
        (true, Some(ToolChoice::Required)) => Err(limits::refused(
            request,
            format_args!(
                "{} beside {}",
                Setting::ForcedTools,
                Setting::ReasoningTokens
            ),
            "Anthropic",
        )),
        (true, _) => Ok(false),
        (false, _) => Ok(known::forces_tools(request)),
    }
}

fn lower_options(request: &ModelRequest, body: &mut Map<String, Value>) -> Result<(), ModelError> {
    let options = &request.options;
    let mut max_tokens = options.max_tokens.unwrap_or(MAX_TOKENS);
    match options.reasoning {
        Some(Reasoning::Effort(Effort::None)) => {
            body.insert("thinking".to_owned(), json!({ "type": "disabled" }));
        }
        Some(Reasoning::Effort(Effort::Minimal)) => {
            return Err(limits::refused(
                request,
                "`reasoning = minimal`",
                "Anthropic",
            ));
        }
        Some(Reasoning::Effort(effort)) => edit(field(body, "output_config"), |config| {
            config.insert("effort".to_owned(), json!(effort.word()));
        }),
        Some(Reasoning::Tokens(budget)) => {
            // Thinking is part of the answer's length.
            match options.max_tokens {
                Some(most) if most <= budget => {
                    let what = format!(
                        "`max_tokens = {most}` cannot be set for `{}`: it leaves nothing beside \
                         {budget} tokens of reasoning",
                        request.model
                    );
                    return Err(ModelError::new(ModelErrorKind::InvalidRequest, what));
                }
                Some(_) => {}
                None => max_tokens = max_tokens.saturating_add(budget),
            }
            let thinking = json!({ "type": "enabled", "budget_tokens": budget });
            body.insert("thinking".to_owned(), thinking);
        }
        None => {}
    }
    body.insert("max_tokens".to_owned(), json!(max_tokens));
    let stop = Some(&options.stop).filter(|it| !it.is_empty());
    set(body, "stop_sequences", stop);
    let metadata = Some(&options.metadata).filter(|it| !it.is_empty());
    set(body, "metadata", metadata);
    merge_fields(body, &options.extra);
    Ok(())
}

/// Tools are strict as long as the limits of one request allow it.
fn lower_tools(request: &ModelRequest, schemas: &Cache) -> Result<Vec<Value>, ModelError> {
    let (mut strict, mut optional, mut unions) = (0, 0, 0);
    let mut tools = Vec::with_capacity(request.tools.len());
    for tool in request.tools.iter() {
        let lowered = schemas.lower(&tool.parameters, Dialect::AnthropicTool, &tool.name)?;
        let mut written = fields(json!({
            "name": tool.name,
            "description": tool.description,
            "input_schema": lowered.schema,
        }));
        let fits = strict < MAX_STRICT_TOOLS
            && optional + lowered.optional <= MAX_OPTIONAL
            && unions + lowered.unions <= MAX_UNIONS;
        if lowered.strict && fits {
            strict += 1;
            optional += lowered.optional;
            unions += lowered.unions;
            written.insert("strict".to_owned(), json!(true));
        }
        tools.push(Value::Object(written));
    }
    Ok(tools)
}

fn lower_message(message: &Message, model: &str) -> Value {
    match message {
        Message::User { parts } => {
            json!({ "role": "user", "content": user_content(parts, lower_part) })
        }
        Message::Assistant {
            text,
            calls,
            opaque,
        } => {
            let content = match Opaque::of(opaque, PROVIDER, model) {
                Some(Value::Array(blocks)) => replay(blocks, calls),
                _ => {
                    let said = text
                        .iter()
                        .map(|text| json!({ "type": "text", "text": text }));
                    said.chain(calls.iter().map(lower_call)).collect()
                }
            };
            json!({ "role": "assistant", "content": speakable(content) })
        }
        Message::Tool { results } => {
            let results = results.iter().map(|result| {
                let ToolResult {
                    call_id,
                    text,
                    is_error,
                    ..
                } = result;
                let mut block = fields(json!({
                    "type": "tool_result",
                    "tool_use_id": call_id,
                    "content": text,
                }));
                if *is_error {
                    block.insert("is_error".to_owned(), json!(true));
                }
                Value::Object(block)
            });
            json!({ "role": "user", "content": results.collect::<Vec<_>>() })
        }
    }
}

/// A message as it is taken: it may hold no blank text and no thinking without its signature, as it
/// comes where thinking was cut off, and may not end in thinking or in nothing.
fn speakable(mut content: Vec<Value>) -> Vec<Value> {
    content.retain(|block| match text(block, "/type") {
        Some("text") => text(block, "/text").is_some_and(|text| !text.trim().is_empty()),
        Some("thinking") => text(block, "/signature").is_some_and(|it| !it.is_empty()),
        _ => true,
    });
    let last = content.last().and_then(|last| text(last, "/type"));
    if matches!(last, None | Some("thinking" | "redacted_thinking")) {
        content.push(json!({ "type": "text", "text": "(nothing)" }));
    }
    content
}

fn lower_call(call: &ToolCall) -> Value {
    json!({
        "type": "tool_use",
        "id": call.id,
        "name": call.name,
        "input": arguments_object(&call.arguments),
    })
}

/// The blocks as they came, but for ids and arguments that the engine had to change.
fn replay(blocks: &[Value], calls: &[ToolCall]) -> Vec<Value> {
    let mut calls = calls.iter();
    let mut blocks = blocks.to_vec();
    for block in &mut blocks {
        if text(block, "/type") == Some("tool_use")
            && let Some(call) = calls.next()
        {
            edit(block, |block| {
                block.insert("id".to_owned(), call.id.clone().into());
                block.insert("input".to_owned(), arguments_object(&call.arguments))
            });
        }
    }
    blocks
}

fn lower_part(part: &Part) -> Value {
    match part {
        Part::Text(text) => json!({ "type": "text", "text": text }),
        Part::Image(image) => json!({ "type": "image", "source": source(image) }),
        Part::File(file) => {
            let mut document = fields(json!({ "type": "document", "source": source(file) }));
            if let Some(name) = file.name() {
                document.insert("title".to_owned(), json!(name));
            }
            Value::Object(document)
        }
    }
}

fn source(media: &Media) -> Value {
    if let Some(url) = media.address() {
        return json!({ "type": "url", "url": url });
    }
    match limits::text_of(media) {
        Some(text) => json!({ "type": "text", "media_type": limits::PLAIN_TEXT, "data": text }),
        None => json!({
            "type": "base64",
            "media_type": media.media_type(),
            "data": media.base64(),
        }),
    }
}

//! A request in the words of `genai`. It writes schemas in the provider's dialect itself.

use genai::chat::{
    ChatMessage, ChatOptions, ChatRequest, ChatResponseFormat, ContentPart, JsonSpec,
    MessageContent, ReasoningEffort, Tool, ToolCall, ToolChoice, ToolResponse,
};
use serde_json::json;

use super::{
    super::{
        Arguments, Effort, Message, ModelError, ModelRequest, Opaque, Part, Reasoning, known,
        limits, schema::name, wire::with_schema,
    },
    SCHEME,
};

pub(super) fn lower(request: &ModelRequest) -> Result<(ChatRequest, ChatOptions), ModelError> {
    limits::check(request, &limits::GENAI)?;
    let messages = request
        .messages
        .iter()
        .map(|message| lower_message(message, &request.model));
    let mut chat = ChatRequest::from_messages(messages.collect());
    let mut options = ChatOptions::default()
        .with_capture_usage(true)
        .with_capture_content(true)
        .with_capture_tool_calls(true)
        .with_capture_reasoning_content(true);
    let mut system = request.system.clone();
    match &request.output {
        Some(output) if known::family(&request.model).chat_schema => {
            let spec = JsonSpec::new(name(&output.name), (*output.schema).clone());
            options = options.with_response_format(spec);
        }
        Some(output) => {
            system = with_schema(&system, &output.schema);
            options = options.with_response_format(ChatResponseFormat::JsonMode);
        }
        None => {}
    }
    if !system.is_empty() {
        chat = chat.with_system(system);
    }
    if !request.tools.is_empty() {
        let tools = request.tools.iter().map(|tool| {
            Tool::new(&*tool.name)
                .with_description(&*tool.description)
                .with_schema((*tool.parameters).clone())
        });
        chat = chat.with_tools(tools);
        if known::forces_tools(request) {
            options = options.with_tool_choice(ToolChoice::Required);
        }
    }
    Ok((chat, lower_options(request, options)?))
}

fn lower_options(
    request: &ModelRequest,
    mut options: ChatOptions,
) -> Result<ChatOptions, ModelError> {
    let set = &request.options;
    options.max_tokens = set.max_tokens;
    options.temperature = set.temperature;
    options.top_p = set.top_p;
    if let Some(seed) = set.seed {
        let seed = u64::try_from(seed)
            .map_err(|_| limits::refused(request, "a negative `seed`", "the crate `genai`"))?;
        options = options.with_seed(seed);
    }
    if !set.stop.is_empty() {
        options = options.with_stop_sequences(set.stop.clone());
    }
    options.reasoning_effort = set.reasoning.map(|reasoning| match reasoning {
        Reasoning::Effort(Effort::None) => ReasoningEffort::Zero,
        Reasoning::Effort(Effort::Minimal) => ReasoningEffort::Minimal,
        Reasoning::Effort(Effort::Low) => ReasoningEffort::Low,
        Reasoning::Effort(Effort::Medium) => ReasoningEffort::Medium,
        Reasoning::Effort(Effort::High) => ReasoningEffort::High,
        Reasoning::Effort(Effort::ExtraHigh) => ReasoningEffort::XHigh,
        Reasoning::Effort(Effort::Max) => ReasoningEffort::Max,
        Reasoning::Tokens(tokens) => ReasoningEffort::Budget(tokens),
    });
    if !set.extra.is_empty() {
        options = options.with_extra_body(set.extra.clone().into());
    }
    Ok(options)
}

fn lower_message(message: &Message, model: &str) -> ChatMessage {
    match message {
        Message::User { parts } => {
            let parts: Vec<ContentPart> = parts.iter().map(lower_part).collect();
            ChatMessage::user(MessageContent::from_parts(parts))
        }
        Message::Assistant {
            text,
            calls,
            opaque,
        } => {
            let calls = calls.iter().map(|call| ToolCall {
                call_id: call.id.clone(),
                fn_name: call.name.clone(),
                fn_arguments: match &call.arguments {
                    Arguments::Json(value) => value.clone(),
                    // Some providers take nothing but an object.
                    Arguments::Text(text) => json!({ "value": text }),
                },
                thought_signatures: None,
            });
            ChatMessage::assistant(content(text.as_deref(), calls, opaque, model))
        }
        Message::Tool { results } => {
            let results = results.iter().map(|result| {
                ContentPart::ToolResponse(
                    ToolResponse::new(&*result.call_id, result.text.as_str())
                        .with_fn_name(&*result.name),
                )
            });
            ChatMessage::tool(MessageContent::from_parts(results.collect::<Vec<_>>()))
        }
    }
}

/// What the model said: as it came, where the same model is asked, but for the ids of its calls,
/// which may have been made unique.
fn content(
    text: Option<&str>,
    mut calls: impl Iterator<Item = ToolCall>,
    opaque: &Option<Opaque>,
    model: &str,
) -> MessageContent {
    let as_it_came = Opaque::of(opaque, SCHEME, model)
        .and_then(|items| serde_json::from_value::<MessageContent>(items.clone()).ok());
    let mut parts: Vec<ContentPart> = match as_it_came {
        Some(content) => content
            .into_parts()
            .into_iter()
            .filter_map(|part| match part {
                ContentPart::ToolCall(said) => calls.next().map(|call| {
                    ContentPart::ToolCall(ToolCall {
                        thought_signatures: said.thought_signatures,
                        ..call
                    })
                }),
                part => Some(part),
            })
            .collect(),
        None => text.map(ContentPart::from_text).into_iter().collect(),
    };
    parts.extend(calls.map(ContentPart::ToolCall));
    MessageContent::from_parts(parts)
}

fn lower_part(part: &Part) -> ContentPart {
    let media = match part {
        Part::Text(text) => return ContentPart::from_text(text.as_str()),
        Part::Image(media) | Part::File(media) => media,
    };
    let media_type = media.media_type().unwrap_or("application/octet-stream");
    let name = media.name().map(str::to_owned);
    match media.address() {
        Some(url) => ContentPart::from_binary_url(media_type, url, name),
        None => {
            let data = media.base64().unwrap_or_default();
            ContentPart::from_binary_base64(media_type, data, name)
        }
    }
}

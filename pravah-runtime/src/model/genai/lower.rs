//! A request in the words of `genai`. It writes schemas in the provider's dialect itself.

use genai::chat::{
    ChatMessage, ChatOptions, ChatRequest, ContentPart, JsonSpec, MessageContent, Tool, ToolCall,
    ToolChoice, ToolResponse,
};
use serde_json::json;

use super::{
    super::{Arguments, Message, ModelRequest, Opaque, Part, schema::name},
    SCHEME,
};

pub(super) fn lower(request: &ModelRequest) -> (ChatRequest, ChatOptions) {
    let messages = request
        .messages
        .iter()
        .map(|message| lower_message(message, &request.model));
    let mut chat = ChatRequest::from_messages(messages.collect());
    if !request.system.is_empty() {
        chat = chat.with_system(&*request.system);
    }
    let mut options = ChatOptions::default()
        .with_capture_usage(true)
        .with_capture_content(true)
        .with_capture_tool_calls(true)
        .with_capture_reasoning_content(true);
    if let Some(output) = &request.output {
        let spec = JsonSpec::new(name(&output.name), (*output.schema).clone());
        options = options.with_response_format(spec);
    }
    if !request.tools.is_empty() {
        let tools = request.tools.iter().map(|tool| {
            Tool::new(&*tool.name)
                .with_description(&*tool.description)
                .with_schema((*tool.parameters).clone())
        });
        chat = chat.with_tools(tools);
        options = options.with_tool_choice(ToolChoice::Required);
    }
    (chat, options)
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

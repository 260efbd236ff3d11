//! An answer out of the words of `genai`.

use genai::chat::{self, ContentPart, MessageContent};

use super::{
    super::{Arguments, ModelResponse, Opaque, StopReason, ToolCall, Usage},
    SCHEME,
};

/// What a model answered, whole or as a stream.
pub(super) struct Answer {
    pub(super) content: MessageContent,
    /// Where it is beside the content.
    pub(super) reasoning: Option<String>,
    pub(super) stop: Option<chat::StopReason>,
    pub(super) usage: chat::Usage,
}

impl Answer {
    pub(super) fn lift(mut self, model: &str) -> ModelResponse {
        if let Some(reasoning) = self.reasoning.take()
            && !self.content.contains_reasoning_content()
        {
            self.content
                .insert(0, ContentPart::ReasoningContent(reasoning));
        }
        let calls: Vec<ToolCall> = self
            .content
            .tool_calls()
            .into_iter()
            .map(|call| ToolCall {
                id: call.call_id.clone(),
                name: call.fn_name.clone(),
                arguments: Arguments::Json(call.fn_arguments.clone()),
            })
            .collect();
        let stop = match self.stop {
            Some(chat::StopReason::MaxTokens(_)) => StopReason::MaxTokens,
            Some(chat::StopReason::ContentFilter(word)) if word == "refusal" => StopReason::Refusal,
            Some(chat::StopReason::ContentFilter(_)) => StopReason::ContentFilter,
            Some(chat::StopReason::Other(word)) if word != "FUNCTION_CALL" => {
                StopReason::Other(word)
            }
            _ if !calls.is_empty() => StopReason::ToolCalls,
            None
            | Some(
                chat::StopReason::Completed(_)
                | chat::StopReason::StopSequence(_)
                | chat::StopReason::Other(_),
            ) => StopReason::End,
            Some(chat::StopReason::ToolCall(_)) => StopReason::ToolCalls,
        };
        ModelResponse {
            text: self.content.joined_texts().filter(|text| !text.is_empty()),
            calls,
            stop,
            usage: usage(&self.usage),
            opaque: opaque(&self.content, model),
            token_probability: None,
        }
    }
}

/// What goes back as it came: reasoning and its signatures, with what is around them.
fn opaque(content: &MessageContent, model: &str) -> Option<Opaque> {
    let plain = content
        .parts()
        .iter()
        .all(|part| match part.as_tool_call() {
            Some(call) => call.thought_signatures.is_none(),
            None => part.is_text(),
        });
    if plain {
        return None;
    }
    let items = serde_json::to_value(content).ok()?;
    Some(Opaque::new(SCHEME, model, items))
}

fn usage(usage: &chat::Usage) -> Usage {
    let tokens = |count: Option<i32>| count.and_then(|n| u64::try_from(n).ok()).unwrap_or(0);
    let asked = usage.prompt_tokens_details.as_ref();
    let answered = usage.completion_tokens_details.as_ref();
    Usage {
        input: tokens(usage.prompt_tokens),
        output: tokens(usage.completion_tokens),
        cached: tokens(asked.and_then(|details| details.cached_tokens)),
        reasoning: tokens(answered.and_then(|details| details.reasoning_tokens)),
    }
}

//! Opaque items are bound to what their model had read.
//!
//! Preserved thinking is refused once the system prompt, the tools or an earlier message is another one,
//! as it is after a deploy. So each item keeps a fingerprint of what its model had read (`reading`), and is
//! sent back only where the same is read again, by the same model of the same server.

use super::{
    AgentProgress,
    reading::{Reading, start},
};
use crate::model::{Message, Messages, ModelRequest, ModelResponse, ModelUrl, ToolSpec};

/// Binds the opaque items of an answer to the request that it answers.
pub(super) fn bind(
    response: &mut ModelResponse,
    request: &ModelRequest,
    model: &ModelUrl,
    progress: &mut AgentProgress,
) {
    if let Some(opaque) = &mut response.opaque {
        let conversation = &mut progress.conversation;
        let start = start(model, &request.system, &request.tools);
        let known = conversation.reading.as_ref();
        let reading = Reading::of(conversation.messages(), start, known);
        opaque.bound_to = Some(reading.read.simple().to_string());
        conversation.reading = Some(reading.into());
    }
}

/// The messages without the opaque items that are bound to another prompt, or to another server.
pub(super) fn without_stale(
    model: &ModelUrl,
    system: &str,
    tools: &[ToolSpec],
    progress: &AgentProgress,
) -> Messages {
    let messages = progress.messages();
    if !messages.has_opaque() {
        return messages.clone();
    }
    let known = progress.conversation.reading.as_ref();
    let stale = Reading::of(messages, start(model, system, tools), known).stale;
    if stale.is_empty() {
        return messages.clone();
    }
    let all = messages.iter().cloned().enumerate();
    let messages = all.map(|(i, mut message)| {
        if let Message::Assistant { opaque, .. } = &mut message
            && stale.binary_search(&i).is_ok()
        {
            *opaque = None;
        }
        message
    });
    messages.collect()
}

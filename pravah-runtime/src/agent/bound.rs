//! Opaque items are bound to what their model had read.
//!
//! Preserved thinking is refused once the system prompt, the tools or an earlier message is another one,
//! as it is after a deploy. So each item keeps a fingerprint of what its model had read, and is sent
//! back only where the same is read again, by the same model of the same server.
//!
//! The fingerprint is a chain of name-based UUIDs (RFC 9562, section 5.5): each message is named within
//! the one before, so all prefixes of a conversation are fingerprinted in one pass, and alike on every
//! platform and in every release.

use std::sync::Arc;

use serde::Serialize;
use uuid::Uuid;

use crate::model::{Message, ModelRequest, ModelResponse, ModelUrl, Opaque, ToolSpec};

/// Binds the opaque items of an answer to the request that it answers.
pub(super) fn bind(response: &mut ModelResponse, request: &ModelRequest, model: &ModelUrl) {
    if let Some(opaque) = &mut response.opaque {
        let start = start(model, &request.system, &request.tools);
        let read = request.messages.iter().fold(start, after);
        opaque.bound_to = Some(read.simple().to_string());
    }
}

/// The messages without the opaque items that are bound to another prompt, or to another server.
pub(super) fn without_stale(
    model: &ModelUrl,
    system: &str,
    tools: &[ToolSpec],
    mut messages: Arc<Vec<Message>>,
) -> Arc<Vec<Message>> {
    if !messages.iter().any(|message| bound_to(message).is_some()) {
        return messages;
    }
    let mut read = start(model, system, tools);
    let mut stale = Vec::new();
    for (i, message) in messages.iter().enumerate() {
        if bound_to(message).is_some_and(|bound_to| bound_to != read.simple().to_string()) {
            stale.push(i);
        }
        read = after(read, message);
    }
    for i in stale {
        if let Some(Message::Assistant { opaque, .. }) = Arc::make_mut(&mut messages).get_mut(i) {
            *opaque = None;
        }
    }
    messages
}

fn bound_to(message: &Message) -> Option<&str> {
    match message {
        Message::Assistant { opaque, .. } => opaque
            .as_ref()
            .and_then(|it: &Opaque| it.bound_to.as_deref()),
        _ => None,
    }
}

/// What is read before the first message.
fn start(model: &ModelUrl, system: &str, tools: &[ToolSpec]) -> Uuid {
    next(Uuid::nil(), &(model.to_string(), system, tools))
}

/// What has been read after one more message; opaque items do not count.
fn after(read: Uuid, message: &Message) -> Uuid {
    match message {
        Message::Assistant { text, calls, .. } => next(read, &(text, calls)),
        message => next(read, message),
    }
}

fn next(read: Uuid, part: &impl Serialize) -> Uuid {
    // Strings, numbers and JSON values are always written.
    let part = serde_json::to_vec(part).unwrap_or_default();
    Uuid::new_v5(&read, &part)
}

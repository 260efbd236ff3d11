//! What a model has read of a conversation, as a fingerprint.
//!
//! It is a chain of name-based UUIDs (RFC 9562, section 5.5): each message is named within
//! the one before, so all prefixes of a conversation are fingerprinted in one pass, and alike on every
//! platform and in every release.

use std::sync::Arc;

use serde::Serialize;
use uuid::Uuid;

use crate::model::{Message, Messages, ModelUrl, Opaque, ToolSpec};

/// What a model has read of a conversation.
#[derive(Clone, Debug)]
pub(super) struct Reading {
    /// What it had read before the first message.
    start: Uuid,
    pub(super) read: Uuid,
    /// How many messages that were.
    messages: usize,
    /// The numbers of those with opaque items that are bound to something else.
    pub(super) stale: Vec<usize>,
}

impl Reading {
    /// What is read of a whole conversation, of which the beginning may be known.
    pub(super) fn of(messages: &Messages, start: Uuid, known: Option<&Arc<Self>>) -> Self {
        let known = known.filter(|known| known.start == start);
        let mut reading = known.map_or_else(
            || Self {
                start,
                read: start,
                messages: 0,
                stale: Vec::new(),
            },
            |known| (**known).clone(),
        );
        for message in messages.since(reading.messages) {
            let read = reading.read;
            if bound_to(message).is_some_and(|bound_to| bound_to != read.simple().to_string()) {
                reading.stale.push(reading.messages);
            }
            reading.read = after(read, message);
            reading.messages = reading.messages.saturating_add(1);
        }
        reading
    }
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
pub(super) fn start(model: &ModelUrl, system: &str, tools: &[ToolSpec]) -> Uuid {
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

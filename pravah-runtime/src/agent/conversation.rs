//! What an agent and its model have said to each other, with what is known of it: each message is looked at
//! once, however often the model is asked.

use std::{
    fmt,
    hash::{DefaultHasher, Hash as _, Hasher as _},
    sync::Arc,
};

use serde::{Deserialize, Deserializer, Serialize};

use super::reading::Reading;
use crate::{
    model::{Message, Messages, ToolCall},
    model_text::journal,
    sorted_map::SortedMap,
};

/// The conversation of an agent. Cheap to clone.
#[derive(Clone, Default, Serialize)]
#[serde(transparent)]
pub(super) struct AgentConversation {
    messages: Messages,
    #[serde(skip)]
    call_ids: CallIds,
    /// What the model has read of the messages so far, where its answers are bound to that.
    #[serde(skip)]
    pub(super) reading: Option<Arc<Reading>>,
}

impl AgentConversation {
    pub(super) fn messages(&self) -> &Messages {
        &self.messages
    }

    /// The calls that the last message asks for.
    pub(super) fn asked(&self) -> &[ToolCall] {
        self.messages.last().map_or(&[], Message::calls)
    }

    pub(super) fn push(&mut self, message: Message) {
        self.messages.push(message);
    }

    /// The ids of all calls in it.
    pub(super) fn call_ids(&mut self) -> &mut CallIds {
        self.call_ids.add_new(&self.messages);
        &mut self.call_ids
    }
}

impl From<Messages> for AgentConversation {
    fn from(messages: Messages) -> Self {
        Self {
            messages,
            ..Self::default()
        }
    }
}

impl PartialEq for AgentConversation {
    fn eq(&self, other: &Self) -> bool {
        self.messages == other.messages
    }
}

impl fmt::Debug for AgentConversation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.messages.fmt(f)
    }
}

impl<'de> Deserialize<'de> for AgentConversation {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        journal::messages(from).map(Self::from)
    }
}

/// The ids of calls, by hash. A collision only means that a new id is replaced needlessly.
#[derive(Clone, Default)]
pub(super) struct CallIds {
    hashes: SortedMap<u64, ()>,
    /// Of how many messages they are.
    messages: usize,
}

impl CallIds {
    pub(super) fn contains(&self, id: &str) -> bool {
        !self.hashes.is_empty() && self.hashes.contains(&hash(id))
    }

    pub(super) fn insert(&mut self, id: &str) {
        self.hashes.insert(hash(id), ());
    }

    fn add_new(&mut self, messages: &Messages) {
        let new = messages.newest(self.messages);
        new.flat_map(Message::calls)
            .for_each(|call| self.insert(&call.id));
        self.messages = messages.len();
    }
}

fn hash(id: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    id.hash(&mut hasher);
    hasher.finish()
}

//! What was said to models and what they answered.

use std::{collections::BTreeMap, sync::Arc};

use serde::{Deserialize, Deserializer, Serialize};

use crate::{channel::journal, model::Message};

/// One conversation with a model. Cheap to clone.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[serde(transparent)]
pub struct Conversation {
    messages: Arc<Vec<Message>>,
}

impl Conversation {
    /// The messages, oldest first.
    pub fn messages(&self) -> &[Message] {
        &self.messages
    }

    pub(crate) fn shared(&self) -> Arc<Vec<Message>> {
        Arc::clone(&self.messages)
    }

    pub(super) fn push(&mut self, message: Message) {
        Arc::make_mut(&mut self.messages).push(message);
    }
}

/// The record of what a run's agents said, one conversation for each node: that of its last visit,
/// once it is done. It is kept apart from the snapshot, to be saved and given back beside it. Agents
/// do not read it: each visit starts anew.
///
/// ```
/// use pravah_runtime::ClientHistory;
///
/// let history = ClientHistory::default();
/// let saved = serde_json::to_string(&history)?;
/// assert_eq!(serde_json::from_str::<ClientHistory>(&saved)?, history);
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct ClientHistory {
    #[serde(deserialize_with = "conversations")]
    nodes: BTreeMap<String, Conversation>,
}

/// Reads conversations that a run has written.
fn conversations<'de, D>(from: D) -> Result<BTreeMap<String, Conversation>, D::Error>
where
    D: Deserializer<'de>,
{
    #[derive(Deserialize)]
    #[serde(transparent)]
    struct Read(#[serde(deserialize_with = "conversation")] Conversation);

    let nodes = BTreeMap::<String, Read>::deserialize(from)?;
    Ok(nodes
        .into_iter()
        .map(|(node, Read(conversation))| (node, conversation))
        .collect())
}

pub(super) fn conversation<'de, D: Deserializer<'de>>(from: D) -> Result<Conversation, D::Error> {
    let messages = Arc::new(journal::messages(from)?);
    Ok(Conversation { messages })
}

impl ClientHistory {
    /// The conversation of a node.
    pub fn get(&self, node: &str) -> Option<&Conversation> {
        self.nodes.get(node)
    }

    /// The conversations, in order of their nodes' names.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &Conversation)> {
        self.nodes
            .iter()
            .map(|(node, conversation)| (node.as_str(), conversation))
    }

    /// Whether nothing was said.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// Takes over the conversation of a node, in place of an earlier one.
    pub(crate) fn record(&mut self, node: impl Into<String>, conversation: Conversation) {
        self.nodes.insert(node.into(), conversation);
    }
}

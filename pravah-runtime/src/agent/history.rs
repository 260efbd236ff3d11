//! What was said to models and what they answered.

use std::{collections::BTreeMap, sync::Arc};

use serde::{Deserialize, Serialize};

use crate::{
    channel::journal,
    model::{Message, Messages},
};

/// The record of one conversation with a model. Cheap to clone.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Conversation {
    messages: Arc<Vec<Message<Arc<str>>>>,
}

impl Conversation {
    /// The messages, oldest first, as plain text.
    pub fn messages(&self) -> &[Message<Arc<str>>] {
        &self.messages
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
///
/// Anybody may have written what is read back, so its texts are plain: none of them can be handed to a
/// model in place of a [`ModelText`](crate::ModelText).
///
/// ```compile_fail,E0308
/// use pravah_runtime::{Message, ModelText, ClientHistory};
///
/// fn forged(history: &ClientHistory) -> Option<ModelText> {
///     match history.get("triage")?.messages().first()? {
///         Message::User { parts } => parts[0].as_text().cloned(),
///         _ => None,
///     }
/// }
/// ```
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct ClientHistory {
    nodes: BTreeMap<String, Conversation>,
}

impl ClientHistory {
    pub(crate) const EMPTY: Self = Self {
        nodes: BTreeMap::new(),
    };

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

    /// Records the conversation of a node, in place of an earlier one.
    pub(crate) fn record(&mut self, node: impl Into<String>, messages: Messages) {
        let messages = Arc::new(journal::record(messages));
        self.nodes.insert(node.into(), Conversation { messages });
    }
}

//! What was said to models and what they answered.

use std::{
    collections::BTreeMap,
    fmt,
    sync::{Arc, OnceLock},
};

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::{
    model::{Message, Messages},
    model_text::journal,
};

/// The record of one conversation with a model. Cheap to clone.
#[derive(Clone, Default)]
pub struct Conversation {
    said: Messages,
    /// The same as plain text, made when somebody first reads it.
    plain: OnceLock<Arc<[Message<Arc<str>>]>>,
}

impl Conversation {
    /// The messages, oldest first, as plain text.
    pub fn messages(&self) -> &[Message<Arc<str>>] {
        self.plain.get_or_init(|| journal::record(&self.said))
    }
}

impl PartialEq for Conversation {
    fn eq(&self, other: &Self) -> bool {
        self.messages() == other.messages()
    }
}

impl fmt::Debug for Conversation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let messages = self.messages();
        f.debug_struct("Conversation")
            .field("messages", &messages)
            .finish()
    }
}

impl Serialize for Conversation {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        self.messages().serialize(to)
    }
}

impl<'de> Deserialize<'de> for Conversation {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let plain = Vec::deserialize(from)?;
        Ok(Self {
            said: Messages::default(),
            plain: OnceLock::from(Arc::from(plain)),
        })
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
    pub(crate) fn record(&mut self, node: impl Into<String>, said: Messages) {
        let conversation = Conversation {
            said,
            plain: OnceLock::new(),
        };
        self.nodes.insert(node.into(), conversation);
    }
}

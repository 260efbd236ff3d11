//! The JSON of a snapshot, as data. States stay raw: they are read when a node takes them.

use std::{collections::BTreeMap, fmt, mem::take, sync::Arc};

use serde::{
    Deserialize, Deserializer, Serialize,
    de::{Error, Visitor},
};
use serde_json::Value;

use super::{super::budget::Budget, map::Map};
use crate::{agent::AgentProgress, model::Usage, numbers::is_zero, state::RawState};

/// A whole run. Its marking is among its other fields, where a reader looks for `states`.
#[derive(Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields, expecting = "the JSON object of a snapshot")]
pub(super) struct Stored {
    pub(super) version: u32,
    pub(super) flow: String,
    #[serde(deserialize_with = "arc_str")]
    pub(super) run_id: Arc<str>,
    pub(super) fingerprint: String,
    pub(super) steps: u64,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(super) finished: bool,
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub(super) inputs: Map<String, RawState>,
    pub(super) states: Map<String, RawState>,
    /// `None`: it follows from the states, see `Marking::sole_node`.
    #[serde(
        default,
        skip_serializing_if = "Option::is_none",
        deserialize_with = "not_null"
    )]
    pub(super) ready: Option<Vec<String>>,
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub(super) agents: Map<String, AgentProgress>,
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub(super) gates: Map<String, StoredGate>,
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub(super) lists: Map<String, StoredList>,
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub(super) visits: Map<String, u32>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) suspensions: Vec<StoredSuspension>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) timers: Vec<StoredTimer>,
    #[serde(default, skip_serializing_if = "is_zero")]
    pub(super) calls: u64,
    #[serde(default, skip_serializing_if = "Budget::is_unlimited")]
    pub(super) budget: Budget,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) questions: Vec<StoredQuestions>,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub(super) usage: BTreeMap<String, Usage>,
}

/// The marking of an item.
#[derive(Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct StoredMarking {
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub(super) inputs: Map<String, RawState>,
    pub(super) states: Map<String, RawState>,
    /// `None`: it follows from the states, see `Marking::sole_node`.
    #[serde(
        default,
        skip_serializing_if = "Option::is_none",
        deserialize_with = "not_null"
    )]
    pub(super) ready: Option<Vec<String>>,
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub(super) agents: Map<String, AgentProgress>,
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub(super) gates: Map<String, StoredGate>,
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub(super) lists: Map<String, StoredList>,
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub(super) visits: Map<String, u32>,
}

/// A gate that has asked, and its answer if it has come.
#[derive(Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct StoredGate {
    pub(super) answered: bool,
    #[serde(default, skip_serializing_if = "is_null")]
    pub(super) answer: Arc<Value>,
}

#[derive(Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct StoredList {
    /// The first item that was not started.
    pub(super) next: usize,
    /// The items that can move, in order.
    pub(super) active: Vec<usize>,
    pub(super) items: Map<usize, StoredMarking>,
    pub(super) done: Map<usize, RawState>,
}

#[derive(Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct StoredSuspension {
    pub(super) id: String,
    pub(super) value: Arc<Value>,
    /// The lists and items around the node, outermost first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) items: Vec<(String, usize)>,
    pub(super) node: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) call: Option<String>,
    pub(super) announced: bool,
}

#[derive(Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct StoredTimer {
    /// In milliseconds since 1970.
    pub(super) until: u64,
    /// The lists and items around the node, outermost first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) items: Vec<(String, usize)>,
    pub(super) node: String,
}

/// How often the models of an agent were asked that may be asked again.
#[derive(Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct StoredQuestions {
    /// The lists and items around the node, outermost first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) items: Vec<(String, usize)>,
    pub(super) node: String,
    /// Which visit the last of `counts` is of: that of each list around the node, and the node's own.
    pub(super) visit: Vec<u32>,
    /// For each visit, how often each model was asked.
    pub(super) counts: Vec<Vec<u32>>,
}

impl Stored {
    /// Takes out the marking of the flow itself.
    pub(super) fn take_marking(&mut self) -> StoredMarking {
        StoredMarking {
            inputs: take(&mut self.inputs),
            states: take(&mut self.states),
            ready: take(&mut self.ready),
            agents: take(&mut self.agents),
            gates: take(&mut self.gates),
            lists: take(&mut self.lists),
            visits: take(&mut self.visits),
        }
    }
}

fn is_null(value: &Arc<Value>) -> bool {
    value.is_null()
}

/// A list that is there.
fn not_null<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Vec<String>>, D::Error> {
    Deserialize::deserialize(deserializer).map(Some)
}

/// Reads a string straight into an `Arc<str>`: serde's own way makes a `Box<str>` first.
fn arc_str<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Arc<str>, D::Error> {
    struct Text;

    impl Visitor<'_> for Text {
        type Value = Arc<str>;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("a string")
        }

        fn visit_str<E: Error>(self, text: &str) -> Result<Self::Value, E> {
            Ok(text.into())
        }
    }

    deserializer.deserialize_str(Text)
}

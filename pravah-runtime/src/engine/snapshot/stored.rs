//! The JSON of a snapshot, as data. States stay raw: they are read when a node takes them.

use std::{collections::BTreeMap, sync::Arc};

use serde::{Deserialize, Serialize};
use serde_json::{Value, value::RawValue};

use super::{super::budget::Budget, map::Map};
use crate::{agent::AgentProgress, model::Usage, numbers::is_zero};

pub(super) type Raw = Arc<RawValue>;

/// A whole run. Its marking is among its other fields, where a reader looks for `states`.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Stored {
    pub(super) version: u32,
    pub(super) flow: String,
    pub(super) run_id: String,
    pub(super) fingerprint: String,
    pub(super) steps: u64,
    pub(super) finished: bool,
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub(super) inputs: Map<String, Raw>,
    pub(super) states: Map<String, Raw>,
    pub(super) ready: Vec<String>,
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
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct StoredMarking {
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub(super) inputs: Map<String, Raw>,
    pub(super) states: Map<String, Raw>,
    pub(super) ready: Vec<String>,
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
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct StoredGate {
    pub(super) answered: bool,
    #[serde(default, skip_serializing_if = "is_null")]
    pub(super) answer: Arc<Value>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct StoredList {
    /// The first item that was not started.
    pub(super) next: usize,
    /// The items that can move, in order.
    pub(super) active: Vec<usize>,
    pub(super) items: Map<usize, StoredMarking>,
    pub(super) done: Map<usize, Raw>,
}

#[derive(Serialize, Deserialize)]
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

#[derive(Serialize, Deserialize)]
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
#[derive(Serialize, Deserialize)]
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

/// The marking's part of a snapshot, whichever level it is of.
#[derive(Clone, Copy)]
pub(super) struct MarkingRef<'a> {
    pub(super) inputs: &'a Map<String, Raw>,
    pub(super) states: &'a Map<String, Raw>,
    pub(super) ready: &'a [String],
    pub(super) agents: &'a Map<String, AgentProgress>,
    pub(super) gates: &'a Map<String, StoredGate>,
    pub(super) lists: &'a Map<String, StoredList>,
    pub(super) visits: &'a Map<String, u32>,
}

macro_rules! marking_ref {
    ($stored:ty) => {
        impl $stored {
            pub(super) fn marking(&self) -> MarkingRef<'_> {
                MarkingRef {
                    inputs: &self.inputs,
                    states: &self.states,
                    ready: &self.ready,
                    agents: &self.agents,
                    gates: &self.gates,
                    lists: &self.lists,
                    visits: &self.visits,
                }
            }
        }
    };
}

fn is_null(value: &Arc<Value>) -> bool {
    value.is_null()
}

marking_ref!(Stored);
marking_ref!(StoredMarking);

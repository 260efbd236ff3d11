//! Which nodes a version of a flow has.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use super::{FlowGraph, NodeIx, OutputArc, Scope, ScopeIx, Table};

/// The nodes of one version of a flow, so that later versions can say what they add and leave out: keep it
/// with the release, as JSON, and hand it to [`LoadOptions::with_version`](crate::LoadOptions::with_version).
///
/// A node appears as the first state that it takes, as it does in snapshots; those of a list's chain follow
/// the list: `Each_of_Draft/Draft`. Where several nodes take that state, the node's name is part of it:
/// `Draft@review`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct FlowVersion {
    /// Its [`FlowGraph::fingerprint`], which its snapshots carry.
    pub fingerprint: String,
    /// Its nodes.
    pub nodes: BTreeSet<String>,
    /// The name of the node that takes a state, by what the state is called while it waits. A later version in
    /// which several nodes take it finds the one that is meant.
    #[serde(default)]
    pub takers: BTreeMap<String, String>,
    /// Where it starts, and the nested flows in it, by what their inputs are called in snapshots. A later version finds
    /// there an input that is not stored by itself, since it waits.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub starts: BTreeMap<String, FlowStart>,
    /// The states that may follow each state, by what they are called while they wait. From this a later version finds the
    /// nodes that a run may have passed: when it comes to one of them again, that is another step.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub successors: BTreeMap<String, BTreeSet<String>>,
}

/// Where a flow starts in a [`FlowVersion`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct FlowStart {
    /// What its input is called while it waits, for each node that takes it.
    pub places: Vec<String>,
    /// Whether a node in it makes another state of that type.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_made_again: bool,
}

impl FlowGraph {
    /// The nodes of this version of the flow.
    ///
    /// ```
    /// use pravah_runtime::prelude::*;
    ///
    /// #[state] struct Order { cups: u32 }
    /// #[state] struct Brewed { cups: u32 }
    /// #[state] struct Served { cups: u32 }
    /// #[node] fn brew(order: Order) -> Brewed { Brewed { cups: order.cups } }
    /// #[node] fn serve(brewed: &Brewed) -> Served { Served { cups: brewed.cups } }
    /// #[flow] fn coffee(order: Order) -> Served { flow! { brew -> serve } }
    ///
    /// let version = coffee::graph()?.version();
    /// assert!(version.nodes.iter().eq(["Brewed", "Order"]));
    /// # Ok::<(), FlowError>(())
    /// ```
    pub fn version(&self) -> FlowVersion {
        self.table.version()
    }
}

impl FlowVersion {
    /// The nodes that another version does not have, by whichever name.
    pub(crate) fn nodes_not_in(&self, other: &Self) -> BTreeSet<String> {
        let (names, their_names) = (by_taker(&self.takers), by_taker(&other.takers));
        only_in((&self.nodes, &names), (&other.nodes, &their_names))
    }
}

/// What each place would be called if another node took its state too: `Draft@review` for `Draft`.
fn by_taker(takers: &BTreeMap<String, String>) -> Names<'_> {
    let keys = takers.iter();
    keys.map(|(key, taker)| (&**key, format!("{key}@{taker}")))
        .collect()
}

type Names<'a> = BTreeMap<&'a str, String>;

/// The nodes of a version that another one does not have, by whichever name.
fn only_in(
    (nodes, names): (&BTreeSet<String>, &Names<'_>),
    (others, their_names): (&BTreeSet<String>, &Names<'_>),
) -> BTreeSet<String> {
    let their_names = others.iter().filter_map(|other| their_names.get(&**other));
    let their_names: BTreeSet<&str> = their_names.map(String::as_str).collect();
    let is_theirs = |key: &str| {
        let is_named = names.get(key).is_some_and(|name| others.contains(name));
        others.contains(key) || their_names.contains(key) || is_named
    };
    nodes
        .iter()
        .filter(|key| !is_theirs(key))
        .cloned()
        .collect()
}

impl Table {
    pub(crate) fn version(&self) -> FlowVersion {
        FlowVersion {
            fingerprint: self.fingerprint_text().to_owned(),
            nodes: self.node_keys(),
            takers: self.takers(),
            starts: self.starts(),
            successors: self.state_successors(),
        }
    }

    /// The keys of all nodes, those in lists included.
    pub(crate) fn node_keys(&self) -> BTreeSet<String> {
        let mut keys = BTreeSet::new();
        self.add_node_keys("", &mut keys);
        keys
    }

    /// Who takes each state that waits, in lists too.
    fn takers(&self) -> BTreeMap<String, String> {
        let mut takers = BTreeMap::new();
        self.add_takers("", &mut takers);
        takers
    }

    fn add_takers(&self, around: &str, takers: &mut BTreeMap<String, String>) {
        for (key, place) in &self.place_by_key {
            takers.insert(format!("{around}{key}"), self.taker_of(*place));
        }
        for (key, node) in &self.node_by_key {
            if let Some(chain) = self.inner(*node) {
                chain.add_takers(&format!("{around}{key}/"), takers);
            }
        }
    }

    /// What may follow each state that waits, in lists too.
    fn state_successors(&self) -> BTreeMap<String, BTreeSet<String>> {
        let mut successors = BTreeMap::new();
        self.add_successors("", &mut successors);
        successors
    }

    fn add_successors(&self, around: &str, successors: &mut BTreeMap<String, BTreeSet<String>>) {
        for (index, node) in (0..).map(NodeIx).zip(&self.nodes) {
            let caught = self
                .scopes_of(index)
                .filter_map(|(_, scope)| scope.catch.as_ref());
            let caught = caught.map(|(arc, _)| arc);
            let arcs = node.outcomes().into_iter().flatten().chain(caught);
            let left = arcs.flat_map(|arc| &arc.to);
            let left = left.map(|place| format!("{around}{}", self.place_key(*place)));
            let left: BTreeSet<String> = left.collect();
            let keys = node.slots.iter().flat_map(|slot| &self.slot(*slot).keys);
            successors.extend(keys.map(|key| (format!("{around}{key}"), left.clone())));
            if let Some(chain) = self.inner(index) {
                chain.add_successors(&format!("{around}{}/", node.key), successors);
            }
        }
    }

    /// Where each flow starts, those in lists too.
    fn starts(&self) -> BTreeMap<String, FlowStart> {
        let mut starts = BTreeMap::new();
        self.add_starts("", &mut starts);
        starts
    }

    fn add_starts(&self, around: &str, starts: &mut BTreeMap<String, FlowStart>) {
        for (index, scope) in (0..).map(ScopeIx).zip(&self.scopes) {
            let places = scope.starts_at.iter().map(|place| self.place_key(*place));
            let start = FlowStart {
                places: places.map(str::to_owned).collect(),
                is_made_again: self.makes_input_again(index, scope),
            };
            starts.insert(format!("{around}{}", scope.key), start);
        }
        for (key, node) in &self.node_by_key {
            if let Some(chain) = self.inner(*node) {
                chain.add_starts(&format!("{around}{key}/"), starts);
            }
        }
    }

    /// Whether a node in a flow makes the state that the flow starts with, for another node.
    fn makes_input_again(&self, index: ScopeIx, scope: &Scope) -> bool {
        let makes = |arc: &&OutputArc| arc.state == scope.entry && !arc.to.is_empty();
        let nodes = (0..).map(NodeIx).zip(&self.nodes);
        let mut inside = nodes.filter(|(node, _)| self.is_within(*node, index));
        inside.any(|(_, node)| node.outcomes().iter().flatten().any(makes))
    }

    fn add_node_keys(&self, around: &str, keys: &mut BTreeSet<String>) {
        for (key, node) in &self.node_by_key {
            let key = format!("{around}{key}");
            if let Some(chain) = self.inner(*node) {
                chain.add_node_keys(&format!("{key}/"), keys);
            }
            keys.insert(key);
        }
    }
}

/// A fingerprint as text, of its JSON: it has nothing that JSON escapes.
pub(crate) fn text_of_fingerprint(json: &RawValue) -> &str {
    let json = json.get();
    let text = json.strip_prefix('"').and_then(|it| it.strip_suffix('"'));
    text.unwrap_or(json)
}

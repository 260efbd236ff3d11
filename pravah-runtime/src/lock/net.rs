//! The net of a version, with the keys under which states wait in snapshots.

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt,
    sync::Arc,
};

use serde::{Deserialize, Serialize};

use crate::graph::{FlowStart, NodeEntry, NodeIx, NodeKind, OutputArc, Place, Table, split_key};

/// The net of a flow, or of the chain of a list.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct LockedNet {
    /// The states that a run starts with.
    pub(super) start: Vec<String>,
    pub(super) nodes: Vec<LockedNode>,
    /// The failures of whole nested flows that are caught.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) catches: Vec<LockedCatch>,
    /// Where nested flows start. Earlier releases did not write it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) flows: Vec<LockedFlow>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct LockedNode {
    pub(super) id: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) progress: Option<LockedProgress>,
    /// For each parameter the states that may wait for it, of which one does.
    pub(super) takes: Vec<Vec<String>>,
    /// The states that each outcome leaves. None are left at the end of the flow.
    pub(super) outcomes: Vec<Vec<String>>,
    /// The nested flows that it is in, by their inputs, which are kept while they run.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) within: Vec<String>,
    /// The chain that each item of a list runs through.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) chain: Option<LockedNet>,
}

/// What a node may have done towards the end of its step, which goes on with that in a version where both are the same.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct LockedProgress {
    pub(super) kind: ProgressKind,
    pub(super) returns: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum ProgressKind {
    Agent,
    Gate,
    RemoteAgent,
    List,
    Calls,
}

impl ProgressKind {
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Agent => "an agent",
            Self::Gate => "a gate",
            Self::RemoteAgent => "a remote agent",
            Self::List => "a list",
            Self::Calls => "a node that calls agents",
        }
    }
}

/// A nested flow that fails as a whole: as if it had failed at its start.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct LockedCatch {
    pub(super) start: Vec<String>,
    pub(super) failed: Vec<String>,
}

/// A nested flow, by what its input is called, and where that waits.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct LockedFlow {
    pub(super) input: String,
    pub(super) start: Vec<String>,
}

impl LockedNet {
    pub(super) fn of(table: &Table) -> Self {
        let keys = |places: &[Place]| -> Vec<String> {
            let keys = places.iter().map(|place| table.place_key(*place));
            keys.map(ToString::to_string).collect()
        };
        let after = |arc: &OutputArc| keys(&arc.to);
        let scopes = table.scopes.iter();
        let catches = scopes.filter_map(|scope| {
            let (arc, _) = scope.catch.as_ref()?;
            Some(LockedCatch {
                start: keys(&scope.starts_at),
                failed: after(arc),
            })
        });
        let nested = table.scopes.iter().filter(|scope| scope.parent.is_some());
        let flows = nested.map(|scope| LockedFlow {
            input: scope.key.to_string(),
            start: keys(&scope.starts_at),
        });
        let nodes = (0..).map(NodeIx).zip(&table.nodes);
        Self {
            start: after(&table.entry),
            nodes: nodes
                .map(|(node, entry)| LockedNode::of(table, node, entry))
                .collect(),
            catches: catches.collect(),
            flows: flows.collect(),
        }
    }

    /// What is wrong with a net that was read.
    pub(super) fn problem(&self) -> Option<String> {
        let mut taken = BTreeSet::new();
        for key in self.nodes.iter().flat_map(|node| &node.takes).flatten() {
            if !taken.insert(key) {
                return Some(format!("two nodes take `{key}`"));
            }
        }
        let takes_nothing = |node: &LockedNode| node.takes.iter().any(Vec::is_empty);
        if let Some(node) = self.nodes.iter().find(|node| takes_nothing(node)) {
            return Some(format!("`takes` of `{}` contains an empty list", node.id));
        }
        if self.start.is_empty() || self.catches.iter().any(|catch| catch.start.is_empty()) {
            return Some("`start` contains an empty list".to_owned());
        }
        let outcomes = self.nodes.iter().flat_map(|node| &node.outcomes).flatten();
        let catches = self.catches.iter();
        let caught = catches.flat_map(|catch| catch.start.iter().chain(&catch.failed));
        let flows = self.flows.iter().flat_map(|flow| &flow.start);
        let mut mentioned = self.start.iter().chain(outcomes).chain(caught).chain(flows);
        if let Some(key) = mentioned.find(|key| !taken.contains(key)) {
            return Some(format!("no node takes `{key}`"));
        }
        let chains = self.nodes.iter().filter_map(|node| node.chain.as_ref());
        chains.map(Self::problem).find_map(|problem| problem)
    }

    /// The keys of all nodes, and who takes each state.
    pub(super) fn add_nodes(
        &self,
        around: &str,
        nodes: &mut BTreeSet<String>,
        takers: &mut BTreeMap<String, String>,
    ) {
        for node in &self.nodes {
            for key in node.takes.iter().flatten() {
                takers.insert(format!("{around}{key}"), node.taker_of(key).to_owned());
            }
            let Some(key) = node.key() else { continue };
            let key = format!("{around}{key}");
            if let Some(chain) = &node.chain {
                chain.add_nodes(&format!("{key}/"), nodes, takers);
            }
            nodes.insert(key);
        }
    }

    /// What may follow each state.
    pub(super) fn add_successors(
        &self,
        around: &str,
        successors: &mut BTreeMap<String, BTreeSet<String>>,
    ) {
        for node in &self.nodes {
            let caught = self
                .catches
                .iter()
                .filter(|catch| self.is_around(catch, node));
            let left = node
                .outcomes
                .iter()
                .chain(caught.map(|catch| &catch.failed));
            let left = left.flatten().map(|key| format!("{around}{key}"));
            let left: BTreeSet<String> = left.collect();
            let keys = node.takes.iter().flatten();
            successors.extend(keys.map(|key| (format!("{around}{key}"), left.clone())));
            if let (Some(key), Some(chain)) = (node.key(), &node.chain) {
                chain.add_successors(&format!("{around}{key}/"), successors);
            }
        }
    }

    /// Whether the flow of a `catch` is around a node.
    fn is_around(&self, catch: &LockedCatch, node: &LockedNode) -> bool {
        // Where an earlier release wrote it, it may be any of them.
        let mut flows = self.flows.iter().filter(|flow| flow.start == catch.start);
        let is_within = |flow: &LockedFlow| node.within.contains(&flow.input);
        match self.flows.is_empty() {
            true => !node.within.is_empty(),
            false => flows.any(is_within),
        }
    }

    /// Whether what a node leaves, or a failure that is caught, comes to this place of the start.
    pub(super) fn comes_back_to(&self, key: &str) -> bool {
        // The first is the start.
        let mut left = self.left().skip(1).flatten();
        left.any(|it| it == key)
    }

    /// What is left at the start of a run, by each outcome of a node, and by each failure that is caught.
    pub(super) fn left(&self) -> impl Iterator<Item = &Vec<String>> {
        let outcomes = self.nodes.iter().flat_map(|node| &node.outcomes);
        let caught = self.catches.iter().map(|catch| &catch.failed);
        [&self.start].into_iter().chain(outcomes).chain(caught)
    }

    /// Where each flow starts. Returns whether that is known of all of them.
    pub(super) fn add_starts(
        &self,
        around: &str,
        starts: &mut BTreeMap<String, FlowStart>,
    ) -> bool {
        let own = self.input().map(|input| (input, &self.start));
        let nested = self.flows.iter().map(|it| (it.input.as_str(), &it.start));
        for (input, places) in own.into_iter().chain(nested) {
            let start = FlowStart {
                places: places.clone(),
                is_made_again: self.makes_input_again(input, places),
            };
            starts.insert(format!("{around}{input}"), start);
        }
        let is_known = |input: &String| self.flows.iter().any(|flow| flow.input == *input);
        let mut are_known = self.nodes.iter().flat_map(|it| &it.within).all(is_known);
        for node in &self.nodes {
            if let (Some(key), Some(chain)) = (node.key(), &node.chain) {
                are_known &= chain.add_starts(&format!("{around}{key}/"), starts);
            }
        }
        are_known
    }

    /// Whether a node in a flow makes the state that the flow starts with, for another node.
    pub(super) fn makes_input_again(&self, input: &str, start: &[String]) -> bool {
        let Some((state, _)) = start.first().map(|key| split_key(key)) else {
            return false;
        };
        let is_whole = self.input() == Some(input);
        let inside = self.nodes.iter();
        let mut inside = inside.filter(|node| is_whole || node.within.iter().any(|it| it == input));
        inside.any(|node| {
            let mut left = node.outcomes.iter().flatten();
            left.any(|key| split_key(key).0 == state)
        })
    }

    /// Whether both are one net, whatever is written of where nested flows start.
    pub(super) fn is_same(&self, other: &Self) -> bool {
        self.without_flows() == other.without_flows()
    }

    fn without_flows(&self) -> Self {
        let mut net = self.clone();
        net.flows.clear();
        for node in &mut net.nodes {
            node.chain = node.chain.as_ref().map(Self::without_flows);
        }
        net
    }

    /// The state that a run starts with, which is kept as the input.
    pub(super) fn input(&self) -> Option<&str> {
        self.start.first().map(|key| split_key(key).0)
    }
}

impl LockedNode {
    fn of(table: &Table, node: NodeIx, entry: &NodeEntry) -> Self {
        let slots = entry.slots.iter().map(|slot| table.slot(*slot));
        let keys = |keys: &[Arc<str>]| keys.iter().map(ToString::to_string).collect();
        let outcomes = entry.outcomes().into_iter().map(|arcs| {
            let places = arcs.into_iter().flat_map(|arc| &arc.to);
            places
                .map(|place| table.place_key(*place).to_string())
                .collect()
        });
        Self {
            id: entry.id.to_string(),
            progress: LockedProgress::of(table, node),
            takes: slots.map(|slot| keys(&slot.keys)).collect(),
            outcomes: outcomes.collect(),
            within: {
                let around = table.scopes_of(node).map(|(_, scope)| scope);
                let nested = around.filter(|scope| scope.parent.is_some());
                nested.map(|scope| scope.key.to_string()).collect()
            },
            chain: match &entry.kind {
                NodeKind::Each(each) => Some(LockedNet::of(&each.chain.table)),
                _ => None,
            },
        }
    }

    /// What stands for it in snapshots.
    pub(super) fn key(&self) -> Option<&str> {
        self.takes.first()?.first().map(String::as_str)
    }

    /// Who takes the state of this key, with the parameter where it takes several of them.
    pub(super) fn taker_of<'a>(&'a self, key: &'a str) -> &'a str {
        split_key(key).1.unwrap_or(&self.id)
    }
}

impl LockedProgress {
    pub(super) fn of(table: &Table, node: NodeIx) -> Option<Self> {
        let kind = match &table.node(node).kind {
            NodeKind::Agent(_) => ProgressKind::Agent,
            NodeKind::Gate(_) => ProgressKind::Gate,
            NodeKind::Remote(_) => ProgressKind::RemoteAgent,
            NodeKind::Each(_) => ProgressKind::List,
            NodeKind::Invoke(_) => ProgressKind::Calls,
            NodeKind::Function(_)
            | NodeKind::Flow(_)
            | NodeKind::AwaitTask
            | NodeKind::Detached(_)
            | NodeKind::Broken(_) => return None,
        };
        let returns = table.returns(node).to_string();
        Some(Self { kind, returns })
    }
}

/// What a node is, and returns, in words.
pub(crate) fn node_in_words(table: &Table, node: NodeIx) -> String {
    LockedProgress::of(table, node).map_or_else(
        || {
            let id = table.node_id(node);
            format!("`{id}`, which does its work in a single step")
        },
        |progress| progress.to_string(),
    )
}

impl fmt::Display for LockedProgress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} that returns `{}`", self.kind.name(), self.returns)
    }
}

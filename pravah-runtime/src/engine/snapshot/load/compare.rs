//! Compares a flow with an earlier version: which nodes are new, and which of those a run cannot reach any
//! more.

use std::collections::{BTreeMap, BTreeSet};

use super::super::super::{
    load_report::{LoadOptions, LoadReport},
    state::frame::Frame,
};
use crate::graph::NodeIx;

impl LoadReport {
    /// Compares the nodes of the flow with those of the version that the snapshot is of, if that is known.
    pub(super) fn compare(&mut self, options: &LoadOptions, root: &Frame) {
        let mut versions = options.versions.iter();
        let Some(version) = versions.find(|it| it.fingerprint == self.fingerprint) else {
            return;
        };
        self.is_version_known = true;
        let nodes = root.table.node_keys();
        let (old, new) = (by_taker(&version.takers), root.table.takers());
        let new = by_taker(&new);
        self.added = only_in((&nodes, &new), (&version.nodes, &old));
        self.removed = only_in((&version.nodes, &old), (&nodes, &new));
        if !self.added.is_empty() {
            let mut unreachable = BTreeSet::new();
            add_unreachable(root, "", &mut unreachable);
            self.skipped = self.added.intersection(&unreachable).cloned().collect();
        }
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

/// Adds the keys of the nodes that a frame, or an item in it, cannot reach any more.
fn add_unreachable(frame: &Frame, around: &str, unreachable: &mut BTreeSet<String>) {
    let reached = reached(frame);
    for (key, node) in &frame.table.node_by_key {
        let key = format!("{around}{key}");
        let inside = format!("{key}/");
        let list = frame.progress.lists.get(node);
        let is_reached = reached.contains(node);
        if let Some(chain) = frame.table.inner(*node)
            && (!is_reached || list.is_some_and(|list| !list.done.is_empty()))
        {
            let nodes = chain.node_keys().into_iter();
            unreachable.extend(nodes.map(|node| format!("{inside}{node}")));
        }
        for item in list.iter().flat_map(|list| list.items.values()) {
            add_unreachable(item, &inside, unreachable);
        }
        if !is_reached {
            unreachable.insert(key);
        }
    }
}

/// The nodes that what waits in a frame can reach.
fn reached(frame: &Frame) -> BTreeSet<NodeIx> {
    let table = &frame.table;
    let nodes = frame.tokens.keys().map(|slot| table.slot(*slot).node);
    let mut open: Vec<NodeIx> = nodes.collect();
    let mut reached = BTreeSet::new();
    while let Some(node) = open.pop() {
        if reached.insert(node) {
            open.extend(table.successors(node));
        }
    }
    reached
}

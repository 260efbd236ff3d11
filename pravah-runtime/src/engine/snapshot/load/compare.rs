//! Compares a flow with an earlier version: which nodes are new, and which of those a run cannot reach any
//! more.

use std::{collections::BTreeSet, mem::take};

use super::{
    super::super::{
        load_report::{LoadOptions, LoadReport},
        state::frame::Frame,
    },
    Loader,
};
use crate::graph::NodeIx;

impl Loader<'_> {
    /// What became of the run, whose own frame is `root`.
    pub(super) fn report(
        &mut self,
        fingerprint: &str,
        options: &LoadOptions,
        root: &Frame,
    ) -> LoadReport {
        let mut report = LoadReport {
            fingerprint: fingerprint.to_owned(),
            dropped: take(&mut self.dropped),
            migrated: take(&mut self.migrated),
            ..LoadReport::default()
        };
        report.compare(options, root);
        report
    }
}

impl LoadReport {
    /// Compares the nodes of the flow with those of the version that the snapshot is of, if that is known.
    fn compare(&mut self, options: &LoadOptions, root: &Frame) {
        let Some(version) = options.version(&self.fingerprint) else {
            return;
        };
        self.is_version_known = true;
        let this = root.table.version();
        self.added = this.nodes_not_in(version);
        self.removed = version.nodes_not_in(&this);
        if !self.added.is_empty() {
            let mut unreachable = BTreeSet::new();
            add_unreachable(root, "", &mut unreachable);
            self.skipped = self.added.intersection(&unreachable).cloned().collect();
        }
    }
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

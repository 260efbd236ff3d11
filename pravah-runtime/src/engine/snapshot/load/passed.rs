//! The nodes that a run has passed in another version, and comes to again in this one.
//!
//! Visits are counted on loops alone, where each step of a node has a key of its own. Where a deploy puts a node on a loop,
//! or behind what has run, its next step is another one than that which the run has made, and has to have another key.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use super::{super::super::state::frame::Frame, Loader};
use crate::graph::{NodeIx, Table, node_of_taker, split_key};

impl Loader<'_> {
    /// The nodes that the run may have passed, of those whose visits were not counted.
    pub(super) fn passed(&self, frame: &Frame) -> Passed {
        match self.successors_in_frame() {
            successors if successors.is_empty() => Passed {
                nodes: self.may_be_passed(frame),
                gone: Vec::new(),
            },
            successors => self.known_passed(&frame.table, &successors),
        }
    }

    /// The node whose visits are stored under a name, or each that it may be.
    pub(super) fn visited_nodes(&self, table: &Table, id: &str) -> Vec<NodeIx> {
        self.node(table, id)
            .map_or_else(|_| self.nodes_of_place(table, id), |node| vec![node])
    }

    /// The node that takes what waits under a key, or each that may be it.
    fn nodes_of_place(&self, table: &Table, key: &str) -> Vec<NodeIx> {
        if let Ok(place) = self.known_place(table, key) {
            return place
                .map(|place| table.slot(place.slot).node)
                .into_iter()
                .collect();
        }
        let candidates = table.place_of(key, None).err();
        let keys = candidates.into_iter().flat_map(|it| it.candidates);
        let places = keys.filter_map(|key| table.place_by_key.get(key));
        places.map(|place| table.slot(place.slot).node).collect()
    }

    /// What may follow each state in the version of the snapshot, of those that may wait in the frame that is being loaded.
    fn successors_in_frame(&self) -> Vec<(&str, &BTreeSet<String>)> {
        let Some(version) = self.version else {
            return Vec::new();
        };
        let successors = version.successors.range(self.lists.clone()..);
        let successors =
            successors.map_while(|(key, left)| Some((key.strip_prefix(&self.lists)?, left)));
        successors.filter(|(key, _)| !key.contains('/')).collect()
    }

    /// The nodes that a run has passed which waits where this one does.
    fn known_passed(&self, table: &Table, successors: &[(&str, &BTreeSet<String>)]) -> Passed {
        let keys = (0..).zip(successors).map(|(index, (key, _))| (*key, index));
        let index_of: BTreeMap<&str, usize> = keys.collect();
        let index_in_frame = |key: &String| {
            let key = key.strip_prefix(&self.lists)?;
            index_of.get(key).copied()
        };
        let next = successors
            .iter()
            .map(|(_, left)| left.iter().filter_map(index_in_frame));
        let next: Vec<Vec<usize>> = next.map(Iterator::collect).collect();
        let waits = self.notes.places.keys();
        let waits = waits.filter_map(|key| index_of.get(&**key));
        let waits: BTreeSet<usize> = waits.copied().collect();
        let before = pravah_graph::leading_to(&next, waits.iter().copied());
        let on_loop = pravah_graph::on_cycle(&next);
        let places = (0..).zip(successors).zip(before.into_iter().zip(on_loop));
        let uncounted = places.filter(|((index, _), (is_before, on_loop))| {
            !on_loop && *is_before && !waits.contains(index)
        });
        let mut passed = Passed::default();
        for ((_, (key, _)), _) in uncounted {
            let nodes = self.nodes_of_place(table, key);
            if self.is_gone(table, key, &nodes) && self.had_node(key) {
                passed.gone.push((*key).to_owned());
            }
            passed.nodes.extend(nodes);
        }
        passed
    }

    /// Whether none of the nodes that now take the state of a key may be the one for which it waited.
    pub(super) fn is_gone(&self, table: &Table, key: &str, nodes: &[NodeIx]) -> bool {
        !nodes.iter().any(|node| self.may_be_of(table, key, *node))
    }

    /// Whether a node may be the one for which the state of a key waited. Another one has step keys of its own.
    fn may_be_of(&self, table: &Table, key: &str, node: NodeIx) -> bool {
        let taker = split_key(key).1.or_else(|| self.taker_of(key));
        table.node_by_key.contains_key(key)
            || taker.is_none_or(|taker| node_of_taker(taker) == table.node_id(node))
    }

    /// Whether the version that the snapshot is of has a node of this key.
    fn had_node(&self, key: &str) -> bool {
        let key = format!("{}{key}", self.lists);
        self.version
            .is_some_and(|version| version.nodes.contains(&key))
    }

    /// Of a version that is not known, the nodes on loops for which nothing waits.
    fn may_be_passed(&self, frame: &Frame) -> BTreeSet<NodeIx> {
        let takers = self
            .version
            .into_iter()
            .flat_map(|version| version.takers.values());
        let earlier: BTreeSet<&str> = takers.map(|taker| node_of_taker(taker)).collect();
        let nodes = (0..).map(NodeIx).zip(&frame.table.nodes);
        // What waited for another function is not what this one waited for.
        let waiting = self.notes.places.iter().filter_map(|(key, place)| {
            let node = frame.table.slot(place.slot).node;
            self.may_be_of(&frame.table, key, node).then_some(node)
        });
        let waiting: BTreeSet<NodeIx> = waiting.collect();
        let nodes = nodes.filter(|(node, entry)| {
            let waits = waiting.contains(node);
            let was_there = earlier.is_empty() || earlier.contains(&*entry.id);
            entry.on_cycle && was_there && !waits
        });
        nodes.map(|(node, _)| node).collect()
    }
}

/// What a run has passed without its visits being counted.
#[derive(Default)]
pub(super) struct Passed {
    nodes: BTreeSet<NodeIx>,
    /// The keys of nodes that this version does not have.
    gone: Vec<String>,
}

impl Passed {
    /// Counts a visit of each of the nodes to which the run may come again, in this version or in a later one.
    pub(super) fn count(mut self, frame: &mut Frame) {
        let table = Arc::clone(&frame.table);
        for key in self.gone {
            let visits = &mut frame.progress.gone_visits;
            visits.get_or_insert_with(key.into(), || 1);
        }
        let progress = &frame.progress;
        (self.nodes).retain(|node| !progress.has_started(*node) && !progress.visits.contains(node));
        if self.nodes.is_empty() {
            return;
        }
        let waiting = frame
            .waiting()
            .map(|(place, _)| table.slot(place.slot).node);
        for node in self.nodes.intersection(&nodes_ahead(&table, waiting)) {
            frame.progress.visits.insert(*node, 1);
        }
    }
}

/// These nodes, and those to which a run may come after them.
fn nodes_ahead(table: &Table, nodes: impl Iterator<Item = NodeIx>) -> BTreeSet<NodeIx> {
    let mut open: Vec<NodeIx> = nodes.collect();
    let mut found = BTreeSet::new();
    while let Some(node) = open.pop() {
        if found.insert(node) {
            open.extend(table.successors(node));
        }
    }
    found
}

//! The ways of runs through the net of a version.

use std::collections::{BTreeMap, BTreeSet};

use super::net::{LockedCatch, LockedNet, LockedNode};

/// How runs come to the nodes of a net.
pub(super) struct Paths<'a> {
    net: &'a LockedNet,
    around: &'a [String],
    /// The node that takes each state.
    takers: BTreeMap<&'a str, usize>,
    /// The node before each one that is not the first.
    before: BTreeMap<usize, usize>,
}

impl<'a> Paths<'a> {
    pub(super) fn of(net: &'a LockedNet, around: &'a [String]) -> Self {
        let mut paths = Self {
            net,
            around,
            takers: BTreeMap::new(),
            before: BTreeMap::new(),
        };
        for (index, node) in net.nodes.iter().enumerate() {
            let keys = node.takes.iter().flatten();
            paths.takers.extend(keys.map(|key| (key.as_str(), index)));
        }
        let mut open: Vec<usize> = net
            .start
            .iter()
            .filter_map(|key| paths.taker(key))
            .collect();
        let mut seen: BTreeSet<usize> = open.iter().copied().collect();
        let mut at = 0;
        while let Some(&node) = open.get(at) {
            at += 1;
            for next in paths.after(node) {
                if seen.insert(next) {
                    paths.before.insert(next, node);
                    open.push(next);
                }
            }
        }
        paths
    }

    fn taker(&self, key: &str) -> Option<usize> {
        self.takers.get(key).copied()
    }

    /// The nodes that take what a node leaves, or what a failure of the flow leaves that starts with it.
    fn after(&self, node: usize) -> Vec<usize> {
        let outcomes = self
            .net
            .nodes
            .get(node)
            .into_iter()
            .flat_map(|it| &it.outcomes);
        let catches = self.net.catches.iter();
        let caught = catches.filter(|catch| {
            let mut start = catch.start.iter();
            start.any(|key| self.taker(key) == Some(node))
        });
        let caught = caught.map(|catch| &catch.failed);
        let left = outcomes.chain(caught).flatten();
        left.filter_map(|key| self.taker(key)).collect()
    }

    /// The nodes that lead to a node, and itself.
    pub(super) fn to(&self, node: usize) -> Vec<String> {
        let nodes = std::iter::successors(Some(node), |node| self.before.get(node).copied());
        let ids = nodes.filter_map(|node| self.net.nodes.get(node));
        let mut path: Vec<String> = ids.map(|node| node.id.clone()).collect();
        path.reverse();
        self.around.iter().cloned().chain(path).collect()
    }

    /// The nodes that lead to the one that takes these states, and itself.
    pub(super) fn to_taker(&self, states: &[String]) -> Vec<String> {
        let taker = states.first().and_then(|key| self.taker(key));
        taker.map_or_else(|| self.around.to_vec(), |taker| self.to(taker))
    }

    /// The nodes after which a state waits.
    pub(super) fn to_state(&self, state: &str) -> Vec<String> {
        let leaves = |node: &LockedNode| node.outcomes.iter().flatten().any(|it| it == state);
        let caught = |catch: &&LockedCatch| catch.failed.iter().any(|it| it == state);
        if let Some(node) = self.net.nodes.iter().position(leaves) {
            return self.to(node);
        }
        let catch = self.net.catches.iter().find(caught);
        catch.map_or_else(|| self.around.to_vec(), |catch| self.to_taker(&catch.start))
    }
}

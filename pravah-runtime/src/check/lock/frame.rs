//! A flow, where it is nested in others.

use super::hash::Hash;
use crate::{
    state::name::same,
    topology::{ArcFrom, ArcTo, Topology},
};

/// A flow, where it is nested.
#[derive(Clone, Copy)]
pub(super) struct Frame<'a> {
    pub(super) net: &'static Topology,
    /// The flow around it, and which node of that it is.
    pub(super) around: Option<(&'a Frame<'a>, usize)>,
    /// The number of its first node.
    pub(super) nodes_at: usize,
    /// What the ids of all nodes start with: of the chain of a list, the nested flows that the list is in.
    pub(super) ids: Hash,
}

impl<'a> Frame<'a> {
    /// The flow that a node is, whose first node has the number `nodes_at`.
    pub(super) const fn inner(&'a self, at: usize, nodes_at: usize) -> Option<Self> {
        match self.net.nodes[at].inside {
            Some(net) if !net.is_list() => Some(Self {
                net,
                around: Some((self, at)),
                nodes_at,
                ids: self.ids,
            }),
            _ => None,
        }
    }

    /// Whether a node is a flow that starts at several places, and can fail as a whole.
    pub(super) const fn has_entrance(&self, at: usize) -> bool {
        match self.net.nodes[at].inside {
            Some(net) if !net.is_list() => {
                net.start_count() > 1 && self.net.failure_arc(at).is_some()
            }
            _ => false,
        }
    }

    /// Whether the flow starts with one of its nodes alone.
    pub(super) const fn starts_with(&self, at: usize) -> bool {
        let mut arc = 0;
        while arc < self.net.arcs.len() {
            if let ArcFrom::Input = self.net.arcs[arc].from {
                let leads_there = matches!(self.net.arcs[arc].to, ArcTo::Node(node) if node == at);
                return leads_there && self.net.start_count() == 1;
            }
            arc += 1;
        }
        false
    }

    /// The hash of the id of a node.
    pub(super) const fn hash_of(&self, node: &str) -> Hash {
        self.hash_after(self.ids, node)
    }

    /// What the ids of nodes in the chain of a list start with that is a node of the flow.
    pub(super) const fn ids_inside(&self) -> Hash {
        match self.around {
            Some((around, within)) => around.hash_of(around.net.nodes[within].id).and("::"),
            None => self.ids,
        }
    }

    /// The input and the output of a nested flow are called as they are around it.
    pub(super) const fn hash_of_state(&self, name: &str) -> Hash {
        let Some((around, _)) = self.around else {
            return Hash::NONE.and(name);
        };
        match self.net.has_end(name) {
            true => around.hash_of_state(name),
            false => self.hash_after(Hash::NONE, name),
        }
    }

    /// The hash of a name behind those of the flows around it, which follow `start`.
    const fn hash_after(&self, start: Hash, name: &str) -> Hash {
        match self.around {
            Some((around, within)) => around
                .hash_after(start, around.net.nodes[within].id)
                .and("::")
                .and(name),
            None => start.and(name),
        }
    }
}

impl Topology {
    /// The arc that a node's failure takes, where a `catch` follows it.
    pub(super) const fn failure_arc(&self, at: usize) -> Option<usize> {
        if self.nodes[at].failure.is_none() {
            return None;
        }
        let mut arc = 0;
        while arc < self.arcs.len() {
            if let ArcFrom::Failure { node } = self.arcs[arc].from
                && node == at
            {
                return Some(arc);
            }
            arc += 1;
        }
        None
    }

    /// At how many places it starts.
    pub(super) const fn start_count(&self) -> usize {
        let (mut arc, mut count) = (0, 0);
        while arc < self.arcs.len() {
            count += matches!(self.arcs[arc].from, ArcFrom::Input) as usize;
            arc += 1;
        }
        count
    }

    /// Whether a state is what the flow starts or ends with.
    pub(super) const fn has_end(&self, name: &str) -> bool {
        let is_input = matches!(self.ends.input, Some(input) if same(input.name, name));
        is_input || matches!(self.ends.output, Some(output) if same(output.name, name))
    }
}

//! A flow, or the chain of a list, as its checks see it.
//!
//! One mistake shows in several places: a check that finds something wrong looks here whether another check has
//! said why.

use super::signature::contains;
use crate::{
    graph::{ArcFrom, ArcTo, Source, Topology, TopologyNode},
    node::{Inside, ParamRef, ShapeKind, Signature},
    state::{StateRef, name::same},
};

impl Topology {
    /// The flow as a node of others. Where its own ends are wrong it has been reported, and others that
    /// lead to it and on from it are not.
    #[doc(hidden)]
    pub const fn signature_of(&self, flow: Signature) -> Signature {
        let (mut arc, mut broken) = (0, flow.broken);
        while arc < self.arcs.len() {
            let is_end = matches!(self.arcs[arc].from, ArcFrom::Input)
                || matches!(self.arcs[arc].to, ArcTo::Done);
            broken = broken || (is_end && !self.arc_fits(arc));
            arc += 1;
        }
        let inside = Inside::Nodes(self.nodes);
        Signature {
            broken,
            inside,
            ..flow
        }
    }

    /// Whether it is the chain of a list.
    pub(super) const fn is_list(&self) -> bool {
        self.ends.input.is_none()
    }

    /// The node that an arc comes from, if it comes from one.
    pub(super) const fn node_before(&self, arc: usize) -> Option<usize> {
        match self.arcs[arc].from {
            ArcFrom::Output { node, .. } | ArcFrom::Failure { node } => Some(node),
            ArcFrom::Input => None,
        }
    }

    /// What the end of the flow takes; of a list what the first of its ends brings.
    pub(super) const fn output(&self) -> Option<StateRef> {
        if self.ends.output.is_some() {
            return self.ends.output;
        }
        match self.first_end() {
            Some(arc) => self.carried[arc].state,
            None => None,
        }
    }

    /// The first arc that ends the flow.
    pub(super) const fn first_end(&self) -> Option<usize> {
        let mut arc = 0;
        while arc < self.arcs.len() {
            if matches!(self.arcs[arc].to, ArcTo::Done) {
                return Some(arc);
            }
            arc += 1;
        }
        None
    }

    /// Whether what an arc brings is taken where it leads; so it is where that is not known.
    pub(super) const fn arc_fits(&self, arc: usize) -> bool {
        let Some(state) = self.carried[arc].state else {
            return true;
        };
        match self.arcs[arc].to {
            ArcTo::Node(node) => self.nodes[node].signature.takes(state),
            ArcTo::Done => match self.output() {
                Some(output) => same(output.name, state.name),
                None => true,
            },
        }
    }

    /// Whether something is wrong before the node that an arc comes from: it may stand in the
    /// wrong place, and what comes after it as well.
    pub(super) const fn is_misplaced(&self, arc: usize) -> bool {
        match self.node_before(arc) {
            Some(node) => self.is_suspect(node) || self.is_failure_of_wrong(arc),
            None => false,
        }
    }

    /// Whether something is wrong before a node. Paths back do not count: on a loop two mistakes
    /// would excuse each other.
    pub(super) const fn is_suspect(&self, node: usize) -> bool {
        let mut suspects = Nodes::NONE;
        loop {
            let mut found = false;
            let mut arc = 0;
            while arc < self.arcs.len() {
                if let ArcTo::Node(to) = self.arcs[arc].to
                    && !suspects.has(to)
                    && self.is_wrong_way(arc, to, suspects)
                {
                    suspects = suspects.and(to);
                    found = true;
                }
                arc += 1;
            }
            // Arcs stand in the order of the flow, so that this comes soon.
            if suspects.has(node) || !found {
                return suspects.has(node);
            }
        }
    }

    /// Whether an arc to node number `to` is wrong, or something is before it.
    const fn is_wrong_way(&self, arc: usize, to: usize, suspects: Nodes) -> bool {
        match self.node_before(arc) {
            Some(from) if from >= to => false,
            Some(from) => suspects.has(from) || !self.arc_fits(arc) || !self.has_its_branches(from),
            None => !self.arc_fits(arc),
        }
    }

    /// Whether something is wrong before one of the nodes that lead to this one.
    pub(super) const fn comes_from_suspects(&self, node: usize) -> bool {
        let mut slots = self.nodes[node].slots;
        while let [slot, rest @ ..] = slots {
            let mut arcs = *slot;
            while let [arc, others @ ..] = arcs {
                if let Some(from) = self.node_before(*arc)
                    && (!self.has_its_branches(from) || self.is_suspect(from))
                {
                    return true;
                }
                arcs = others;
            }
            slots = rest;
        }
        false
    }

    /// The first arc to a node that is wrong by itself.
    pub(super) const fn wrong_arc_to(&self, node: usize) -> Option<usize> {
        let mut slots = self.nodes[node].slots;
        while let [slot, rest @ ..] = slots {
            let mut arcs = *slot;
            while let [arc, others @ ..] = arcs {
                if !self.arc_fits(*arc) && !self.is_misplaced(*arc) {
                    return Some(*arc);
                }
                arcs = others;
            }
            slots = rest;
        }
        None
    }

    /// Whether the same was said of an arc before this one.
    pub(super) const fn already_reported(&self, arc: usize) -> bool {
        let (ArcTo::Node(node), Some(state)) = (self.arcs[arc].to, self.carried[arc].state) else {
            return false;
        };
        let mut i = 0;
        while i < arc {
            if self.leads_to(i, node)
                && let Some(other) = self.carried[i].state
                && same(other.name, state.name)
                && !self.is_misplaced(i)
            {
                return true;
            }
            i += 1;
        }
        false
    }

    /// Whether a node gets all that it takes, and nothing else. Ways back do not count.
    const fn is_served(&self, node: usize) -> bool {
        let TopologyNode {
            signature, join, ..
        } = self.nodes[node];
        let mut arc = 0;
        while arc < self.arcs.len() {
            let is_back = matches!(self.node_before(arc), Some(from) if from >= node);
            if self.leads_to(arc, node) && !is_back && !self.arc_fits(arc) {
                return false;
            }
            arc += 1;
        }
        self.is_filled(node) && (join || signature.params.len() == 1)
    }

    /// Whether an arc is the failure of a node that is itself wrong.
    const fn is_failure_of_wrong(&self, arc: usize) -> bool {
        match (self.node_before(arc), self.carried[arc].source) {
            (Some(node), Source::Failure) => !self.is_served(node),
            _ => false,
        }
    }

    /// Whether nothing is to be said of what follows a node.
    pub(super) const fn fits_or_is_suspect(&self, node: usize) -> bool {
        self.has_its_branches(node) || self.is_suspect(node)
    }

    /// Whether an end before this one is wrong as well.
    pub(super) const fn is_repeated(&self, arc: usize) -> bool {
        let mut i = 0;
        while i < arc {
            if matches!(self.arcs[i].to, ArcTo::Done) && !self.arc_fits(i) {
                return true;
            }
            i += 1;
        }
        false
    }

    /// Whether every arc brings what is taken where it leads. If one does not, what it should have
    /// carried is missing elsewhere, and whoever misses it knows why.
    pub(super) const fn all_arcs_fit(&self) -> bool {
        let mut i = 0;
        while i < self.arcs.len() {
            if !self.arc_fits(i) && !self.is_failure_of_wrong(i) {
                return false;
            }
            i += 1;
        }
        true
    }

    /// The `join` that takes a state, if there is one.
    pub(super) const fn join_for(&self, state: StateRef) -> Option<Signature> {
        let mut i = 0;
        while i < self.nodes.len() {
            let TopologyNode {
                signature, join, ..
            } = self.nodes[i];
            if join && !signature.broken && signature.takes(state) {
                return Some(signature);
            }
            i += 1;
        }
        None
    }

    /// Whether as many branches follow a node as it has outputs; behind a broken node that is not known.
    const fn has_its_branches(&self, node: usize) -> bool {
        let node = &self.nodes[node];
        let is_one = matches!(node.follows, ShapeKind::One);
        node.fits() || node.signature.broken && is_one
    }

    const fn has_all_branches(&self) -> bool {
        let mut i = 0;
        while i < self.nodes.len() {
            if !self.has_its_branches(i) {
                return false;
            }
            i += 1;
        }
        true
    }

    /// Whether every edge and every join is in order.
    pub(super) const fn is_in_order(&self) -> bool {
        if !self.has_all_branches() || !self.all_arcs_fit() {
            return false;
        }
        let mut i = 0;
        while i < self.nodes.len() {
            if !self.is_filled(i) {
                return false;
            }
            i += 1;
        }
        true
    }

    /// Whether everything that a node takes is carried to it.
    const fn is_filled(&self, node: usize) -> bool {
        let Signature { params, broken, .. } = self.nodes[node].signature;
        if let [only] = params
            && only.states.len() == 1
        {
            // Its arc was looked at.
            return true;
        }
        let mut param = 0;
        while param < params.len() && !broken {
            let states = params[param].states;
            let mut i = 0;
            while i < states.len() {
                if !self.brings(node, states[i]) {
                    return false;
                }
                i += 1;
            }
            param += 1;
        }
        true
    }

    /// Whether an arc to `node` brings `state`, or something that is not known.
    pub(super) const fn brings(&self, node: usize, state: StateRef) -> bool {
        let mut slots = self.nodes[node].slots;
        while let [slot, rest @ ..] = slots {
            let mut arcs = *slot;
            while let [arc, others @ ..] = arcs {
                match self.carried[*arc].state {
                    Some(carried) if !same(carried.name, state.name) => {}
                    _ => return true,
                }
                arcs = others;
            }
            slots = rest;
        }
        false
    }

    const fn leads_to(&self, arc: usize, node: usize) -> bool {
        matches!(self.arcs[arc].to, ArcTo::Node(to) if to == node)
    }
}

/// Some of the nodes; those beyond the first few thousand are never among them.
#[derive(Clone, Copy)]
struct Nodes([u64; 64]);

impl Nodes {
    const NONE: Self = Self([0; 64]);

    const fn has(self, node: usize) -> bool {
        node / 64 < self.0.len() && self.0[node / 64] & 1 << (node % 64) != 0
    }

    const fn and(mut self, node: usize) -> Self {
        if node / 64 < self.0.len() {
            self.0[node / 64] |= 1 << (node % 64);
        }
        self
    }
}

/// The parameter that takes `state`, or `params.len()`.
pub(super) const fn param_of(params: &[ParamRef], state: StateRef) -> usize {
    let mut i = 0;
    while i < params.len() && !contains(params[i].states, state) {
        i += 1;
    }
    i
}

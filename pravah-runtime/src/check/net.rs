//! A flow, or the chain of a list, as its checks see it.

use super::signature::contains;
use crate::{
    state::{StateRef, name::same},
    topology::{ArcFrom, ArcTo, Inside, ParamRef, ShapeKind, Signature, Topology, TopologyNode},
};

impl Topology {
    /// The flow as a node of others. Where its own ends are wrong it has been reported, and others that
    /// lead to it and on from it are not.
    #[doc(hidden)]
    pub const fn signature_of(&'static self, flow: Signature) -> Signature {
        let (mut arc, mut broken) = (0, flow.broken);
        while arc < self.arcs.len() {
            let is_end = matches!(self.arcs[arc].from, ArcFrom::Input)
                || matches!(self.arcs[arc].to, ArcTo::Done);
            broken = broken || (is_end && !self.arc_fits(arc));
            arc += 1;
        }
        let inside = Inside::Net(self);
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

    /// Arc number `number` of those into a node, counted through its slots.
    pub(super) const fn arc_into(&self, node: usize, mut number: usize) -> Option<usize> {
        let mut slots = self.nodes[node].slots;
        while let [slot, rest @ ..] = slots {
            if number < slot.len() {
                return Some(slot[number]);
            }
            number -= slot.len();
            slots = rest;
        }
        None
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
        let Some(state) = &self.carried[arc].state else {
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

    /// The `join` that takes a state, if there is one.
    pub(super) const fn join_for(&self, state: StateRef) -> Option<Signature> {
        let mut i = 0;
        while i < self.nodes.len() {
            let TopologyNode {
                signature, join, ..
            } = self.nodes[i];
            if join && !signature.broken && signature.takes(&state) {
                return Some(signature);
            }
            i += 1;
        }
        None
    }

    /// The first node without a `join`, other than that before an arc, that takes a state alone.
    pub(super) const fn taker_of(&self, state: StateRef, arc: usize) -> Option<&'static str> {
        let before = self.node_before(arc);
        let mut i = 0;
        while i < self.nodes.len() {
            let TopologyNode {
                signature, join, ..
            } = self.nodes[i];
            let is_before = matches!(before, Some(before) if before == i);
            let takes_one = matches!(signature.params, [_]) && !is_before;
            if takes_one && !join && !signature.broken && signature.takes(&state) {
                return Some(signature.name);
            }
            i += 1;
        }
        None
    }

    /// Whether as many branches follow a node as it has outputs; behind a broken node that is not known.
    pub(super) const fn has_its_branches(&self, node: usize) -> bool {
        let node = &self.nodes[node];
        let is_one = matches!(node.follows, ShapeKind::One);
        node.fits() || node.signature.broken && is_one
    }

    /// Whether every edge and every join is in order.
    pub(super) const fn is_in_order(&self) -> bool {
        let mut arc = 0;
        while arc < self.arcs.len() {
            if !self.arc_fits(arc) {
                return false;
            }
            arc += 1;
        }
        let mut node = 0;
        while node < self.nodes.len() {
            if !self.has_its_branches(node) || !self.is_filled(node) {
                return false;
            }
            node += 1;
        }
        true
    }

    /// Whether everything that a node takes is carried to it.
    pub(super) const fn is_filled(&self, node: usize) -> bool {
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
        let mut number = 0;
        while let Some(arc) = self.arc_into(node, number) {
            match self.carried[arc].state {
                Some(carried) if !same(carried.name, state.name) => {}
                _ => return true,
            }
            number += 1;
        }
        false
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

//! Which branch takes which state, where they are not as they should be.

use super::{
    branches::Branch,
    message::{Message, message},
};
use crate::{
    state::StateRef,
    topology::{ArcTo, ShapeKind, Signature, Topology},
};

impl Topology {
    /// The node directly after this one, if it takes all states that this one returns.
    pub(super) const fn taker_of_all(&self, node: usize) -> Option<Signature> {
        let node = &self.nodes[node];
        let [arc, ..] = node.branches else {
            return None;
        };
        let ArcTo::Node(to) = self.arcs[*arc].to else {
            return None;
        };
        let taker = self.nodes[to].signature;
        let mut states = node.signature.shape.states;
        while let [state, rest @ ..] = states {
            if !taker.takes(state) {
                return None;
            }
            states = rest;
        }
        Some(taker)
    }

    /// The help for branches that are in another order than the states that they take; nothing where
    /// one state has no branch among them.
    pub(super) const fn right_order(&self, node: usize) -> Option<Message> {
        let it = &self.nodes[node];
        let (signature, branches) = (it.signature, it.branches.len());
        if !it.fits() || it.is_broadcast() || branches < 2 {
            return None;
        }
        let group = match it.follows {
            ShapeKind::Choice => "either",
            _ => "fork",
        };
        let mut help = message(&["branches follow the order in which `", signature.name])
            .push("` returns its states, ")
            .and_states(signature, 0)
            .and(&[": reorder them, `", group, "("]);
        let mut i = 0;
        while i < branches {
            let Some((branch, join)) = self.branch_for(node, signature.shape.states[i]) else {
                return None;
            };
            help = help.push(if i > 0 { ", " } else { "" });
            help = match join {
                true => help.and(&["join(", branch.name(), ")"]),
                false => help.push(branch.name()),
            };
            i += 1;
        }
        Some(help.push(")`"))
    }

    /// The branch after a node that takes a state, and whether it starts with a `join`.
    const fn branch_for(&self, node: usize, state: StateRef) -> Option<(Branch, bool)> {
        let mut branches = self.nodes[node].branches;
        while let [arc, rest @ ..] = branches {
            let branch = self.branch(*arc);
            if branch.takes(state) {
                let is_join = match self.arcs[*arc].to {
                    ArcTo::Node(to) => self.nodes[to].join,
                    ArcTo::Done => false,
                };
                return Some((branch, is_join));
            }
            branches = rest;
        }
        None
    }
}

//! Which branch takes which state, where they are not as they should be.

use super::{
    message::{Message, message},
    net::{ArcEnd, Net, NetArc, NetNode, param_of},
    ways::{Branch, fits},
};
use crate::{
    node::{ShapeKind, Signature},
    state::StateRef,
};

impl Net {
    /// The node directly after this one, if it takes all states that this one returns.
    pub(super) const fn taker_of_all(self, node: usize) -> Option<Signature> {
        let states = self.nodes[node].signature.shape.states;
        let mut arc = 0;
        while arc < self.arcs.len() {
            if let (Some(from), ArcEnd::Node(to)) = (self.arcs[arc].from, self.arcs[arc].to)
                && from == node
                && !self.arcs[arc].carried.is_failure()
            {
                let taker = self.nodes[to].signature;
                let mut i = 0;
                while i < states.len() && param_of(taker.params, states[i]) < taker.params.len() {
                    i += 1;
                }
                return if i == states.len() { Some(taker) } else { None };
            }
            arc += 1;
        }
        None
    }

    /// The help for branches that stand in another order than the states that they take; nothing where
    /// one state has no branch among them.
    pub(super) const fn right_order(self, node: usize) -> Option<Message> {
        let NetNode {
            signature,
            follows,
            ways,
            ..
        } = self.nodes[node];
        if !fits(signature, follows, ways) || ways < 2 {
            return None;
        }
        let group = match follows {
            ShapeKind::Choice => "either",
            _ => "fork",
        };
        let mut help = message(&["branches follow the order in which `", signature.name])
            .push("` gives its states, ")
            .and_states(signature, 0)
            .and(&[": reorder them, `", group, "("]);
        let mut i = 0;
        while i < ways {
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
    const fn branch_for(self, node: usize, state: StateRef) -> Option<(Branch, bool)> {
        let mut arc = 0;
        while arc < self.arcs.len() {
            let NetArc { carried, from, to } = self.arcs[arc];
            let branch = match (from, to) {
                (Some(from), _) if from != node || carried.is_failure() => None,
                (Some(_), ArcEnd::Node(to)) => {
                    let NetNode {
                        signature, join, ..
                    } = self.nodes[to];
                    Some((Branch::Node(signature), join))
                }
                (Some(_), ArcEnd::Done(output)) => Some((Branch::Done(output), false)),
                _ => None,
            };
            if let Some((first, _)) = branch
                && first.takes(state)
            {
                return branch;
            }
            arc += 1;
        }
        None
    }
}

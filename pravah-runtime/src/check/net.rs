//! A flow, or the chain of a list, as its checks see it.

use super::{arcs::Brought, signature::contains, ways::fits};
use crate::{
    node::{ParamRef, ShapeKind, Signature},
    state::{StateRef, name::same},
};

/// All nodes and arcs of one net. One mistake shows in several places: a check that finds
/// something wrong looks here whether another check has said why.
#[derive(Clone, Copy)]
pub struct Net {
    pub nodes: &'static [NetNode],
    pub arcs: &'static [NetArc],
}

#[derive(Clone, Copy)]
pub struct NetNode {
    pub signature: Signature,
    /// What follows it, and how many ways.
    pub follows: ShapeKind,
    pub ways: usize,
    /// Whether it stands in a `join`.
    pub join: bool,
}

#[derive(Clone, Copy)]
pub struct NetArc {
    pub brought: Brought,
    /// The node that it comes from, if it comes from one.
    pub from: Option<usize>,
    pub to: ArcEnd,
}

/// Where an arc leads.
#[derive(Clone, Copy)]
pub enum ArcEnd {
    Node(usize),
    /// The end of the flow, whose output is this state.
    Done(StateRef),
    /// The end of a list's chain, another of whose ends brings this.
    List(Brought),
}

impl Net {
    /// Whether what an arc brings is taken where it leads; so it is where that is not known.
    pub(super) const fn arc_fits(self, arc: usize) -> bool {
        let NetArc { brought, to, .. } = self.arcs[arc];
        let Some(state) = brought.state() else {
            return true;
        };
        match to {
            ArcEnd::Node(node) => {
                let Signature { params, broken, .. } = self.nodes[node].signature;
                broken || param_of(params, state) < params.len()
            }
            ArcEnd::Done(output) => same(output.name, state.name),
            ArcEnd::List(first) => match first.state() {
                Some(first) => same(first.name, state.name),
                None => true,
            },
        }
    }

    /// Whether the node that an arc comes from got what it does not take: it may stand in the
    /// wrong place, and what comes after it as well.
    pub(super) const fn is_misplaced(self, arc: usize) -> bool {
        let Some(node) = self.arcs[arc].from else {
            return false;
        };
        let mut i = 0;
        while i < self.arcs.len() {
            if self.leads_to(i, node) && !self.arc_fits(i) {
                return true;
            }
            i += 1;
        }
        false
    }

    /// Whether an earlier end is as wrong as this one.
    pub(super) const fn is_repeated(self, arc: usize) -> bool {
        let mut i = 0;
        while i < arc {
            if let (ArcEnd::Done(_), Some(one), Some(other)) = (
                self.arcs[i].to,
                self.arcs[i].brought.state(),
                self.arcs[arc].brought.state(),
            ) && same(one.name, other.name)
            {
                return true;
            }
            i += 1;
        }
        false
    }

    /// Whether as many branches follow each node as it has ways; behind a broken node that is not
    /// known.
    pub(super) const fn has_all_branches(self) -> bool {
        let mut i = 0;
        while i < self.nodes.len() {
            let NetNode {
                signature,
                follows,
                ways,
                ..
            } = self.nodes[i];
            let is_one = matches!(follows, ShapeKind::One);
            if !(fits(signature, follows, ways) || signature.broken && is_one) {
                return false;
            }
            i += 1;
        }
        true
    }

    /// Whether every edge and every join is in order.
    pub(super) const fn is_in_order(self) -> bool {
        if !self.has_all_branches() {
            return false;
        }
        let mut i = 0;
        while i < self.arcs.len() {
            if !self.arc_fits(i) {
                return false;
            }
            i += 1;
        }
        i = 0;
        while i < self.nodes.len() {
            if !self.is_filled(i) {
                return false;
            }
            i += 1;
        }
        true
    }

    /// Whether everything that a node takes is brought to it.
    const fn is_filled(self, node: usize) -> bool {
        let Signature { params, broken, .. } = self.nodes[node].signature;
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
    const fn brings(self, node: usize, state: StateRef) -> bool {
        let mut i = 0;
        while i < self.arcs.len() {
            if self.leads_to(i, node) {
                match self.arcs[i].brought.state() {
                    Some(brought) if !same(brought.name, state.name) => {}
                    _ => return true,
                }
            }
            i += 1;
        }
        false
    }

    const fn leads_to(self, arc: usize, node: usize) -> bool {
        matches!(self.arcs[arc].to, ArcEnd::Node(to) if to == node)
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

//! A flow, or the chain of a list, as its checks see it.

use super::{arcs::Carried, signature::contains, ways::fits};
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
    /// Its path, as the flow has it.
    pub written: &'static str,
    /// What follows it, and how many branches.
    pub follows: ShapeKind,
    pub ways: usize,
    /// Whether it is in a `join`.
    pub join: bool,
    /// Whether a `catch` follows its failure.
    pub caught: bool,
}

#[derive(Clone, Copy)]
pub struct NetArc {
    pub carried: Carried,
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
    List(Carried),
}

impl Net {
    /// The flow as a node of others. Where its own ends are wrong it has been reported, and others that
    /// lead to it and on from it are not.
    pub const fn signature_of(self, flow: Signature) -> Signature {
        let (mut arc, mut broken) = (0, flow.broken);
        while arc < self.arcs.len() {
            let NetArc { from, to, .. } = self.arcs[arc];
            let is_end = from.is_none() || matches!(to, ArcEnd::Done(_));
            broken = broken || (is_end && !self.arc_fits(arc));
            arc += 1;
        }
        Signature { broken, ..flow }
    }

    /// What arc number `arc` brings.
    pub const fn carried(self, arc: usize) -> Carried {
        self.arcs[arc].carried
    }

    /// Whether it is the chain of a list.
    pub(super) const fn is_list(self) -> bool {
        let mut arc = 0;
        while arc < self.arcs.len() && !matches!(self.arcs[arc].to, ArcEnd::List(_)) {
            arc += 1;
        }
        arc < self.arcs.len()
    }

    /// Whether what an arc brings is taken where it leads; so it is where that is not known.
    pub(super) const fn arc_fits(self, arc: usize) -> bool {
        let NetArc { carried, to, .. } = self.arcs[arc];
        let Some(state) = carried.state() else {
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

    /// Whether something is wrong before the node that an arc comes from: it may stand in the
    /// wrong place, and what comes after it as well.
    pub(super) const fn is_misplaced(self, arc: usize) -> bool {
        match self.arcs[arc].from {
            Some(node) => self.is_suspect(node) || self.is_failure_of_wrong(arc),
            None => false,
        }
    }

    /// Whether something is wrong before a node. Paths back do not count: on a loop two mistakes
    /// would excuse each other.
    pub(super) const fn is_suspect(self, node: usize) -> bool {
        let mut suspects = Nodes::NONE;
        loop {
            let mut found = false;
            let mut arc = 0;
            while arc < self.arcs.len() {
                if let ArcEnd::Node(to) = self.arcs[arc].to
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
    const fn is_wrong_way(self, arc: usize, to: usize, suspects: Nodes) -> bool {
        match self.arcs[arc].from {
            Some(from) if from >= to => false,
            Some(from) => suspects.has(from) || !self.arc_fits(arc) || !self.has_its_branches(from),
            None => !self.arc_fits(arc),
        }
    }

    /// Whether something is wrong before one of the nodes that lead to this one.
    pub(super) const fn comes_from_suspects(self, node: usize) -> bool {
        let mut arc = 0;
        while arc < self.arcs.len() {
            if self.leads_to(arc, node)
                && let Some(from) = self.arcs[arc].from
                && (!self.has_its_branches(from) || self.is_suspect(from))
            {
                return true;
            }
            arc += 1;
        }
        false
    }

    /// The first arc to a node that is wrong by itself.
    pub(super) const fn wrong_arc_to(self, node: usize) -> Option<usize> {
        let mut arc = 0;
        while arc < self.arcs.len() {
            if self.leads_to(arc, node) && !self.arc_fits(arc) && !self.is_misplaced(arc) {
                return Some(arc);
            }
            arc += 1;
        }
        None
    }

    /// Whether the same was said of an arc before this one.
    pub(super) const fn already_reported(self, arc: usize) -> bool {
        let (ArcEnd::Node(node), Some(state)) = (self.arcs[arc].to, self.arcs[arc].carried.state())
        else {
            return false;
        };
        let mut i = 0;
        while i < arc {
            if self.leads_to(i, node)
                && let Some(other) = self.arcs[i].carried.state()
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
    const fn is_served(self, node: usize) -> bool {
        let NetNode {
            signature, join, ..
        } = self.nodes[node];
        let mut arc = 0;
        while arc < self.arcs.len() {
            let is_back = matches!(self.arcs[arc].from, Some(from) if from >= node);
            if self.leads_to(arc, node) && !is_back && !self.arc_fits(arc) {
                return false;
            }
            arc += 1;
        }
        self.is_filled(node) && (join || signature.params.len() == 1)
    }

    /// Whether an arc is the failure of a node that is itself wrong.
    const fn is_failure_of_wrong(self, arc: usize) -> bool {
        match self.arcs[arc].from {
            Some(node) => self.arcs[arc].carried.failure_state().is_some() && !self.is_served(node),
            None => false,
        }
    }

    /// Whether nothing is to be said of what follows a node.
    pub(super) const fn fits_or_is_suspect(self, node: usize) -> bool {
        self.has_its_branches(node) || self.is_suspect(node)
    }

    /// Whether an end before this one is wrong as well.
    pub(super) const fn is_repeated(self, arc: usize) -> bool {
        let mut i = 0;
        while i < arc {
            if matches!(self.arcs[i].to, ArcEnd::Done(_)) && !self.arc_fits(i) {
                return true;
            }
            i += 1;
        }
        false
    }

    /// Whether every arc brings what is taken where it leads. If one does not, what it should have
    /// carried is missing elsewhere, and whoever misses it knows why.
    pub(super) const fn all_arcs_fit(self) -> bool {
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
    pub(super) const fn join_for(self, state: StateRef) -> Option<Signature> {
        let mut i = 0;
        while i < self.nodes.len() {
            let NetNode {
                signature, join, ..
            } = self.nodes[i];
            if join
                && !signature.broken
                && param_of(signature.params, state) < signature.params.len()
            {
                return Some(signature);
            }
            i += 1;
        }
        None
    }

    /// Whether as many branches follow a node as it has outputs; behind a broken node that is not known.
    const fn has_its_branches(self, node: usize) -> bool {
        let NetNode {
            signature,
            follows,
            ways,
            ..
        } = self.nodes[node];
        let is_one = matches!(follows, ShapeKind::One);
        fits(signature, follows, ways) || signature.broken && is_one
    }

    const fn has_all_branches(self) -> bool {
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
    pub const fn is_in_order(self) -> bool {
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
    const fn is_filled(self, node: usize) -> bool {
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
    const fn brings(self, node: usize, state: StateRef) -> bool {
        let mut i = 0;
        while i < self.arcs.len() {
            if self.leads_to(i, node) {
                match self.arcs[i].carried.state() {
                    Some(carried) if !same(carried.name, state.name) => {}
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

//! How far a run comes without making a state.

use super::beside::{Beside, MAX_NODES};
use crate::{
    check::message::Message,
    state::StateRef,
    topology::{ArcFrom, ShapeKind, Topology},
};

/// How many nodes of a run are shown at its start, and how many at its end.
const SHOWN_ENDS: usize = 8;

/// The nodes that can run before a state is made, as far as each of their slots can be filled.
pub(super) struct Reach {
    /// A bit for each slot of a node.
    filled: [u16; MAX_NODES],
    /// When a node runs, from 1; 0 where it does not.
    rank: [u16; MAX_NODES],
    order: [u16; MAX_NODES],
    len: usize,
    /// Whether a node runs as soon as any of its slots is filled.
    with_any_slot: bool,
}

impl Reach {
    const NOTHING: Self = Self {
        filled: [0; MAX_NODES],
        rank: [0; MAX_NODES],
        order: [0; MAX_NODES],
        len: 0,
        with_any_slot: false,
    };

    /// From the start of the flow.
    pub(super) const fn from_start(net: &Topology, state: StateRef) -> Self {
        let mut reach = Self::NOTHING;
        let mut arc = 0;
        while arc < net.arcs.len() {
            if matches!(net.arcs[arc].from, ArcFrom::Input) {
                reach.follow(net, arc);
            }
            arc += 1;
        }
        reach.go_on(net, state);
        reach
    }

    /// From where a node has made the state, along arcs: a join does not wait for its other branches.
    pub(super) const fn along_arcs(
        net: &Topology,
        state: StateRef,
        (node, output): (usize, usize),
    ) -> Self {
        let mut reach = Self::NOTHING;
        reach.with_any_slot = true;
        reach.follow_outcome(net, node, output);
        reach.go_on(net, state);
        reach
    }

    /// From where two nodes have made the state, with what waits beside them.
    pub(super) const fn behind_both(
        beside: &Beside<'_>,
        state: StateRef,
        makers: [(usize, usize); 2],
    ) -> Self {
        let (net, mut reach) = (beside.net, Self::NOTHING);
        let [(one, one_output), (other, other_output)] = makers;
        reach.follow_outcome(net, one, one_output);
        reach.follow_outcome(net, other, other_output);
        let mut node = 0;
        while node < net.nodes.len() {
            let mut slot = 0;
            while slot < net.nodes[node].slots.len() {
                let place = (node, slot);
                if beside.can_wait_beside(place, one) && beside.can_wait_beside(place, other) {
                    reach.fill(net, place);
                }
                slot += 1;
            }
            node += 1;
        }
        reach.go_on(net, state);
        reach
    }

    pub(super) const fn runs(&self, node: usize) -> bool {
        self.rank[node] > 0
    }

    /// Appends the nodes of a run to `node`, which is none of them, in their order.
    pub(super) const fn and_run_to(
        &self,
        net: &Topology,
        state: StateRef,
        node: usize,
        mut text: Message,
    ) -> Message {
        let needed = self.needed_for(net, state, node);
        let (mut at, mut all) = (0, 0);
        while at < self.len {
            all += needed[self.order[at] as usize] as usize;
            at += 1;
        }
        let (mut at, mut shown) = (0, 0);
        while at < self.len {
            let one = self.order[at] as usize;
            if needed[one] {
                // Of a long run its ends are enough.
                if shown < SHOWN_ENDS || shown + SHOWN_ENDS >= all {
                    text = text.and(&[net.nodes[one].id, " -> "]);
                } else if shown == SHOWN_ENDS {
                    text = text.push("… -> ");
                }
                shown += 1;
            }
            at += 1;
        }
        text.push(net.nodes[node].id)
    }

    /// The nodes whose outputs a run to `node` needs.
    const fn needed_for(&self, net: &Topology, state: StateRef, node: usize) -> [bool; MAX_NODES] {
        let mut needed = [false; MAX_NODES];
        let mut at = self.len;
        while at > 0 {
            at -= 1;
            let one = self.order[at] as usize;
            if one != node && !needed[one] {
                continue;
            }
            let mut slots = net.nodes[one].slots;
            while let [arcs, rest @ ..] = slots {
                if let Some(before) = self.first_before(net, state, one, arcs) {
                    needed[before] = true;
                }
                slots = rest;
            }
        }
        needed[node] = false;
        needed
    }

    /// The first node to fill a slot of `node`, which these arcs lead to, if it is not the start that fills it.
    const fn first_before(
        &self,
        net: &Topology,
        state: StateRef,
        node: usize,
        arcs: &[usize],
    ) -> Option<usize> {
        let (mut arcs, mut first) = (arcs, None);
        let mut rank = self.rank[node];
        while let [arc, rest @ ..] = arcs {
            let from = match net.arcs[*arc].from {
                ArcFrom::Input => return None,
                ArcFrom::Output { node, output } if !net.makes_as(node, output, state) => node,
                ArcFrom::Output { node, .. } if self.with_any_slot => node,
                ArcFrom::Failure { node } => node,
                ArcFrom::Output { .. } => {
                    arcs = rest;
                    continue;
                }
            };
            if self.runs(from) && self.rank[from] < rank {
                (rank, first) = (self.rank[from], Some(from));
            }
            arcs = rest;
        }
        first
    }

    /// Lets everything run that can, without an outcome that makes the state.
    const fn go_on(&mut self, net: &Topology, state: StateRef) {
        let mut at = 0;
        while at < self.len {
            let node = self.order[at] as usize;
            let is_choice = matches!(net.nodes[node].follows, ShapeKind::Choice);
            let mut output = 0;
            while output < net.nodes[node].branches.len() {
                if !net.makes_as(node, output, state) {
                    self.follow_outcome(net, node, output);
                }
                output += if is_choice {
                    1
                } else {
                    net.nodes[node].branches.len()
                };
            }
            if let Some(catch) = net.catch_of(node) {
                self.follow(net, catch);
            }
            at += 1;
        }
    }

    /// What a node returns as output number `output`, and with it all others where it returns them together.
    const fn follow_outcome(&mut self, net: &Topology, node: usize, output: usize) {
        let mut branches = net.nodes[node].branches;
        if let ShapeKind::Choice = net.nodes[node].follows {
            return self.follow(net, branches[output]);
        }
        while let [arc, rest @ ..] = branches {
            self.follow(net, *arc);
            branches = rest;
        }
    }

    const fn follow(&mut self, net: &Topology, arc: usize) {
        if let Some(node) = net.target(arc) {
            self.fill(net, (node, net.slot_of(arc, node)));
        }
    }

    const fn fill(&mut self, net: &Topology, (node, slot): (usize, usize)) {
        self.filled[node] |= 1 << slot;
        let slots = net.nodes[node].slots.len();
        let is_full = self.filled[node].count_ones() as usize == slots;
        if !self.runs(node) && (is_full || self.with_any_slot) {
            self.order[self.len] = node as u16;
            self.len += 1;
            self.rank[node] = self.len as u16;
        }
    }
}

/// The nodes that may be the last to make a state on a path to a reader. A path is followed back no further than to
/// one of them.
pub(super) struct LastMakers {
    are: [bool; MAX_NODES],
    /// Whether a node is on such a path.
    seen: [bool; MAX_NODES],
    on_path: [u16; MAX_NODES],
    len: usize,
}

impl LastMakers {
    pub(super) const fn before(net: &Topology, reader: usize, state: StateRef) -> Self {
        let mut last = Self {
            are: [false; MAX_NODES],
            seen: [false; MAX_NODES],
            on_path: [0; MAX_NODES],
            len: 0,
        };
        last.visit(reader);
        let mut at = 0;
        while at < last.len {
            let mut slots = net.nodes[last.on_path[at] as usize].slots;
            while let [arcs, rest @ ..] = slots {
                last.go_back(net, arcs, state);
                slots = rest;
            }
            at += 1;
        }
        last
    }

    pub(super) const fn has(&self, node: usize) -> bool {
        self.are[node]
    }

    const fn go_back(&mut self, net: &Topology, arcs: &[usize], state: StateRef) {
        let mut arcs = arcs;
        while let [arc, rest @ ..] = arcs {
            match net.arcs[*arc].from {
                ArcFrom::Output { node, output } if net.makes_as(node, output, state) => {
                    self.are[node] = true;
                }
                ArcFrom::Output { node, .. } | ArcFrom::Failure { node } => self.visit(node),
                ArcFrom::Input => {}
            }
            arcs = rest;
        }
    }

    const fn visit(&mut self, node: usize) {
        if !self.seen[node] {
            self.seen[node] = true;
            self.on_path[self.len] = node as u16;
            self.len += 1;
        }
    }
}

//! What is wrong with a flow, found out once. One mistake shows in several places: each check reads here whether
//! what it sees is its own to report.

use crate::{
    state::name::same,
    topology::{ArcFrom, ArcTo, ParamRef, Source, Topology, TopologyNode},
};

/// A flow, and what is wrong with it.
pub struct Diagnosis {
    pub(super) net: &'static Topology,
    faults: &'static [Fault],
    suspects: &'static [bool],
}

/// What is wrong with the arcs and nodes of a flow.
pub struct Faults<const NODES: usize, const ARCS: usize> {
    arcs: [Fault; ARCS],
    /// The nodes before which something is wrong. Paths back do not count: on a loop two mistakes would excuse
    /// each other.
    suspects: [bool; NODES],
}

/// What is wrong with an arc.
#[derive(Clone, Copy)]
enum Fault {
    Nothing,
    /// It brings what is not taken where it leads.
    NotTaken,
    /// The same is said of an arc before it.
    Repeated,
    /// Something is wrong before the node that it comes from, and everything after that may have another place.
    Misplaced,
    /// It is the failure of a node that is itself wrong.
    FailureOfWrong,
}

impl<const NODES: usize, const ARCS: usize> Faults<NODES, ARCS> {
    /// In three passes, each of which needs the one before it: where the first finds nothing, nor do the others.
    pub const fn of(net: &Topology) -> Self {
        let mut faults = Self {
            arcs: [Fault::Nothing; ARCS],
            suspects: [false; NODES],
        };
        let (mut arc, mut is_wrong) = (0, false);
        while arc < ARCS {
            if !net.arc_fits(arc) {
                faults.arcs[arc] = Fault::NotTaken;
                is_wrong = true;
            }
            arc += 1;
        }
        let mut node = 0;
        while node < NODES && !is_wrong {
            is_wrong = !net.has_its_branches(node);
            node += 1;
        }
        if !is_wrong {
            return faults;
        }
        let mut node = 0;
        while node < NODES {
            faults.suspects[node] = faults.is_wrong_before(net, node);
            node += 1;
        }
        let mut arc = 0;
        while arc < ARCS {
            if faults.is_wrong(arc) {
                faults.arcs[arc] = faults.fault(net, arc);
            }
            arc += 1;
        }
        faults
    }

    pub const fn diagnosis(&'static self, net: &'static Topology) -> Diagnosis {
        Diagnosis {
            net,
            faults: &self.arcs,
            suspects: &self.suspects,
        }
    }

    const fn is_wrong(&self, arc: usize) -> bool {
        !matches!(self.arcs[arc], Fault::Nothing)
    }

    const fn is_wrong_before(&self, net: &Topology, node: usize) -> bool {
        let mut number = 0;
        while let Some(arc) = net.arc_into(node, number) {
            let is_wrong = match net.node_before(arc) {
                Some(from) if from >= node => false,
                Some(from) => {
                    self.suspects[from] || self.is_wrong(arc) || !net.has_its_branches(from)
                }
                None => self.is_wrong(arc),
            };
            if is_wrong {
                return true;
            }
            number += 1;
        }
        false
    }

    /// What is wrong with an arc that brings what is not taken.
    const fn fault(&self, net: &Topology, arc: usize) -> Fault {
        match net.node_before(arc) {
            Some(from)
                if matches!(net.carried[arc].source, Source::Failure)
                    && !self.is_served(net, from) =>
            {
                Fault::FailureOfWrong
            }
            Some(from) if self.suspects[from] => Fault::Misplaced,
            _ if self.is_repeated(net, arc) => Fault::Repeated,
            _ => Fault::NotTaken,
        }
    }

    /// Whether a node gets all that it takes, and nothing else. Paths back do not count.
    const fn is_served(&self, net: &Topology, node: usize) -> bool {
        let mut number = 0;
        while let Some(arc) = net.arc_into(node, number) {
            let is_back = matches!(net.node_before(arc), Some(from) if from >= node);
            if !is_back && self.is_wrong(arc) {
                return false;
            }
            number += 1;
        }
        let it = &net.nodes[node];
        net.is_filled(node) && (it.join || it.signature.params.len() == 1)
    }

    const fn is_repeated(&self, net: &Topology, arc: usize) -> bool {
        let mut before = 0;
        while before < arc {
            if self.is_wrong(before)
                && (is_beside(net, before, arc) || self.is_same(net, before, arc))
            {
                return true;
            }
            before += 1;
        }
        false
    }

    /// Whether two wrong arcs end the flow, or bring the same to one node.
    const fn is_same(&self, net: &Topology, before: usize, arc: usize) -> bool {
        match (net.arcs[before].to, net.arcs[arc].to) {
            // Of a list each end is reported, against the first one.
            (ArcTo::Done, ArcTo::Done) => !net.is_list(),
            (ArcTo::Node(one), ArcTo::Node(other)) if one == other => {
                let is_reported = matches!(self.arcs[before], Fault::NotTaken | Fault::Repeated);
                match (net.carried[before].state, net.carried[arc].state) {
                    (Some(one), Some(other)) => is_reported && same(one.name, other.name),
                    _ => false,
                }
            }
            _ => false,
        }
    }
}

/// Whether two arcs bring one state to different branches.
const fn is_beside(net: &Topology, before: usize, arc: usize) -> bool {
    match (net.arcs[before].from, net.arcs[arc].from) {
        (ArcFrom::Input, ArcFrom::Input) => true,
        (ArcFrom::Output { node: one, .. }, ArcFrom::Output { node: other, .. }) => {
            one == other && net.nodes[one].is_broadcast()
        }
        _ => false,
    }
}

impl Diagnosis {
    /// Whether an arc brings what is not taken where it leads, and no other check says so.
    pub(super) const fn is_to_report(&self, arc: usize) -> bool {
        matches!(self.faults[arc], Fault::NotTaken)
    }

    /// Whether a node takes one state, which one arc brings, is in no join, contains no flow, reads nothing and
    /// needs no copy. Most nodes are so, and to look no further shortens constant evaluation.
    pub(super) const fn is_simple(&self, node: usize) -> bool {
        let TopologyNode {
            signature,
            slots,
            inside,
            join,
            ..
        } = &self.net.nodes[node];
        match (signature.params, signature.asks, *slots) {
            (
                [
                    ParamRef {
                        states: [state],
                        by_value,
                        ..
                    },
                ],
                [_],
                [[arc]],
            ) => {
                matches!((self.faults[*arc], inside), (Fault::Nothing, None))
                    && !*join
                    && (state.is_clone || !*by_value)
            }
            _ => false,
        }
    }

    /// Whether a node takes one state, and one arc brings it.
    pub(super) const fn is_fed_by_one_arc(&self, node: usize) -> bool {
        let node = &self.net.nodes[node];
        match (node.signature.params, node.slots) {
            ([ParamRef { states: [_], .. }], [[arc]]) => {
                matches!(self.faults[*arc], Fault::Nothing)
            }
            _ => false,
        }
    }

    /// The first arc to a node that is wrong by itself.
    pub(super) const fn wrong_arc_to(&self, node: usize) -> Option<usize> {
        let mut number = 0;
        while let Some(arc) = self.net.arc_into(node, number) {
            if matches!(self.faults[arc], Fault::NotTaken | Fault::Repeated) {
                return Some(arc);
            }
            number += 1;
        }
        None
    }

    /// Whether every arc brings what is taken where it leads. If one does not, what it should have
    /// carried is missing elsewhere, and whoever misses it knows why.
    pub(super) const fn all_arcs_fit(&self) -> bool {
        let mut faults = self.faults;
        while let [fault, rest @ ..] = faults {
            if !matches!(fault, Fault::Nothing | Fault::FailureOfWrong) {
                return false;
            }
            faults = rest;
        }
        true
    }

    /// Whether something is wrong before a node.
    pub(super) const fn is_suspect(&self, node: usize) -> bool {
        self.suspects[node]
    }

    /// Whether nothing is to be said of what follows a node.
    pub(super) const fn fits_or_is_suspect(&self, node: usize) -> bool {
        self.net.has_its_branches(node) || self.is_suspect(node)
    }

    /// Whether something is wrong before one of the nodes that lead to this one.
    pub(super) const fn comes_from_suspects(&self, node: usize) -> bool {
        let mut number = 0;
        while let Some(arc) = self.net.arc_into(node, number) {
            if let Some(from) = self.net.node_before(arc)
                && (!self.net.has_its_branches(from) || self.is_suspect(from))
            {
                return true;
            }
            number += 1;
        }
        false
    }
}

//! The edges at which a flow ends, or the chain of a list.

use super::{diagnosis::Diagnosis, message::message};
use crate::{
    state::{StateRef, name::same},
    topology::{ArcTo, Source, Topology},
};

/// Arc number `arc`, which ends the flow.
#[track_caller]
pub const fn check_end(diagnosis: &Diagnosis, arc: usize) {
    check_output(diagnosis, arc, "");
}

/// The same, where `done` is written.
#[track_caller]
pub const fn check_done(diagnosis: &Diagnosis, arc: usize) {
    check_output(
        diagnosis,
        arc,
        "; a node that is called `done` is written `self::done`",
    );
}

#[track_caller]
const fn check_output(diagnosis: &Diagnosis, arc: usize, hint: &str) {
    if !diagnosis.is_to_report(arc) {
        return;
    }
    let net = diagnosis.net;
    let carried = net.carried[arc];
    let (Some(state), Some(output)) = (carried.state, net.output()) else {
        return;
    };
    let mistake = message(&["the flow ends with "])
        .and_state(state)
        .push(", but its output is ")
        .and_state(output);
    if let Some(before) = net.node_before(arc)
        && let Some(order) = net.right_order(before)
    {
        mistake.help(&[order.as_str()]).fail()
    }
    if let Some(join) = net.join_for(state) {
        mistake
            .help(&["lead it on: `", carried.from, " -> join(", join.name, ")`"])
            .fail()
    }
    if matches!(carried.source, Source::Failure) {
        mistake
            .help(&["lead it to a node that turns it into "])
            .and_state(output)
            .and(&[": `catch(", carried.from, ") -> rescue -> done`"])
            .fail()
    }
    if let Some(other) = net.other_end(arc, state, output) {
        mistake
            .help(&["another end returns "])
            .and_state(other)
            .push(": lead all ends to one node, `-> join(node)`, which takes `Either<_, _>` and returns ")
            .and_state(output)
            .fail()
    }
    if let Some(before) = net.node_before(arc)
        && net.has_end_of(output)
    {
        let lead_on = mistake
            .help(&["lead this branch on to a node that takes "])
            .and_state(state)
            .push(" and returns ")
            .and_state(output);
        match net.nodes[before].alias_of {
            Some(path) if net.has_node(path) => lead_on
                .and(&[
                    "; to loop back to `",
                    path,
                    "`, write its name without `as`",
                ])
                .fail(),
            _ => lead_on.push(hint).fail(),
        }
    }
    mistake
        .help(&["end with a node that returns "])
        .and_state(output)
        .push(", or let the flow return ")
        .and_state(state)
        .push(hint)
        .fail()
}

/// Arc number `arc`, which ends a chain in `each(…)`.
#[track_caller]
pub const fn check_list_end(diagnosis: &Diagnosis, arc: usize) {
    if !diagnosis.is_to_report(arc) {
        return;
    }
    let net = diagnosis.net;
    let (Some(state), Some(first)) = (net.carried[arc].state, net.output()) else {
        return;
    };
    message(&["one end of this list returns "])
        .and_state(first)
        .push(", and another returns ")
        .and_state(state)
        .help(&[
            "a list holds one kind of state: let every end of the chain in `each` return the same",
        ])
        .fail()
}

impl Topology {
    /// Whether any end of the flow returns this state.
    const fn has_end_of(&self, state: StateRef) -> bool {
        let mut arc = 0;
        while arc < self.arcs.len() {
            if matches!(self.arcs[arc].to, ArcTo::Done)
                && let Some(carried) = self.carried[arc].state
                && same(carried.name, state.name)
            {
                return true;
            }
            arc += 1;
        }
        false
    }

    /// Whether the flow names the node of this path without another name for it.
    const fn has_node(&self, path: &str) -> bool {
        let mut nodes = self.nodes;
        while let [node, rest @ ..] = nodes {
            if same(node.written, path) {
                return true;
            }
            nodes = rest;
        }
        false
    }

    /// What another end of the flow returns, if that is neither of these states.
    const fn other_end(&self, arc: usize, own: StateRef, output: StateRef) -> Option<StateRef> {
        let mut other = 0;
        while other < self.arcs.len() {
            if other != arc
                && matches!(self.arcs[other].to, ArcTo::Done)
                && let Some(state) = self.carried[other].state
                && !same(state.name, own.name)
                && !same(state.name, output.name)
            {
                return Some(state);
            }
            other += 1;
        }
        None
    }
}

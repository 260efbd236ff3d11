//! The arcs into a node against its parameters.

use super::{
    diagnosis::Diagnosis,
    joins::mistake_of_join,
    message::{Message, message},
    net::param_of,
    reads::mistake_of_reads,
    shared::mistake_of_owner,
};
use crate::{
    graph::{Carried, Source, Topology},
    node::Signature,
    state::{StateRef, name::same},
};

/// Checks the arcs into node number `node`: each of its slots holds alternatives, of which one fills a
/// parameter. Where the node is plain, not in a `join`, what the arcs carry is checked by
/// [`check_edge`](super::check_edge), and here only that nothing is missing.
#[track_caller]
pub const fn check_arcs(diagnosis: &Diagnosis, node: usize) {
    let net = diagnosis.net;
    let (signature, slots) = (net.nodes[node].signature, net.nodes[node].slots);
    if signature.broken {
        return;
    }
    // An arc that is wrong by itself is nobody else's to report.
    if (net.nodes[node].join || signature.params.len() > 1)
        && let Some(arc) = diagnosis.wrong_arc_to(node)
        && let Some(state) = net.carried[arc].state
    {
        not_taken(net, arc, state, signature).fail()
    }
    if any_unknown(net, node) {
        return;
    }
    let mistake = match net.nodes[node].join {
        true => mistake_of_join(diagnosis, node, slots),
        false => mistake_of_plain(diagnosis, node),
    };
    // Behind a mistake everything may have another place.
    if let Some(mistake) = mistake
        && !diagnosis.comes_from_suspects(node)
    {
        mistake.fail()
    }
    if let Some(mistake) = mistake_of_owner(net, node) {
        mistake.fail()
    }
    if let Some(mistake) = mistake_of_reads(net, node) {
        mistake.fail()
    }
}

const fn mistake_of_plain(diagnosis: &Diagnosis, node: usize) -> Option<Message> {
    let net = diagnosis.net;
    if net.nodes[node].signature.params.len() > 1 {
        return Some(needs_join(net.nodes[node].signature));
    }
    if unexpected_input(net, node).is_some() {
        return None;
    }
    match missing(diagnosis, node) {
        None => several_states(net, node),
        missing => missing,
    }
}

const fn any_unknown(net: &Topology, node: usize) -> bool {
    let mut number = 0;
    while let Some(arc) = net.arc_into(node, number) {
        if net.carried[arc].state.is_none() {
            return true;
        }
        number += 1;
    }
    false
}

const fn not_taken(net: &Topology, arc: usize, state: StateRef, node: Signature) -> Message {
    let carried = net.carried[arc];
    let text = match matches!(carried.source, Source::Input) {
        true => message(&["the flow starts with "]),
        false => message(&["`", carried.from, "` brings "]),
    };
    let text = text
        .and_state(state)
        .and(&[", which `", node.name, "` does not take"]);
    if net.is_handed_to_all(arc) {
        return text.help_with_tuple(carried.from);
    }
    text.help(&["add a parameter for "]).and_state(state).and(&[
        " to `",
        node.name,
        "`, or lead that branch elsewhere",
    ])
}

pub(super) const fn unexpected_input(net: &Topology, node: usize) -> Option<Message> {
    let signature = net.nodes[node].signature;
    let mut number = 0;
    while let Some(arc) = net.arc_into(node, number) {
        if let Some(state) = net.carried[arc].state
            && param_of(signature.params, state) == signature.params.len()
        {
            return Some(not_taken(net, arc, state, signature));
        }
        number += 1;
    }
    None
}

/// What node number `node` takes and nothing brings.
pub(super) const fn missing(diagnosis: &Diagnosis, node: usize) -> Option<Message> {
    let net = diagnosis.net;
    let (index, slots) = (node, net.nodes[node].slots);
    let node = net.nodes[node].signature;
    let mut param = 0;
    while param < node.params.len() {
        let states = node.params[param].states;
        let mut i = 0;
        while i < states.len() {
            if !net.brings(index, states[i]) && diagnosis.all_arcs_fit() {
                let text = message(&["`", node.name, "` takes "])
                    .and_state(states[i])
                    .push(", which nothing brings");
                return Some(match handed_to_all(net, slots) {
                    Some(from) => text.help_with_tuple(from),
                    None => text
                        .help(&["lead a branch that gives "])
                        .and_state(states[i])
                        .and(&[" to `", node.name, "`, or take it out of its parameters"]),
                });
            }
            i += 1;
        }
        param += 1;
    }
    None
}

/// The node that hands one state to several of these slots, if there is one.
const fn handed_to_all(net: &Topology, slots: &[&[usize]]) -> Option<&'static str> {
    let mut slots = slots;
    let mut before: Option<&str> = None;
    while let [slot, rest @ ..] = slots {
        if net.is_handed_to_all(slot[0]) {
            let from = net.carried[slot[0]].from;
            if let Some(before) = before
                && same(before, from)
            {
                return Some(from);
            }
            before = Some(from);
        }
        slots = rest;
    }
    None
}

/// Alternatives that bring different states are told to the reader by a `join`; not so the flow's
/// input, which no statement leads to its first node.
const fn several_states(net: &Topology, node: usize) -> Option<Message> {
    let name = net.nodes[node].signature.name;
    let (mut first, mut number) = (None, 0);
    while let Some(arc) = net.arc_into(node, number) {
        let Carried { state, source, .. } = net.carried[arc];
        match (first, state) {
            _ if matches!(source, Source::Input) => {}
            (None, state) => first = state,
            (Some(one), Some(other)) if !same(one.name, other.name) => {
                return Some(
                    message(&[])
                        .and_state(one)
                        .push(" and ")
                        .and_state(other)
                        .and(&[" come to `", name, "` on alternative ways"])
                        .help(&["write `join(", name, ")` after the branches"]),
                );
            }
            _ => {}
        }
        number += 1;
    }
    None
}

const fn needs_join(node: Signature) -> Message {
    let mut text = message(&["`", node.name, "` waits for "])
        .push_number(node.params.len())
        .push(" states: ");
    let mut i = 0;
    while i < node.params.len() {
        text = text
            .push(if i > 0 { ", " } else { "" })
            .and_any(node.params[i].states);
        i += 1;
    }
    text.help(&[
        "write `join(",
        node.name,
        ")` after the branches that bring them",
    ])
}

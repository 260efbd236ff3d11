//! The arcs into a node against its parameters.

use super::{
    joins::mistake_of_join,
    message::{Message, message},
    net::param_of,
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
pub const fn check_arcs(net: &Topology, node: usize) {
    let (signature, slots) = (net.nodes[node].signature, net.nodes[node].slots);
    if signature.broken {
        return;
    }
    // An arc that is wrong by itself is nobody else's to report.
    if (net.nodes[node].join || signature.params.len() > 1)
        && let Some(arc) = net.wrong_arc_to(node)
        && let Some(state) = net.carried[arc].state
    {
        not_taken(net, arc, state, signature).fail()
    }
    if any_unknown(net, slots) {
        return;
    }
    let mistake = match net.nodes[node].join {
        true => mistake_of_join(net, node, slots),
        false => mistake_of_plain(net, node, slots),
    };
    // Behind a mistake everything may have another place.
    if let Some(mistake) = mistake
        && !net.comes_from_suspects(node)
    {
        mistake.fail()
    }
}

const fn mistake_of_plain(net: &Topology, node: usize, slots: &[&[usize]]) -> Option<Message> {
    let (index, node) = (node, net.nodes[node].signature);
    if node.params.len() > 1 {
        return Some(needs_join(node));
    }
    if unexpected_input(net, node, slots).is_some() {
        return None;
    }
    match missing(net, index) {
        None => several_states(net, node, slots),
        missing => missing,
    }
}

const fn any_unknown(net: &Topology, slots: &[&[usize]]) -> bool {
    let mut slot = 0;
    while slot < slots.len() {
        let mut arc = 0;
        while arc < slots[slot].len() {
            if net.carried[slots[slot][arc]].state.is_none() {
                return true;
            }
            arc += 1;
        }
        slot += 1;
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

pub(super) const fn unexpected_input(
    net: &Topology,
    node: Signature,
    slots: &[&[usize]],
) -> Option<Message> {
    let mut slot = 0;
    while slot < slots.len() {
        let mut arc = 0;
        while arc < slots[slot].len() {
            let index = slots[slot][arc];
            if let Some(state) = net.carried[index].state
                && param_of(node.params, state) == node.params.len()
            {
                return Some(not_taken(net, index, state, node));
            }
            arc += 1;
        }
        slot += 1;
    }
    None
}

/// What node number `node` takes and nothing brings.
pub(super) const fn missing(net: &Topology, node: usize) -> Option<Message> {
    let (index, slots) = (node, net.nodes[node].slots);
    let node = net.nodes[node].signature;
    let mut param = 0;
    while param < node.params.len() {
        let states = node.params[param].states;
        let mut i = 0;
        while i < states.len() {
            if !net.brings(index, states[i]) && net.all_arcs_fit() {
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
const fn several_states(net: &Topology, node: Signature, slots: &[&[usize]]) -> Option<Message> {
    let mut first = None;
    let mut slot = 0;
    while slot < slots.len() {
        let mut arc = 0;
        while arc < slots[slot].len() {
            let Carried { state, source, .. } = net.carried[slots[slot][arc]];
            match (first, state) {
                _ if matches!(source, Source::Input) => {}
                (None, state) => first = state,
                (Some(one), Some(other)) if !same(one.name, other.name) => {
                    return Some(
                        message(&[])
                            .and_state(one)
                            .push(" and ")
                            .and_state(other)
                            .and(&[" come to `", node.name, "` on alternative ways"])
                            .help(&["write `join(", node.name, ")` after the branches"]),
                    );
                }
                _ => {}
            }
            arc += 1;
        }
        slot += 1;
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

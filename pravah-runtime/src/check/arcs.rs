//! The arcs into a node against its parameters.

use super::{
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
        not_taken(net.carried[arc], state, signature).fail()
    }
    if any_unknown(net, slots) {
        return;
    }
    let mistake = match net.nodes[node].join {
        true => mistake_of_join(net, signature, slots),
        false => mistake_of_plain(net, signature, slots),
    };
    // Behind a mistake everything may have another place.
    if let Some(mistake) = mistake
        && !net.comes_from_suspects(node)
    {
        mistake.fail()
    }
}

const fn mistake_of_plain(net: &Topology, node: Signature, slots: &[&[usize]]) -> Option<Message> {
    if node.params.len() > 1 {
        return Some(needs_join(node));
    }
    if unexpected_input(net, node, slots).is_some() {
        return None;
    }
    match missing(net, node, slots) {
        None => several_states(net, node, slots),
        missing => missing,
    }
}

const fn mistake_of_join(net: &Topology, node: Signature, slots: &[&[usize]]) -> Option<Message> {
    if let Some(mistake) = unexpected_input(net, node, slots) {
        return Some(mistake);
    }
    match missing(net, node, slots) {
        None => slot_of_two(net, node, slots),
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

const fn not_taken(carried: Carried, state: StateRef, node: Signature) -> Message {
    let text = match matches!(carried.source, Source::Input) {
        true => message(&["the flow starts with "]),
        false => message(&["`", carried.from, "` brings "]),
    };
    text.and_state(state)
        .and(&[", which `", node.name, "` does not take"])
        .help(&["add a parameter for "])
        .and_state(state)
        .and(&[" to `", node.name, "`, or lead that branch elsewhere"])
}

const fn unexpected_input(net: &Topology, node: Signature, slots: &[&[usize]]) -> Option<Message> {
    let mut slot = 0;
    while slot < slots.len() {
        let mut arc = 0;
        while arc < slots[slot].len() {
            let carried = net.carried[slots[slot][arc]];
            if let Some(state) = carried.state
                && param_of(node.params, state) == node.params.len()
            {
                return Some(not_taken(carried, state, node));
            }
            arc += 1;
        }
        slot += 1;
    }
    None
}

const fn missing(net: &Topology, node: Signature, slots: &[&[usize]]) -> Option<Message> {
    let mut param = 0;
    while param < node.params.len() {
        let states = node.params[param].states;
        let mut i = 0;
        while i < states.len() {
            if !carried(net, slots, states[i]) && net.all_arcs_fit() {
                return Some(
                    message(&["`", node.name, "` takes "])
                        .and_state(states[i])
                        .push(", which nothing brings")
                        .help(&["lead a branch that gives "])
                        .and_state(states[i])
                        .and(&[" to `", node.name, "`, or take it out of its parameters"]),
                );
            }
            i += 1;
        }
        param += 1;
    }
    None
}

const fn carried(net: &Topology, slots: &[&[usize]], state: StateRef) -> bool {
    let mut slot = 0;
    while slot < slots.len() {
        let mut arc = 0;
        while arc < slots[slot].len() {
            if let Some(other) = net.carried[slots[slot][arc]].state
                && same(other.name, state.name)
            {
                return true;
            }
            arc += 1;
        }
        slot += 1;
    }
    false
}

const fn slot_of_two(net: &Topology, node: Signature, slots: &[&[usize]]) -> Option<Message> {
    let mut slot = 0;
    while slot < slots.len() {
        let Some(first) = net.carried[slots[slot][0]].state else {
            return None;
        };
        let param = param_of(node.params, first);
        let mut arc = 1;
        while arc < slots[slot].len() {
            if let Some(state) = net.carried[slots[slot][arc]].state
                && param_of(node.params, state) != param
            {
                return Some(
                    message(&[])
                        .and_state(first)
                        .push(" and ")
                        .and_state(state)
                        .and(&[
                            " come on alternative ways, but `",
                            node.name,
                            "` waits for both",
                        ])
                        .help(&[
                            "take them in one parameter, `Either<",
                            first.name,
                            ", ",
                            state.name,
                            ">`",
                        ]),
                );
            }
            arc += 1;
        }
        let mut other = 0;
        while other < slot {
            if let Some(state) = net.carried[slots[other][0]].state
                && param_of(node.params, state) == param
            {
                if same(state.name, first.name) {
                    return Some(brought_twice(node, state));
                }
                return Some(
                    message(&[])
                        .and_state(state)
                        .push(" and ")
                        .and_state(first)
                        .and(&[
                            " come side by side, but `",
                            node.name,
                            "` takes one of them",
                        ])
                        .help(&["take them in two parameters"]),
                );
            }
            other += 1;
        }
        slot += 1;
    }
    None
}

const fn brought_twice(node: Signature, state: StateRef) -> Message {
    let Signature { name, .. } = node;
    message(&["two branches bring "])
        .and_state(state)
        .and(&[" to `", name, "`, which takes it once"])
        .help(&["wrap it in a `#[state]` struct of its own on one of the branches, and take both"])
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

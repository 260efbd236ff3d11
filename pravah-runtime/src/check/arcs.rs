//! The arcs into a node against its parameters.

use super::{
    branches::check_one,
    diagnosis::Diagnosis,
    joins::mistake_of_join,
    message::{Message, message},
    missing::{missing, not_taken, unexpected_input},
    reads::mistake_of_reads,
    shared::mistake_of_owner,
    signature::check_no_limit,
};
use crate::{
    state::{StateRef, name::same},
    topology::{Carried, ShapeKind, Signature, Source, Topology},
};

/// `check_one`, `check_arcs` and `check_no_limit` in one, for a node that is no list, is in no `join` and on no loop, and
/// is followed by one branch or none.
#[track_caller]
pub const fn check_node(diagnosis: &Diagnosis, node: usize) {
    let Signature {
        shape,
        contract,
        limited,
        ..
    } = &diagnosis.net.nodes[node].signature;
    // None of the three would find anything.
    if matches!(shape.kind, ShapeKind::One) && !*contract && !*limited && diagnosis.is_simple(node)
    {
        return;
    }
    check_one(diagnosis, node);
    check_arcs(diagnosis, node);
    check_no_limit(diagnosis.net, node);
}

/// Checks the arcs into node number `node`: each of its slots holds alternatives, of which one fills a
/// parameter. Where the node is plain, not in a `join`, what the arcs carry is checked by
/// [`check_edge`](super::check_edge), and here only that nothing is missing.
#[track_caller]
pub const fn check_arcs(diagnosis: &Diagnosis, node: usize) {
    if diagnosis.is_simple(node) {
        return;
    }
    let net = diagnosis.net;
    let (signature, slots) = (net.nodes[node].signature, net.nodes[node].slots);
    if signature.tool {
        is_a_tool(signature.name).fail()
    }
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

const fn is_a_tool(name: &str) -> Message {
    message(&["`", name, "` is a tool, and a flow is made of nodes"]).help(&[
        "write `#[node]` above a function that takes a state and returns one; a tool is called by the model of an agent: `#[agent(tools = [",
        name,
        "], …)]`",
    ])
}

const fn mistake_of_plain(diagnosis: &Diagnosis, node: usize) -> Option<Message> {
    let net = diagnosis.net;
    if diagnosis.is_fed_by_one_arc(node) {
        return None;
    }
    if net.nodes[node].signature.params.len() > 1 {
        let signature = net.nodes[node].signature;
        return Some(
            match (not_brought(net, node, true), input_into(net, node)) {
                (Some(state), _) => could_be_read(signature, state),
                (None, Some(input)) => starts_with_one(signature, input),
                (None, None) => needs_join(net, node),
            },
        );
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

/// Alternatives that bring different states are shown to the reader by a `join`; not so the flow's
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
                        .and(&[" come to `", name, "` from alternative branches"])
                        .help(&["write `join(", name, ")` after the branches"]),
                );
            }
            _ => {}
        }
        number += 1;
    }
    None
}

/// A state that a node takes and no arc brings there, of those that something in the flow makes, or of the others.
const fn not_brought(net: &Topology, node: usize, is_made: bool) -> Option<StateRef> {
    let mut params = net.nodes[node].signature.params;
    while let [param, rest @ ..] = params {
        if let [state] = param.states
            && !net.brings(node, *state)
            && (net.makes_any(*state) || net.starts_with(*state)) == is_made
        {
            return Some(*state);
        }
        params = rest;
    }
    None
}

const fn could_be_read(node: Signature, state: StateRef) -> Message {
    message(&["`", node.name, "` takes "])
        .and_state(state)
        .push(", which is not brought here")
        .help(&["to read the last one that the flow has made, take "])
        .and_read("Latest", state)
        .and(&[
            "; to wait for one, write `join(",
            node.name,
            ")` after the branches that bring them",
        ])
}

/// The flow's input, if it goes to a node.
const fn input_into(net: &Topology, node: usize) -> Option<StateRef> {
    match net.arc_into(node, 0) {
        Some(arc) if matches!(net.carried[arc].source, Source::Input) => net.carried[arc].state,
        _ => None,
    }
}

/// The flow's first node takes several states, and the flow starts with one.
const fn starts_with_one(node: Signature, input: StateRef) -> Message {
    waits_for(node)
        .push(", and the flow starts with ")
        .and_state(input)
        .push(" alone")
        .help(&["let `", node.name, "` take "])
        .and_state(input)
        .and(&[
            " alone, or let both the flow and `",
            node.name,
            "` take one `#[state]` struct that holds all of them",
        ])
}

const fn needs_join(net: &Topology, node: usize) -> Message {
    let state = not_brought(net, node, false);
    let node = net.nodes[node].signature;
    if let Some(state) = state {
        return message(&["`", node.name, "` takes "])
            .and_state(state)
            .push(", which no node returns")
            .help(&["let a node in another branch of a `fork(…)` return "])
            .and_state(state)
            .and(&[", and write `join(", node.name, ")` after the branches"]);
    }
    waits_for(node).help(&[
        "write `join(",
        node.name,
        ")` after the branches that bring them",
    ])
}

const fn waits_for(node: Signature) -> Message {
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
    text
}

//! What a node takes that nothing brings, and what is brought that it does not take.

use super::{
    diagnosis::Diagnosis,
    edges::is_list_of,
    message::{Message, message},
    net::param_of,
};
use crate::{
    state::{StateRef, name::same},
    topology::{Signature, Source, Topology, TopologyNode},
};

/// What an arc brings to a node that does not take it.
pub(super) const fn not_taken(
    net: &Topology,
    arc: usize,
    state: StateRef,
    node: Signature,
) -> Message {
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
    if same(node.answer, state.name) {
        return text.help(&[
            "the last parameter of a gate is its answer: add one for the answer after `",
            state.name,
            "`",
        ]);
    }
    if takes_list_of(node, state) {
        return text
            .help(&["branches make no list: let `", node.name, "` take "])
            .and_state(state)
            .push(" in a parameter for each branch that brings one");
    }
    text.help(&["add a parameter for "]).and_state(state).and(&[
        " to `",
        node.name,
        "`, or lead that branch elsewhere",
    ])
}

const fn takes_list_of(node: Signature, item: StateRef) -> bool {
    let mut params = node.params;
    while let [param, rest @ ..] = params {
        if let [taken] = param.states
            && is_list_of(*taken, item)
        {
            return true;
        }
        params = rest;
    }
    false
}

impl Message {
    /// Appends that a state can be read, if something in the flow makes it.
    const fn and_read_of(self, net: &Topology, state: StateRef) -> Self {
        match net.makes_any(state) || net.starts_with(state) {
            true => self
                .push("; to read the last one that the flow has made, take ")
                .and_read("Latest", state),
            false => self,
        }
    }
}

/// What is brought to a node that does not take it.
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
    let index = node;
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
                return Some(help_for_missing(text, net, index, states, states[i]));
            }
            i += 1;
        }
        param += 1;
    }
    None
}

/// What helps where node number `node` takes one of `states` in a parameter, and nothing brings the state `missing`.
const fn help_for_missing(
    text: Message,
    net: &Topology,
    node: usize,
    states: &[StateRef],
    missing: StateRef,
) -> Message {
    let TopologyNode {
        signature, slots, ..
    } = &net.nodes[node];
    if let Some(from) = handed_to_all(net, slots) {
        return text.help_with_tuple(from);
    }
    if let Some(other) = only_carried(net, node, states) {
        return text
            .help(&["take "])
            .and_state(other)
            .push(" alone; or lead a branch that brings ")
            .and_state(missing)
            .and(&[" to `", signature.name, "`"]);
    }
    if states.len() > 1 {
        return text
            .help(&["take "])
            .and_state(missing)
            .push(" out of that choice, or lead a branch that brings it to `")
            .push(signature.name)
            .push("`");
    }
    text.help(&["lead a branch that brings "])
        .and_state(missing)
        .and(&[
            " to `",
            signature.name,
            "`, or take it out of its parameters",
        ])
        .and_read_of(net, missing)
}

/// The one of these states that comes to node number `node`; nothing where none or several do.
const fn only_carried(net: &Topology, node: usize, states: &[StateRef]) -> Option<StateRef> {
    let (mut only, mut states) = (None, states);
    while let [state, rest @ ..] = states {
        if net.brings(node, *state) {
            if only.is_some() {
                return None;
            }
            only = Some(*state);
        }
        states = rest;
    }
    only
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

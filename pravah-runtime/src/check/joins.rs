//! The arcs into a `join` against the parameters of its node.

use super::{
    diagnosis::Diagnosis,
    message::{Message, message},
    missing::{missing, unexpected_input},
    net::param_of,
};
use crate::{
    state::{StateRef, name::same},
    topology::{Carried, ParamRef, Signature, Topology},
};

/// What is wrong with the branches that meet in node number `node`. Each fills a parameter; those of one type are filled in
/// the order of the branches.
pub(super) const fn mistake_of_join(
    diagnosis: &Diagnosis,
    node: usize,
    slots: &[&[usize]],
) -> Option<Message> {
    let net = diagnosis.net;
    let (index, is_order_unclear) = (node, net.nodes[node].is_order_unclear);
    let node = net.nodes[node].signature;
    if let Some(mistake) = unexpected_input(net, index) {
        return Some(mistake);
    }
    if let Some(mistake) = missing(diagnosis, index) {
        return Some(mistake);
    }
    if let Some(mistake) = split_alternatives(net, node, slots) {
        return Some(mistake);
    }
    let mut param = 0;
    while param < node.params.len() {
        let branches = filling(net, node, slots, param).0;
        if branches > 0 && branches != alike(node.params, param) {
            return Some(wrong_count(net, node, slots, param));
        }
        if let Some(mistake) = named_otherwise(net, node, slots, param) {
            return Some(mistake);
        }
        if is_order_unclear && branches > 1 {
            return Some(unclear_order(node, param));
        }
        param += 1;
    }
    None
}

/// A branch whose last node is called as another parameter than that which it fills: one of the two orders was
/// not meant.
const fn named_otherwise(
    net: &Topology,
    node: Signature,
    slots: &[&[usize]],
    param: usize,
) -> Option<Message> {
    let (mut slot, mut filled) = (0, param);
    while let Some((at, carried)) = next_filling(net, node, slots, param, slot) {
        let other = called(node.params, param, carried.from);
        if other < node.params.len() && other != filled {
            return Some(
                message(&["`", carried.from, "` fills the parameter `", node.params[filled].called])
                    .and(&["` of `", node.name, "`, which has one called `", carried.from, "`"])
                    .help(&["parameters of one type are filled in the order of the branches: write both in one order"]),
            );
        }
        filled = next_alike(node.params, filled);
        slot = at + 1;
    }
    None
}

/// The parameter that is called so, of those of the type of parameter number `param`; or `params.len()`.
const fn called(params: &[ParamRef], param: usize, name: &str) -> usize {
    let mut i = param;
    while i < params.len() && !same(params[i].called, name) {
        i = next_alike(params, i);
    }
    i
}

/// The next parameter of the same type, or `params.len()`.
const fn next_alike(params: &[ParamRef], param: usize) -> usize {
    let mut i = param + 1;
    while i < params.len() && !same(params[i].path, params[param].path) {
        i += 1;
    }
    i
}

const fn unclear_order(node: Signature, param: usize) -> Message {
    message(&["`", node.name, "` takes "])
        .and_any(node.params[param].states)
        .push(" from several branches, which two forks have in different orders")
        .help(&["write the branches of both forks in one order, or wrap what one of them returns in a `#[state]` struct of its own"])
}

/// Alternatives, of which one comes, that fill different parameters.
const fn split_alternatives(
    net: &Topology,
    node: Signature,
    slots: &[&[usize]],
) -> Option<Message> {
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
                return Some(waits_for_both(node, first, state));
            }
            arc += 1;
        }
        slot += 1;
    }
    None
}

const fn waits_for_both(node: Signature, first: StateRef, state: StateRef) -> Message {
    message(&[])
        .and_state(first)
        .push(" and ")
        .and_state(state)
        .and(&[
            " come from alternative branches, but `",
            node.name,
            "` waits for both",
        ])
        .help(&[
            "take them in one parameter, `Either<",
            first.name,
            ", ",
            state.name,
            ">`",
        ])
}

/// How many slots hold what parameter number `param` takes, counted for the first of those of one type; and the
/// first two states of them.
const fn filling(
    net: &Topology,
    node: Signature,
    slots: &[&[usize]],
    param: usize,
) -> (usize, [Option<StateRef>; 2]) {
    let (mut count, mut states) = (0, [None; 2]);
    let mut slot = 0;
    while let Some((at, carried)) = next_filling(net, node, slots, param, slot) {
        if count < 2 {
            states[count] = carried.state;
        }
        count += 1;
        slot = at + 1;
    }
    (count, states)
}

/// The next slot, from number `slot` on, that holds what parameter number `param` takes, and what is brought to it.
const fn next_filling(
    net: &Topology,
    node: Signature,
    slots: &[&[usize]],
    param: usize,
    mut slot: usize,
) -> Option<(usize, Carried)> {
    while slot < slots.len() {
        let carried = net.carried[slots[slot][0]];
        if let Some(state) = carried.state
            && param_of(node.params, state) == param
        {
            return Some((slot, carried));
        }
        slot += 1;
    }
    None
}

/// How many parameters have the type of parameter number `param`.
const fn alike(params: &[ParamRef], param: usize) -> usize {
    let (mut count, mut i) = (0, 0);
    while i < params.len() {
        if same(params[i].path, params[param].path) {
            count += 1;
        }
        i += 1;
    }
    count
}

const fn wrong_count(net: &Topology, node: Signature, slots: &[&[usize]], param: usize) -> Message {
    let (branches, states) = filling(net, node, slots, param);
    let params = alike(node.params, param);
    if let ([Some(one), Some(other)], 1) = (states, params)
        && !same(one.name, other.name)
    {
        return message(&[])
            .and_state(one)
            .push(" and ")
            .and_state(other)
            .and(&[
                " come side by side, but `",
                node.name,
                "` takes one of them",
            ])
            .help(&["take them in two parameters"]);
    }
    let text = message(&["`", node.name, "` takes "]).and_any(node.params[param].states);
    let text = match params {
        1 => text.push(" once, and "),
        2 => text.push(" twice, and "),
        params => text.push(" ").push_number(params).push(" times, and "),
    };
    let text = match branches {
        1 => text.push("one branch brings it: "),
        _ => text.push_number(branches).push(" branches bring it: "),
    };
    let text = text.and_branches(net, node, slots, param);
    match branches > params {
        true => text.help(&[
            "add a parameter of that type to `",
            node.name,
            "` for each branch: they are filled in the order of the branches",
        ]),
        false => text.help(&[
            "lead another branch to `",
            node.name,
            "`, or take a parameter of that type out",
        ]),
    }
}

impl Message {
    /// Appends the names of the nodes that bring what parameter number `param` takes.
    const fn and_branches(
        mut self,
        net: &Topology,
        node: Signature,
        slots: &[&[usize]],
        param: usize,
    ) -> Self {
        let (mut found, mut slot) = (0, 0);
        while let Some((at, carried)) = next_filling(net, node, slots, param, slot) {
            self = self.and(&[if found > 0 { ", `" } else { "`" }, carried.from, "`"]);
            found += 1;
            slot = at + 1;
        }
        self
    }
}

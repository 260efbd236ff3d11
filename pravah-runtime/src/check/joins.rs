//! The arcs into a `join` against the parameters of its node.

use super::{
    diagnosis::Diagnosis,
    message::{Message, message},
    missing::{missing, unexpected_input},
    net::param_of,
};
use crate::{
    state::{StateRef, name::same},
    topology::{Carried, ParamRef, Signature, Topology, UnclearOrder},
};

/// What is wrong with the branches that meet in node number `node`. Each fills a parameter; those of one type are
/// filled in the order of the branches.
pub(super) const fn mistake_of_join(
    diagnosis: &Diagnosis,
    node: usize,
    slots: &[&[usize]],
) -> Option<Message> {
    let net = diagnosis.net;
    let index = node;
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
        if let Some(mistake) = unclear_order(net, index, slots, param) {
            return Some(mistake);
        }
        if let Some(mistake) = named_otherwise(net, node, slots, param) {
            return Some(mistake);
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

/// Two slots for parameters of the type of parameter number `param`, which two forks fill in different orders.
const fn unclear_order(
    net: &Topology,
    node: usize,
    slots: &[&[usize]],
    param: usize,
) -> Option<Message> {
    let (mut unclear, node) = (net.nodes[node].unclear_orders, net.nodes[node].signature);
    while let [
        UnclearOrder {
            slots: [one, other],
            forks,
        },
        rest @ ..,
    ] = unclear
    {
        if let (Some(one), Some(other)) = (
            net.carried[slots[*one][0]].state,
            net.carried[slots[*other][0]].state,
        ) && param_of(node.params, one) == param
            && param_of(node.params, other) == param
        {
            return Some(
                message(&["`", node.name, "` takes "])
                    .and_any(node.params[param].states)
                    .push(" from several branches: the fork ")
                    .and_order(net, forks[0])
                    .push(", and the fork ")
                    .and_order(net, forks[1])
                    .help(&["write the branches of both forks in one order, or wrap what one of them returns in a `#[state]` struct of its own"]),
            );
        }
        unclear = rest;
    }
    None
}

/// Alternatives, of which one comes, that fill different parameters.
const fn split_alternatives(
    net: &Topology,
    node: Signature,
    slots: &[&[usize]],
) -> Option<Message> {
    let mut rest = slots;
    while let [[first, others @ ..], after @ ..] = rest {
        let (first, mut others) = (net.carried[*first], others);
        let Some(state) = first.state else {
            return None;
        };
        while let [other, after @ ..] = others {
            let other = net.carried[*other];
            if let Some(other_state) = other.state {
                let params = [
                    param_of(node.params, state),
                    param_of(node.params, other_state),
                ];
                if params[0] != params[1] {
                    let is_swapped = slots_for_both(net, node, slots, params) > 1;
                    return Some(match is_swapped {
                        true => swapped(node, first, other),
                        false => waits_for_both(node, state, other_state),
                    });
                }
            }
            others = after;
        }
        rest = after;
    }
    None
}

/// How many slots hold what each of two parameters takes.
const fn slots_for_both(
    net: &Topology,
    node: Signature,
    mut slots: &[&[usize]],
    params: [usize; 2],
) -> usize {
    let mut count = 0;
    while let [arcs, rest @ ..] = slots {
        let (mut takes, mut arcs) = ([false; 2], *arcs);
        while let [arc, rest @ ..] = arcs {
            if let Some(state) = net.carried[*arc].state {
                let param = param_of(node.params, state);
                takes = [
                    takes[0] || param == params[0],
                    takes[1] || param == params[1],
                ];
            }
            arcs = rest;
        }
        if takes[0] && takes[1] {
            count += 1;
        }
        slots = rest;
    }
    count
}

const fn swapped(node: Signature, first: Carried, other: Carried) -> Message {
    message(&["`", first.from, "` and `", other.from])
        .and(&["` are in the same place of two forks, but `", node.name])
        .push("` takes what they return in two parameters")
        .help(&["write the branches of both forks in one order"])
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
    /// Appends which of two nodes is behind an earlier branch of a fork.
    const fn and_order(self, net: &Topology, (fork, arcs): (Option<usize>, [usize; 2])) -> Self {
        let (one, other) = (net.carried[arcs[0]].from, net.carried[arcs[1]].from);
        let text = match fork {
            Some(node) => self.and(&["after `", net.nodes[node].signature.name, "`"]),
            None => self.push("at the start"),
        };
        text.and(&[" has `", one, "` before `", other, "`"])
    }

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

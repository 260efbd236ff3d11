//! The arcs into a node against its parameters.

use super::{
    message::message,
    net::{Net, param_of},
    ways::fits,
};
use crate::{
    node::{FailureName, ParamRef, ShapeKind, Signature},
    state::{StateRef, name::same},
};

/// What an arc brings to a node.
#[derive(Clone, Copy)]
pub struct Brought {
    /// Nothing where the node it comes from is broken.
    state: Option<StateRef>,
    from: &'static str,
    is_input: bool,
}

impl Brought {
    /// Nothing that is known.
    pub const NOTHING: Self = Self {
        state: None,
        from: "",
        is_input: false,
    };

    /// The state of way `way` of `node`, which is followed by so many ways of this kind; nothing
    /// where the node gives something else, which is reported there.
    pub const fn way(node: Signature, kind: ShapeKind, ways: usize, way: usize) -> Self {
        Self {
            state: if fits(node, kind, ways) && way < ways {
                Some(node.shape.states[way])
            } else {
                None
            },
            from: node.name,
            is_input: false,
        }
    }

    /// The same, if so many ways of the node are to be checked that this one is among them.
    pub const fn checked(self, way: usize, checked: usize) -> Self {
        Self {
            state: if way < checked { self.state } else { None },
            ..self
        }
    }

    pub(super) const fn state(self) -> Option<StateRef> {
        self.state
    }

    pub(super) const fn is_input(self) -> bool {
        self.is_input
    }

    /// The failure of `node`, by its name.
    pub const fn failure(node: Signature, name: &'static FailureName) -> Self {
        Self {
            state: if node.broken {
                None
            } else {
                Some(name.state())
            },
            from: node.name,
            is_input: false,
        }
    }

    /// An item of the list that `node` is the first to take from: whatever it takes.
    pub const fn item(node: Signature) -> Self {
        Self {
            state: match node.params {
                [
                    ParamRef {
                        states: [state], ..
                    },
                ] => Some(*state),
                _ => None,
            },
            from: "the list",
            is_input: false,
        }
    }

    /// The flow's input.
    pub const fn input(state: StateRef) -> Self {
        Self {
            state: Some(state),
            from: "the flow's input",
            is_input: true,
        }
    }
}

/// Checks the arcs into node number `node`: each of `slots` holds alternatives, of which one fills a
/// parameter. Where the node stands plain, not in a `join`, what the arcs carry is checked by
/// [`check_edge`](super::check_edge), and here only that nothing is missing.
#[track_caller]
pub const fn check_arcs(net: &Net, node: usize, slots: &[&[Brought]]) {
    let join = net.nodes[node].join;
    let node = net.nodes[node].signature;
    // Without one of the branches everything behind them has another place.
    if node.broken || any_unknown(slots) || !net.has_all_branches() {
        return;
    }
    if !join {
        if node.params.len() > 1 {
            needs_join(node);
        } else if all_accepted(node, slots) {
            nothing_missing(node, slots);
            one_state(node, slots);
        }
        return;
    }
    nothing_left_over(node, slots);
    nothing_missing(node, slots);
    each_slot_fills_one(node, slots);
}

const fn any_unknown(slots: &[&[Brought]]) -> bool {
    let mut slot = 0;
    while slot < slots.len() {
        let mut arc = 0;
        while arc < slots[slot].len() {
            if slots[slot][arc].state.is_none() {
                return true;
            }
            arc += 1;
        }
        slot += 1;
    }
    false
}

const fn all_accepted(node: Signature, slots: &[&[Brought]]) -> bool {
    let mut slot = 0;
    while slot < slots.len() {
        let mut arc = 0;
        while arc < slots[slot].len() {
            if let Some(state) = slots[slot][arc].state
                && param_of(node.params, state) == node.params.len()
            {
                return false;
            }
            arc += 1;
        }
        slot += 1;
    }
    true
}

#[track_caller]
const fn nothing_left_over(node: Signature, slots: &[&[Brought]]) {
    let mut slot = 0;
    while slot < slots.len() {
        let mut arc = 0;
        while arc < slots[slot].len() {
            let Brought { state, from, .. } = slots[slot][arc];
            if let Some(state) = state
                && param_of(node.params, state) == node.params.len()
            {
                message(&[
                    "`",
                    from,
                    "` brings `",
                    state.name,
                    "`, which `",
                    node.name,
                    "` does not take",
                ])
                .help(&[
                    "add a parameter for `",
                    state.name,
                    "` to `",
                    node.name,
                    "`, or lead that branch elsewhere",
                ])
                .fail()
            }
            arc += 1;
        }
        slot += 1;
    }
}

#[track_caller]
const fn nothing_missing(node: Signature, slots: &[&[Brought]]) {
    let mut param = 0;
    while param < node.params.len() {
        let states = node.params[param].states;
        let mut i = 0;
        while i < states.len() {
            if !brought(slots, states[i]) {
                message(&[
                    "`",
                    node.name,
                    "` takes `",
                    states[i].name,
                    "`, which nothing brings",
                ])
                .help(&[
                    "lead a branch that gives `",
                    states[i].name,
                    "` to `",
                    node.name,
                    "`, or take it out of its parameters",
                ])
                .fail()
            }
            i += 1;
        }
        param += 1;
    }
}

const fn brought(slots: &[&[Brought]], state: StateRef) -> bool {
    let mut slot = 0;
    while slot < slots.len() {
        let mut arc = 0;
        while arc < slots[slot].len() {
            if let Some(other) = slots[slot][arc].state
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

#[track_caller]
const fn each_slot_fills_one(node: Signature, slots: &[&[Brought]]) {
    let mut slot = 0;
    while slot < slots.len() {
        let Some(first) = slots[slot][0].state else {
            return;
        };
        let param = param_of(node.params, first);
        let mut arc = 1;
        while arc < slots[slot].len() {
            if let Some(state) = slots[slot][arc].state
                && param_of(node.params, state) != param
            {
                message(&[
                    "`",
                    first.name,
                    "` and `",
                    state.name,
                    "` come on alternative ways, but `",
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
                .fail()
            }
            arc += 1;
        }
        let mut other = 0;
        while other < slot {
            if let Some(state) = slots[other][0].state
                && param_of(node.params, state) == param
            {
                if same(state.name, first.name) {
                    brought_twice(node, state)
                }
                message(&[
                    "`",
                    state.name,
                    "` and `",
                    first.name,
                    "` come side by side, but `",
                    node.name,
                    "` takes one of them",
                ])
                .help(&["take them in two parameters"])
                .fail()
            }
            other += 1;
        }
        slot += 1;
    }
}

#[track_caller]
const fn brought_twice(node: Signature, state: StateRef) -> ! {
    let Signature { name, .. } = node;
    message(&[
        "two branches bring `",
        state.name,
        "` to `",
        name,
        "`, which takes it once",
    ])
    .help(&["wrap it in a `#[state]` struct of its own on one of the branches, and take both"])
    .fail()
}

/// Alternatives that bring different states are told to the reader by a `join`; not so the flow's
/// input, which no statement leads to its first node.
#[track_caller]
const fn one_state(node: Signature, slots: &[&[Brought]]) {
    let mut first = None;
    let mut slot = 0;
    while slot < slots.len() {
        let mut arc = 0;
        while arc < slots[slot].len() {
            let Brought {
                state, is_input, ..
            } = slots[slot][arc];
            match (first, state) {
                _ if is_input => {}
                (None, state) => first = state,
                (Some(StateRef { name, .. }), Some(other)) if !same(name, other.name) => {
                    message(&["`", name, "` and `", other.name])
                        .and(&["` come to `", node.name, "` on alternative ways"])
                        .help(&["write `join(", node.name, ")` after the branches"])
                        .fail()
                }
                _ => {}
            }
            arc += 1;
        }
        slot += 1;
    }
}

#[track_caller]
const fn needs_join(node: Signature) {
    let mut text = message(&["`", node.name, "` waits for "])
        .push_number(node.params.len())
        .push(" states: ");
    let mut i = 0;
    while i < node.params.len() {
        text = text.and(&[if i > 0 { ", `" } else { "`" }, node.params[i].name, "`"]);
        i += 1;
    }
    text.help(&[
        "write `join(",
        node.name,
        ")` after the branches that bring them",
    ])
    .fail()
}

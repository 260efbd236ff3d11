//! A node's own types, wherever the node is used.

use super::message::message;
pub(super) use crate::node::contains;
use crate::{node::Signature, state::StateRef};

/// No state twice among what `node` takes, nor among what it gives.
#[track_caller]
pub const fn check_signature(node: Signature) {
    let mut param = 0;
    while param < node.params.len() {
        let states = node.params[param].states;
        let mut i = 0;
        while i < states.len() {
            let mut other = 0;
            while other < param {
                if contains(node.params[other].states, states[i]) {
                    twice(node, "takes", states[i]);
                }
                other += 1;
            }
            if contains(states.split_at(i).0, states[i]) {
                twice(node, "takes", states[i]);
            }
            i += 1;
        }
        param += 1;
    }
    let given = node.shape.states;
    let mut i = 0;
    while i < given.len() {
        if contains(given.split_at(i).0, given[i]) {
            twice(node, "gives", given[i]);
        }
        i += 1;
    }
}

#[track_caller]
const fn twice(node: Signature, verb: &str, state: StateRef) {
    message(&["`", node.name, "` ", verb, " two states called `", state.name, "`"])
        .help(&["wrap one of them in a `#[state]` struct of its own: a flow tells states apart by their names"])
        .fail()
}

/// Checks a `max_visits` that is no literal.
#[track_caller]
pub const fn check_visits(visits: u32) {
    if visits == 0 {
        message(&["`max_visits` is 0, and a node runs at least once"])
            .help(&["write a number from 1 on"])
            .fail()
    }
}

/// Checks a `max_turns` that is no literal.
#[track_caller]
pub const fn check_turns(turns: u32) {
    if turns == 0 {
        never_asked("max_turns")
    }
}

/// Checks a `max_tokens` that is no literal.
#[track_caller]
pub const fn check_tokens(tokens: u64) {
    if tokens == 0 {
        never_asked("max_tokens")
    }
}

#[track_caller]
const fn never_asked(limit: &str) {
    message(&["`", limit, "` is 0, and the model would never be asked"])
        .help(&["write a number from 1 on"])
        .fail()
}

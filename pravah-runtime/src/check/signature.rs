//! A node's own types, wherever the node is used.

use super::message::message;
pub(super) use crate::node::contains;
use crate::{
    node::{Signature, taken_twice, twice as given_twice},
    state::StateRef,
};

/// No state twice among what `node` takes, nor among what it gives.
#[track_caller]
pub const fn check_signature(node: Signature) {
    if let Some(state) = taken_twice(node.params) {
        twice(node, "takes", state);
    }
    if let Some(state) = given_twice(node.shape.states) {
        twice(node, "gives", state);
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

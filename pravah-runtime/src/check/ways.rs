//! As many branches as the node before them gives states.

use super::message::message;
use crate::node::{ShapeKind, Signature};

/// `node -> either(…)` with so many branches.
#[track_caller]
pub const fn check_either(node: Signature, branches: usize) {
    if node.broken {
        return;
    }
    match node.shape.kind {
        ShapeKind::Choice => count("either", node, branches),
        ShapeKind::One => message(&[
            "`",
            node.name,
            "` gives one state, `",
            first(node),
            "`, and `either` needs a choice",
        ])
        .help(&[
            "return `Either<A, B>` or a `#[choice]` enum from `",
            node.name,
            "`, or write one node after it",
        ])
        .fail(),
        ShapeKind::Fork => message(&[
            "`",
            node.name,
            "` gives all of its states at once, and `either` follows one way",
        ])
        .help(&[
            "write `fork(…)` after `",
            node.name,
            "`, or return `Either` instead of a tuple",
        ])
        .fail(),
    }
}

/// `node -> fork(…)` with so many branches.
#[track_caller]
pub const fn check_fork(node: Signature, branches: usize) {
    if node.broken {
        return;
    }
    match node.shape.kind {
        ShapeKind::Fork => count("fork", node, branches),
        ShapeKind::One => message(&[
            "`",
            node.name,
            "` gives one state, `",
            first(node),
            "`, and `fork` needs several",
        ])
        .help(&[
            "return a tuple of states from `",
            node.name,
            "`, or write one node after it",
        ])
        .fail(),
        ShapeKind::Choice => message(&[
            "`",
            node.name,
            "` chooses one of its states, and `fork` follows all of them",
        ])
        .help(&[
            "write `either(…)` after `",
            node.name,
            "`, or return a tuple instead of a choice",
        ])
        .fail(),
    }
}

/// `node` with one way after it, or none. What it leads to may be `broken`.
#[track_caller]
pub const fn check_one(node: Signature, broken: bool) {
    if node.broken || broken {
        return;
    }
    let (what, group) = match node.shape.kind {
        ShapeKind::One => return,
        ShapeKind::Choice => ("chooses between ", "either"),
        ShapeKind::Fork => ("forks into ", "fork"),
    };
    let text = message(&["`", node.name, "` ", what]).and_states(node, 0);
    text.and(&[", but no `", group, "` follows it"])
        .help(&[
            "write `",
            node.name,
            " -> ",
            group,
            "(…)` with a branch for each of them, in this order",
        ])
        .fail()
}

#[track_caller]
const fn count(group: &str, node: Signature, branches: usize) {
    let states = node.shape.states;
    if states.len() == branches {
        return;
    }
    let text = message(&["`", node.name, "` gives "])
        .push_number(states.len())
        .push(" states, ")
        .and_states(node, 0)
        .push(", but this `")
        .and(&[group, "` has "])
        .push_number(branches)
        .push(" branches: ");
    if branches < states.len() {
        text.push("nothing takes ")
            .and_states(node, branches)
            .help(&[
                "add a branch for each way of `",
                node.name,
                "`, in the order of its type",
            ])
            .fail()
    }
    text.push_number(branches - states.len())
        .push(" left over")
        .help(&[
            "remove what no way of `",
            node.name,
            "` leads to, or add ways to its type",
        ])
        .fail()
}

const fn first(node: Signature) -> &'static str {
    match node.shape.states {
        [state, ..] => state.name,
        [] => "",
    }
}

impl super::message::Message {
    /// Appends the names of the states that `node` gives, from number `from` on.
    const fn and_states(mut self, node: Signature, from: usize) -> Self {
        let mut i = from;
        while i < node.shape.states.len() {
            if i > from {
                self = self.push(", ");
            }
            self = self.and(&["`", node.shape.states[i].name, "`"]);
            i += 1;
        }
        self
    }
}

//! As many branches as the node before them returns states.

use super::{
    message::message,
    net::{Net, NetNode},
    signature::contains,
};
use crate::{
    node::{FailureName, ShapeKind, Signature},
    state::{StateRef, name::same},
};

/// What is first in a branch.
#[derive(Clone, Copy)]
pub enum Branch {
    Node(Signature),
    /// `done`, which takes the flow's output.
    Done(StateRef),
}

/// Node number `node`, followed by `either(…)` with these branches.
#[track_caller]
pub const fn check_either(net: &Net, node: usize, branches: &[Branch]) {
    let index = node;
    let node = net.nodes[index].signature;
    if node.broken || net.fits_or_is_suspect(index) {
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

/// Node number `node`, followed by `fork(…)` with these branches.
#[track_caller]
pub const fn check_fork(net: &Net, node: usize, branches: &[Branch]) {
    let index = node;
    let node = net.nodes[index].signature;
    if node.broken || net.fits_or_is_suspect(index) {
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

/// How many of the branches have their edges checked: none where the group does not fit the node,
/// and no more after one that does not take its state, since the rest may only have moved.
pub const fn checked_ways(node: Signature, kind: ShapeKind, branches: &[Branch]) -> usize {
    if !fits(node, kind, branches.len()) {
        return 0;
    }
    let mut i = 0;
    while i < branches.len() && branches[i].takes(node.shape.states[i]) {
        i += 1;
    }
    i + 1
}

/// Whether what follows `node` is what its shape asks for.
pub(super) const fn fits(node: Signature, kind: ShapeKind, ways: usize) -> bool {
    let same_kind = matches!(
        (node.shape.kind, kind),
        (ShapeKind::One, ShapeKind::One)
            | (ShapeKind::Choice, ShapeKind::Choice)
            | (ShapeKind::Fork, ShapeKind::Fork)
    );
    !node.broken && same_kind && node.shape.states.len() == ways
}

impl Branch {
    pub(super) const fn takes(self, state: StateRef) -> bool {
        match self {
            Self::Node(node) if node.broken => true,
            Self::Node(node) => {
                let mut i = 0;
                while i < node.params.len() && !contains(node.params[i].states, state) {
                    i += 1;
                }
                i < node.params.len()
            }
            Self::Done(output) => same(output.name, state.name),
        }
    }

    const fn takes_any(self, states: &[StateRef]) -> bool {
        let mut i = 0;
        while i < states.len() && !self.takes(states[i]) {
            i += 1;
        }
        i < states.len()
    }

    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Node(node) => node.name,
            Self::Done(_) => "done",
        }
    }
}

/// Node number `node`, with one branch after it, or none. What it leads to may be `broken`.
#[track_caller]
pub const fn check_one(net: &Net, node: usize, broken: bool) {
    let NetNode {
        signature, caught, ..
    } = net.nodes[node];
    if signature.contract && !caught && !signature.broken {
        uncaught(net, node);
    }
    if signature.broken || broken || matches!(signature.shape.kind, ShapeKind::One) {
        return;
    }
    if net.is_suspect(node) {
        return;
    }
    let (index, node) = (node, signature);
    let (what, group) = match node.shape.kind {
        ShapeKind::One => return,
        ShapeKind::Choice => ("chooses between ", "either"),
        ShapeKind::Fork => ("forks into ", "fork"),
    };
    let text = message(&["`", node.name, "` ", what])
        .and_states(node, 0)
        .and(&[", but no `", group, "` follows it"]);
    if let Some(meet) = net.taker_of_all(index) {
        text.help(&["write `", node.name, " -> ", group, "("])
            .and_joins(meet, node.shape.states.len())
            .push(")`, with a branch for each of them")
            .fail()
    }
    text.help(&[
        "write `",
        node.name,
        " -> ",
        group,
        "(…)` with a branch for each of them, in this order",
    ])
    .fail()
}

/// An agent whose answer may be suppressed or rejected, and nothing takes its failure.
#[track_caller]
const fn uncaught(net: &Net, node: usize) {
    let NetNode {
        signature: node,
        written,
        ..
    } = net.nodes[node];
    let text = message(&[
        "`",
        node.name,
        "` has a contract, and no `catch` follows it: ",
    ])
    .push("what is suppressed or rejected would be lost");
    if net.is_list() {
        text.help(&["a chain in `each` has no `catch`: name a flow in it, with `"])
            .and(&[written, "` and its `catch` inside"])
            .fail()
    }
    let failure = FailureName::of(node);
    let failure = (failure.name(), failure.path());
    text.help(&[
        "add `catch(",
        written,
        ") -> rescue`, with a node that takes ",
    ])
    .and_type(failure.0, failure.1)
    .fail()
}

#[track_caller]
const fn count(group: &str, node: Signature, branches: &[Branch]) {
    let states = node.shape.states;
    if states.len() == branches.len() {
        return;
    }
    let text = message(&["`", node.name, "` gives "])
        .push_number(states.len())
        .push(" states, ")
        .and_states(node, 0)
        .push(", but this `")
        .and(&[group, "` has "])
        .push_number(branches.len())
        .push(" branches: ");
    if branches.len() < states.len() {
        text.push("nothing takes ")
            .and_untaken(node, branches)
            .help(&[
                "add a branch for each way of `",
                node.name,
                "`, in the order of its type",
            ])
            .fail()
    }
    text.and_left_over(node, branches)
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
    /// Appends the names of the states that `node` returns, from number `from` on.
    pub(super) const fn and_states(mut self, node: Signature, from: usize) -> Self {
        let mut i = from;
        while i < node.shape.states.len() {
            self = self.and(&[
                if i > from { ", `" } else { "`" },
                node.shape.states[i].name,
                "`",
            ]);
            i += 1;
        }
        self
    }

    /// Appends `join(meet)` once for each of so many branches.
    const fn and_joins(mut self, meet: Signature, count: usize) -> Self {
        let mut i = 0;
        while i < count {
            self = self.and(&[if i > 0 { ", join(" } else { "join(" }, meet.name, ")"]);
            i += 1;
        }
        self
    }

    /// Appends the states that no branch takes; where each is taken, those without a branch.
    const fn and_untaken(mut self, node: Signature, branches: &[Branch]) -> Self {
        let states = node.shape.states;
        let (mut found, mut i) = (0, 0);
        while i < states.len() {
            let mut branch = 0;
            while branch < branches.len() && !branches[branch].takes(states[i]) {
                branch += 1;
            }
            if branch == branches.len() {
                self = self.and(&[if found > 0 { ", `" } else { "`" }, states[i].name, "`"]);
                found += 1;
            }
            i += 1;
        }
        if found == 0 {
            self.and_states(node, branches.len())
        } else {
            self
        }
    }

    /// Appends the branches that take none of the states; where each takes one, how many are left.
    const fn and_left_over(mut self, node: Signature, branches: &[Branch]) -> Self {
        let (mut found, mut i) = (0, 0);
        while i < branches.len() {
            if !branches[i].takes_any(node.shape.states) {
                self = self.and(&[if found > 0 { ", `" } else { "`" }, branches[i].name(), "`"]);
                found += 1;
            }
            i += 1;
        }
        match found {
            0 => self
                .push_number(branches.len() - node.shape.states.len())
                .push(" left over"),
            1 => self.push(" takes none of them"),
            _ => self.push(" take none of them"),
        }
    }
}

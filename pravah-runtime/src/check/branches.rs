//! As many branches as the node before them returns states.

use super::{
    diagnosis::Diagnosis,
    message::{Message, message},
};
use crate::{
    state::{StateRef, name::same},
    topology::{ArcTo, FailureName, ShapeKind, Signature, Topology, TopologyNode},
};

/// What is first in a branch.
#[derive(Clone, Copy)]
pub(super) enum Branch {
    Node(Signature),
    /// `done`, which takes the flow's output, where that is known.
    Done(Option<StateRef>),
}

impl Topology {
    /// What an arc leads to.
    pub(super) const fn branch(&self, arc: usize) -> Branch {
        match self.arcs[arc].to {
            ArcTo::Node(node) => Branch::Node(self.nodes[node].signature),
            ArcTo::Done => Branch::Done(self.ends.output),
        }
    }
}

/// Node number `node`, followed by `either(…)`.
#[track_caller]
pub const fn check_either(diagnosis: &Diagnosis, node: usize) {
    let (net, index) = (diagnosis.net, node);
    let node = net.nodes[index].signature;
    if node.broken || diagnosis.fits_or_is_suspect(index) {
        return;
    }
    match node.shape.kind {
        ShapeKind::Choice => count(net, index, "either"),
        ShapeKind::One => message(&[
            "`",
            node.name,
            "` returns one state, `",
            first(node),
            "`, and `either` needs a choice",
        ])
        .help(&[
            "return `Either<A, B>` from `",
            node.name,
            "`, or an enum with `#[choice]` above it in place of `#[state]`, or write one node after it; what follows its failure is written `catch(",
            node.name,
            ") -> node`",
        ])
        .fail(),
        ShapeKind::Fork => message(&[
            "`",
            node.name,
            "` returns all of its states at once, and `either` follows one branch",
        ])
        .help(&[
            "write `fork(…)` after `",
            node.name,
            "`, or return `Either` instead of a tuple",
        ])
        .fail(),
    }
}

/// Node number `node`, followed by `fork(…)`.
#[track_caller]
pub const fn check_fork(diagnosis: &Diagnosis, node: usize) {
    let (net, index) = (diagnosis.net, node);
    let node = net.nodes[index].signature;
    if node.broken || diagnosis.fits_or_is_suspect(index) {
        return;
    }
    match node.shape.kind {
        ShapeKind::Fork => count(net, index, "fork"),
        // Every branch gets the one state.
        ShapeKind::One => {}
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

impl Branch {
    pub(super) const fn takes(self, state: StateRef) -> bool {
        match self {
            Self::Node(node) => node.takes(&state),
            Self::Done(Some(output)) => same(output.name, state.name),
            Self::Done(None) => true,
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

/// Node number `node`, with one branch after it, or none.
#[track_caller]
pub const fn check_one(diagnosis: &Diagnosis, node: usize) {
    let net = diagnosis.net;
    let TopologyNode {
        signature, failure, ..
    } = &net.nodes[node];
    if signature.contract && failure.is_none() && !signature.broken {
        uncaught(net, node);
    }
    let (what, group) = match signature.shape.kind {
        ShapeKind::One => return,
        ShapeKind::Choice => ("chooses between ", "either"),
        ShapeKind::Fork => ("forks into ", "fork"),
    };
    if signature.broken || leads_to_broken(net, node) || diagnosis.is_suspect(node) {
        return;
    }
    let (index, node) = (node, *signature);
    let text = message(&["`", node.name, "` ", what])
        .and_states(node, 0)
        .and(&[", but no `", group, "` follows it"]);
    if let Some(meet) = net.taker_of_all(index) {
        let text = text
            .help(&["write `", node.name, " -> ", group, "("])
            .and_joins(meet, node.shape.states.len())
            .push(")`, with a branch for each of them");
        if let (ShapeKind::Choice, [one, other], [_, _]) =
            (node.shape.kind, node.shape.states, meet.params)
        {
            text.and(&[
                ", and let `",
                meet.name,
                "` take them in one parameter, `Either<",
            ])
            .and(&[one.name, ", ", other.name, ">`, since one of them comes"])
            .fail()
        }
        text.fail()
    }
    let text = text.help(&[
        "write `",
        node.name,
        " -> ",
        group,
        "(…)` with a branch for each of them, in this order",
    ]);
    match net.nodes[index].renamed_use {
        Some(name) => text
            .and(&["; or write `", name, "`, if the node of that name is meant"])
            .fail(),
        None => text.fail(),
    }
}

/// Whether the next node is broken: nothing is said then of a missing group.
const fn leads_to_broken(net: &Topology, node: usize) -> bool {
    let [arc, ..] = net.nodes[node].branches else {
        return false;
    };
    match net.arcs[*arc].to {
        ArcTo::Node(next) => net.nodes[next].signature.broken,
        ArcTo::Done => false,
    }
}

/// An agent whose answer may be suppressed or rejected, and nothing takes its failure.
#[track_caller]
const fn uncaught(net: &Topology, node: usize) {
    let TopologyNode {
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
const fn count(net: &Topology, node: usize, group: &str) {
    let TopologyNode {
        signature: node,
        branches,
        ..
    } = net.nodes[node];
    let states = node.shape.states;
    if states.len() == branches.len() {
        return;
    }
    let text = message(&["`", node.name, "` returns "])
        .push_number(states.len())
        .push(" states, ")
        .and_states(node, 0)
        .push(", but this `")
        .and(&[group, "` has "])
        .push_number(branches.len())
        .push(" branches: ");
    if branches.len() < states.len() {
        text.push("nothing takes ")
            .and_untaken(net, node, branches)
            .help(&[
                "add a branch for each state that `",
                node.name,
                "` returns, in the order of its type",
            ])
            .fail()
    }
    let ty = match node.shape.kind {
        ShapeKind::Choice => "choice",
        ShapeKind::One | ShapeKind::Fork => "tuple",
    };
    text.and_left_over(net, node, branches)
        .help(&["remove a branch, or add a state to the ", ty, " that `"])
        .and(&[node.name, "` returns"])
        .fail()
}

const fn first(node: Signature) -> &'static str {
    match node.shape.states {
        [state, ..] => state.name,
        [] => "",
    }
}

impl Message {
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
    const fn and_untaken(mut self, net: &Topology, node: Signature, branches: &[usize]) -> Self {
        let states = node.shape.states;
        let (mut found, mut i) = (0, 0);
        while i < states.len() {
            let mut branch = 0;
            while branch < branches.len() && !net.branch(branches[branch]).takes(states[i]) {
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
    const fn and_left_over(mut self, net: &Topology, node: Signature, branches: &[usize]) -> Self {
        let (mut found, mut i) = (0, 0);
        while i < branches.len() {
            let branch = net.branch(branches[i]);
            if !branch.takes_any(node.shape.states) {
                self = self.and(&[if found > 0 { ", `" } else { "`" }, branch.name(), "`"]);
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

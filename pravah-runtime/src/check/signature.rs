//! A node's own types, wherever the node is used.

use super::message::message;
pub(super) use crate::topology::contains;
use crate::{
    agent::{AUTO_APPROVE_ABOVE, SUPPRESS_BELOW},
    node::{NotAnswered, Param},
    state::{StateRef, name::same},
    topology::{Inside, ParamRef, ShapeKind, Signature, Topology, TopologyNode, ambiguous},
};

/// The most states that a node can take.
const MAX_STATES: usize = 12;

/// A node takes a state, and no more than can be held behind a `catch`; and for each it is clear which parameter
/// takes it.
#[track_caller]
pub const fn check_signature(node: Signature) {
    match (node.shape.calls_return, node.inside) {
        (None, Inside::Calls(_)) if !node.broken => returns_no_calls(node),
        (Some(_), Inside::Nothing) if !node.broken => calls_nobody(node),
        _ => {}
    }
    // Most nodes are so, and to look no further shortens constant evaluation.
    if let [ParamRef { states: [_], .. }] = node.params {
        return;
    }
    if node.params.is_empty() && !node.asks.is_empty() {
        takes_nothing(node)
    }
    if node.params.len() > MAX_STATES {
        message(&["`", node.name, "` takes "])
            .push_number(node.params.len())
            .push(" states, and ")
            .push_number(MAX_STATES)
            .push(" is the most")
            .help(&[
                "join some of them in a node before it, `fork(a -> join(half), b -> join(half), c) -> join(",
                node.name,
                "); half -> join(",
                node.name,
                ")`, or hold several in one `#[state]` struct",
            ])
            .fail()
    }
    if let Some(state) = ambiguous(node.params) {
        is_ambiguous(node, state)
    }
}

#[track_caller]
const fn returns_no_calls(node: Signature) {
    message(&["`", node.name, "` declares `agents`, but does not return an `Invoke`"])
        .help(&["return an `Invoke` of what they return, as `agent::invoke(input)` is; or leave `agents` out"])
        .fail()
}

#[track_caller]
const fn calls_nobody(node: Signature) {
    if !node.answer.is_empty() {
        message(&["the gate `", node.name, "` returns an `Invoke`"])
            .help(&["let a `#[node(agents = […])]` after it call the agents"])
            .fail()
    }
    message(&["`", node.name, "` returns an `Invoke`, and names no agents"])
        .help(&["write `#[node(agents = […])]` with all agents and flows that it calls"])
        .fail()
}

#[track_caller]
const fn takes_nothing(node: Signature) {
    let mut rest = node.asks;
    while let [param, others @ ..] = rest {
        if same(param.name, <NotAnswered as Param>::REF.name) {
            message(&["the gate `", node.name, "` needs both a state and an answer, and takes only one of them"])
                .help(&["take the state that waits at the gate first, and after it what the person says or the event brings, such as `answer: Decision`; `_: ()` takes an answer that says nothing"])
                .fail()
        }
        rest = others;
    }
    message(&[
        "`",
        node.name,
        "` takes no state, and what it asks for starts no node",
    ])
    .help(&["add a parameter for the state that it consumes"])
    .fail()
}

/// The question of a gate uses the parameter `name`.
#[track_caller]
pub const fn check_question(name: &str, is_answer: bool) {
    if is_answer {
        message(&[
            "`",
            name,
            "` is the answer, and is not there when the gate asks",
        ])
        .help(&[
            "use its other parameters, such as the state that waits at the gate: the last one, apart from what it asks for, is what the person answers",
        ])
        .fail()
    }
}

#[track_caller]
const fn is_ambiguous(node: Signature, state: StateRef) {
    let mut rest = node.params;
    while let [param, others @ ..] = rest {
        if ambiguous(&[*param]).is_some() {
            message(&[
                "a parameter of `",
                node.name,
                "` takes `",
                state.name,
                "` in two of its cases",
            ])
            .help(&[
                "take `",
                state.name,
                "` alone where branches that meet bring the same state; to tell them apart, give each case a state of its own",
            ])
            .fail()
        }
        rest = others;
    }
    message(&["two parameters of `", node.name, "` take `", state.name, "`, and their types differ"])
        .help(&["let both have one type, and they are filled in the order of the branches; or wrap one of the two in a `#[state]` struct of its own"])
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

/// Checks a `max_attempts` that is no literal.
#[track_caller]
pub const fn check_attempts(attempts: u32) {
    if attempts == 0 {
        message(&["`max_attempts` is 0, and a node is tried at least once"])
            .help(&["write a number from 1 on"])
            .fail()
    }
}

/// Node number `node`, which is on none of the loops of the flow.
#[track_caller]
pub const fn check_no_limit(net: &Topology, node: usize) {
    let node = &net.nodes[node].signature;
    if node.limited && !node.broken && !proposes_renamed_use(net) {
        message(&[
            "`",
            node.name,
            "` has a `max_visits`, but is on no loop of this flow",
        ])
        .help(&[
            "lead a later node back to `",
            node.name,
            "`; or remove `max_visits`, if the node is to run once",
        ])
        .fail()
    }
}

/// Whether [`check_one`](super::check_one) proposes another use of a node, which may be the way back of a loop: one error
/// is enough then.
const fn proposes_renamed_use(net: &Topology) -> bool {
    let mut node = 0;
    while node < net.nodes.len() {
        let TopologyNode {
            renamed_use,
            signature,
            ..
        } = &net.nodes[node];
        if let (Some(_), ShapeKind::Choice | ShapeKind::Fork) = (renamed_use, signature.shape.kind)
        {
            return true;
        }
        node += 1;
    }
    false
}

/// Checks a `max_turns` that is no literal.
#[track_caller]
pub const fn check_turns(turns: u32) {
    if turns == 0 {
        never_asked("max_turns")
    }
}

/// Checks the `max` of `turns(…)` that is no literal.
#[track_caller]
pub const fn check_max_of_turns(max: u32) {
    if max == 0 {
        message(&["`turns` has a `max` of 0, and the agent would never answer"])
            .help(&["write a number from 1 on"])
            .fail()
    }
}

/// Checks a `visit_tokens` that is no literal.
#[track_caller]
pub const fn check_tokens(tokens: u64) {
    if tokens == 0 {
        never_asked("visit_tokens")
    }
}

/// A threshold of a contract, as it is written or as it is unless set.
#[derive(Clone, Copy)]
pub struct Threshold {
    key: &'static str,
    text: &'static str,
    value: f64,
    is_written: bool,
}

impl Threshold {
    /// What holds where nothing is written.
    pub const SUPPRESS_BELOW: Self = Self {
        is_written: false,
        ..Self::written("suppress_below", "0.5", SUPPRESS_BELOW)
    };
    pub const AUTO_APPROVE_ABOVE: Self = Self {
        is_written: false,
        ..Self::written("auto_approve_above", "0.85", AUTO_APPROVE_ABOVE)
    };

    pub const fn written(key: &'static str, text: &'static str, value: f64) -> Self {
        Self {
            key,
            text,
            value,
            is_written: true,
        }
    }

    const fn is_in_range(self) -> bool {
        0.0 <= self.value && self.value <= 1.0
    }
}

/// Checks a threshold that is no literal.
#[track_caller]
pub const fn check_threshold(threshold: Threshold) {
    if !threshold.is_in_range() {
        let Threshold { key, text, .. } = threshold;
        message(&["`", key, "` is not from 0 to 1: `", text, "`"])
            .help(&["write a number from 0.0 to 1.0"])
            .fail()
    }
}

/// Checks that a threshold is not below the one before it. What is out of range has been reported.
#[track_caller]
pub const fn check_rises(before: Threshold, this: Threshold) {
    if !before.is_in_range() || !this.is_in_range() || before.value <= this.value {
        return;
    }
    if !this.is_written {
        above_the_default(before, this)
    }
    let text = if same(before.key, this.key) {
        message(&[
            "`review` ends at `",
            this.text,
            "`, below its beginning `",
            before.text,
            "`",
        ])
    } else {
        message(&["`", this.key, "` is `", this.text, "`, below `", before.key]).and(&[
            "`, which is `",
            before.text,
            "`",
        ])
    };
    text.help(&["let the thresholds rise: `suppress_below`, `review`, `auto_approve_above`"])
        .fail()
}

#[track_caller]
const fn above_the_default(before: Threshold, this: Threshold) {
    message(&[
        "`",
        before.key,
        "` is `",
        before.text,
        "`, above `",
        this.key,
    ])
    .and(&["`, which is ", this.text, " unless set"])
    .help(&[
        "write `",
        this.key,
        "` as well, from `",
        before.text,
        "` to 1.0",
    ])
    .fail()
}

#[track_caller]
const fn never_asked(limit: &str) {
    message(&["`", limit, "` is 0, and the model would never be asked"])
        .help(&["write a number from 1 on"])
        .fail()
}

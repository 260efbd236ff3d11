//! What an edge carries against what is taken at its end.
//!
//! Constants, and not trait bounds: a node may take and return states that are private to its module,
//! and no expression outside of it may have their types.

use super::{
    diagnosis::Diagnosis,
    message::{Message, message},
};
use crate::{
    state::{StateRef, name::same},
    topology::{ArcFrom, ArcTo, ParamRef, Signature, Source, Topology},
};

/// Arc number `arc`, into a node that is plain.
#[track_caller]
pub const fn check_edge(diagnosis: &Diagnosis, arc: usize) {
    if !diagnosis.is_to_report(arc) {
        return;
    }
    let net = diagnosis.net;
    let carried = net.carried[arc];
    let (Some(state), ArcTo::Node(node)) = (carried.state, net.arcs[arc].to) else {
        return;
    };
    let node = net.nodes[node].signature;
    let [param] = node.params else {
        return;
    };
    match carried.source {
        Source::Input => mistake_of_input(net, arc, state, node, *param),
        Source::Failure => mistake_of_failure(net, arc, state, node, *param),
        Source::Item | Source::Output => mistake_of_output(net, arc, state, node, *param),
    }
    .fail()
}

const fn mistake_of_input(
    net: &Topology,
    arc: usize,
    state: StateRef,
    node: Signature,
    param: ParamRef,
) -> Message {
    let mistake = message(&["the flow starts with "])
        .and_state(state)
        .and(&[", but `", node.name, "` takes "])
        .and_any(param.states);
    if let [taken] = param.states {
        if is_list_of(*taken, state) && after(node.name, "each(").is_some() {
            return mistake
                .help(&["leave out `each(…)`: the node in it takes "])
                .and_state(state)
                .push("; a flow that starts with the list takes ")
                .and_state(*taken)
                .push(", and is `#[flow(named)]`");
        }
        if same(taken.name, node.name) {
            return mistake
                .help(&["`", node.name, "` is the state that its agent takes: let the flow take it, or write `#[agent(…)]` above a function that takes "])
                .and_state(state);
        }
    }
    let help = match net.taker_of(state, arc) {
        Some(taker) => mistake
            .help(&["start with `", taker, "`, which takes "])
            .and_state(state),
        None => mistake
            .help(&["start with a node that takes "])
            .and_state(state),
    };
    help.and(&[", or let the flow take what `", node.name, "` does"])
}

const fn mistake_of_failure(
    net: &Topology,
    arc: usize,
    state: StateRef,
    node: Signature,
    param: ParamRef,
) -> Message {
    let caught = net.carried[arc].from;
    let mistake = message(&["`catch(", caught, ")` carries "])
        .and_state(state)
        .and(&[", but `", node.name, "` takes "])
        .and_any(param.states);
    if net.is_reached_otherwise(arc) {
        return mistake
            .help(&["lead it through a node that takes "])
            .and_state(state)
            .push(" and returns ")
            .and_any(param.states)
            .and(&[": `catch(", caught, ") -> recover -> ", node.name, "`"]);
    }
    mistake
        .help(&["let `", node.name, "` take "])
        .and_state(state)
        .push(": the error is its `message`, and its `input` is what `")
        .and(&[caught, "` took"])
}

const fn mistake_of_output(
    net: &Topology,
    arc: usize,
    state: StateRef,
    node: Signature,
    param: ParamRef,
) -> Message {
    let from = net.carried[arc].from;
    let mistake = message(&["this edge carries "])
        .and_state(state)
        .and(&[", but `", node.name, "` takes "])
        .and_any(param.states);
    if net.is_handed_to_all(arc) {
        return mistake.help_with_tuple(from);
    }
    if let Some(before) = net.node_before(arc)
        && let Some(order) = net.right_order(before)
    {
        return mistake.help(&[order.as_str()]);
    }
    if let Some(caught) = net.failure_into(arc) {
        return mistake
            .help(&[
                "`",
                node.name,
                "` is for `catch(",
                caught,
                ")` alone: lead ",
            ])
            .and_state(state)
            .push(" to another node");
    }
    if let [taken] = param.states {
        if is_list_of(state, *taken) {
            return mistake.help_with_list(from, state, node);
        }
        if is_list_of(*taken, state) {
            return match after(node.name, "each(") {
                Some(_) => {
                    mistake.help_without_each(from, state, param)
                }
                None => mistake.help(&[
                    "`",
                    node.name,
                    "` takes a list: write it after the `each(…)` that makes one, or let it take ",
                ])
                .and_state(state),
            };
        }
    }
    let is_list = same(unwrapped(state.name, state.path).0, "Each<");
    if after(node.name, "each(").is_some() && !is_list && net.node_before(arc).is_some() {
        return mistake
            .help(&["let `", from, "` return "])
            .and_any(param.states)
            .push(" here, a list of what the chain takes, instead of ")
            .and_state(state);
    }
    let help = mistake.help(&["lead "]).and_state(state);
    let help = match net.taker_of(state, arc) {
        Some(taker) => help.and(&[" to `", taker, "`, which takes it"]),
        None => help.push(" to a node that takes it"),
    };
    help.and(&[", or let `", node.name, "` take it"])
}

impl Topology {
    /// Whether an arc brings what all branches of a fork get.
    pub(super) const fn is_handed_to_all(&self, arc: usize) -> bool {
        match self.arcs[arc].from {
            ArcFrom::Output { node, .. } => self.nodes[node].is_broadcast(),
            ArcFrom::Input | ArcFrom::Failure { .. } => false,
        }
    }

    /// Whether another arc brings the node what it takes.
    const fn is_reached_otherwise(&self, arc: usize) -> bool {
        let mut other = 0;
        while other < self.arcs.len() {
            if other != arc && self.lead_to_one_node(arc, other) && self.arc_fits(other) {
                return true;
            }
            other += 1;
        }
        false
    }

    /// The node whose failure the node takes.
    const fn failure_into(&self, arc: usize) -> Option<&'static str> {
        let mut other = 0;
        while other < self.arcs.len() {
            let carried = self.carried[other];
            if self.lead_to_one_node(arc, other)
                && matches!(carried.source, Source::Failure)
                && self.arc_fits(other)
            {
                return Some(carried.from);
            }
            other += 1;
        }
        None
    }

    /// Whether two arcs lead to one node.
    const fn lead_to_one_node(&self, one: usize, other: usize) -> bool {
        match (self.arcs[one].to, self.arcs[other].to) {
            (ArcTo::Node(one), ArcTo::Node(other)) => one == other,
            _ => false,
        }
    }
}

impl Message {
    /// The help where a branch needs a state of its own from `node`.
    pub(super) const fn help_with_tuple(self, node: &str) -> Self {
        self.help(&[
            "`",
            node,
            "` returns one state, and `fork` hands it to every branch: return a tuple to hand each its own",
        ])
    }

    /// The help where a list is made of what a chain in `each(…)` takes.
    const fn help_without_each(self, from: &str, state: StateRef, param: ParamRef) -> Self {
        let help = self.help(&["leave out `each(…)`: its chain takes what this edge carries"]);
        let (wrapper, item) = unwrapped(state.name, state.path);
        if same(wrapper, "Each<") {
            return help.and(&["; or let its first node take `", item, "`"]);
        }
        help.and(&["; or let `", from, "` return "])
            .and_any(param.states)
    }

    /// The help where `node` takes an item of the list that `from` returns.
    const fn help_with_list(self, from: &str, list: StateRef, node: Signature) -> Self {
        match after(from, "each(") {
            Some(_) => self
                .help(&["let `", node.name, "` take "])
                .and_state(list)
                .and(&[", or run it for every item: `each(", node.name, ")`"]),
            None => self
                .help(&["run it for every item: `each(", node.name, ")`"])
                .and(&[", or let `", node.name, "` take "])
                .and_state(list),
        }
    }
}

/// Whether `list` is `Each` of `item`.
pub(super) const fn is_list_of(list: StateRef, item: StateRef) -> bool {
    let (wrapper, inner) = unwrapped(list.name, list.path);
    same(wrapper, "Each<") && same(inner, item.name)
}

impl Message {
    /// Appends one state, or several of which any will do.
    pub(super) const fn and_any(mut self, states: &[StateRef]) -> Self {
        let mut i = 0;
        while i < states.len() {
            if i > 0 {
                self = self.push(" or ");
            }
            self = self.and_state(states[i]);
            i += 1;
        }
        self
    }

    /// Appends a state as the user writes its type: `Each_of_Page` is `Each<Page>`.
    pub(super) const fn and_state(self, state: StateRef) -> Self {
        self.and_type(state.name, state.path)
    }

    /// The same by a state's name, and the path of its type.
    pub(super) const fn and_type(self, name: &str, path: &str) -> Self {
        self.push("`").and_type_in(name, path).push("`")
    }

    /// Appends what reads a state, such as `Latest<Draft>`.
    pub(super) const fn and_read(self, wrapper: &str, state: StateRef) -> Self {
        let text = self.and(&["`", wrapper, "<"]);
        text.and_type_in(state.name, state.path).push(">`")
    }

    const fn and_type_in(self, mut name: &str, path: &str) -> Self {
        let (mut text, mut depth) = (self, 0);
        loop {
            let (wrapper, rest) = unwrapped(name, path);
            if wrapper.is_empty() {
                break;
            }
            text = text.push(wrapper);
            (name, depth) = (rest, depth + 1);
        }
        text = match (after(name, "Tuple_of_"), after(name, "Either_of_")) {
            (Some(parts), _) if depth > 0 => text.push("(").and_parts(parts).push(")"),
            (_, Some(parts)) if depth > 0 => text.push("Either<").and_parts(parts).push(">"),
            _ => text.push(name),
        };
        while depth > 0 {
            text = text.push(">");
            depth -= 1;
        }
        text
    }

    /// Appends `B_and_C` as `B, C`.
    const fn and_parts(mut self, mut names: &str) -> Self {
        const AND: &str = "_and_";
        let mut at = 0;
        while let Some((part, rest)) = names.split_at_checked(at) {
            at += 1;
            if let Some(rest) = after(rest, AND) {
                self = self.push(part).push(", ");
                (names, at) = (rest, 0);
            } else if rest.is_empty() {
                break;
            }
        }
        self.push(names)
    }
}

/// The wrapper around a state of the runtime's own, and the name inside it.
const fn unwrapped<'a>(name: &'a str, path: &str) -> (&'static str, &'a str) {
    if let Some(inner) = after(name, "Each_of_")
        && after(path, "pravah_runtime::").is_some()
    {
        return ("Each<", inner);
    }
    if let Some(inner) = after(name, "Failure_of_")
        && after(path, "pravah_runtime::").is_some()
    {
        return ("Failure<", inner);
    }
    ("", name)
}

pub(super) const fn after<'a>(text: &'a str, prefix: &str) -> Option<&'a str> {
    match text.split_at_checked(prefix.len()) {
        Some((start, rest)) if same(start, prefix) => Some(rest),
        _ => None,
    }
}

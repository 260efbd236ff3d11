//! Inputs of flows around: whether a flow may be started, or is to be nested in one that starts with what its nodes
//! ask for.

use super::message::message;
use crate::{
    state::StateRef,
    topology::{Inside, ParamRef, Signature, ToolRef, Topology, TopologyNode},
};

/// The input of a flow around, and who asks for it.
#[derive(Clone, Copy)]
struct OuterInput<'a> {
    state: StateRef,
    node: &'static str,
    /// The flow that the node is in, where it may read what that makes.
    flow: Option<&'a Topology>,
}

/// Says whether a flow may be started: `F` has to be that of which `NEEDS_NO_OTHER` is true.
#[diagnostic::on_unimplemented(
    message = "the flow `{Self}` cannot be started by itself: a node in it, or a tool of an agent in it, takes an `Input<_>` of a state that no flow here starts with",
    label = "no flow around it starts with that state",
    note = "take `Input<_>` of the state that the flow starts with, or, in a node, `Latest<_>` of what another node of the flow returns",
    note = "in the chain of an `each`, the item is the `Input<_>` of a flow that is named there: `each(flow)`",
    note = "or use this flow as a node of a flow that starts with that state, and start that one"
)]
pub trait StartsByItself<const NEEDS_NO_OTHER: bool> {}

#[diagnostic::do_not_recommend]
impl<F> StartsByItself<true> for F {}

impl Topology {
    /// Whether all inputs that the nodes of the flow ask for are those of the flow, or of flows in it.
    #[doc(hidden)]
    pub const fn needs_no_outer_input(&self) -> bool {
        outer_input(self, 0).is_none()
    }

    /// Fails where the flow is to be nested.
    pub(crate) const fn check_start(&self) {
        if let Some(OuterInput { state, node, flow }) = outer_input(self, 0) {
            let text = message(&["`", node, "` asks for "])
                .and_read("Input", state)
                .and(&[
                    ", and the flow `",
                    self.name,
                    "` that is started here starts with another state",
                ]);
            let text = match flow {
                Some(flow) if flow.makes_any(state) => text
                    .help(&["to read the last one that the flow has made, take "])
                    .and_read("Latest", state)
                    .push("; or nest"),
                _ => text.help(&["nest"]),
            };
            text.and(&[" `", self.name, "` in a flow that starts with "])
                .and_state(state)
                .fail()
        }
    }
}

impl Signature {
    /// What is inside a node, the tools of an agent and what is called, asks for of the flows around it, by number.
    pub(crate) const fn input_asked_inside(self, number: usize) -> Option<StateRef> {
        let mut left = number;
        match asked_inside(self, &mut left) {
            Some(asked) => Some(asked.state),
            None => None,
        }
    }
}

/// Fails where what a flow in this one calls as a detached task asks for the input of the flow that calls it: the task goes
/// on when that has ended, and so has its input.
#[track_caller]
pub const fn check_detached(net: &Topology) {
    let mut nodes = net.nodes;
    while let [node, rest @ ..] = nodes {
        check_flows_inside(node.signature);
        nodes = rest;
    }
}

/// The same of the flows that a node is or calls. What is in those was checked where they are written.
#[track_caller]
const fn check_flows_inside(node: Signature) {
    let mut callees = match node.inside {
        Inside::Net(net) if net.is_list() => return check_detached(net),
        Inside::Net(net) => {
            if let Some(input) = net.ends.input
                && let Some(asking) = asked_detached(net, input)
            {
                fail_detached(asking, net)
            }
            return;
        }
        Inside::Agent { agents, .. } => agents,
        Inside::Calls(callees) => callees,
        Inside::Nothing | Inside::Remote => return,
    };
    while let [called, rest @ ..] = callees {
        check_flows_inside(*called);
        callees = rest;
    }
}

#[track_caller]
const fn fail_detached(asking: OuterInput<'_>, flow: &Topology) -> ! {
    message(&["`", asking.node, "` asks for "])
        .and_read("Input", asking.state)
        .and(&[" in a detached task, which may outlive `", flow.name])
        .push("`, the flow with that input")
        .help(&["put what it needs into the input of what is called"])
        .fail()
}

/// What a flow calls as detached tasks that asks for this input, unless a flow in it starts with the same.
const fn asked_detached(net: &Topology, input: StateRef) -> Option<OuterInput<'static>> {
    let mut nodes = net.nodes;
    while let [node, rest @ ..] = nodes {
        let asked = asked_detached_by(node.signature, input);
        if asked.is_some() {
            return asked;
        }
        nodes = rest;
    }
    None
}

const fn asked_detached_by(node: Signature, input: StateRef) -> Option<OuterInput<'static>> {
    let (mut callees, are_detached) = match node.inside {
        Inside::Net(net) if starts_with(net, input) => return None,
        Inside::Net(net) => return asked_detached(net, input),
        Inside::Agent {
            agents, detached, ..
        } => (agents, detached),
        Inside::Calls(callees) => match node.shape.calls_return {
            Some(output) => (callees, output.is_detached),
            None => (callees, false),
        },
        Inside::Nothing | Inside::Remote => return None,
    };
    if are_detached {
        return asked_by_callees(node, input);
    }
    while let [called, rest @ ..] = callees {
        let asked = asked_detached_by(*called, input);
        if asked.is_some() {
            return asked;
        }
        callees = rest;
    }
    None
}

/// What a node calls that asks for this input.
const fn asked_by_callees(node: Signature, input: StateRef) -> Option<OuterInput<'static>> {
    let inside = match node.inside {
        Inside::Agent {
            agents, detached, ..
        } => Inside::Agent {
            tools: &[],
            agents,
            detached,
        },
        inside => inside,
    };
    let (node, mut number) = (node.with_inside(inside), 0);
    loop {
        let mut left = number;
        match asked_inside(node, &mut left) {
            Some(asked) if asked.state.has_same_names(&input) => return Some(asked),
            Some(_) => number += 1,
            None => return None,
        }
    }
}

/// Whether a flow starts with this state.
const fn starts_with(net: &Topology, state: StateRef) -> bool {
    match net.ends.input {
        Some(own) => own.has_same_names(&state),
        None => false,
    }
}

/// What the nodes of a flow ask for that is the input of a flow around it, by number.
const fn outer_input(net: &Topology, number: usize) -> Option<OuterInput<'_>> {
    let (mut nodes, mut left) = (net.nodes, number);
    while let [node, rest @ ..] = nodes {
        let mut asked = 0;
        while let Some(outer) = asked_input(net, node, asked) {
            if !starts_with(net, outer.state) {
                if left == 0 {
                    return Some(outer);
                }
                left -= 1;
            }
            asked += 1;
        }
        nodes = rest;
    }
    None
}

/// What a node, its tools or the nodes in it ask for of the flows around it, by number.
const fn asked_input<'a>(
    net: &'a Topology,
    node: &TopologyNode,
    number: usize,
) -> Option<OuterInput<'a>> {
    let (id, mut left) = (node.id, number);
    if let Some(state) = nth_input(node.signature.asks, &mut left) {
        let (node, flow) = (id, Some(net));
        return Some(OuterInput { state, node, flow });
    }
    if let Some(asked) = asked_inside(node.signature, &mut left) {
        return Some(asked);
    }
    match node.inside {
        Some(inside) => outer_input(inside, left),
        None => None,
    }
}

/// The same for what is inside a node: the tools of an agent, and what it may call, or what the node calls.
const fn asked_inside(node: Signature, left: &mut usize) -> Option<OuterInput<'static>> {
    let (mut tools, mut callees, run_functions): (&[ToolRef], &[Signature], bool) =
        match node.inside {
            Inside::Agent { tools, agents, .. } => (tools, agents, false),
            // Unlike the callees of an agent, these run their own functions.
            Inside::Calls(callees) => (&[], callees, true),
            _ => return None,
        };
    while let [tool, rest @ ..] = tools {
        if let Some(state) = nth_input(tool.asks, left) {
            let (node, flow) = (tool.name, None);
            return Some(OuterInput { state, node, flow });
        }
        tools = rest;
    }
    while let [called, rest @ ..] = callees {
        if run_functions && let Some(state) = nth_input(called.asks, left) {
            let (node, flow) = (called.name, None);
            return Some(OuterInput { state, node, flow });
        }
        let asked = match called.inside {
            Inside::Net(net) => nth_outer_input(net, left),
            _ => asked_inside(*called, left),
        };
        if asked.is_some() {
            return asked;
        }
        callees = rest;
    }
    None
}

/// The input number `left` that a flow asks for of those around it; counts down those that it does.
const fn nth_outer_input(net: &'static Topology, left: &mut usize) -> Option<OuterInput<'static>> {
    let mut number = 0;
    while let Some(outer) = outer_input(net, number) {
        if *left == 0 {
            return Some(outer);
        }
        *left -= 1;
        number += 1;
    }
    None
}

/// The input number `left` that is among the parameters; counts down those that are.
const fn nth_input(asks: &[ParamRef], left: &mut usize) -> Option<StateRef> {
    let mut asks = asks;
    while let [ask, rest @ ..] = asks {
        if let Some(state) = ask.need.input {
            if *left == 0 {
                return Some(state);
            }
            *left -= 1;
        }
        asks = rest;
    }
    None
}

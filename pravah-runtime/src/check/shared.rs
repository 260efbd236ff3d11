//! States that several nodes get, or that are read after a node has taken them.

use super::{
    message::{Message, message},
    net::param_of,
    reads::reader_of,
};
use crate::{
    state::StateRef,
    topology::{ArcFrom, ArcTo, ParamRef, Topology},
};

/// Arc number `arc`, to one of several branches that get the same state: who takes that by value leaves a copy
/// for the others.
#[track_caller]
pub const fn check_shared(net: &Topology, arc: usize) {
    let (Some(state), ArcTo::Node(node)) = (net.carried[arc].state, net.arcs[arc].to) else {
        return;
    };
    let node = net.nodes[node].signature;
    let param = param_of(node.params, state);
    // Of the flow's input it is asked at the first branches alone.
    let is_shared = matches!(net.arcs[arc].from, ArcFrom::Input) || net.is_handed_to_all(arc);
    if state.is_clone || node.broken || param == node.params.len() || !is_shared {
        return;
    }
    if node.params[param].by_value {
        taken_by_value(node.name, state, "but other branches get it too").fail()
    }
}

/// A state that a node takes by value and another one reads later.
pub(super) const fn mistake_of_owner(net: &Topology, node: usize) -> Option<Message> {
    let node = net.nodes[node].signature;
    let mut params = node.params;
    while let [param, rest @ ..] = params {
        let mut states = param.states;
        while let [state, others @ ..] = states {
            if param.by_value
                && !state.is_clone
                && let Some(reader) = reader_of(net, *state)
            {
                let why = message(&["but `", reader, "` reads it later"]);
                return Some(taken_by_value(node.name, *state, why.as_str()));
            }
            states = others;
        }
        params = rest;
    }
    None
}

const fn taken_by_value(node: &str, state: StateRef, why: &str) -> Message {
    message(&["`", node, "` takes "])
        .and_state(state)
        .and(&[" by value, ", why, " and it is not `Clone`"])
        .help(&["take `&", state.name, "`, or make it `Clone`"])
}

impl Topology {
    /// What the flow takes as a node of others: by value, if any of its nodes takes its input so.
    #[doc(hidden)]
    pub const fn input_param(&self, input: &'static [StateRef]) -> ParamRef {
        let param = ParamRef::of_state(input);
        let mut arc = 0;
        while arc < self.arcs.len() {
            if matches!(self.arcs[arc].from, ArcFrom::Input)
                && let ArcTo::Node(node) = self.arcs[arc].to
            {
                let params = self.nodes[node].signature.params;
                if let [state, ..] = input {
                    let taken = param_of(params, *state);
                    if taken < params.len() && params[taken].by_value {
                        return param.by_value();
                    }
                }
            }
            arc += 1;
        }
        param
    }
}

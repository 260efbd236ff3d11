//! States that several nodes get.

use super::{message::message, net::param_of};
use crate::graph::{ArcFrom, ArcTo, Topology};

/// Arc number `arc`, to one of several branches that get the same state: who takes that by value leaves a copy
/// for the others.
#[track_caller]
pub const fn check_shared(net: &Topology, arc: usize) {
    let (Some(state), ArcTo::Node(node)) = (net.carried[arc].state, net.arcs[arc].to) else {
        return;
    };
    let node = net.nodes[node].signature;
    let param = param_of(node.params, state);
    if state.is_clone || node.broken || param == node.params.len() || !is_shared(net, arc) {
        return;
    }
    if node.params[param].by_value {
        message(&["`", node.name, "` takes "])
            .and_state(state)
            .push(" by value, which other branches get too, and it is not `Clone`")
            .help(&["take `&", state.name, "`, or let it be `Clone`"])
            .fail()
    }
}

const fn is_shared(net: &Topology, arc: usize) -> bool {
    match net.arcs[arc].from {
        ArcFrom::Output { node, .. } => net.nodes[node].is_broadcast(),
        // It is asked of the first branches of a flow alone.
        ArcFrom::Input => true,
        ArcFrom::Failure { .. } => false,
    }
}

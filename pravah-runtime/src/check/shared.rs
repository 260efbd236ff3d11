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
    // Of the flow's input it is asked at the first branches alone.
    let is_shared = matches!(net.arcs[arc].from, ArcFrom::Input) || net.is_handed_to_all(arc);
    if state.is_clone || node.broken || param == node.params.len() || !is_shared {
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

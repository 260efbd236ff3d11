//! A node that a flow names by two paths.

use std::marker::PhantomData;

use super::message::message;
use crate::topology::Topology;

/// Says whether `A` and `B` are one node: an inherent constant goes before that of a trait.
pub struct NodePair<A, B>(PhantomData<(A, B)>);

impl<A> NodePair<A, A> {
    pub const IS_ONE: bool = true;
}

pub trait TwoNodes {
    const IS_ONE: bool = false;
}

impl<A, B> TwoNodes for NodePair<A, B> {}

/// Node number `node`, whose path ends like that of node number `earlier`: with another path it is another node of the flow,
/// and no way back.
#[track_caller]
pub const fn check_spelling(is_one: bool, net: &Topology, earlier: usize, node: usize) {
    let (known, written) = (net.nodes[earlier].written, net.nodes[node].written);
    if is_one {
        message(&["`", written, "` is the node `", known])
            .push("` of this flow, by another path")
            .help(&[
                "write `",
                known,
                "` here too, to lead to the same node, or `",
            ])
            .and(&[written, " as other` to use its function once more"])
            .fail()
    }
}

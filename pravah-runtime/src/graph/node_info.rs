//! What a type that stands for a node is asked for.

use super::NodeSpec;
use crate::topology::{Signature, Topology};

/// What the checks of a flow and its graph need to know of a node.
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a node",
    label = "not a node",
    note = "a flow is made of functions with `#[node]`, `#[agent]`, `#[gate]` or `#[flow]`, and of structs with `#[agent]`; its input goes to the first of them by itself"
)]
pub trait NodeInfo {
    const SIGNATURE: Signature;

    /// What is inside, if the node is a flow.
    const TOPOLOGY: Option<&'static Topology> = None;

    /// How to run the node.
    fn spec() -> NodeSpec;
}

//! What the graph asks of the type behind a node.

use super::NodeSpec;
use crate::topology::Signature;

/// What the checks of a flow and its graph need to know of a node.
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a node",
    label = "not a node",
    note = "a flow is made of functions with `#[node]`, `#[agent]`, `#[gate]` or `#[flow]`, and of structs with `#[agent]`; states are not named: they go from node to node by themselves, and the input to the first"
)]
pub trait NodeInfo {
    const SIGNATURE: Signature;

    /// How to run the node.
    fn spec() -> NodeSpec;
}

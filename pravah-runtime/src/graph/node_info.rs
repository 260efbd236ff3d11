//! What a type that stands for a node is asked for.

use std::any::TypeId;

use super::NodeSpec;
use crate::{
    node::{FirstState, Invoke, InvokeAgent, Node, NodeCall, ParamList},
    state::Live,
    topology::Signature,
};

/// What the checks of a flow and its graph need to know of a node.
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a node",
    label = "not a node",
    note = "a flow is made of functions with `#[node]`, `#[agent]`, `#[gate]` or `#[flow]`, and of structs with `#[agent]`; its input goes to the first of them by itself"
)]
pub trait NodeInfo {
    const SIGNATURE: Signature;

    /// How to run the node.
    fn spec() -> NodeSpec;
}

#[diagnostic::do_not_recommend]
impl<A: Node<Params, Output> + NodeInfo + 'static, Params, Output> InvokeAgent<Params, Output>
    for A
{
    fn invoke(input: <Params::Consumed as FirstState>::State) -> Invoke<Output>
    where
        Params: ParamList<Consumed: FirstState>,
    {
        Invoke::of(vec![NodeCall {
            name: A::SIGNATURE.name.to_owned(),
            id: Some(TypeId::of::<A>()),
            input: Ok(Live::new(input)),
        }])
    }
}

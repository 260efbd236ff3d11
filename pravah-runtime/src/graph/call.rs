//! How a node calls an agent or a flow by its type. It is here since `node` does not depend on `graph`.

use std::any::TypeId;

use super::NodeInfo;
use crate::{
    node::{FirstState, Invoke, InvokeAgent, Node, NodeCall, ParamList},
    state::Live,
};

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

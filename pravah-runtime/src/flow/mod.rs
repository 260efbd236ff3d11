//! A flow as a type.

mod cache;
mod loaded;

pub use crate::graph::Flow;
#[cfg(feature = "documents")]
pub(crate) use cache::Phase;
pub(crate) use cache::{Known, graph_of};
pub use loaded::LoadedFlow;

use std::{future::Future, pin::Pin};

use schemars::JsonSchema;
use serde::{Serialize, de::DeserializeOwned};

use self::two_flows_of_one_input::WriteFlowNamedAboveOne;
use crate::{error::FlowError, graph::FlowGraph, topology::Topology};

/// Of two flows with one input rustc says no more than the path of the trait that both implement, so that the path
/// has to say what to do.
#[doc(hidden)]
pub mod two_flows_of_one_input {
    use super::{DeserializeOwned, FlowError, FlowGraph, JsonSchema, Serialize, Topology};

    /// What `#[flow]` implements for the input of a function, and [`Flow`](super::Flow) through it.
    pub trait WriteFlowNamedAboveOne:
        JsonSchema + Serialize + DeserializeOwned + Send + Sync + 'static
    {
        type Output: JsonSchema + Serialize + DeserializeOwned + Send + Sync + 'static;

        const KNOWN_TOPOLOGY: &'static Topology;

        fn build() -> Result<FlowGraph, FlowError>;
    }
}

#[diagnostic::do_not_recommend]
impl<I: WriteFlowNamedAboveOne> Flow for I {
    type Output = I::Output;

    const KNOWN_TOPOLOGY: &'static Topology = <I as WriteFlowNamedAboveOne>::KNOWN_TOPOLOGY;

    fn build() -> Result<FlowGraph, FlowError> {
        <I as WriteFlowNamedAboveOne>::build()
    }
}

/// What a flow starts and ends with. A private flow that is not named implements it for its name as well, so that
/// starting it by its name is one error and not several. [`FlowDef`] has the message too.
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be run: it is neither what a flow takes nor a `#[flow(named)]`",
    label = "neither what a flow takes nor a `#[flow(named)]`",
    note = "a run is a `FlowRuntime<A>`, with the state `A` that the `#[flow]` takes, and starts with `FlowRuntime::new(input)`; with `#[flow(named)]` above `fn name` it is a `FlowRuntime<name>`, and starts with `name::start(input)`",
    note = "a function over runs needs a bound: `fn name<F: Flow>(run: &mut FlowRuntime<F>)`, or `F: FlowDef` to take those of `#[flow(named)]` too"
)]
pub trait FlowEnds: 'static {
    /// What the flow starts with.
    type Input: JsonSchema + Serialize + DeserializeOwned + Send + Sync + 'static;
    /// What the flow ends with.
    type Output: JsonSchema + Serialize + DeserializeOwned + Send + Sync + 'static;
}

#[diagnostic::do_not_recommend]
impl<F: Flow> FlowEnds for F {
    type Input = F;
    type Output = F::Output;
}

/// What [`FlowRuntime`](crate::FlowRuntime) runs: every [`Flow`], and flows made with `#[flow(named)]`, which stand
/// beside another flow of the same input.
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be run: it is neither what a flow takes nor a `#[flow(named)]`",
    label = "neither what a flow takes nor a `#[flow(named)]`",
    note = "a run is a `FlowRuntime<A>`, with the state `A` that the `#[flow]` takes, and starts with `FlowRuntime::new(input)`; with `#[flow(named)]` above `fn name` it is a `FlowRuntime<name>`, and starts with `name::start(input)`"
)]
pub trait FlowDef: FlowEnds {
    /// Makes the flow's graph.
    ///
    /// # Errors
    ///
    /// Whatever is wrong with the graph.
    fn graph() -> Result<FlowGraph, FlowError>;

    /// The id of the flow.
    fn node_id() -> String;

    /// What the compiler knows of the flow: nothing, where it is written by hand.
    const KNOWN_TOPOLOGY: &'static Topology = Topology::BROKEN;
}

#[diagnostic::do_not_recommend]
impl<F: Flow> FlowDef for F {
    const KNOWN_TOPOLOGY: &'static Topology = <F as Flow>::KNOWN_TOPOLOGY;

    fn graph() -> Result<FlowGraph, FlowError> {
        F::build()
    }

    fn node_id() -> String {
        <F as Flow>::node_id()
    }
}

/// What an annotated flow returns where it is called: a future of its output.
// A type without a name, as `async fn` returns, would have the conditions of its function, and where one is not met
// rustc would say so of the call and of its `.await`.
pub type FlowFuture<O> = Pin<Box<dyn Future<Output = Result<O, FlowError>> + Send>>;

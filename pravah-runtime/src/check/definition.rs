//! Flows and agents whose types may not be states: then they have been reported, and running them
//! is an error that nobody sees.

use std::{
    future::{Future, Ready, ready},
    marker::PhantomData,
};

use crate::{
    agent::Agent,
    context::Context,
    engine,
    error::{FlowError, does_not_compile},
    flow::FlowDef,
    graph::{FlowGraph, NodeSpec},
    state::State,
    topology::Signature,
};

/// Asks for the flow `F`.
pub struct Definition<F>(PhantomData<fn() -> F>);

/// The flow `F`.
pub const fn definition<F>() -> Definition<F> {
    Definition(PhantomData)
}

/// Known: what the flow starts and ends with are states.
pub trait KnownFlow<I, O> {
    fn graph(&self) -> Result<FlowGraph, FlowError>;
    fn call(&self, input: I, ctx: Context) -> impl Future<Output = Result<O, FlowError>> + Send;
}

impl<F: FlowDef> KnownFlow<F::Input, F::Output> for Definition<F> {
    fn graph(&self) -> Result<FlowGraph, FlowError> {
        F::graph()
    }

    fn call(
        &self,
        input: F::Input,
        ctx: Context,
    ) -> impl Future<Output = Result<F::Output, FlowError>> + Send {
        engine::call::<F>(input, ctx)
    }
}

pub trait UnknownFlow {
    fn graph(&self) -> Result<FlowGraph, FlowError>;
    fn call<I, O>(&self, input: I, ctx: Context) -> Ready<Result<O, FlowError>>;
}

impl<F> UnknownFlow for &Definition<F> {
    fn graph(&self) -> Result<FlowGraph, FlowError> {
        Err(does_not_compile())
    }

    fn call<I, O>(&self, _: I, _: Context) -> Ready<Result<O, FlowError>> {
        ready(Err(does_not_compile()))
    }
}

/// Asks for the agent that the type `A` is.
pub struct AgentState<A>(PhantomData<A>);

/// The agent that the type `A` is.
pub const fn agent_state<A>() -> AgentState<A> {
    AgentState(PhantomData)
}

/// Known: the agent and its output are states.
pub trait KnownAgent {
    fn spec(&self, signature: Signature) -> NodeSpec;
}

impl<A: Agent + State> KnownAgent for AgentState<A> {
    fn spec(&self, signature: Signature) -> NodeSpec {
        NodeSpec::agent_state::<A>(signature)
    }
}

pub trait UnknownAgent {
    fn spec(&self, signature: Signature) -> NodeSpec;
}

impl<A> UnknownAgent for &AgentState<A> {
    fn spec(&self, _: Signature) -> NodeSpec {
        NodeSpec::broken()
    }
}

//! Nodes that call agents and flows, from closures.

use std::{future::Future, sync::Arc};

use super::{DataState, FlowGraphBuilder, name, state};
use crate::{
    context::Context,
    error::{BoxError, FlowError},
    graph::{Data, InvokeNode, Name, NodeKind, TypedResults, data::spec, problems::Problem},
    invocation::AgentRegistry,
    node::{Body, Emitted, Inputs, Invoke, Running, Started, TaskResult},
    state::{Each, Unknown},
    topology::ShapeKind,
};

impl FlowGraphBuilder {
    /// A node that takes `From` and calls one of these agents and flows, whose result `Out` it outputs. It fails where it
    /// makes another number of calls, or calls what is not in the registry. [`build`](Self::build) refuses an empty
    /// registry, and an agent that returns something else.
    ///
    /// ```
    /// use pravah_runtime::{Agent, AgentConfig, invocation::AgentRegistry, prelude::*};
    /// use schemars::JsonSchema;
    /// use serde::{Deserialize, Serialize};
    ///
    /// #[derive(Serialize, Deserialize, JsonSchema)] struct Question { text: String }
    /// #[derive(Serialize, Deserialize, JsonSchema)] struct Topic { name: String }
    /// #[derive(Serialize, Deserialize, JsonSchema)] struct Finding { text: String }
    ///
    /// impl Agent for Topic {
    ///     type Output = Finding;
    ///
    ///     fn build() -> AgentConfig {
    ///         AgentConfig::new("You look things up.", "openai://gpt-4o-mini")
    ///     }
    /// }
    ///
    /// let agents = AgentRegistry::new().with_agent::<Topic>();
    /// let graph = FlowGraph::builder()
    ///     .invoke::<Question, Finding, _, _>(&agents, |question, _ctx| async move {
    ///         Ok(Invoke::agent(Topic { name: question.text }))
    ///     })
    ///     .build()?;
    /// # Ok::<(), FlowError>(())
    /// ```
    pub fn invoke<From, Out, F, Fut>(self, agents: &AgentRegistry, f: F) -> Self
    where
        From: Data,
        Out: Data,
        F: Fn(From, Context) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<Invoke<Out>, FlowError>> + Send + 'static,
    {
        self.invoking::<From, Out, Out, _, _>(agents, TypedResults::one::<Out>(), f)
    }

    /// Like [`invoke`](Self::invoke) with any number of calls: the node outputs a list of their results, in the order of
    /// the calls.
    pub fn invoke_all<From, Out, F, Fut>(self, agents: &AgentRegistry, f: F) -> Self
    where
        From: Data,
        Out: Data,
        F: Fn(From, Context) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<Invoke<Each<Out>>, FlowError>> + Send + 'static,
    {
        self.invoking::<From, Out, Each<Out>, _, _>(agents, TypedResults::all::<Out, Unknown>(), f)
    }

    /// Like [`invoke_all`](Self::invoke_all), but outputs how each call ended and does not fail.
    pub fn invoke_settled<From, Out, F, Fut>(self, agents: &AgentRegistry, f: F) -> Self
    where
        From: Data,
        Out: Data,
        F: Fn(From, Context) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<Invoke<Each<TaskResult<Out>>>, FlowError>> + Send + 'static,
    {
        self.invoking::<From, Out, Each<TaskResult<Out>>, _, _>(
            agents,
            TypedResults::settled::<Out, Unknown>(),
            f,
        )
    }

    fn invoking<From, Out, Returned, F, Fut>(
        mut self,
        agents: &AgentRegistry,
        awaits: TypedResults,
        f: F,
    ) -> Self
    where
        From: Data,
        Out: Data,
        Returned: Data,
        F: Fn(From, Context) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<Invoke<Returned>, FlowError>> + Send + 'static,
    {
        let clone = self.clones.of::<From>();
        let body = move |inputs: &mut Inputs<'_>| -> Started {
            let from = inputs.take(0, &clone)?;
            let future = f(from, inputs.take_context());
            Ok(Running::later(async move {
                let invoke = future.await.map_err(BoxError::from)?;
                Ok(Emitted(invoke.into_emission()))
            }))
        };
        let this = self
            .catchable::<From>()
            .states::<Out>()
            .states::<Returned>();
        let (takes, returns) = (state::<From>(), state::<Returned>());
        this.invoke_node(
            (takes, returns),
            (agents, name::<Out>()),
            awaits,
            Arc::new(body),
        )
    }

    /// The node itself. Not compiled again for every node.
    fn invoke_node(
        mut self,
        (takes, returns): (DataState, DataState),
        (agents, result): (&AgentRegistry, Name),
        awaits: TypedResults,
        body: Arc<dyn Body>,
    ) -> Self {
        let id = takes.name.clone();
        let mut broken = |why| {
            let node = id.clone();
            self.problems.push(Problem::Broken { node, why });
        };
        if agents.agent_ids().next().is_none() {
            broken("the registry has no agents that it could call".to_owned());
        }
        for (agent_id, returned) in agents.results() {
            if returned != result {
                broken(format!(
                    "it may call `{agent_id}`, which returns `{returned}` and not `{result}`"
                ));
            }
        }
        let kind = NodeKind::Invoke(InvokeNode::of_registry(body, agents, Arc::new(awaits)));
        let node = spec(id, &[takes], ShapeKind::One, &[returns], kind);
        self.nodes.push(node);
        self
    }
}

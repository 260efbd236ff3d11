//! Nodes that call agents and flows, from closures.

use std::{future::Future, sync::Arc};

use super::{DataState, FlowGraphBuilder, name, state};
use crate::{
    agent::OnDone,
    context::Context,
    error::{BoxError, FlowError},
    graph::{Data, InvokeNode, Name, NodeKind, TypedResults, data::spec, problems::Problem},
    invocation::AgentRegistry,
    node::{Body, Emitted, Inputs, Invoke, Running, Started, TaskResult, Tasks},
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

    /// A node that takes `From`, starts any number of these agents and flows as detached tasks, whatever they return, and
    /// outputs their [`Tasks`] at once. To wait for them, return [`tasks.wait()`](Tasks::wait) from a later
    /// [`invoke_all`](Self::invoke_all), or [`tasks.wait_settled()`](Tasks::wait_settled) from an
    /// [`invoke_settled`](Self::invoke_settled). `on_done` says what becomes of tasks that have not ended when the flow is
    /// done. The node fails where it calls what is not in the registry, and [`build`](Self::build) refuses an empty
    /// registry.
    ///
    /// ```
    /// use pravah_runtime::{Agent, AgentConfig, OnDone, invocation::AgentRegistry, prelude::*};
    /// use serde_json::json;
    ///
    /// #[state] struct Plan { topics: Vec<String> }
    /// #[state] struct Topic { name: String }
    /// #[state] struct Finding { text: String }
    ///
    /// impl Agent for Topic {
    ///     type Output = Finding;
    ///
    ///     fn build() -> AgentConfig {
    ///         AgentConfig::new("You look things up.", "openai://gpt-4o-mini")
    ///     }
    /// }
    ///
    /// impl Flow for Plan {
    ///     type Output = Each<Finding>;
    ///
    ///     fn build() -> Result<FlowGraph, FlowError> {
    ///         let agents = AgentRegistry::new().with_agent::<Topic>();
    ///         FlowGraph::builder()
    ///             .invoke_detached::<Plan, _, _>(&agents, OnDone::Cancel, |plan, _ctx| async move {
    ///                 let topics = plan.topics.into_iter().map(|name| Topic { name });
    ///                 Ok(Invoke::detached(topics.map(Invoke::agent)))
    ///             })
    ///             .invoke_all::<Tasks, Finding, _, _>(&agents, |tasks, _ctx| async move {
    ///                 Ok(tasks.wait())
    ///             })
    ///             .build()
    ///     }
    /// }
    ///
    /// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), FlowError> {
    /// let script = ScriptedModel::new().reply("Topic", json!({ "text": "No trains." }));
    /// let run = FlowRuntime::new(Plan { topics: vec!["trains".into()] })?;
    /// let mut run = run.with_factory(script);
    /// let RunOut::Done(findings) = run.run(Context::default()).await? else { panic!("nobody is asked") };
    /// assert_eq!(findings[0].text, "No trains.");
    /// # Ok(()) }
    /// ```
    pub fn invoke_detached<From, F, Fut>(
        self,
        agents: &AgentRegistry,
        on_done: OnDone,
        f: F,
    ) -> Self
    where
        From: Data,
        F: Fn(From, Context) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<Invoke<Tasks>, FlowError>> + Send + 'static,
    {
        let (this, body) = self.invoke_body::<From, Tasks, _, _>(f);
        let results = Arc::new(TypedResults::DETACHED);
        let invoke = InvokeNode::of_registry(body, agents, results).with_on_done(on_done);
        this.check_agents(&name::<From>(), agents, None)
            .invoke_node((state::<From>(), state::<Tasks>()), invoke)
    }

    fn invoking<From, Out, Returned, F, Fut>(
        self,
        agents: &AgentRegistry,
        results: TypedResults,
        f: F,
    ) -> Self
    where
        From: Data,
        Out: Data,
        Returned: Data,
        F: Fn(From, Context) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<Invoke<Returned>, FlowError>> + Send + 'static,
    {
        let (this, body) = self.states::<Out>().invoke_body::<From, Returned, _, _>(f);
        let invoke = InvokeNode::of_registry(body, agents, Arc::new(results));
        this.check_agents(&name::<From>(), agents, Some(name::<Out>()))
            .invoke_node((state::<From>(), state::<Returned>()), invoke)
    }

    /// The body that calls `f`, and the builder that knows its states.
    fn invoke_body<From, Returned, F, Fut>(mut self, f: F) -> (Self, Arc<dyn Body>)
    where
        From: Data,
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
        let this = self.catchable::<From>().states::<Returned>();
        (this, Arc::new(body))
    }

    /// Notes a problem where the registry is empty, or an agent of it does not return `result`; `None` allows all.
    fn check_agents(mut self, id: &Name, agents: &AgentRegistry, result: Option<Name>) -> Self {
        let mut broken = |why| {
            let node = id.clone();
            self.problems.push(Problem::Broken { node, why });
        };
        if agents.agents().is_empty() {
            broken("the registry has no agents that it could call".to_owned());
        }
        let Some(result) = result else {
            return self;
        };
        if result == name::<Tasks>() {
            broken("it outputs `Tasks`: make the node with `invoke_detached`".to_owned());
            return self;
        }
        for (agent_id, returned) in agents.results() {
            if returned != result {
                broken(format!(
                    "it may call `{agent_id}`, which returns `{returned}` and not `{result}`"
                ));
            }
        }
        self
    }

    /// Adds the node. It has no type parameters, so that it is compiled once.
    fn invoke_node(mut self, (takes, returns): (DataState, DataState), invoke: InvokeNode) -> Self {
        let (id, kind) = (takes.name.clone(), NodeKind::Invoke(invoke));
        let node = spec(id, &[takes], ShapeKind::One, &[returns], kind);
        self.nodes.push(node);
        self
    }
}

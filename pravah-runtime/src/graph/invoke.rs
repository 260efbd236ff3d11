//! Nodes that let agents and flows do their work.

use std::{any::TypeId, sync::Arc};

use super::{
    CombineResults, FlowGraph, FlowSpec, Name, NodeKind, NodeSpec, Wiring,
    data::{spec, state},
    link::link,
    team::prompted,
};
use crate::{
    agent::{AgentConfig, Callee, OnDone},
    error::FlowError,
    invocation::{AD_HOC, AgentRegistry, Invocation, InvocationResult, REMOTE},
    node::{Body, NodeCall},
    topology::{Shape, ShapeKind},
};

/// A node whose body returns calls: it waits for their results, or starts them as detached tasks.
#[derive(Clone)]
pub(crate) struct InvokeNode {
    pub(crate) body: Arc<dyn Body>,
    /// What it may call.
    pub(super) callees: Arc<[InvokeCallee]>,
    /// Makes its output, of how its calls have ended or of the ids of the tasks.
    pub(crate) results: Arc<dyn CombineResults>,
    /// What becomes of detached tasks when the flow is done.
    pub(crate) on_done: OnDone,
    /// In a graph that is linked: the flow that a call runs.
    pub(crate) team: Option<FlowGraph>,
}

/// An agent or a flow that a node may call.
#[derive(Clone)]
pub(super) struct InvokeCallee {
    pub(super) name: Name,
    /// The type that identifies it, where one does.
    pub(super) id: Option<TypeId>,
    pub(super) make: Arc<dyn Fn() -> NodeSpec + Send + Sync>,
}

impl InvokeNode {
    /// One that calls what a registry has.
    pub(crate) fn of_registry(
        body: Arc<dyn Body>,
        agents: &AgentRegistry,
        results: Arc<dyn CombineResults>,
    ) -> Self {
        let callees = agents
            .agents()
            .iter()
            .map(|(agent_id, callee)| InvokeCallee {
                name: agent_id.clone().into(),
                ..InvokeCallee::of(callee)
            });
        Self {
            body,
            callees: callees.collect(),
            results,
            on_done: OnDone::Cancel,
            team: None,
        }
    }

    /// The same, with what becomes of its detached tasks when the flow is done.
    #[must_use]
    pub(crate) fn with_on_done(self, on_done: OnDone) -> Self {
        Self { on_done, ..self }
    }

    /// What of its team waits for a detached task.
    pub(crate) fn await_task_callee(&self) -> usize {
        self.callees.len()
    }

    /// Which of those that it may call this is.
    pub(crate) fn callee(&self, call: &NodeCall) -> Option<usize> {
        let is_meant = |callee: &InvokeCallee| match (callee.id, call.id) {
            (Some(known), Some(called)) => known == called,
            _ => callee.name == call.name,
        };
        self.callees.iter().position(is_meant)
    }

    /// Lets the callees take messages: the agents among them a prompt in place of their states, and remote
    /// ones the message as it is.
    pub(crate) fn accept_messages(&mut self) {
        let prompted = |callee: &InvokeCallee| {
            let make = Arc::clone(&callee.make);
            InvokeCallee {
                make: Arc::new(move || prompted(make())),
                ..callee.clone()
            }
        };
        let callees = self.callees.iter().map(prompted);
        self.callees = callees.chain([InvokeCallee::remote()]).collect();
    }

    /// The names of those that it may call.
    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        self.callees.iter().map(|callee| &*callee.name)
    }
}

#[cfg(test)]
impl InvokeNode {
    /// One whose body calls these by their names.
    pub(crate) fn of_specs(
        body: Arc<dyn Body>,
        callees: Vec<NodeSpec>,
        results: Arc<dyn CombineResults>,
    ) -> Self {
        let callees = callees.into_iter().map(|callee| InvokeCallee {
            name: callee.id.clone(),
            id: None,
            make: Arc::new(move || callee.clone()),
        });
        Self {
            body,
            callees: callees.collect(),
            results,
            on_done: OnDone::Cancel,
            team: None,
        }
    }
}

impl NodeSpec {
    /// The same node, whose detached tasks are cancelled or waited for when the flow is done.
    #[must_use]
    pub fn on_done(mut self, on_done: OnDone) -> Self {
        if let NodeKind::Invoke(invoke) = &mut self.kind {
            invoke.on_done = on_done;
        }
        self
    }

    /// The same function, which returns calls of these as its shape says.
    #[must_use]
    pub fn calling(mut self, shape: Shape, callees: &[Callee]) -> Self {
        let Some(output) = shape.calls_return else {
            self.kind = NodeKind::Broken("it returns no `Invoke`".into());
            return self;
        };
        if let NodeKind::Function(body) = &self.kind {
            self.kind = NodeKind::Invoke(InvokeNode {
                body: Arc::clone(body),
                callees: callees.iter().map(InvokeCallee::of).collect(),
                results: Arc::new(output.results),
                on_done: OnDone::Cancel,
                team: None,
            });
        }
        self
    }
}

impl InvokeCallee {
    fn of(callee: &Callee) -> Self {
        let made = *callee;
        Self {
            name: callee.name().into(),
            id: Some(callee.id),
            make: Arc::new(move || made.spec()),
        }
    }

    /// The ad-hoc agents, each of which is this and what its call says.
    fn ad_hoc(base: &AgentConfig) -> Self {
        let base = base.clone();
        Self {
            name: AD_HOC.into(),
            id: None,
            make: Arc::new(move || prompted(NodeSpec::ad_hoc_base(base.clone()))),
        }
    }

    /// The agents that an invocation lets runners run.
    fn remote() -> Self {
        Self {
            name: REMOTE.into(),
            id: None,
            make: Arc::new(NodeSpec::remote),
        }
    }

    /// Its node, under the name that its caller has for it.
    pub(super) fn spec(&self) -> NodeSpec {
        let mut spec = (self.make)();
        spec.id = self.name.clone();
        spec
    }
}

impl FlowGraph {
    /// A flow of one node, which calls what an invocation asks for: the agents of this registry, by their names.
    pub(crate) fn of_invocation(
        agents: &AgentRegistry,
        body: Arc<dyn Body>,
        results: Arc<dyn CombineResults>,
    ) -> Result<Self, FlowError> {
        // A detached invocation from outside is there for its tasks: its run must not end before them.
        let mut invoke = InvokeNode::of_registry(body, agents, results).with_on_done(OnDone::Wait);
        invoke.accept_messages();
        if let Some(config) = agents.ad_hoc() {
            let callees = invoke.callees.iter().cloned();
            invoke.callees = callees.chain([InvokeCallee::ad_hoc(config)]).collect();
        }
        let (takes, returns) = (state::<Invocation>(), state::<InvocationResult>());
        let (input, output) = (takes.name.clone(), returns.name.clone());
        let node = spec(
            "invocation".into(),
            &[takes],
            ShapeKind::One,
            &[returns],
            NodeKind::Invoke(invoke),
        );
        let nodes = vec![node];
        let wiring = Wiring::by_state(&input, &nodes);
        let (graph, problems) = link(input, output, FlowSpec::new(nodes, wiring));
        graph.unless(&problems)
    }
}

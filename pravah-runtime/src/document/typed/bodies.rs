//! The bodies of document nodes that are written in Rust.

use std::sync::Arc;

use serde_json::Value;

use super::{NoNames, TypedNode};
use crate::{
    document::{
        bodies::{failed, latest},
        bound::BoundTemplate,
        outcome::Outcome,
    },
    error::{BoxError, FlowError},
    graph::{AgentNode, ListBody, ListInput, NodeKind},
    node::{AskResult, Body, Emitted, GateBody, Inputs, LatestStates, Running, Started, Tokens},
    state::Live,
};

/// A node of a document that is one of Rust.
pub(super) struct TypedBody {
    pub(super) id: Box<str>,
    pub(super) input: BoundTemplate,
    pub(super) node: Arc<TypedNode>,
}

impl TypedBody {
    /// The states that the node takes.
    fn tokens(&self, latest: &LatestStates) -> Result<Tokens, Box<FlowError>> {
        let input = self.input.resolve(latest);
        let tokens = input.and_then(|input| self.node.tokens(input));
        tokens.map_err(|error| failed(&self.id, error))
    }

    /// Does something with the states that the node takes.
    fn with_inputs<T>(
        &self,
        inputs: &mut Inputs<'_>,
        run: impl FnOnce(&mut Inputs<'_>) -> Result<T, Box<FlowError>>,
    ) -> Result<T, Box<FlowError>> {
        let mut tokens = self.tokens(latest(inputs))?;
        let own = Inputs::new(&self.node.slots, &mut tokens, &NoNames);
        run(&mut own.with_made_context(inputs.take_context()))
    }

    /// What is running, with its output as that of a document's node.
    fn of_document(&self, running: Running) -> Running {
        let node = Arc::clone(&self.node);
        let emitted = move |returned: Result<Emitted, BoxError>| {
            let output = node.output(&returned?)?;
            Ok(Emitted::only(Live::new(Outcome::Succeeded(output))))
        };
        match running {
            Running::Ready(returned) => Running::Ready(emitted(returned)),
            Running::Pending(body) => Running::later(async move { emitted(body.await) }),
        }
    }
}

/// A `#[node]`.
pub(super) struct TypedFunction {
    pub(super) typed: TypedBody,
    pub(super) body: Arc<dyn Body>,
}

impl Body for TypedFunction {
    fn start(&self, inputs: &mut Inputs<'_>) -> Started {
        let running = self.typed.with_inputs(inputs, |own| self.body.start(own))?;
        Ok(self.typed.of_document(running))
    }
}

/// An `#[agent]`. It returns its state as it is.
pub(super) fn agent(typed: TypedBody, agent: &AgentNode) -> Result<AgentNode, String> {
    let write = Arc::clone(&agent.prompt);
    Ok(AgentNode {
        spec: Arc::clone(&agent.spec),
        prompt: Arc::new(move |inputs| typed.with_inputs(inputs, |own| write(own))),
        team: NodeKind::Agent(agent.clone()).make_team("")?,
        is_ad_hoc: false,
    })
}

/// A `#[gate]`.
pub(super) struct TypedGate {
    pub(super) typed: TypedBody,
    pub(super) gate: Arc<dyn GateBody>,
}

impl GateBody for TypedGate {
    fn ask(&self, inputs: &mut Inputs<'_>) -> AskResult {
        self.typed.with_inputs(inputs, |own| self.gate.ask(own))
    }

    fn schema(&self) -> Value {
        self.gate.schema()
    }

    fn accepts(&self, answer: &Value, question: &Value) -> Result<(), serde_json::Error> {
        self.gate.accepts(answer, question)
    }

    fn run(&self, inputs: &mut Inputs<'_>, answer: &Value) -> Started {
        let running = self
            .typed
            .with_inputs(inputs, |own| self.gate.run(own, answer))?;
        Ok(self.typed.of_document(running))
    }

    fn answer(&self, payload: Value, question: &Value, now: u64) -> Value {
        self.gate.answer(payload, question, now)
    }
}

/// A `#[flow]`, which runs as a list of one item.
pub(super) struct TypedFlow(pub(super) TypedBody);

impl ListBody for TypedFlow {
    fn open(&self, input: &ListInput<'_>) -> Result<Arc<[Live]>, FlowError> {
        let tokens = self.0.tokens(input.latest).map_err(|error| *error)?;
        // A flow takes one state.
        Ok(tokens.values().map(|token| token.live.clone()).collect())
    }

    fn collect(&self, done: &mut [Live], input: &ListInput<'_>) -> Result<Live, FlowError> {
        let output = done.first().map(|done| done.to_value()).transpose();
        let output = output.map_err(|error| input.unreadable(error))?;
        Ok(Live::new(Outcome::Succeeded(output.unwrap_or_default())))
    }
}

//! A node before it is linked into a graph: names, policy and how to run it.

use std::{borrow::Cow, future::Future, marker::PhantomData, sync::Arc};

use super::{CatchSpec, FlowGraph, ListBody, NodeKind, list::ListOf};
use crate::{
    agent::{Agent, AgentConfig, AgentSpec},
    error::{BoxError, FlowError},
    model::{Messages, Prompt},
    node::{AgentOutput, Emitted, GateFns, Input, InputResult, Inputs, Policy, Running, Started},
    state::{Each, State, StateFns, StateRef},
    topology::{ParamRef, ShapeKind, Signature},
};

/// The name of a state.
pub(crate) type Name = Cow<'static, str>;

/// A node that is to be linked into a graph.
#[doc(hidden)]
#[derive(Clone)]
pub struct NodeSpec {
    pub(crate) id: Name,
    /// For each parameter the states that can fill it.
    pub(crate) params: Vec<Vec<Name>>,
    /// The states that it reads besides them.
    pub(crate) reads: Vec<Name>,
    /// The states `S` of the `Input<S>`s that it asks for, with its tools and what it may call.
    pub(crate) inputs: Vec<Name>,
    pub(crate) shape: ShapeKind,
    /// What it returns, a state for each branch.
    pub(crate) outputs: Vec<Name>,
    pub(crate) policy: Policy,
    pub(crate) kind: NodeKind,
    /// What a failure becomes, where a `catch` follows the node.
    pub(crate) catch: Option<CatchSpec>,
    pub(crate) about: About,
}

/// What is known of a node and no step needs: for its contract, and for snapshots of other versions.
#[derive(Clone)]
pub(crate) struct About {
    /// Where the node is defined: the path of its function or type.
    pub(crate) path: Name,
    pub(crate) description: Option<&'static str>,
    /// For each parameter the types of the states that can fill it.
    pub(crate) params: Vec<Vec<StateFns>>,
    pub(crate) outputs: Vec<StateFns>,
    /// All that it takes: what it asks for among it.
    pub(crate) asks: &'static [ParamRef],
}

impl About {
    /// What the function calls the parameter of this number, of those that consume a state.
    pub(crate) fn name_of(&self, param: usize) -> Option<&'static str> {
        let mut states = self.asks.iter().filter(|param| param.is_state());
        let called = states.nth(param)?.called;
        (!called.is_empty()).then_some(called)
    }
}

/// The nodes of a flow, each from a function of its own.
#[doc(hidden)]
pub fn specs(make: &[fn() -> NodeSpec]) -> Vec<NodeSpec> {
    make.iter().map(|make| make()).collect()
}

/// Writes the prompt of an agent from its input.
type PromptFn = fn(&mut Inputs<'_>) -> InputResult<Prompt>;

/// What the conversation of an agent starts with: its prompt, and what was said before, if anything was.
pub(super) type WritePrompt = dyn Fn(&mut Inputs<'_>) -> InputResult<Messages> + Send + Sync;

#[derive(Clone)]
pub(crate) struct AgentNode {
    pub(crate) spec: Arc<AgentSpec>,
    pub(crate) prompt: Arc<WritePrompt>,
    /// In a graph that is linked: the flow that a call of another agent runs, if it may call any.
    pub(crate) team: Option<FlowGraph>,
    /// Whether it is what all ad-hoc agents share, and each call says the rest.
    pub(crate) is_ad_hoc: bool,
}

#[derive(Clone)]
pub(crate) struct EachNode {
    pub(crate) chain: FlowGraph,
    /// How many items are worked on at the same time at most.
    pub(crate) limit: Option<u32>,
    /// How many items may have started and not ended, those that wait for an answer or a time among them.
    pub(crate) most_open: Option<usize>,
    pub(crate) body: Arc<dyn ListBody>,
    /// What a failure of the list becomes, where a `catch` can follow it.
    pub(crate) catch: Option<fn() -> CatchSpec>,
}

#[cfg(feature = "documents")]
impl EachNode {
    /// The body of a document, for which a chain runs, for so many items at the same time. In an item as many nodes
    /// may run as the run allows.
    pub(crate) fn of_document(chain: FlowGraph, items: u32, body: Arc<dyn ListBody>) -> Self {
        Self {
            chain,
            limit: None,
            most_open: Some(items as usize),
            body,
            catch: None,
        }
    }
}

/// An annotated function that takes one parameter, which is moved into it. A closure that gets all inputs
/// and handles the error itself takes longer to compile.
#[doc(hidden)]
pub fn starting<P>(
    signature: Signature,
    take: impl Fn(&mut Inputs<'_>, usize) -> InputResult<P> + Send + Sync + 'static,
    run: impl Fn(P) -> Running + Send + Sync + 'static,
) -> NodeSpec {
    let body = move |inputs: &mut Inputs<'_>| -> Started { Ok(run(take(inputs, 0)?)) };
    NodeSpec::new(signature, Policy::new(), NodeKind::Function(Arc::new(body)))
}

/// An async function that takes one state, and whose output goes on as `emit` says. rustc checks a call
/// with the function itself faster than one with a closure around it.
#[doc(hidden)]
pub fn starting_async<P, F>(
    signature: Signature,
    take: impl Fn(&mut Inputs<'_>, usize) -> InputResult<P> + Send + Sync + 'static,
    function: impl Fn(P) -> F + Send + Sync + 'static,
    emit: impl Fn(F::Output) -> Result<Emitted, BoxError> + Copy + Send + Sync + 'static,
) -> NodeSpec
where
    F: Future + Send + 'static,
{
    let run = move |input| Running::emitting(function(input), emit);
    starting(signature, take, run)
}

impl NodeSpec {
    /// An annotated function.
    pub fn function(
        signature: Signature,
        policy: Policy,
        run: fn(&mut Inputs<'_>) -> Started,
    ) -> Self {
        Self::new(signature, policy, NodeKind::Function(Arc::new(run)))
    }

    /// The same node under this policy.
    #[must_use]
    pub fn under(self, policy: Policy) -> Self {
        Self { policy, ..self }
    }

    /// A function that waits for a person's answer.
    pub fn gate(signature: Signature, policy: Policy, fns: GateFns) -> Self {
        Self::new(signature, policy, NodeKind::Gate(Arc::new(fns)))
    }

    /// A function that writes the prompt for a model.
    pub fn agent(
        signature: Signature,
        policy: Policy,
        config: AgentConfig,
        output: AgentOutput,
        prompt: PromptFn,
    ) -> Self {
        let agent = AgentNode {
            spec: Arc::new(output.spec(config)),
            prompt: Arc::new(move |inputs| prompt(inputs).map(Prompt::into_messages)),
            team: None,
            is_ad_hoc: false,
        };
        Self::new(signature, policy, agent.into_kind(&signature.name.into()))
    }

    /// A state that is its own agent.
    pub fn agent_state<A: Agent + State>(signature: Signature) -> Self {
        let kind = AgentNode::of_state::<A>().into_kind(&signature.name.into());
        Self::new(signature, A::policy(), kind)
    }

    /// Another flow, to be inlined.
    pub fn flow(signature: Signature, graph: Result<FlowGraph, FlowError>) -> Self {
        let kind = match graph {
            Ok(graph) => NodeKind::Flow(graph),
            Err(error) => NodeKind::Broken(error.to_string().into()),
        };
        Self::new(signature, Policy::default(), kind)
    }

    /// `each(chain)` over lists of `X`, returning lists of `Y`.
    pub fn each<X: State, Y: State>(id: &'static str, chain: Result<FlowGraph, FlowError>) -> Self {
        let kind = match chain {
            Ok(chain) => NodeKind::Each(EachNode {
                most_open: None,
                chain,
                limit: None,
                body: Arc::new(ListOf::<X, Y>(PhantomData)),
                catch: Some(CatchSpec::of::<Each<X>>),
            }),
            Err(error) => NodeKind::Broken(error.to_string().into()),
        };
        Self {
            id: id.into(),
            params: vec![vec![<Each<X> as State>::NAME.into()]],
            reads: Vec::new(),
            inputs: Vec::new(),
            shape: ShapeKind::One,
            outputs: vec![<Each<Y> as State>::NAME.into()],
            policy: Policy::default(),
            kind,
            catch: None,
            about: About {
                path: id.into(),
                description: None,
                params: vec![vec![StateFns::of::<Each<X>>()]],
                outputs: vec![StateFns::of::<Each<Y>>()],
                asks: &[],
            },
        }
    }

    /// A node that does not compile; only flows that do not compile either have one.
    pub fn broken() -> Self {
        Self {
            id: Name::Borrowed(""),
            params: Vec::new(),
            reads: Vec::new(),
            inputs: Vec::new(),
            shape: ShapeKind::One,
            outputs: Vec::new(),
            policy: Policy::default(),
            kind: NodeKind::Broken("it does not compile".into()),
            catch: None,
            about: About {
                path: Name::Borrowed(""),
                description: None,
                params: Vec::new(),
                outputs: Vec::new(),
                asks: &[],
            },
        }
    }

    /// Its policy, and of an agent what its constraints make of that.
    pub(crate) fn effective_policy(&self) -> Policy {
        let limit = match &self.kind {
            NodeKind::Agent(agent) => agent.spec.config.constraints.max_duration,
            _ => None,
        };
        let timeout = self.policy.timeout.into_iter().chain(limit).min();
        Policy {
            timeout,
            ..self.policy
        }
    }

    /// The same node, which takes an `I`, with a `catch` behind it.
    #[must_use]
    pub fn caught<I: Input>(mut self) -> Self {
        self.catch = Some(CatchSpec::of::<I>());
        self
    }

    /// The same list, with a `catch` behind it.
    #[must_use]
    pub fn caught_list(mut self) -> Self {
        if let NodeKind::Each(each) = &self.kind {
            self.catch = each.catch.map(|catch| catch());
        }
        self
    }

    /// The same list, of which at most so many items are worked on at the same time.
    #[must_use]
    pub fn limit(mut self, items: u32) -> Self {
        if let NodeKind::Each(each) = &mut self.kind {
            each.limit = Some(items);
        }
        self
    }

    /// The same node under another name, where two of a flow are called alike.
    #[must_use]
    pub fn named(mut self, id: &'static str) -> Self {
        self.id = id.into();
        self
    }

    /// The same node, with the path of what defines it and the doc comment above that: a list of at most one.
    #[must_use]
    pub fn about(mut self, path: &'static str, description: &[&'static str]) -> Self {
        self.about.path = path.into();
        self.about.description = description.first().copied();
        self
    }

    fn new(signature: Signature, policy: Policy, kind: NodeKind) -> Self {
        let fns = |states: &[StateRef]| -> Vec<StateFns> {
            states.iter().filter_map(|state| state.fns).collect()
        };
        let names = |states: &[StateRef]| -> Vec<Name> {
            states
                .iter()
                .map(|state| Name::Borrowed(state.name))
                .collect()
        };
        Self {
            id: signature.name.into(),
            params: signature
                .params
                .iter()
                .map(|param| names(param.states))
                .collect(),
            reads: reads(signature.asks),
            inputs: inputs(&signature),
            shape: signature.shape.kind,
            outputs: names(signature.shape.states),
            policy,
            kind,
            catch: None,
            about: About {
                path: signature.name.into(),
                description: None,
                params: signature
                    .params
                    .iter()
                    .map(|param| fns(param.states))
                    .collect(),
                outputs: fns(signature.shape.states),
                asks: signature.asks,
            },
        }
    }
}

/// The states that parameters read.
fn reads(asks: &[ParamRef]) -> Vec<Name> {
    let states = asks.iter().filter_map(ParamRef::latest);
    states.map(|state| Name::Borrowed(state.name)).collect()
}

/// The states `S` of the `Input<S>`s that a node, its tools and what it may call ask for.
fn inputs(signature: &Signature) -> Vec<Name> {
    let own = signature.asks.iter().filter_map(|ask| ask.need.input);
    let inside = (0..).map_while(|number| signature.input_asked_inside(number));
    let states = own.chain(inside);
    states.map(|state| Name::Borrowed(state.name)).collect()
}

impl AgentNode {
    /// The agent that the type `A` is; its JSON is the prompt.
    pub(crate) fn of_state<A: Agent>() -> Self {
        let output = AgentOutput::of::<A::Output>();
        Self {
            spec: Arc::new(output.spec(A::build())),
            prompt: Arc::new(|inputs| {
                let state = inputs.typed::<A>(0)?;
                let json = serde_json::to_string(&*state);
                let json = json.map_err(|e| FlowError::SerializeError(e.into()))?;
                Ok(Prompt::from(json).into_messages())
            }),
            team: None,
            is_ad_hoc: false,
        }
    }

    /// An agent with a mistake that no compiler sees is in no flow.
    pub(super) fn into_kind(self, id: &Name) -> NodeKind {
        match self.spec.problems() {
            [] => self.kind(id),
            problems => NodeKind::Broken(problems.join("; ").into()),
        }
    }
}

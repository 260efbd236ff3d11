//! What may be called: an agent, or a flow.

use std::any::TypeId;

use schemars::JsonSchema as _;

use super::{Agent, ToolBox};
use crate::{
    graph::{NodeInfo, NodeSpec, building},
    invocation::RunnerConfig,
    state::StateFns,
};

/// What agents and nodes may call: a function with `#[agent]` or `#[flow]`, or an [`Agent`].
#[diagnostic::on_unimplemented(
    message = "`{Self}` is neither an agent nor a flow, and cannot be called",
    label = "neither an agent nor a flow",
    note = "what is called is a function with `#[agent]` or `#[flow]` above it, or a struct with `#[agent]`: a node or a gate goes into a `#[flow]`, and what has `#[tool]` into the `tools = […]` of an agent"
)]
pub trait CallableAgent: 'static {
    #[doc(hidden)]
    fn callee() -> Callee;
}

#[diagnostic::do_not_recommend]
impl<A: Agent> CallableAgent for A {
    fn callee() -> Callee {
        Callee {
            id: TypeId::of::<A>(),
            name: A::node_id,
            about: || AboutCallee {
                description: A::build().preamble,
                takes: None,
                runner: A::build().runner,
                tools: A::build().tools,
                returns: A::Output::schema_name().into_owned(),
            },
            spec: NodeSpec::callee::<A>,
        }
    }
}

/// An agent or a flow that may be called, as functions: it is made when its caller becomes part of a flow.
#[doc(hidden)]
#[derive(Clone, Copy, Debug)]
pub struct Callee {
    /// The type that identifies it.
    pub(crate) id: TypeId,
    pub(super) name: fn() -> String,
    pub(super) about: fn() -> AboutCallee,
    pub(super) spec: fn() -> NodeSpec,
}

/// What a calling model has to know.
#[derive(Debug)]
pub(super) struct AboutCallee {
    pub(super) description: String,
    /// Of a flow, what it takes; an agent is told what to do.
    pub(super) takes: Option<StateFns>,
    /// The runner of a remote agent.
    pub(super) runner: Option<RunnerConfig>,
    /// The tools of an agent.
    pub(super) tools: ToolBox,
    /// The name of what it returns.
    pub(super) returns: String,
}

impl Callee {
    /// What it is called.
    pub(crate) fn name(&self) -> String {
        (self.name)()
    }

    /// What callers read of it.
    pub(crate) fn description(&self) -> String {
        (self.about)().description
    }

    /// The name of the state that it returns.
    pub(crate) fn returns(&self) -> String {
        (self.about)().returns
    }

    /// What it takes, if it is a flow.
    pub(crate) fn takes(&self) -> Option<StateFns> {
        (self.about)().takes
    }

    /// The runner of a remote agent.
    pub(crate) fn runner(&self) -> Option<RunnerConfig> {
        (self.about)().runner
    }

    /// Its node.
    pub(crate) fn spec(&self) -> NodeSpec {
        (self.spec)()
    }

    /// The agent or the flow that `N` stands for.
    pub fn of_node<N: NodeInfo + 'static>() -> Self {
        // Through agents written by hand, of which the compiler sees no calls, a flow may call itself.
        let spec = || {
            let built = building(TypeId::of::<N>(), name_of::<N>, || Ok(N::spec()));
            built.unwrap_or_else(|error| NodeSpec::not_made(N::SIGNATURE.name, &error))
        };
        Self {
            id: TypeId::of::<N>(),
            name: name_of::<N>,
            about: || {
                let spec = (Self::of_node::<N>().spec)();
                AboutCallee {
                    description: spec.description_for_callers().to_owned(),
                    takes: spec.input_from_callers(),
                    runner: spec.runner().cloned(),
                    tools: spec.tools().cloned().unwrap_or_default(),
                    returns: spec
                        .outputs
                        .first()
                        .map_or_else(String::new, ToString::to_string),
                }
            },
            spec,
        }
    }
}

fn name_of<N: NodeInfo>() -> String {
    N::SIGNATURE.name.to_owned()
}

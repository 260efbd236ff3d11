//! Pravah.

mod agent;
#[expect(missing_docs, reason = "only what the macros write names these items")]
mod check;
mod context;
mod engine;
mod error;
mod flow;
mod graph;
mod model;
mod node;
mod state;

pub use agent::{Agent, AgentConfig, ClientHistory, Conversation, Tool, ToolBox};
pub use context::{Context, FlowConf};
pub use engine::{FlowRuntime, FlowSnapshot, RunOut, StepInfo, StepKind, Suspension};
pub use error::{BoxError, DepsError, FlowError, Limit, ToolError};
pub use flow::{Flow, FlowDef};
pub use graph::{ArcFrom, ArcTo, FlowGraph, FlowGraphBuilder, Topology, TopologyArc, TopologyNode};
pub use model::*;
pub use pravah_graph::Fingerprint;
pub use pravah_macros::{agent, choice, flow, gate, node, state, tool};
pub use state::{Each, Either, Failure, FailureKind, State};

/// Everything a flow is written with.
pub mod prelude {
    pub use crate::*;
}

/// What the macros write, and nobody else.
#[doc(hidden)]
pub mod __private {
    pub use crate::{
        agent::{Agent, AgentConfig, Tool, ToolBox},
        check::*,
        context::Context,
        error::{BoxError, FlowError, ToolError},
        engine::FlowRuntime,
        flow::{Flow, FlowDef, call},
        graph::{ArcFrom, ArcTo, FlowGraph, Topology, TopologyArc, TopologyNode},
        node::*,
        state::{Cloned, Duplicate, Rebuilt, State, StateRef},
    };
    pub use {schemars, serde, serde_json};

    /// The error of a node's own.
    pub fn failed(node: &str, source: BoxError) -> FlowError {
        FlowError::Node { node: node.to_owned(), source }
    }

    /// The graph of a flow that does not compile.
    pub fn broken_flow(name: &str) -> Result<FlowGraph, FlowError> {
        Err(FlowError::BuildError(format!("the flow `{name}` does not compile")))
    }

    /// The error of an answer that was accepted and cannot be read.
    pub fn unreadable_answer(error: serde_json::Error) -> FlowError {
        FlowError::DeserializeError(error.to_string())
    }
}

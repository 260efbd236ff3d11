//! The kinds of nodes.

use std::sync::Arc;

use super::{AgentNode, DetachedNode, EachNode, FlowGraph, InvokeNode, RemoteNode};
use crate::node::{Body, GateBody};

/// How a node runs.
#[derive(Clone)]
pub(crate) enum NodeKind {
    Function(Arc<dyn Body>),
    Gate(Arc<dyn GateBody>),
    Agent(AgentNode),
    Invoke(InvokeNode),
    /// A remote agent.
    Remote(RemoteNode),
    Each(EachNode),
    Flow(FlowGraph),
    /// Waits for the detached task whose number it takes, and returns its result.
    AwaitTask,
    /// Where the detached tasks of an agent or a node run: it is in no flow that somebody has written.
    Detached(DetachedNode),
    /// What could not be made, and why.
    Broken(Arc<str>),
}

impl NodeKind {
    /// Whether it is a node that calls agents and flows.
    pub(crate) const fn is_invoke(&self) -> bool {
        matches!(self, Self::Invoke(_))
    }

    /// Whether it is where the detached tasks of an agent or a node run.
    pub(crate) const fn is_detached(&self) -> bool {
        matches!(self, Self::Detached(_))
    }

    /// Whether it waits for a detached task.
    pub(crate) const fn is_await_task(&self) -> bool {
        matches!(self, Self::AwaitTask)
    }

    /// Whether it is a list of states, by whose numbers errors in its items are told.
    pub(crate) fn numbers_items(&self) -> bool {
        matches!(self, Self::Each(each) if each.body.numbers_items())
    }

    /// Whether it may have tasks.
    pub(crate) const fn is_caller(&self) -> bool {
        matches!(self, Self::Agent(_) | Self::Invoke(_) | Self::Detached(_))
    }
}

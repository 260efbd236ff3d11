//! Nodes whose work is done elsewhere.

use std::sync::Arc;

use serde_json::Value;

use super::{
    AgentNode, Name, NodeKind, NodeSpec,
    data::{spec, state},
    spec::WritePrompt,
};
use crate::{
    agent::AgentSpec,
    invocation::{REMOTE, RemoteCall, RunnerConfig},
    topology::ShapeKind,
};

/// A node that lets a runner do its work.
#[derive(Clone)]
pub(crate) struct RemoteNode {
    /// The agent, if the node is one; otherwise it takes a [`RemoteCall`], which says all.
    pub(crate) agent: Option<RemoteAgent>,
}

/// An agent that runs elsewhere.
#[derive(Clone)]
pub(crate) struct RemoteAgent {
    /// What it is called there.
    pub(crate) agent_id: Name,
    pub(crate) runner: RunnerConfig,
    /// Writes what it is told.
    pub(crate) prompt: Arc<WritePrompt>,
    /// Reads what it returns.
    pub(crate) spec: Arc<AgentSpec>,
}

impl NodeSpec {
    /// What all agents share that an invocation lets run elsewhere: each takes a [`RemoteCall`], and returns JSON.
    pub(super) fn remote() -> Self {
        let (takes, returns) = ([state::<RemoteCall>()], [state::<Value>()]);
        let kind = NodeKind::Remote(RemoteNode { agent: None });
        spec(REMOTE.into(), &takes, ShapeKind::One, &returns, kind)
    }
}

impl AgentNode {
    /// The node that lets the runner of this name run the agent, if one does.
    pub(super) fn elsewhere(&self, id: &Name) -> Option<RemoteNode> {
        let runner = self.spec.config.runner.clone()?;
        let agent = RemoteAgent {
            agent_id: id.clone(),
            runner,
            prompt: Arc::clone(&self.prompt),
            spec: Arc::clone(&self.spec),
        };
        Some(RemoteNode { agent: Some(agent) })
    }
}

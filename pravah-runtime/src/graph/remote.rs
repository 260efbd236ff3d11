//! Remote agents as nodes.

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

/// A remote agent.
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
    /// The runner of a remote agent.
    pub(crate) fn runner(&self) -> Option<&RunnerConfig> {
        let NodeKind::Remote(remote) = &self.kind else {
            return None;
        };
        remote.agent.as_ref().map(|agent| &agent.runner)
    }

    /// What all agents share that an invocation lets runners run: each takes a [`RemoteCall`], and returns JSON.
    pub(super) fn remote() -> Self {
        let (takes, returns) = ([state::<RemoteCall>()], [state::<Value>()]);
        let kind = NodeKind::Remote(RemoteNode { agent: None });
        spec(REMOTE.into(), &takes, ShapeKind::One, &returns, kind)
    }
}

impl AgentNode {
    /// A node that asks the agent's model, or of a remote agent one that calls its runner.
    pub(super) fn kind(self, id: &Name) -> NodeKind {
        let Some(runner) = self.spec.config.runner.clone() else {
            return NodeKind::Agent(self);
        };
        let agent = RemoteAgent {
            agent_id: id.clone(),
            runner,
            prompt: self.prompt,
            spec: self.spec,
        };
        NodeKind::Remote(RemoteNode { agent: Some(agent) })
    }
}

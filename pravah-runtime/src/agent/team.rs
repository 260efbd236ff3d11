//! The agents that an agent may call, as a flow of their own: each call is a run of it that starts at one of them.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{
    graph::{AgentNode, FlowGraph, NodeKind, NodeSpec},
    invocation::TaskStatus,
    state::Live,
};

/// A call of an agent or a flow.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct AgentCall {
    /// Which of those that may be called.
    pub(crate) callee: usize,
    pub(crate) start: CallStart,
}

/// What a call starts with.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum CallStart {
    /// What an agent is told.
    Prompt(String),
    /// What a flow takes.
    Input(Value),
}

impl CallStart {
    pub(crate) fn into_live(self) -> Live {
        match self {
            Self::Prompt(prompt) => Live::new(prompt),
            Self::Input(input) => Live::new(input),
        }
    }
}

/// How a task ended.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct TaskEnd {
    pub(crate) status: TaskStatus,
    /// What it returned, or why it failed.
    pub(crate) content: Value,
}

impl TaskEnd {
    pub(crate) fn completed(output: Value) -> Self {
        Self {
            status: TaskStatus::Completed,
            content: output,
        }
    }

    pub(crate) fn failed(why: impl Into<Value>) -> Self {
        Self {
            status: TaskStatus::Failed,
            content: why.into(),
        }
    }

    pub(super) fn has_failed(&self) -> bool {
        self.status != TaskStatus::Completed
    }

    /// What the calling model reads: a text as it is, anything else as JSON.
    pub(super) fn text(&self) -> String {
        match (&self.content, self.has_failed()) {
            (Value::String(why), true) => format!("the agent failed: {why}"),
            (Value::String(text), false) => text.clone(),
            (content, _) => content.to_string(),
        }
    }
}

impl AgentNode {
    /// The flow that a call of another agent runs, with ids that start with `within`; `None` where it calls none.
    pub(crate) fn make_team(&self, within: &str) -> Result<Option<FlowGraph>, String> {
        let delegation = &self.spec.config.delegation;
        if delegation.is_empty() {
            return Ok(None);
        }
        let depth = delegation.max_depth.saturating_sub(1);
        let members = delegation.agents.iter().map(|callee| {
            let mut member = (callee.spec)();
            limit_depth(&mut member, depth);
            if let NodeKind::Agent(agent) = &mut member.kind {
                agent.prompt = Arc::new(|inputs| Ok(inputs.typed::<String>(0)?.as_str().into()));
            }
            member
        });
        FlowGraph::of_team(members.collect(), within).map(Some)
    }
}

/// Lets the agents in a node call others at most so many agents deep.
fn limit_depth(spec: &mut NodeSpec, depth: u32) {
    match &mut spec.kind {
        NodeKind::Agent(agent) => {
            let delegation = agent.spec.config.delegation.below(depth);
            agent.spec = Arc::new(agent.spec.with_delegation(delegation));
        }
        NodeKind::Flow(flow) => flow.change_nodes(|node| limit_depth(node, depth)),
        NodeKind::Each(each) => each.chain.change_nodes(|node| limit_depth(node, depth)),
        NodeKind::Function(_) | NodeKind::Gate(_) | NodeKind::Broken(_) => {}
    }
}

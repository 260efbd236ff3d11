//! The agents that an agent may call, as a flow of their own: each call is a run of it that starts at one of them.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::{AgentSpec, Delegation};
use crate::{
    graph::{AgentNode, FlowGraph, NodeKind, NodeSpec},
    invocation::TaskStatus,
    model::ToolSpec,
};

/// The tool with which a model calls agents.
pub(crate) const CALL_AGENT: &str = "call_agent";

/// A call of an agent.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct AgentCall {
    /// Which of the agents that may be called.
    pub(crate) callee: usize,
    pub(crate) prompt: String,
}

/// The arguments of `call_agent`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Arguments {
    agent: String,
    prompt: String,
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

impl Delegation {
    /// The tool with which the model calls the agents.
    pub(super) fn tool(&self) -> ToolSpec {
        let names: Vec<String> = self.agents.iter().map(|agent| (agent.name)()).collect();
        let mut description =
            "Lets another agent do a part of the work, and returns what it found. The agents:"
                .to_owned();
        for (agent, name) in self.agents.iter().zip(&names) {
            let text = (agent.description)();
            description.push_str(&format!("\n- `{name}`: {}", text.trim()));
        }
        let parameters = json!({
            "type": "object",
            "properties": {
                "agent": { "type": "string", "enum": names },
                "prompt": {
                    "type": "string",
                    "minLength": 1,
                    "description": "What the agent is to do. It knows nothing else of this conversation.",
                },
            },
            "required": ["agent", "prompt"],
            "additionalProperties": false,
        });
        ToolSpec {
            name: CALL_AGENT.to_owned(),
            description,
            parameters: Arc::new(parameters),
        }
    }

    /// The call that these arguments of the tool are.
    pub(super) fn read_call(&self, arguments: &Value) -> Result<AgentCall, String> {
        let Arguments { agent, prompt } =
            Arguments::deserialize(arguments).map_err(|error| error.to_string())?;
        let mut agents = self.agents.iter();
        let callee = agents.position(|callee| (callee.name)() == agent);
        let callee = callee.ok_or_else(|| format!("there is no agent `{agent}`"))?;
        if prompt.trim().is_empty() {
            return Err("the prompt is empty".to_owned());
        }
        Ok(AgentCall { callee, prompt })
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
        let agents = delegation.agents.iter();
        let agents = agents
            .map(|callee| called((callee.spec)(), depth))
            .collect();
        FlowGraph::of_team(agents, within).map(Some)
    }
}

/// A node as others call it: it takes what it is told, and calls others itself if there is depth left for that.
fn called(mut spec: NodeSpec, depth: u32) -> NodeSpec {
    if let NodeKind::Agent(agent) = &mut spec.kind {
        let delegation = agent.spec.config.delegation.below(depth);
        *agent = AgentNode {
            spec: Arc::new(AgentSpec::with_delegation(&agent.spec, delegation)),
            prompt: Arc::new(|inputs| Ok(inputs.typed::<String>(0)?.as_str().into())),
            team: None,
        };
    }
    spec
}

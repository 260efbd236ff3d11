//! Who is asked.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{AD_HOC, Executor, InvocationError, Message};

/// An agent, and what it is told.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct Target {
    /// Who is asked.
    pub agent: AgentRef,
    /// The first message of its conversation.
    pub message: Message,
    /// Where it runs, if not where the invocation says.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub executor: Option<Executor>,
}

/// An agent that the host knows, or an ad-hoc one that the invocation describes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(
    tag = "type",
    rename_all = "snake_case",
    deny_unknown_fields,
    expecting = "an agent as an object, such as { \"type\": \"named\", \"agent_id\": \"researcher\" }"
)]
#[non_exhaustive]
pub enum AgentRef {
    /// One that the host knows.
    #[non_exhaustive]
    Named {
        /// What the host calls it.
        agent_id: String,
    },
    /// An ad-hoc one.
    #[non_exhaustive]
    AdHoc {
        /// What it is told about itself, behind what the host tells all ad-hoc agents.
        system_prompt: String,
        /// Its tools in place of those that the host gives such agents.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        tools: Option<AdHocTools>,
    },
}

/// The tools of an ad-hoc agent.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(
    deny_unknown_fields,
    expecting = "tools as an object, such as { \"builtin\": [\"search\"] }"
)]
#[non_exhaustive]
pub struct AdHocTools {
    /// Tools of the host.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub builtin: Vec<String>,
    /// Tools that whoever drives the run executes; `*` stands for all of them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub external: Vec<String>,
}

impl AgentRef {
    /// What the agent is called.
    pub(crate) fn name(&self) -> &str {
        match self {
            Self::Named { agent_id } => agent_id,
            Self::AdHoc { .. } => AD_HOC,
        }
    }
}

impl AdHocTools {
    /// These tools of the host, and no external ones.
    #[must_use]
    pub fn builtin(names: impl IntoIterator<Item = impl Into<String>>) -> Self {
        Self {
            builtin: names.into_iter().map(Into::into).collect(),
            external: Vec::new(),
        }
    }
}

impl Target {
    fn new(agent: AgentRef, message: impl Into<Message>) -> Self {
        Self {
            agent,
            message: message.into(),
            executor: None,
        }
    }

    /// An agent that the host knows.
    #[must_use]
    pub fn named(agent_id: impl Into<String>, message: impl Into<Message>) -> Self {
        let agent_id = agent_id.into();
        Self::new(AgentRef::Named { agent_id }, message)
    }

    /// An ad-hoc agent, with the tools that the host gives such agents.
    #[must_use]
    pub fn ad_hoc(system_prompt: impl Into<String>, message: impl Into<Message>) -> Self {
        let agent = AgentRef::AdHoc {
            system_prompt: system_prompt.into(),
            tools: None,
        };
        Self::new(agent, message)
    }

    /// The same with these tools in place of the host's, if it is an ad-hoc agent.
    #[must_use]
    pub fn with_own_tools(mut self, own: AdHocTools) -> Self {
        if let AgentRef::AdHoc { tools, .. } = &mut self.agent {
            *tools = Some(own);
        }
        self
    }

    /// The same, run there.
    #[must_use]
    pub fn with_executor(mut self, executor: Executor) -> Self {
        self.executor = Some(executor);
        self
    }

    pub(super) fn validate(&self) -> Result<(), InvocationError> {
        let (name, problem) = match &self.agent {
            AgentRef::Named { agent_id } => (agent_id, InvocationError::EmptyAgentId),
            AgentRef::AdHoc { system_prompt, .. } => {
                (system_prompt, InvocationError::EmptySystemPrompt)
            }
        };
        if name.trim().is_empty() {
            return Err(problem);
        }
        if self.message.is_empty() {
            return Err(InvocationError::EmptyMessage);
        }
        self.executor.as_ref().map_or(Ok(()), Executor::validate)
    }
}

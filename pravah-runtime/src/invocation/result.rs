//! What comes back.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{ContextScope, Executor, Join, ToolPolicy};
use crate::json;

/// What came of a target.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct AgentResult {
    /// What the agent returned.
    #[serde(deserialize_with = "json::value")]
    pub content: Value,
    /// Its task.
    pub task_id: String,
    /// How it ended.
    pub status: TaskStatus,
}

impl AgentResult {
    /// What came of a target.
    #[must_use]
    pub fn new(content: Value, task_id: impl Into<String>, status: TaskStatus) -> Self {
        Self {
            content,
            task_id: task_id.into(),
            status,
        }
    }
}

/// What came of an invocation, as its [`Join`](super::Join) says.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case")]
#[non_exhaustive]
pub enum InvocationResult {
    /// Of [`Join::Single`](super::Join::Single).
    #[non_exhaustive]
    Scalar {
        /// The result of its target.
        result: AgentResult,
    },
    /// Of [`Join::All`](super::Join::All), also with one target.
    #[non_exhaustive]
    Vector {
        /// The results in the order of the targets.
        results: Vec<AgentResult>,
    },
    /// Of [`Join::Detached`](super::Join::Detached).
    #[non_exhaustive]
    TaskIds {
        /// The tasks in the order of the targets.
        task_ids: Vec<String>,
    },
}

impl InvocationResult {
    /// The results, of one target or of several; none of a detached invocation.
    pub fn results(&self) -> &[AgentResult] {
        match self {
            Self::Scalar { result } => std::slice::from_ref(result),
            Self::Vector { results } => results,
            Self::TaskIds { .. } => &[],
        }
    }
}

/// Where a task is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum TaskStatus {
    /// It has not started.
    Idle,
    /// It goes on.
    Running,
    /// It waits for a time or for other tasks.
    Waiting,
    /// It waits for an answer.
    Suspended,
    /// It has returned something.
    Completed,
    /// It has failed.
    Failed,
    /// It was cancelled.
    Cancelled,
}

impl TaskStatus {
    /// Whether nothing more comes of the task.
    #[must_use]
    pub const fn has_ended(self) -> bool {
        matches!(self, Self::Completed | Self::Failed | Self::Cancelled)
    }
}

/// A task, as the host or the agents that manage it see it. Times are milliseconds since 1970.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct TaskSnapshot {
    /// Its id.
    pub task_id: String,
    /// The agent that it runs.
    pub agent_id: String,
    /// Where it is.
    pub status: TaskStatus,
    /// What it knows of the conversation that it was called from. Only the host is shown this; `None` in what agents read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub context: Option<ContextScope>,
    /// What its caller waits for; `None` in what agents read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub join: Option<Join>,
    /// The policy of its caller for tools; `None` in what agents read. A flow or a remote agent gets none of them, and an
    /// ad-hoc agent only those that it names.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tools: Option<ToolPolicy>,
    /// Where it runs.
    pub executor: Executor,
    /// When it started.
    pub started_at: u64,
    /// When something last happened in it.
    pub last_event_at: u64,
    /// When it ended: null while it goes on.
    pub ended_at: Option<u64>,
    /// The start of what it said last.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub preview: Option<String>,
}

impl TaskSnapshot {
    /// A task that has just started.
    #[must_use]
    pub fn started(
        task_id: impl Into<String>,
        agent_id: impl Into<String>,
        executor: Executor,
        now: u64,
    ) -> Self {
        Self {
            task_id: task_id.into(),
            agent_id: agent_id.into(),
            status: TaskStatus::Running,
            context: None,
            join: None,
            tools: None,
            executor,
            started_at: now,
            last_event_at: now,
            ended_at: None,
            preview: None,
        }
    }
}

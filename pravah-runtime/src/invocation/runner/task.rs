//! What a runner is given, and what it says of a task.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{
    invocation::{AgentRef, Message, RunnerConfig, TaskStatus},
    json,
};

/// An agent to be run elsewhere, and what it is told.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct RemoteTask {
    /// What the run calls the task: the same whenever it starts the same task, also after a crash, and no other task of
    /// any run is called so.
    pub task_id: String,
    /// The agent.
    pub agent: AgentRef,
    /// The first message of its conversation.
    pub message: Message,
    /// The runner, with the settings that the invocation gives it.
    pub runner: RunnerConfig,
}

impl RemoteTask {
    /// A task, for tests of a runner.
    pub fn new(
        task_id: impl Into<String>,
        agent: AgentRef,
        message: impl Into<Message>,
        runner: RunnerConfig,
    ) -> Self {
        Self {
            task_id: task_id.into(),
            agent,
            message: message.into(),
            runner,
        }
    }
}

/// A task that a runner has started. It is in the snapshot of the run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct RemoteHandle {
    /// What the run calls the task.
    pub task_id: String,
    /// What the runner calls it: what [`Runner::start`](super::Runner::start) has returned.
    pub id: String,
    /// The runner, with the settings that the invocation gives it.
    pub runner: RunnerConfig,
}

impl RemoteHandle {
    /// The handle of a task, for tests of a runner.
    pub fn new(task_id: impl Into<String>, id: impl Into<String>, runner: RunnerConfig) -> Self {
        Self {
            task_id: task_id.into(),
            id: id.into(),
            runner,
        }
    }
}

/// A question of a task that is open.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct RemoteQuestion {
    /// What the runner knows it by. No two questions of a task have the same.
    pub id: String,
    /// What is asked, as the caller's run shows it in its [`Suspension`](crate::Suspension).
    #[serde(deserialize_with = "json::value")]
    pub value: Value,
}

/// What has happened in a task since it was last looked at.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct RemoteUpdate {
    /// Where it is. While it is `Suspended` nothing happens before one of its questions is answered; in all other
    /// states in which it has not ended it is followed on.
    pub status: TaskStatus,
    /// What it has returned, or why it has failed; null while it goes on.
    pub content: Value,
    /// From where to follow it on. Without one the next update starts where this one did.
    pub cursor: Option<String>,
    /// What has happened, each as JSON: the run sends them to its observers.
    pub events: Vec<Value>,
    /// All of its questions that are open.
    pub questions: Vec<RemoteQuestion>,
}

impl RemoteUpdate {
    /// A task with this status, without anything new.
    #[must_use]
    pub fn new(status: TaskStatus) -> Self {
        Self {
            status,
            content: Value::Null,
            cursor: None,
            events: Vec::new(),
            questions: Vec::new(),
        }
    }

    /// A task that has returned this.
    #[must_use]
    pub fn completed(content: impl Into<Value>) -> Self {
        Self::new(TaskStatus::Completed).with_content(content)
    }

    /// A task that has failed, and why.
    #[must_use]
    pub fn failed(why: impl Into<Value>) -> Self {
        Self::new(TaskStatus::Failed).with_content(why)
    }

    /// The same with what it has returned, or why it has failed.
    #[must_use]
    pub fn with_content(mut self, content: impl Into<Value>) -> Self {
        self.content = content.into();
        self
    }

    /// The same with a cursor.
    #[must_use]
    pub fn with_cursor(mut self, cursor: impl Into<String>) -> Self {
        self.cursor = Some(cursor.into());
        self
    }

    /// The same with further events.
    #[must_use]
    pub fn with_events(mut self, events: impl IntoIterator<Item = Value>) -> Self {
        self.events.extend(events);
        self
    }

    /// The same with a further question that is open.
    #[must_use]
    pub fn with_question(mut self, id: impl Into<String>, value: impl Into<Value>) -> Self {
        self.questions.push(RemoteQuestion {
            id: id.into(),
            value: value.into(),
        });
        self
    }
}

//! What a runner is given, and what it says of a task.

use std::time::SystemTime;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{
    invocation::{AgentRef, Message, RunnerConfig, TaskStatus},
    json,
};

/// A remote agent, and what it is told.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct RemoteTask {
    /// The idempotency key: the same whenever the run starts the task again, also where it is restored from the snapshot
    /// of any step since it was to be started. No other task has it, as long as the ids of runs are unique.
    pub task_id: String,
    /// The agent.
    pub agent: AgentRef,
    /// The first message of its conversation.
    pub message: Message,
    /// The runner and its configuration.
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
pub struct RemoteTaskHandle {
    /// What the run calls the task.
    pub task_id: String,
    /// What the runner calls it: what [`Runner::start`](super::Runner::start) has returned.
    pub remote_id: String,
    /// The runner and its configuration.
    pub runner: RunnerConfig,
}

impl RemoteTaskHandle {
    /// The handle of a task, for tests of a runner.
    pub fn new(
        task_id: impl Into<String>,
        remote_id: impl Into<String>,
        runner: RunnerConfig,
    ) -> Self {
        Self {
            task_id: task_id.into(),
            remote_id: remote_id.into(),
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
    /// Where it is. One that is `Suspended` with open questions is not asked for updates until one of them is answered,
    /// or the time of [`until`](Self::until) has come. In any other state in which it has not ended it is, and the run
    /// goes on with that although questions are open.
    pub status: TaskStatus,
    /// What it has returned, or why it has failed; null while it goes on.
    pub content: Value,
    /// The mark from which the next update is to go on. Without one it goes on from where this one did, and what this
    /// one has told is told again.
    pub cursor: Option<String>,
    /// What has happened, each as JSON: the run sends them to its observers.
    pub events: Vec<Value>,
    /// All of its questions that are open.
    pub questions: Vec<RemoteQuestion>,
    /// By when one of these has to be answered, if that is limited.
    pub until: Option<SystemTime>,
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
            until: None,
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

    /// The same with the time by which one of its questions has to be answered.
    #[must_use]
    pub fn with_until(mut self, until: SystemTime) -> Self {
        self.until = Some(until);
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

//! What a run knows of its remote tasks.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{progress::Question, rare::empty};
use crate::{
    invocation::{RemoteTask, RemoteTaskHandle},
    json,
    numbers::is_zero,
    sorted_map::SortedMap,
};

/// How far a remote agent has come.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct RemoteProgress {
    pub(crate) task: Arc<KnownTask>,
    /// What the agent is called where it runs.
    pub(crate) agent_id: Arc<str>,
    /// From where it is followed on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) cursor: Option<Arc<str>>,
    /// What its questions were answered with, as far as the runner has not taken it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) answers: Vec<RemoteAnswer>,
    /// Whether it has ended where it ran.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(crate) has_ended: bool,
    /// How often in a row the runner could not be reached.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub(crate) tries: u32,
}

/// A remote task, as far as the run knows it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum KnownTask {
    /// It is to be started. The runner may have done so: a process may have died before it could note that.
    ToStart(RemoteTask),
    Started(RemoteTaskHandle),
}

impl KnownTask {
    pub(crate) fn task_id(&self) -> &str {
        match self {
            Self::ToStart(task) => &task.task_id,
            Self::Started(handle) => &handle.task_id,
        }
    }

    /// The kind of its runner.
    pub(crate) fn runner(&self) -> &str {
        match self {
            Self::ToStart(task) => &task.runner.kind,
            Self::Started(handle) => &handle.runner.kind,
        }
    }
}

/// An answer to a question of a remote task.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct RemoteAnswer {
    /// What the run calls the question.
    pub(crate) id: Arc<str>,
    /// What the runner knows it by.
    pub(crate) question_id: Arc<str>,
    /// What was asked, if the answer does not fit.
    pub(crate) question: json::Text,
    #[serde(deserialize_with = "json::value")]
    pub(crate) payload: Arc<Value>,
}

impl RemoteProgress {
    /// A task that is to be started.
    pub(crate) fn to_start(task: RemoteTask) -> Self {
        Self {
            agent_id: task.agent.name().into(),
            task: Arc::new(KnownTask::ToStart(task)),
            cursor: None,
            answers: Vec::new(),
            has_ended: false,
            tries: 0,
        }
    }

    /// The same with the answer to a question, which is delivered next if its step is awaited, and else after the others.
    pub(crate) fn answered(
        &self,
        id: &str,
        question: &Question,
        (payload, is_awaited): (Value, bool),
    ) -> Option<Self> {
        let mut progress = self.clone();
        let answer = RemoteAnswer {
            id: id.into(),
            question_id: question.call.as_deref()?.into(),
            question: question.value.clone(),
            payload: payload.into(),
        };
        match is_awaited {
            true => progress.answers.insert(0, answer),
            false => progress.answers.push(answer),
        }
        Some(progress)
    }

    /// The task, if it may still go on.
    pub(super) fn running_task(&self) -> Option<&Arc<KnownTask>> {
        (!self.has_ended).then_some(&self.task)
    }
}

/// The tasks to be cancelled that nobody waits for any more, by their ids.
#[derive(Clone)]
pub(crate) struct PendingCancels {
    pub(crate) tasks: SortedMap<Arc<str>, Arc<KnownTask>>,
}

empty!(PendingCancels {
    tasks: SortedMap::new(),
});

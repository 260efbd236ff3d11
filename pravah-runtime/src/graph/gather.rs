//! What goes on from a node once its calls have ended.

use std::sync::Arc;

use serde_json::{Value, json};

use crate::{
    agent::TaskEnd,
    error::FlowError,
    node::{FailureKind, Inputs},
    state::Live,
};

/// Puts together what goes on from a node whose calls have ended.
pub(crate) trait Gather: Send + Sync {
    fn gather(&self, calls: EndedCalls, inputs: &Inputs<'_>) -> Result<Live, FlowError>;
}

/// The calls of a node, all of which have ended.
pub(crate) struct EndedCalls {
    /// The node's id.
    pub(crate) node: Arc<str>,
    /// The key of its step.
    pub(crate) step_key: String,
    /// In the order of the calls.
    pub(crate) ends: Vec<TaskEnd>,
}

/// What a node of Rust waits for.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Awaits {
    /// The result of the only call.
    Result,
    /// The results of all calls.
    Results,
    /// How each call has ended.
    Outcomes,
}

impl Gather for Awaits {
    fn gather(&self, calls: EndedCalls, _: &Inputs<'_>) -> Result<Live, FlowError> {
        let value = match self {
            Self::Result => calls.result()?,
            Self::Results => calls.results()?.collect(),
            Self::Outcomes => calls.ends.into_iter().map(outcome).collect(),
        };
        Ok(Live::new(value))
    }
}

/// How a call has ended, as [`TaskResult`](crate::TaskResult) has it.
fn outcome(end: TaskEnd) -> Value {
    match end.has_failed() {
        true => json!({ "status": "failed", "message": end.why() }),
        false => json!({ "status": "completed", "output": end.content }),
    }
}

/// How many failed calls a message speaks of.
const MOST_SHOWN: usize = 3;

impl EndedCalls {
    /// The id of the task of this number.
    pub(crate) fn task_id(&self, task: usize) -> String {
        format!("{}[{task}]", self.step_key)
    }

    /// What the only call has returned.
    pub(crate) fn result(self) -> Result<Value, FlowError> {
        Ok(self.results()?.next().unwrap_or_default())
    }

    /// What all calls have returned, or that some have failed.
    fn results(self) -> Result<impl Iterator<Item = Value>, FlowError> {
        match self.ends.iter().any(TaskEnd::has_failed) {
            true => Err(self.failure()),
            false => Ok(self.ends.into_iter().map(|end| end.content)),
        }
    }

    fn failure(&self) -> FlowError {
        let failed = self.ends.iter().enumerate();
        let failed: Vec<_> = failed.filter(|(_, end)| end.has_failed()).collect();
        let why = match (failed.as_slice(), self.ends.len()) {
            ([(_, end)], 1) => end.why(),
            (failed, all) => {
                let shown = failed.iter().take(MOST_SHOWN);
                let shown: Vec<String> = shown
                    .map(|(task, end)| format!("[{task}] {}", end.why()))
                    .collect();
                let more = if failed.len() > MOST_SHOWN {
                    "; …"
                } else {
                    ""
                };
                let (count, shown) = (failed.len(), shown.join("; "));
                format!("{count} of its {all} calls failed: {shown}{more}")
            }
        };
        FlowError::Failed {
            node: self.node.to_string(),
            kind: FailureKind::Error,
            message: format!("node `{}` failed: {why}", self.node),
            attempts: 1,
        }
    }
}

//! What a node outputs once its calls have ended.

use std::sync::Arc;

use serde_json::Error;

use super::Data;
use crate::{
    agent::{TaskEnd, task_id},
    error::FlowError,
    node::{FailureKind, Inputs, TaskResult, Tasks},
    state::{Copies, Each, Live, StateType},
};

/// Makes the output of a node from the results of its calls, all of which have ended.
pub(crate) trait CombineResults: Send + Sync {
    fn combine(&self, calls: EndedCalls, inputs: &Inputs<'_>) -> Result<Live, FlowError>;

    /// Whether it takes the result of just one call.
    fn takes_one(&self) -> bool {
        false
    }

    /// The output of a node whose calls go on as the detached tasks of these ids.
    fn started(&self, task_ids: Vec<String>) -> Live {
        Live::new(Tasks::new(task_ids))
    }

    /// Whether its calls may go on as detached tasks.
    fn allows_detached(&self) -> bool {
        false
    }

    /// What it takes of a detached task that it has waited for; `None` where that is what the task has returned, and a
    /// failure where the task has failed.
    fn awaited(&self, _task_id: &str, _end: &TaskEnd) -> Option<Live> {
        None
    }

    /// Whether it can take what a call has returned.
    fn accepts(&self, _returned: &Live) -> Result<(), Error> {
        Ok(())
    }
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
pub(crate) struct TypedResults {
    count: Count,
    /// What each call returns.
    returned: fn() -> StateType,
    combine: fn(Vec<TaskEnd>) -> Result<Live, Error>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Count {
    /// The result of the only call.
    One,
    /// The results of all calls.
    All,
    /// How each call has ended.
    Settled,
    /// None: the calls go on in the background.
    Detached,
}

impl TypedResults {
    /// Calls that go on as detached tasks.
    pub(crate) const DETACHED: Self = Self {
        count: Count::Detached,
        returned: StateType::of::<Tasks>,
        combine: |_| Ok(Live::new(Tasks::new(Vec::new()))),
    };

    /// One call that returns an `S`.
    pub(crate) const fn one<S: Data>() -> Self {
        Self {
            count: Count::One,
            returned: StateType::of::<S>,
            combine: |ends| {
                let first = ends.into_iter().next();
                let first = first.ok_or_else(|| serde::de::Error::custom("there is no result"));
                first.map(|end| end.content)
            },
        }
    }

    /// Calls, each of which returns an `S`, of which a `C` makes copies.
    pub(crate) const fn all<S: Data, C: Copies<S> + Default>() -> Self {
        Self {
            count: Count::All,
            returned: StateType::of::<S>,
            combine: |ends| {
                let results = ends
                    .into_iter()
                    .map(|mut end| end.content.take(&C::default()));
                let results: Result<Each<S>, Error> = results.collect();
                results.map(Live::new)
            },
        }
    }

    /// The same, where how each ends is what counts.
    pub(crate) const fn settled<S: Data, C: Copies<S> + Default>() -> Self {
        Self {
            count: Count::Settled,
            returned: StateType::of::<S>,
            combine: |ends| {
                let results = ends.into_iter().map(outcome::<S, C>);
                let results: Result<Each<TaskResult<S>>, Error> = results.collect();
                results.map(Live::new)
            },
        }
    }
}

/// How a call has ended.
fn outcome<S: Data, C: Copies<S> + Default>(mut end: TaskEnd) -> Result<TaskResult<S>, Error> {
    Ok(match end.has_failed() {
        true => TaskResult::Failed {
            kind: end.kind.unwrap_or(FailureKind::Error),
            message: end.words(),
        },
        false => TaskResult::Completed {
            output: end.content.take(&C::default())?,
        },
    })
}

impl CombineResults for TypedResults {
    fn combine(&self, calls: EndedCalls, _: &Inputs<'_>) -> Result<Live, FlowError> {
        let is_failure = |end: &TaskEnd| self.count != Count::Settled && end.has_failed();
        if calls.ends.iter().any(is_failure) {
            return Err(calls.failure());
        }
        let state = calls.node.to_string();
        let combined = (self.combine)(calls.ends);
        combined.map_err(|source| FlowError::State { state, source })
    }

    fn takes_one(&self) -> bool {
        self.count == Count::One
    }

    fn allows_detached(&self) -> bool {
        self.count == Count::Detached
    }

    fn accepts(&self, returned: &Live) -> Result<(), Error> {
        returned.check((self.returned)())
    }
}

/// How many failed calls a message speaks of.
const MOST_SHOWN: usize = 3;

impl EndedCalls {
    /// The id of the task of this number.
    pub(crate) fn task_id(&self, task: usize) -> String {
        task_id(&self.step_key, task)
    }

    /// The calls with the ids of their tasks. What one returned that JSON cannot hold is a failure of the call.
    pub(crate) fn with_ids(self) -> impl Iterator<Item = (String, TaskEnd)> {
        let ids: Vec<String> = (0..self.ends.len())
            .map(|task| self.task_id(task))
            .collect();
        ids.into_iter()
            .zip(self.ends.into_iter().map(TaskEnd::in_json))
    }

    /// That some have failed. What another attempt would meet again says so for all of them.
    pub(crate) fn failure(&self) -> FlowError {
        let failed = self.ends.iter().enumerate();
        let failed: Vec<_> = failed.filter(|(_, end)| end.has_failed()).collect();
        let kinds = || failed.iter().filter_map(|(_, end)| end.kind);
        let kind = kinds().find(|kind| !kind.is_retried()).or(kinds().next());
        let why = match (failed.as_slice(), self.ends.len()) {
            ([(_, end)], 1) => end.words(),
            (failed, all) => {
                let shown = failed.iter().take(MOST_SHOWN);
                let shown: Vec<String> = shown
                    .map(|(task, end)| format!("[{task}] {}", end.words()))
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
        FlowError::failed(&self.node, kind.unwrap_or(FailureKind::Error), &why)
    }
}

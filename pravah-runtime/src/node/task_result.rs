//! How a call of an agent or a flow ended.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::FailureKind;
use crate::{
    state::{Copying, KnownClone, Rebuild, SealedState, State, StateRef, name::ConstStr, rebuild},
    topology::CallOutput,
};

/// How a call ended that a node has made: what [`Invoke::settled`](crate::Invoke::settled) returns of each.
///
/// In JSON it is `{ "status": "completed", "output": … }` or `{ "status": "failed", "kind": "error", "message": "…" }`.
///
/// ```
/// use pravah_runtime::{FailureKind, TaskResult};
///
/// let failed = TaskResult::<u32>::Failed { kind: FailureKind::Error, message: "out of paper".into() };
/// assert_eq!(failed.into_result(), Err("out of paper".to_owned()));
/// assert_eq!(TaskResult::Completed { output: 7 }.output(), Some(&7));
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "status", rename_all = "snake_case")]
#[schemars(rename = "TaskResult_of_{S}")]
pub enum TaskResult<S> {
    /// It has returned something.
    Completed {
        /// What it returned.
        output: S,
    },
    /// It has failed.
    Failed {
        /// Why, in one word.
        kind: FailureKind,
        /// Why, in words.
        message: String,
    },
}

impl<S> TaskResult<S> {
    /// What was returned, if it has not failed.
    pub const fn output(&self) -> Option<&S> {
        match self {
            Self::Completed { output } => Some(output),
            Self::Failed { .. } => None,
        }
    }

    /// What was returned, or why it has failed.
    ///
    /// # Errors
    ///
    /// Why it has failed, in words.
    pub fn into_result(self) -> Result<S, String> {
        match self {
            Self::Completed { output } => Ok(output),
            Self::Failed { message, .. } => Err(message),
        }
    }
}

impl<S: State> TaskResult<S> {
    const FULL_NAME: ConstStr = ConstStr::concat(&["TaskResult_of_", S::NAME]);
    const FULL_PATH: ConstStr =
        ConstStr::concat(&["pravah_runtime::TaskResult<", S::TYPE_PATH, ">"]);
}

impl<S: State> State for TaskResult<S> {
    const CALL_OUTPUT: CallOutput = CallOutput::outcome::<S>();
}

impl<S: State> SealedState for TaskResult<S> {
    const REF: StateRef = StateRef::of::<Self>(Self::FULL_NAME.as_str(), Self::FULL_PATH.as_str());

    type Copying = WithOutput;
}

/// As the output is copied.
pub struct WithOutput;

impl<S: State> KnownClone<TaskResult<S>> for WithOutput {
    const IS_CLONE: bool = S::Copying::IS_CLONE;
}

impl<S: State> Copying<TaskResult<S>> for WithOutput {
    fn duplicate(result: &TaskResult<S>) -> Option<TaskResult<S>> {
        Some(match result {
            TaskResult::Completed { output } => TaskResult::Completed {
                output: S::Copying::duplicate(output)?,
            },
            TaskResult::Failed { kind, message } => TaskResult::Failed {
                kind: *kind,
                message: message.clone(),
            },
        })
    }

    fn rebuild() -> Option<Rebuild> {
        S::Copying::rebuild().map(|_| rebuild::<TaskResult<S>> as Rebuild)
    }
}

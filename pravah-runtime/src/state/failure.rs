//! What a node that failed leaves for the node that rescues.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Rebuild, SealedState, State, name::ConstStr, rebuild};
use crate::node::Input;

/// Why a node failed, in one word.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum FailureKind {
    /// The node's body, or the model or a tool beneath it, answered with an error.
    Error,
    /// The node's body panicked.
    Panic,
    /// A limit was reached: visits of a loop, turns of an agent.
    Limit,
    /// The node's input could not be read, or its output could not be written.
    Data,
    /// The model of an agent took longer than its contract allows.
    Timeout,
    /// The model of an agent under a contract did not answer with an envelope that fits.
    Schema,
    /// The model of an agent was not sure enough of its answer.
    Suppressed,
    /// A person rejected the answer of an agent.
    Rejected,
}

/// What a node that failed was given, and why it failed: the input of the node after `catch(…)`.
///
/// `I` is what the failed node takes: its state, the tuple of its states for a join, the choice
/// for a merge.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "Failure_of_{I}")]
#[non_exhaustive]
pub struct Failure<I> {
    /// What the node was given.
    pub input: I,
    /// Why it failed.
    pub kind: FailureKind,
    /// The same in words.
    pub message: String,
}

impl<I> Failure<I> {
    /// A failure as the engine makes it, to call a rescue in a test.
    ///
    /// ```
    /// use pravah_runtime::{Failure, FailureKind};
    ///
    /// let failure = Failure::new(7, FailureKind::Error, "out of paper");
    /// assert_eq!(failure.message, "out of paper");
    /// ```
    pub fn new(input: I, kind: FailureKind, message: impl Into<String>) -> Self {
        Self {
            input,
            kind,
            message: message.into(),
        }
    }
}

impl<I: Input> Failure<I> {
    const FULL_NAME: ConstStr = ConstStr::concat(&["Failure_of_", I::NAME]);
    const FULL_PATH: ConstStr = ConstStr::concat(&["pravah_runtime::Failure<", I::PATH, ">"]);
}

impl<I: Input> State for Failure<I> {
    const NAME: &'static str = Self::FULL_NAME.as_str();
    const TYPE_PATH: &'static str = Self::FULL_PATH.as_str();
}

impl<I: Input> SealedState for Failure<I> {
    fn duplicate(&self) -> Option<Self> {
        Some(Self {
            input: self.input.duplicate()?,
            kind: self.kind,
            message: self.message.clone(),
        })
    }

    fn rebuild() -> Option<Rebuild> {
        Some(rebuild::<Self>)
    }
}

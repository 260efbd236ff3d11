//! What a node that failed leaves for the node that rescues.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Input;
use crate::state::{
    Copying, KnownClone, Rebuild, SealedState, State, StateRef, name::ConstStr, rebuild,
};

/// Why a node failed, in one word.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum FailureKind {
    /// The node's body, or the model or a tool beneath it, answered with an error.
    Error,
    /// The node's body panicked.
    Panic,
    /// A limit was reached: visits of a loop, steps of a run, turns of an agent.
    Limit,
    /// What the run may spend on models is used up.
    Budget,
    /// The node's input could not be read, or not be written where that is needed: for a copy that another
    /// attempt may take, for the question of a gate, for a prompt.
    Data,
    /// The node took longer than its policy allows, or the model of an agent than its contract.
    Timeout,
    /// The model of an agent under a contract did not answer with an envelope that fits.
    Schema,
    /// The input that a document describes could not be put together from what there is.
    Binding,
    /// The model of an agent was not sure enough of its answer.
    Suppressed,
    /// A person rejected the answer of an agent.
    Rejected,
    /// The run was cancelled. No `catch` takes it.
    Cancelled,
}

impl FailureKind {
    /// The word for it, in JSON and in traces.
    ///
    /// ```
    /// assert_eq!(pravah_runtime::FailureKind::Timeout.name(), "timeout");
    /// ```
    pub const fn name(self) -> &'static str {
        match self {
            Self::Error => "error",
            Self::Panic => "panic",
            Self::Limit => "limit",
            Self::Budget => "budget",
            Self::Data => "data",
            Self::Timeout => "timeout",
            Self::Schema => "schema",
            Self::Binding => "binding",
            Self::Suppressed => "suppressed",
            Self::Rejected => "rejected",
            Self::Cancelled => "cancelled",
        }
    }

    /// Whether a node that failed like this is tried again, if its [`Retry`](crate::Retry) has attempts
    /// left. What another attempt would meet again is not: a limit, a decision, a state that cannot be
    /// read or written. (No step writes its output: that it cannot be written is an error of
    /// [`take_changes`](crate::FlowRuntime::take_changes), and of writing a snapshot.)
    ///
    /// ```
    /// use pravah_runtime::FailureKind;
    ///
    /// assert!(FailureKind::Timeout.is_retried());
    /// assert!(!FailureKind::Rejected.is_retried());
    /// ```
    pub const fn is_retried(self) -> bool {
        match self {
            Self::Error | Self::Panic | Self::Timeout | Self::Schema => true,
            Self::Limit
            | Self::Budget
            | Self::Data
            | Self::Binding
            | Self::Suppressed
            | Self::Rejected
            | Self::Cancelled => false,
        }
    }
}

/// The input of a node that failed, and why it failed: what the node after `catch(…)` takes.
///
/// `I` is what the failed node takes: its state, the tuple of its states for a join, the choice
/// for a merge.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "Failure_of_{I}")]
#[non_exhaustive]
pub struct Failure<I> {
    /// What the node took.
    pub input: I,
    /// Why it failed.
    pub kind: FailureKind,
    /// The same in words.
    pub message: String,
    /// How often the node was tried: once, unless its policy says `retry`.
    #[serde(default = "once")]
    pub attempts: u32,
}

/// How often a node was tried whose failure does not say it.
const fn once() -> u32 {
    1
}

impl<I> Failure<I> {
    /// The failure of a node that was tried once, as the engine makes it: to call a rescue in a test.
    ///
    /// ```
    /// use pravah_runtime::{Failure, FailureKind};
    ///
    /// let failure = Failure::new(7, FailureKind::Error, "out of paper").with_attempts(3);
    /// assert_eq!((&*failure.message, failure.attempts), ("out of paper", 3));
    /// ```
    pub fn new(input: I, kind: FailureKind, message: impl Into<String>) -> Self {
        Self {
            input,
            kind,
            message: message.into(),
            attempts: once(),
        }
    }

    /// The same failure, of a node that was tried so often.
    #[must_use]
    pub fn with_attempts(mut self, attempts: u32) -> Self {
        self.attempts = attempts;
        self
    }
}

impl<I: Input> Failure<I> {
    const FULL_NAME: ConstStr = ConstStr::concat(&["Failure_of_", I::NAME]);
    const FULL_PATH: ConstStr = ConstStr::concat(&["pravah_runtime::Failure<", I::PATH, ">"]);
}

impl<I: Input> State for Failure<I> {}

impl<I: Input> SealedState for Failure<I> {
    const REF: StateRef = StateRef::of::<Self>(Self::FULL_NAME.as_str(), Self::FULL_PATH.as_str());

    type Copying = WithInput;
}

/// As the input is copied.
pub struct WithInput;

impl<I: Input> KnownClone<Failure<I>> for WithInput {
    const IS_CLONE: bool = true;
}

impl<I: Input> Copying<Failure<I>> for WithInput {
    fn duplicate(failure: &Failure<I>) -> Option<Failure<I>> {
        Some(Failure {
            input: failure.input.duplicate()?,
            kind: failure.kind,
            message: failure.message.clone(),
            attempts: failure.attempts,
        })
    }

    fn rebuild() -> Option<Rebuild> {
        Some(rebuild::<Failure<I>>)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{Failure, FailureKind};

    #[test]
    fn a_failure_that_says_nothing_of_attempts_had_one() {
        let json = json!({ "input": 7, "kind": "error", "message": "broke" });
        let failure: Failure<u32> = serde_json::from_value(json).unwrap();
        assert_eq!(failure, Failure::new(7, FailureKind::Error, "broke"));
        assert_eq!(failure.attempts, 1);
    }

    #[test]
    fn attempts_are_written_and_read_back() {
        let failure = Failure::new(7, FailureKind::Budget, "broke").with_attempts(3);
        let json = serde_json::to_value(&failure).unwrap();
        assert_eq!(
            json,
            json!({ "input": 7, "kind": "budget", "message": "broke", "attempts": 3 })
        );
        assert_eq!(
            serde_json::from_value::<Failure<u32>>(json).unwrap(),
            failure
        );
    }

    #[test]
    fn only_what_another_attempt_may_change_is_tried_again_and_each_kind_is_called_as_in_json() {
        use FailureKind::{
            Binding, Budget, Cancelled, Data, Error, Limit, Panic, Rejected, Schema, Suppressed,
            Timeout,
        };
        assert!(
            [Error, Panic, Timeout, Schema]
                .into_iter()
                .all(FailureKind::is_retried)
        );
        let final_ones = [
            Limit, Budget, Data, Binding, Suppressed, Rejected, Cancelled,
        ];
        assert!(!final_ones.into_iter().any(FailureKind::is_retried));
        for kind in [Error, Panic, Timeout, Schema]
            .into_iter()
            .chain(final_ones)
        {
            assert_eq!(json!(kind), kind.name());
        }
    }
}

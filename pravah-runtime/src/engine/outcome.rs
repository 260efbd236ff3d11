//! The outcome of a step, before it is committed.

use std::sync::Arc;

use serde_json::Value;

use crate::{
    agent::{AgentProgress, AgentStep, AgentStepResult, Failed, Spent},
    error::{BoxError, FlowError, Limit},
    model::ModelErrorKind,
    node::{Emitted, FailureKind},
};

/// The outcome of a step.
pub(super) enum StepOutcome {
    /// The node returned its output.
    Outputs(Emitted),
    /// A gate asks its question.
    Asks(Box<Value>),
    /// An agent has made a step.
    Agent(AgentStep, Arc<AgentProgress>),
    /// The node failed.
    Failed(Box<FlowError>, Option<Spent>),
}

// It has no `From<FlowError>`: rustc would list it where `?` in a user's code leaves the type of an error open.
impl StepOutcome {
    /// The node failed.
    pub(super) fn failed(error: FlowError) -> Self {
        Self::Failed(error.into(), None)
    }

    /// What a body returned. `id` names its node.
    #[inline]
    pub(super) fn of_body(
        returned: Result<Emitted, BoxError>,
        id: impl FnOnce() -> String,
    ) -> Self {
        match returned {
            Ok(emitted) => Self::Outputs(emitted),
            Err(source) => Self::failed(FlowError::node(id(), source)),
        }
    }

    pub(super) fn of_agent(step: AgentStepResult) -> Self {
        match step {
            Ok((step, progress)) => Self::Agent(step, progress),
            Err(Failed { error, spent }) => Self::Failed(error, spent),
        }
    }
}

/// What kind of failure an error is.
pub(super) fn kind_of(error: &FlowError) -> FailureKind {
    match error {
        FlowError::Panicked { .. } => FailureKind::Panic,
        FlowError::Schema { .. } => FailureKind::Schema,
        FlowError::Suppressed { .. } => FailureKind::Suppressed,
        FlowError::Rejected { .. } => FailureKind::Rejected,
        FlowError::Limit {
            limit: Limit::Inference(_),
            ..
        } => FailureKind::Timeout,
        FlowError::Model { source, .. } if source.kind() == ModelErrorKind::TimedOut => {
            FailureKind::Timeout
        }
        FlowError::TimedOut { .. } => FailureKind::Timeout,
        FlowError::Failed { kind, .. } => *kind,
        FlowError::Limit {
            limit: Limit::RunCalls(_) | Limit::RunTokens(_),
            ..
        } => FailureKind::Budget,
        FlowError::MaxVisits { .. } | FlowError::Limit { .. } => FailureKind::Limit,
        FlowError::State { .. } | FlowError::SerializeError(_) | FlowError::DeserializeError(_) => {
            FailureKind::Data
        }
        _ => FailureKind::Error,
    }
}

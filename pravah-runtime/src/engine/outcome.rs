//! The outcome of a step, before it is committed.

use std::{sync::Arc, time::Duration};

use serde_json::Value;

use super::{
    remote::step::RemoteStep,
    state::{detached::DetachedStart, tasks::TaskStart},
};
use crate::{
    agent::{AgentProgress, AgentStep, AgentStepResult, Failed, Spent},
    error::{BoxError, FlowError, Limit, NodeDataError},
    invocation::RunnerErrorKind,
    model::ModelErrorKind,
    node::{Emitted, FailureKind},
};

/// The outcome of a step. It is moved several times, so what is large and rare is boxed.
pub(super) enum StepOutcome {
    /// The node returned its output.
    Outputs(Emitted),
    /// The node calls agents and flows.
    Calls(Vec<TaskStart>),
    /// The node starts detached tasks.
    StartsTasks(Vec<DetachedStart>),
    /// The node waits for the detached task of this number.
    AwaitsTask(usize),
    /// A gate asks its question.
    Asks(Box<Asks>),
    /// A runner has done what it was asked.
    Remote(Box<RemoteStep>),
    /// An agent has made a step.
    Agent(AgentStep, Arc<AgentProgress>),
    /// The node failed.
    Failed(Box<FlowError>, Option<Spent>),
}

/// What a gate asks, and until when.
pub(super) struct Asks {
    pub(super) question: Value,
    pub(super) timeout: Option<Duration>,
    /// Whether it asks nobody, and only waits.
    pub(super) is_timer: bool,
    /// Under which name the time at which it is asked goes into the metadata.
    pub(super) since: Option<&'static str>,
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
            Err(source) => Self::of_error(source, id()),
        }
    }

    #[cold]
    fn of_error(source: BoxError, id: String) -> Self {
        Self::failed(match source.downcast::<NodeDataError>() {
            Ok(source) => source.in_node(id),
            Err(source) => FlowError::node(id, source),
        })
    }

    pub(super) fn of_agent(step: AgentStepResult) -> Self {
        match step {
            Ok((step, progress)) => Self::Agent(step, progress),
            Err(Failed { error, spent }) => Self::Failed(error, spent),
        }
    }
}

/// Whether a node that failed like this is tried again.
pub(super) fn is_retried(error: &FlowError) -> bool {
    match error {
        // Another attempt may return something else.
        FlowError::NodeData {
            source: NodeDataError::Output(_),
            ..
        } => true,
        // The request cannot be sent at all, so another attempt fails in the same way.
        FlowError::Model { source, .. }
            if matches!(
                source.kind(),
                ModelErrorKind::Config | ModelErrorKind::InvalidInput
            ) =>
        {
            false
        }
        FlowError::Runner { source, .. } => {
            matches!(
                source.kind(),
                RunnerErrorKind::TaskFailed
                    | RunnerErrorKind::UnknownTask
                    | RunnerErrorKind::Unavailable
                    | RunnerErrorKind::Malformed
                    | RunnerErrorKind::InvalidOutput
            )
        }
        error => kind_of(error).is_retried(),
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
        FlowError::Runner { source, .. } if source.kind() == RunnerErrorKind::TaskCancelled => {
            FailureKind::Cancelled
        }
        FlowError::Failed { kind, .. } => *kind,
        FlowError::NodeData { source, .. } => source.kind(),
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

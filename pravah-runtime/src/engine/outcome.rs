//! What a step came to, before it is committed.

use std::{any::Any, time::Duration};

use serde_json::{Map, Value};

use super::{
    catch::Caught,
    run::{NodePath, Out, Run},
};
use crate::{
    agent::{AgentProgress, AgentStep, OpenCall},
    error::{BoxError, FlowError, Limit, panicked},
    model::ModelErrorKind,
    node::{Emission, Emitted},
    state::FailureKind,
};

pub(super) use crate::error::guard;

/// What a step came to.
pub(super) enum StepOutcome {
    /// The node returned its output.
    Outputs(Emitted),
    /// A gate asks its question.
    Asks(Box<Value>),
    /// The model of an agent answered, and the agent goes on.
    AgentAsked(Box<AgentProgress>),
    /// The tools of an agent ran, and the agent goes on.
    AgentRan(Box<AgentProgress>),
    /// The model of an agent could not answer, and is to be asked again after this time.
    AgentWaits(Box<AgentProgress>, Duration),
    /// Tools of an agent wait for answers.
    AgentSuspended(Box<AgentProgress>, Vec<OpenCall>),
    /// The answer of an agent waits for a person, who is asked this.
    AgentInReview(Box<AgentProgress>, Box<Map<String, Value>>),
    /// An agent is done.
    AgentDone(Box<AgentProgress>, Emitted),
    /// The node, or the flow inlined around it, failed, and a `catch` takes it from here.
    Caught(Box<Caught>),
}

impl From<AgentStep> for StepOutcome {
    fn from(step: AgentStep) -> Self {
        match step {
            AgentStep::Asked(progress) => Self::AgentAsked(progress.into()),
            AgentStep::Ran(progress) => Self::AgentRan(progress.into()),
            AgentStep::InReview { progress, question } => {
                Self::AgentInReview(progress.into(), question.into())
            }
            AgentStep::Waits { progress, wait } => Self::AgentWaits(progress.into(), wait),
            AgentStep::Suspended { progress, calls } => {
                Self::AgentSuspended(progress.into(), calls)
            }
            AgentStep::Done { progress, output } => {
                Self::AgentDone(progress.into(), Emitted(Emission::Way(0, output)))
            }
        }
    }
}

/// What a body returned, or its panic.
pub(super) type BodyOutcome = Result<Result<Emitted, BoxError>, Box<dyn Any + Send>>;

impl Run {
    /// Commits what a body came to, or hands on its failure.
    #[cold]
    pub(super) fn end_body(
        &mut self,
        path: &mut NodePath,
        outcome: BodyOutcome,
    ) -> Result<Out, FlowError> {
        let outcome = match outcome {
            Ok(Ok(emitted)) => Ok(StepOutcome::Outputs(emitted)),
            Ok(Err(source)) => Err(FlowError::node(&*self.node_id(path)?, source).into()),
            Err(panic) => Err(panicked(&self.node_id(path)?, panic).into()),
        };
        self.commit_or_catch(path, outcome)
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
        FlowError::MaxVisits { .. } | FlowError::Limit { .. } => FailureKind::Limit,
        FlowError::State { .. } | FlowError::SerializeError(_) | FlowError::DeserializeError(_) => {
            FailureKind::Data
        }
        _ => FailureKind::Error,
    }
}

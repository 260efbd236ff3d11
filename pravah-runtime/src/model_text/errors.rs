//! What a model is told of the errors of Pravah's own: one plain phrase for each kind.

use std::{borrow::Cow, io};

use futures_util::future::Aborted;
use tokio::time::error::Elapsed;

use super::ForModel;
use crate::{
    error::{BoxError, DepsError, FlowError, Limit, Signal, ToolError},
    invocation::{RunnerError, RunnerErrorKind},
    model::{ModelError, ModelErrorKind},
};

const AUTH: &str = "authentication failed";
const CANCELLED: &str = "cancelled";
const FAILED: &str = "the tool failed";
const IN_REVIEW: &str = "awaiting human review";
const MISCONFIGURED: &str = "tool misconfigured";
const QUOTA: &str = "request quota reached";
const SERIALISE: &str = "output could not be serialised";
const TIMED_OUT: &str = "timed out";
const UPSTREAM: &str = "upstream model error";

// The matches have no wildcard: whoever adds a kind of error decides what a model is told of it.

/// What is told to whoever put in what cannot be taken: the only words that are repeated.
pub(crate) fn invalid_input(message: &str) -> String {
    format!("invalid input: {message}")
}

#[deny(clippy::wildcard_enum_match_arm)]
impl ForModel for ToolError {
    fn for_model(&self) -> Cow<'_, str> {
        match self {
            Self::Io(error) => error.for_model(),
            Self::Serialize(_) | Self::Deserialize(_) => SERIALISE.into(),
            Self::UnknownTool(_) => "there is no such tool".into(),
            Self::PathEscape(_) => "the path is outside the working directory".into(),
            Self::ForbiddenCommand(_) => "the command is not allowed".into(),
            Self::ForbiddenHost(_) => "the host is not allowed".into(),
            Self::Http(_) => "the upstream service failed".into(),
            Self::Missing(error) => error.for_model(),
            Self::Other(error) => of_boxed(error),
            Self::Told(told) => (&*told.text).into(),
            Self::Hinted(hinted) => format!("{}. {}", hinted.error.for_model(), hinted.hint).into(),
            Self::Control(control) => match control.signal() {
                Signal::Suspend(_) => IN_REVIEW.into(),
                Signal::Fatal(error) => of_boxed(error),
            },
        }
    }
}

impl ForModel for io::Error {
    fn for_model(&self) -> Cow<'_, str> {
        match self.kind() {
            io::ErrorKind::NotFound => "there is no such file",
            io::ErrorKind::AlreadyExists => "the file exists already",
            io::ErrorKind::PermissionDenied => "access was denied",
            io::ErrorKind::TimedOut => TIMED_OUT,
            io::ErrorKind::Interrupted => CANCELLED,
            _ => "reading or writing failed",
        }
        .into()
    }
}

impl ForModel for DepsError {
    fn for_model(&self) -> Cow<'_, str> {
        MISCONFIGURED.into()
    }
}

#[deny(clippy::wildcard_enum_match_arm)]
impl ForModel for ModelError {
    /// Only the caller's own invalid input is told in words; of anything else, what a provider says
    /// among it, a model learns no more than the kind.
    fn for_model(&self) -> Cow<'_, str> {
        match self.kind() {
            ModelErrorKind::InvalidInput => invalid_input(self.message()).into(),
            ModelErrorKind::Config => MISCONFIGURED.into(),
            ModelErrorKind::Auth => AUTH.into(),
            ModelErrorKind::RateLimited | ModelErrorKind::Quota => QUOTA.into(),
            ModelErrorKind::TimedOut => TIMED_OUT.into(),
            ModelErrorKind::InvalidRequest
            | ModelErrorKind::Upstream
            | ModelErrorKind::Transport
            | ModelErrorKind::Malformed => UPSTREAM.into(),
        }
    }
}

#[deny(clippy::wildcard_enum_match_arm)]
impl ForModel for FlowError {
    fn for_model(&self) -> Cow<'_, str> {
        match self {
            Self::Model { source, .. } => source.for_model(),
            Self::Tool { source, .. } => source.for_model(),
            Self::Runner { source, .. } => source.for_model(),
            Self::Node { source, .. } | Self::Other(source) => of_boxed(source),
            Self::Limit { limit, .. } => limit.for_model(),
            Self::MaxVisits { .. } | Self::MaxSteps { .. } | Self::InboxFull { .. } => QUOTA.into(),
            Self::SerializeError(_)
            | Self::DeserializeError(_)
            | Self::NodeData { .. }
            | Self::State { .. }
            | Self::ResumePayload { .. } => SERIALISE.into(),
            Self::Suspended { .. } | Self::ResumeRequired(_) => IN_REVIEW.into(),
            Self::Rejected { .. } | Self::Cancelled { .. } | Self::RunDropped => CANCELLED.into(),
            Self::TimedOut { .. } => TIMED_OUT.into(),
            Self::AgentError(_) | Self::Schema { .. } | Self::Suppressed { .. } => UPSTREAM.into(),
            Self::NotFound(_)
            | Self::NoAgentRun(_)
            | Self::BuildError(_)
            | Self::Invalid(_)
            | Self::UnknownAgents { .. }
            | Self::SnapLoadError(_)
            | Self::SnapStoreError(_)
            | Self::Deadlock(_)
            | Self::UnexpectedResumption(_)
            | Self::ResumeMismatchError(_)
            | Self::AlreadyAnswered { .. }
            | Self::TooDeep { .. }
            | Self::Channel { .. }
            | Self::Finished => MISCONFIGURED.into(),
            Self::Panicked { .. } | Self::Failed { .. } => FAILED.into(),
        }
    }
}

#[deny(clippy::wildcard_enum_match_arm)]
impl ForModel for RunnerError {
    /// What the other side says is not told, as with a model.
    fn for_model(&self) -> Cow<'_, str> {
        match self.kind() {
            RunnerErrorKind::UnknownRunner
            | RunnerErrorKind::InvalidConfig
            | RunnerErrorKind::UnknownAgent => MISCONFIGURED,
            RunnerErrorKind::Unavailable
            | RunnerErrorKind::Malformed
            | RunnerErrorKind::InvalidOutput => UPSTREAM,
            RunnerErrorKind::TaskCancelled => CANCELLED,
            RunnerErrorKind::Refused
            | RunnerErrorKind::InvalidAnswer
            | RunnerErrorKind::UnknownTask
            | RunnerErrorKind::TaskFailed => FAILED,
        }
        .into()
    }
}

#[deny(clippy::wildcard_enum_match_arm)]
impl ForModel for Limit {
    fn for_model(&self) -> Cow<'_, str> {
        match self {
            Self::Inference(_) => TIMED_OUT,
            Self::Turns(_)
            | Self::Tokens(_)
            | Self::ContextWindow
            | Self::Iterations(_)
            | Self::RunCalls(_)
            | Self::RunTokens(_) => QUOTA,
        }
        .into()
    }
}

/// What is known of a boxed error; of others nothing is told.
fn of_boxed(error: &BoxError) -> Cow<'_, str> {
    if let Some(error) = error.downcast_ref::<ToolError>() {
        return error.for_model();
    }
    if let Some(error) = error.downcast_ref::<ModelError>() {
        return error.for_model();
    }
    if let Some(error) = error.downcast_ref::<FlowError>() {
        return error.for_model();
    }
    if let Some(error) = error.downcast_ref::<io::Error>() {
        return error.for_model();
    }
    if let Some(error) = error.downcast_ref::<DepsError>() {
        return error.for_model();
    }
    if error.is::<serde_json::Error>() {
        return SERIALISE.into();
    }
    if error.is::<Elapsed>() {
        return TIMED_OUT.into();
    }
    if error.is::<Aborted>() {
        return CANCELLED.into();
    }
    FAILED.into()
}

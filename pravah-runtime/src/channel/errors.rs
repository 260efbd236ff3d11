//! What a model is told of the errors of Pravah's own: one plain phrase for each kind.

use std::{borrow::Cow, io};

use super::ForModel;
use crate::{
    error::{BoxError, DepsError, FlowError, Limit, ToolError},
    model::{ModelError, ModelErrorKind},
};

const DATA: &str = "the data could not be processed";
const FAILED: &str = "the tool failed";
const INTERRUPTED: &str = "the work was interrupted";
const LATE: &str = "it took too long";
const LIMIT: &str = "a usage limit is reached";
const UPSTREAM: &str = "the upstream service failed";
const NOT_SET_UP: &str = "the tool is not available";

impl ForModel for ToolError {
    fn for_model(&self) -> Cow<'_, str> {
        match self {
            Self::Io(error) => error.for_model(),
            Self::Serialize(_) | Self::Deserialize(_) => DATA.into(),
            Self::UnknownTool(_) => "there is no such tool".into(),
            Self::PathEscape(_) => "the path is outside the working directory".into(),
            Self::ForbiddenCommand(_) => "the command is not allowed".into(),
            Self::Http(_) => UPSTREAM.into(),
            Self::Missing(error) => error.for_model(),
            Self::Other(error) => of_boxed(error),
            Self::Told(told) => (&*told.text).into(),
            Self::Hinted(hinted) => format!("{}. {}", hinted.error.for_model(), hinted.hint).into(),
            Self::Control(_) => INTERRUPTED.into(),
        }
    }
}

impl ForModel for io::Error {
    fn for_model(&self) -> Cow<'_, str> {
        match self.kind() {
            io::ErrorKind::NotFound => "there is no such file",
            io::ErrorKind::AlreadyExists => "the file exists already",
            io::ErrorKind::PermissionDenied => "access was denied",
            io::ErrorKind::TimedOut => LATE,
            io::ErrorKind::Interrupted => INTERRUPTED,
            _ => "reading or writing failed",
        }
        .into()
    }
}

impl ForModel for DepsError {
    fn for_model(&self) -> Cow<'_, str> {
        NOT_SET_UP.into()
    }
}

impl ForModel for ModelError {
    /// A request that was not accepted is told in the words of whoever refused it; of anything else a
    /// model learns only the kind.
    fn for_model(&self) -> Cow<'_, str> {
        match self.kind() {
            ModelErrorKind::InvalidRequest => self.message().into(),
            ModelErrorKind::Config => NOT_SET_UP.into(),
            ModelErrorKind::Auth => "access was denied".into(),
            ModelErrorKind::RateLimited | ModelErrorKind::Quota => LIMIT.into(),
            ModelErrorKind::Upstream | ModelErrorKind::Transport | ModelErrorKind::Malformed => {
                UPSTREAM.into()
            }
        }
    }
}

impl ForModel for FlowError {
    fn for_model(&self) -> Cow<'_, str> {
        match self {
            Self::Model { source, .. } => source.for_model(),
            Self::Tool { source, .. } => source.for_model(),
            Self::Node { source, .. } | Self::Other(source) => of_boxed(source),
            Self::Limit {
                limit: Limit::Inference(_),
                ..
            } => LATE.into(),
            Self::Limit { .. } | Self::MaxVisits { .. } | Self::MaxSteps { .. } => LIMIT.into(),
            Self::SerializeError(_)
            | Self::DeserializeError(_)
            | Self::State { .. }
            | Self::ResumePayload { .. } => DATA.into(),
            Self::Suspended { .. } | Self::ResumeRequired(_) => INTERRUPTED.into(),
            _ => FAILED.into(),
        }
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
    match error.downcast_ref::<DepsError>() {
        Some(error) => error.for_model(),
        None => FAILED.into(),
    }
}

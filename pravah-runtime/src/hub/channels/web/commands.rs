//! Commands that come as JSON.

use axum::http::StatusCode;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::{
    error::FlowError,
    hub::{Command, Hub, Sent},
    json,
};

/// Why no command is taken to a run that was shown.
pub(super) const HIDDEN: &str = "the run has ended, or is not shown any more";

/// A command over a WebSocket.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Request {
    /// Sent back with the outcome, so that the client can match them.
    #[serde(default, deserialize_with = "json::value")]
    pub(super) request: Value,
    /// Read on its own, so that one that cannot be read is refused with its `request`.
    #[serde(deserialize_with = "json::value")]
    pub(super) command: Value,
}

pub(super) fn send(hub: &Hub, mut command: Command) -> Sent {
    if let Command::Emit { is_announced, .. } = &mut command {
        // That is for the run to say.
        *is_announced = false;
    }
    hub.send(command)
}

/// What became of a command over a WebSocket.
pub(super) fn outcome(request: &Value, taken: Result<u64, FlowError>) -> Value {
    match taken {
        Ok(step) => json!({ "type": "taken", "request": request, "step": step }),
        Err(error) => refused(request, &error),
    }
}

pub(super) fn refused(request: &Value, error: &impl ToString) -> Value {
    json!({ "type": "refused", "request": request, "error": error.to_string() })
}

/// What a refused command is in HTTP.
pub(super) fn status_of(error: &FlowError) -> StatusCode {
    match error {
        FlowError::ResumePayload { .. } | FlowError::SerializeError(_) => {
            StatusCode::UNPROCESSABLE_ENTITY
        }
        FlowError::UnexpectedResumption(_)
        | FlowError::ResumeMismatchError(_)
        | FlowError::AlreadyAnswered { .. } => StatusCode::CONFLICT,
        FlowError::NoAgentRun(_) => StatusCode::NOT_FOUND,
        FlowError::InboxFull { .. } => StatusCode::TOO_MANY_REQUESTS,
        FlowError::Finished | FlowError::Cancelled { .. } | FlowError::RunDropped => {
            StatusCode::GONE
        }
        _ => StatusCode::INTERNAL_SERVER_ERROR,
    }
}

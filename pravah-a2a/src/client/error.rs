//! What errors of a server, and of the connection to it, mean for a run.

use std::time::Duration;

use a2a::{JsonRpcError, error_code as code};
use pravah_runtime::{
    __private::read_json,
    invocation::{RunnerError, RunnerErrorKind},
    reqwest::{self, Response, StatusCode, Url, header::RETRY_AFTER},
};
use serde::Deserialize;
use serde_json::Value;

/// An error with the code of the protocol, where the server has named one.
#[derive(Debug)]
pub(super) struct CallError {
    pub(super) code: Option<i32>,
    pub(super) error: RunnerError,
}

impl CallError {
    pub(super) fn malformed(why: impl Into<String>) -> Self {
        RunnerError::new(RunnerErrorKind::Malformed, why).into()
    }

    /// What a server says in JSON-RPC.
    pub(super) fn of_json_rpc(error: JsonRpcError) -> Self {
        Self::of_code(error.code, &error.message)
    }

    fn of_code(code: i32, message: &str) -> Self {
        let message = format!("the server says: {}", brief(message));
        Self {
            code: Some(code),
            error: RunnerError::new(kind_of(code), message),
        }
    }

    /// What a server says with a status of HTTP, for one binding as for the other: a proxy before it knows of neither.
    pub(super) fn of_status(status: StatusCode, wait: Option<Duration>, body: &[u8]) -> Self {
        let said: Option<ErrorBody> = read_json(body).ok();
        let said = said.map(|body| body.error);
        if let Some(code) = said.as_ref().and_then(ErrorStatus::code) {
            let message = said.map(|it| it.message).unwrap_or_default();
            let mut error = Self::of_code(code, &message);
            error.error = error.error.with_retry_after(wait);
            return error;
        }
        let kind = match status {
            StatusCode::NOT_FOUND | StatusCode::GONE => RunnerErrorKind::UnknownTask,
            StatusCode::NOT_IMPLEMENTED => RunnerErrorKind::Refused,
            StatusCode::REQUEST_TIMEOUT | StatusCode::TOO_MANY_REQUESTS => {
                RunnerErrorKind::Unavailable
            }
            status if status.is_server_error() => RunnerErrorKind::Unavailable,
            _ => RunnerErrorKind::Refused,
        };
        let said = said.map(|it| it.message).filter(|it| !it.is_empty());
        let message = match said {
            Some(said) => format!("the server says: {}", brief(&said)),
            None => format!("the server answers with {status}"),
        };
        Self {
            code: None,
            error: RunnerError::new(kind, message).with_retry_after(wait),
        }
    }

    /// The server wants another token, or one at all.
    pub(super) fn unauthorized(url: &Url) -> Self {
        let origin = url.origin().ascii_serialization();
        let message = format!(
            "`{origin}` has refused the token, or was shown none (401): give it its own with `A2aRunner::with_bearer`"
        );
        RunnerError::new(RunnerErrorKind::Refused, message).into()
    }

    /// The same as another kind of failure.
    pub(super) fn with_kind(self, kind: RunnerErrorKind) -> Self {
        Self {
            code: self.code,
            error: RunnerError::new(kind, self.error.to_string()),
        }
    }

    /// Whether the server does not do what it was asked for, such as listing tasks: servers say so in many ways.
    pub(super) fn is_unsupported(&self) -> bool {
        !self.error.is_retryable()
    }

    pub(super) fn is_unknown_task(&self) -> bool {
        self.error.kind() == RunnerErrorKind::UnknownTask
    }

    pub(super) fn is(&self, code: i32) -> bool {
        self.code == Some(code)
    }
}

impl From<RunnerError> for CallError {
    fn from(error: RunnerError) -> Self {
        Self { code: None, error }
    }
}

impl From<CallError> for RunnerError {
    fn from(error: CallError) -> Self {
        error.error
    }
}

impl From<reqwest::Error> for CallError {
    fn from(error: reqwest::Error) -> Self {
        let kind = match error.is_builder() {
            true => RunnerErrorKind::InvalidConfig,
            false => RunnerErrorKind::Unavailable,
        };
        let url = error.url().map(|url| url.origin().ascii_serialization());
        let server = url.map_or_else(|| "the server".to_owned(), |url| format!("`{url}`"));
        let what = match error.is_connect() {
            true => format!("{server} could not be reached"),
            false => format!("the connection to {server} broke"),
        };
        let cause = std::iter::successors(Some(&error as &dyn std::error::Error), |it| it.source());
        let cause = cause
            .last()
            .map(|it| brief(&it.to_string()))
            .unwrap_or_default();
        RunnerError::new(kind, format!("{what}: {cause}")).into()
    }
}

/// How much of a server's text is kept, in characters.
const MAX_TEXT: usize = 1_000;

pub(super) fn brief(text: &str) -> String {
    text.chars().take(MAX_TEXT).collect()
}

const fn kind_of(code: i32) -> RunnerErrorKind {
    match code {
        code::TASK_NOT_FOUND => RunnerErrorKind::UnknownTask,
        code::INTERNAL_ERROR => RunnerErrorKind::Unavailable,
        code::PARSE_ERROR | code::INVALID_AGENT_RESPONSE => RunnerErrorKind::Malformed,
        _ => RunnerErrorKind::Refused,
    }
}

/// An error over HTTP+JSON, <https://google.aip.dev/193>, or of JSON-RPC.
#[derive(Deserialize)]
struct ErrorBody {
    error: ErrorStatus,
}

#[derive(Deserialize)]
struct ErrorStatus {
    /// Of JSON-RPC below zero, otherwise the status.
    #[serde(default)]
    code: i32,
    #[serde(default)]
    message: String,
    #[serde(default)]
    details: Vec<Value>,
}

impl ErrorStatus {
    fn code(&self) -> Option<i32> {
        if self.code < 0 {
            return Some(self.code);
        }
        let mut reasons = self.details.iter().filter_map(|it| it["reason"].as_str());
        reasons.find_map(a2a::reason_to_error_code)
    }
}

/// How long a server wants to be left alone, if it says so in seconds.
pub(super) fn retry_after(response: &Response) -> Option<Duration> {
    let wait = response.headers().get(RETRY_AFTER)?.to_str().ok()?;
    wait.trim().parse().ok().map(Duration::from_secs)
}

//! What went wrong, from what a provider says of it.

use std::time::Duration;

use serde_json::Value;

use super::value::text;
use crate::model::{ModelError, ModelErrorKind};

/// The longest part of a provider's message that is kept, in characters.
const MAX_MESSAGE: usize = 500;

/// What a provider says of an error.
#[derive(Debug, Default, PartialEq)]
pub(in crate::model) struct WireError {
    message: String,
    /// The provider's word for the kind of error, if it has one.
    code: Option<String>,
    /// How long it asks to wait.
    retry_after: Option<Duration>,
}

impl WireError {
    pub(super) fn new(message: &str, code: Option<&str>) -> Self {
        Self {
            message: message.chars().take(MAX_MESSAGE).collect(),
            code: code.map(str::to_owned),
            retry_after: None,
        }
    }

    /// Reads an error as OpenAI writes it, and `{"error": "…"}` as compatible servers do.
    pub(in crate::model) fn of_openai(body: &Value) -> Option<Self> {
        let error = body.get("error").filter(|error| !error.is_null())?;
        let message = error.as_str().or_else(|| text(error, "/message"));
        let code = text(error, "/code").or_else(|| text(error, "/type"));
        Some(Self::new(message?, code))
    }

    /// The same error without the provider's sentence, which may quote what was sent.
    #[cfg(feature = "genai")]
    pub(in crate::model) fn code_alone(self) -> Self {
        Self {
            message: self.code.clone().unwrap_or_default(),
            ..self
        }
    }

    pub(super) fn with_retry_after(mut self, wait: Option<Duration>) -> Self {
        self.retry_after = wait;
        self
    }

    /// The error that stands in an answer whose status is a success.
    pub(in crate::model) fn into_error(self) -> ModelError {
        let kind = match kind_of(self.code.as_deref()) {
            Some(kind) => kind,
            None => ModelErrorKind::Upstream,
        };
        ModelError::new(kind, self.text_for(kind)).with_retry_after(self.retry_after)
    }

    fn text_for(&self, kind: ModelErrorKind) -> String {
        match kind {
            // What providers say about a wrong key shows part of it.
            ModelErrorKind::Auth => "the key was not accepted".to_owned(),
            _ if self.message.is_empty() => "no reason was given".to_owned(),
            _ => self.message.clone(),
        }
    }
}

/// What the headers of an answer say about trying again.
#[derive(Debug, Default)]
pub(in crate::model) struct Hints {
    pub(in crate::model) retry_after: Option<Duration>,
    pub(in crate::model) should_retry: Option<bool>,
}

/// Makes an error of an answer whose status is not a success.
pub(in crate::model) fn failure(status: u16, error: Option<WireError>, hints: Hints) -> ModelError {
    let error = error.unwrap_or_default();
    let kind = match (kind_of(error.code.as_deref()), status) {
        (Some(kind @ (ModelErrorKind::Quota | ModelErrorKind::Auth)), _) => kind,
        (_, 402) => ModelErrorKind::Quota,
        (_, 401 | 403) => ModelErrorKind::Auth,
        (_, 429) => ModelErrorKind::RateLimited,
        (_, 408 | 409 | 500..) => ModelErrorKind::Upstream,
        _ => ModelErrorKind::InvalidRequest,
    };
    let retryable = match kind {
        ModelErrorKind::Quota => Some(false),
        _ => hints.should_retry,
    };
    ModelError::new(kind, error.text_for(kind))
        .with_status(status)
        .with_retry_after(hints.retry_after.or(error.retry_after))
        .with_retryable(retryable)
}

/// What a provider's word says, where it says more than the status.
fn kind_of(code: Option<&str>) -> Option<ModelErrorKind> {
    Some(match code? {
        "insufficient_quota"
        | "billing_hard_limit_reached"
        | "enforced_spend_limit_reached"
        | "billing_error" => ModelErrorKind::Quota,
        "authentication_error"
        | "permission_error"
        | "invalid_api_key"
        | "API_KEY_INVALID"
        | "UNAUTHENTICATED"
        | "PERMISSION_DENIED" => ModelErrorKind::Auth,
        "rate_limit_error" | "rate_limit_exceeded" | "RESOURCE_EXHAUSTED" => {
            ModelErrorKind::RateLimited
        }
        "invalid_request_error" | "INVALID_ARGUMENT" => ModelErrorKind::InvalidRequest,
        _ => return None,
    })
}

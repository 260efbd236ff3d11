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
    /// The status that the answer should have had, where an error tells it within one that succeeded.
    status: Option<u16>,
    /// How long it asks to wait.
    retry_after: Option<Duration>,
}

impl WireError {
    pub(super) fn new(message: &str, code: Option<&str>) -> Self {
        Self {
            message: message.chars().take(MAX_MESSAGE).collect(),
            code: code.map(str::to_owned),
            status: None,
            retry_after: None,
        }
    }

    /// Reads an error as OpenAI writes it, and `{"error": "…"}` as compatible servers do.
    pub(in crate::model) fn of_openai(body: &Value) -> Option<Self> {
        let is_some = |error: &&Value| !error.is_null() && *error != "";
        let error = body.get("error").filter(is_some)?;
        match error.as_str() {
            Some(message) => Some(Self::new(message, None)),
            None => Self::of_fields(error),
        }
    }

    /// Reads the fields of an error as OpenAI writes it.
    pub(in crate::model) fn of_fields(error: &Value) -> Option<Self> {
        let code = text(error, "/code").or_else(|| text(error, "/type"));
        let message = text(error, "/message");
        if message.is_none() && code.is_none() && status_in(error).is_none() {
            return None;
        }
        Some(Self::new(message.unwrap_or_default(), code).with_status_of(error))
    }

    /// The same error with the status that is in its fields.
    pub(super) fn with_status_of(mut self, error: &Value) -> Self {
        self.status = status_in(error);
        self
    }

    pub(super) fn with_retry_after(mut self, wait: Option<Duration>) -> Self {
        self.retry_after = wait;
        self
    }

    /// The error that is in an answer whose status is a success.
    pub(in crate::model) fn into_error(self) -> ModelError {
        let kind = match (kind_of(self.code.as_deref()), self.status) {
            (Some(kind), _) => kind,
            (None, Some(status)) => kind_of_status(status),
            (None, None) => ModelErrorKind::Upstream,
        };
        let wordless = || "the provider reports an error and does not say why".to_owned();
        ModelError::new(kind, self.text_for(kind, wordless)).with_retry_after(self.retry_after)
    }

    fn text_for(&self, kind: ModelErrorKind, wordless: impl FnOnce() -> String) -> String {
        match (kind, &self.code) {
            // What providers say about a wrong key shows part of it.
            (ModelErrorKind::Auth, _) => "the key was not accepted".to_owned(),
            (_, Some(code)) if self.message.is_empty() => {
                format!("the provider says `{code}`, and not why")
            }
            _ if self.message.is_empty() => wordless(),
            _ => self.message.clone(),
        }
    }
}

/// What is said of an answer whose status is not a success and that has no words of the provider's: who
/// answered, and how the body starts if it is text.
pub(in crate::model) fn wordless(who: &str, body: &[u8]) -> String {
    let text = std::str::from_utf8(body).unwrap_or_default();
    let is_odd = |c: char| c.is_control() && !c.is_whitespace();
    let text: Vec<&str> = match text.contains(is_odd) {
        true => Vec::new(),
        false => text.split_whitespace().collect(),
    };
    let text = text.join(" ");
    match text.char_indices().nth(MAX_START) {
        _ if text.is_empty() => format!("{who} did not say why"),
        Some((end, _)) => format!("{who} said: {}…", text.get(..end).unwrap_or_default()),
        None => format!("{who} said: {text}"),
    }
}

/// How much is shown of a body that is no error of the provider's, in characters.
const MAX_START: usize = 200;

/// What the headers of an answer say about trying again.
#[derive(Debug, Default)]
pub(in crate::model) struct Hints {
    pub(in crate::model) retry_after: Option<Duration>,
    pub(in crate::model) should_retry: Option<bool>,
}

/// Makes an error of an answer whose status is not a success; `wordless` is what is said where the
/// provider says nothing.
pub(in crate::model) fn failure(
    status: u16,
    error: Option<WireError>,
    hints: Hints,
    wordless: impl FnOnce() -> String,
) -> ModelError {
    let error = error.unwrap_or_default();
    let kind = match kind_of(error.code.as_deref()) {
        Some(kind @ (ModelErrorKind::Quota | ModelErrorKind::Auth)) => kind,
        _ => kind_of_status(status),
    };
    let retryable = match kind {
        ModelErrorKind::Quota => Some(false),
        _ => hints.should_retry,
    };
    ModelError::new(kind, error.text_for(kind, wordless))
        .with_status(status)
        .with_retry_after(hints.retry_after.or(error.retry_after))
        .with_retryable(retryable)
}

/// The status that an error tells as its code, as a number or in digits.
fn status_in(error: &Value) -> Option<u16> {
    let code = error.get("code")?;
    let status = match code.as_str() {
        Some(digits) => digits.parse().ok()?,
        None => u16::try_from(code.as_u64()?).ok()?,
    };
    (400..600).contains(&status).then_some(status)
}

fn kind_of_status(status: u16) -> ModelErrorKind {
    match status {
        402 => ModelErrorKind::Quota,
        401 | 403 => ModelErrorKind::Auth,
        429 => ModelErrorKind::RateLimited,
        408 | 409 | 500.. => ModelErrorKind::Upstream,
        _ => ModelErrorKind::InvalidRequest,
    }
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

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
    /// Whether it is a text where the provider has an object: another kind of server says it.
    is_foreign: bool,
}

impl WireError {
    fn new(message: &str, code: Option<&str>) -> Self {
        Self {
            message: message.chars().take(MAX_MESSAGE).collect(),
            code: code.map(str::to_owned),
            status: None,
            retry_after: None,
            is_foreign: false,
        }
    }

    /// Reads an error as OpenAI writes it, or another kind of server.
    pub(in crate::model) fn of_openai(body: &Value) -> Option<Self> {
        let error = body.get("error")?;
        Self::of_text(error).or_else(|| Self::of_fields(error))
    }

    /// Reads `{"error": "…"}`, which only Ollama says among the providers.
    pub(super) fn of_text(error: &Value) -> Option<Self> {
        let message = error.as_str().filter(|message| !message.is_empty())?;
        Some(Self {
            is_foreign: true,
            ..Self::new(message, None)
        })
    }

    /// Reads the fields of an error as OpenAI writes it.
    pub(super) fn of_fields(error: &Value) -> Option<Self> {
        let code = text(error, "/code").or_else(|| text(error, "/type"));
        Self::of_parts(code, error)
    }

    /// Reads the message of an error, and a status in its `code`; the provider's word for its kind is
    /// where each has it.
    pub(super) fn of_parts(code: Option<&str>, error: &Value) -> Option<Self> {
        let (message, status) = (text(error, "/message"), status_in(error));
        if message.is_none() && code.is_none() && status.is_none() {
            return None;
        }
        Some(Self {
            status,
            ..Self::new(message.unwrap_or_default(), code)
        })
    }

    /// The same error as one that the provider itself reports.
    pub(super) fn reported_by_provider(self) -> Self {
        Self {
            is_foreign: false,
            ..self
        }
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
            // Servers that do not know the path or the model say so, and will say so again.
            (None, None) if self.is_foreign => ModelErrorKind::InvalidRequest,
            (None, None) => ModelErrorKind::Upstream,
        };
        ModelError::new(kind, self.text_for(kind)).with_retry_after(self.retry_after)
    }

    /// What may be told of it: nothing of what a provider says about a key, since it shows part of it.
    fn text_for(&self, kind: ModelErrorKind) -> String {
        match &self.code {
            _ if self.is_foreign => format!("the server said: {}", self.message),
            _ if kind == ModelErrorKind::Auth => String::new(),
            Some(code) if self.message.is_empty() => {
                format!("the provider says `{code}`, and not why")
            }
            None if self.message.is_empty() => "the server did not say why".to_owned(),
            _ => self.message.clone(),
        }
    }
}

/// How a body starts that is no error of the provider's, if it is text.
pub(in crate::model) fn start_of(body: &[u8]) -> Option<String> {
    let text = std::str::from_utf8(body).unwrap_or_default();
    let is_odd = |c: char| c.is_control() && !c.is_whitespace();
    let text: Vec<&str> = match text.contains(is_odd) {
        true => Vec::new(),
        false => text.split_whitespace().collect(),
    };
    let text = text.join(" ");
    match text.char_indices().nth(MAX_START) {
        _ if text.is_empty() => None,
        Some((end, _)) => Some(format!("{}…", text.get(..end).unwrap_or_default())),
        None => Some(text),
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

/// Makes an error of an answer whose status is not a success, from what the provider says of it, or from
/// how the body starts.
pub(in crate::model) fn failure(
    status: u16,
    error: Option<WireError>,
    hints: Hints,
    body: &[u8],
) -> ModelError {
    let error = error.or_else(|| WireError::of_text(&start_of(body)?.into()));
    let error = error.unwrap_or_default();
    let kind = match kind_of(error.code.as_deref()) {
        Some(kind @ (ModelErrorKind::Quota | ModelErrorKind::Auth)) => kind,
        _ => kind_of_status(status),
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

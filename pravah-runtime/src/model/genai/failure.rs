//! Errors of `genai`. Their own texts may hold prompts and answers: none is kept but what the provider
//! says of the error. Whoever calls removes the key from it.

use genai::{Error, webc};
use serde_json::{Value, json};

use super::super::{
    ModelError, ModelErrorKind, Usage,
    http::{hints, transport},
    wire::{WireError, failure},
};
use crate::json;

pub(super) fn of(error: Error) -> ModelError {
    if let Some(status) = error.status() {
        let hints = error.headers().map(hints).unwrap_or_default();
        let body = body(&error).unwrap_or_default();
        let said = json::from_str(body).ok();
        let said = said.and_then(|body| WireError::of_openai(body.get(0).unwrap_or(&body)));
        return failure(status.as_u16(), said, hints, body.as_bytes());
    }
    match error {
        Error::WebModelCall {
            webc_error: webc::Error::Reqwest(error),
            ..
        }
        | Error::WebAdapterCall {
            webc_error: webc::Error::Reqwest(error),
            ..
        } => transport(error),
        // What went wrong before and within a stream comes in a box.
        Error::WebStream { error, .. } => match error.downcast::<Error>() {
            Ok(error) => of(*error),
            Err(error) => match error.downcast::<reqwest::Error>() {
                Ok(error) => transport(*error),
                Err(_) => broke_off(),
            },
        },
        Error::ChatResponse { body, .. } => match WireError::of_openai(&whole(body)) {
            Some(said) => said.into_error(),
            None => malformed(),
        },
        // These name the model and nothing else.
        error @ (Error::RequiresApiKey { .. }
        | Error::NoAuthResolver { .. }
        | Error::NoAuthData { .. }
        | Error::AdapterNotSupported { .. }
        | Error::AdapterKindMismatch { .. }) => {
            ModelError::new(ModelErrorKind::Config, error.to_string())
        }
        Error::Resolver { model_iden, .. } => ModelError::new(
            ModelErrorKind::Config,
            format!(
                "no key or address was found for `{}`",
                model_iden.model_name
            ),
        ),
        Error::ChatReqHasNoMessages { .. }
        | Error::LastChatMessageIsNotUser { .. }
        | Error::MessageRoleNotSupported { .. }
        | Error::MessageContentTypeNotSupported { .. }
        | Error::JsonModeWithoutInstruction => ModelError::new(
            ModelErrorKind::InvalidRequest,
            "the provider cannot be asked this",
        ),
        _ => malformed(),
    }
}

fn body(error: &Error) -> Option<&str> {
    match error {
        Error::HttpError { body, .. } => Some(body),
        Error::WebModelCall {
            webc_error: webc::Error::ResponseFailedStatus { body, .. },
            ..
        }
        | Error::WebAdapterCall {
            webc_error: webc::Error::ResponseFailedStatus { body, .. },
            ..
        } => Some(body),
        _ => None,
    }
}

/// Some errors within a stream come without what was around them.
fn whole(body: Value) -> Value {
    match body.get("error") {
        Some(_) => body,
        None => json!({ "error": body }),
    }
}

/// An answer that ended too early; what it cost is not known.
pub(super) fn broke_off() -> ModelError {
    let what = "the stream ended before the answer did";
    ModelError::new(ModelErrorKind::Transport, what).with_usage(Usage::default())
}

fn malformed() -> ModelError {
    let what = "the answer is not what the provider's interface promises";
    ModelError::new(ModelErrorKind::Malformed, what).with_usage(Usage::default())
}

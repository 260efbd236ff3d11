//! Errors of `genai`. Their words may hold prompts, answers and keys, which only that crate knows: none
//! are kept but the provider's word for the kind of error.

use genai::{Error, webc};
use serde_json::{Value, json};

use super::super::{
    ModelError, ModelErrorKind,
    http::{hints, transport},
    wire::{WireError, failure},
};

pub(super) fn of(error: Error) -> ModelError {
    if let Some(status) = error.status() {
        let hints = error.headers().map(hints).unwrap_or_default();
        let said = body(&error)
            .and_then(|body| serde_json::from_str(body).ok())
            .and_then(|body| WireError::of_openai(&body))
            .map(WireError::code_alone);
        return failure(status.as_u16(), said, hints);
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
        Error::WebStream { .. } => ModelError::new(
            ModelErrorKind::Transport,
            "the connection to the provider broke",
        ),
        Error::ChatResponse { body, .. } => match WireError::of_openai(&whole(body)) {
            Some(said) => said.code_alone().into_error(),
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

/// Some errors within a stream come without what stood around them.
fn whole(body: Value) -> Value {
    match body.get("error") {
        Some(_) => body,
        None => json!({ "error": body }),
    }
}

fn malformed() -> ModelError {
    ModelError::new(
        ModelErrorKind::Malformed,
        "the answer is not what the provider's interface promises",
    )
}

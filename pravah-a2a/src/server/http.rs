//! What both bindings need of HTTP.

use std::time::Duration;

use a2a::{A2AError, error_code};
use axum::{
    http::{HeaderMap, header::CONTENT_TYPE},
    response::sse::KeepAlive,
};
use serde::Serialize;

use crate::content::JSON;

/// JSON of the protocol's own.
pub(super) const A2A_JSON: &str = "application/a2a+json";

/// Fails where a body is said to be something else than JSON, as what a form of a web page sends is.
pub(super) fn check_json(headers: &HeaderMap) -> Result<(), A2AError> {
    let content_type = headers.get(CONTENT_TYPE).and_then(|it| it.to_str().ok());
    let content_type = content_type.and_then(|it| it.split(';').next());
    let content_type = content_type.unwrap_or_default().trim();
    let mut known = [JSON, A2A_JSON].iter();
    match known.any(|it| content_type.eq_ignore_ascii_case(it)) {
        true => Ok(()),
        false => Err(A2AError::new(
            error_code::CONTENT_TYPE_NOT_SUPPORTED,
            format!("the `Content-Type` of the request is not `{JSON}`"),
        )),
    }
}

/// Keeps proxies from taking a stream for dead in which nothing happens.
pub(super) fn keep_alive() -> KeepAlive {
    KeepAlive::new().interval(Duration::from_secs(15))
}

pub(super) fn to_json(value: &impl Serialize) -> String {
    serde_json::to_string(value).unwrap_or_default()
}

pub(super) fn no_extended_card() -> A2AError {
    A2AError::unsupported_operation("there is no extended card")
}

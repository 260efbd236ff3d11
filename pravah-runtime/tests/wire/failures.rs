//! Servers that answer with an error, and what the client makes of it.

use axum::response::Response;
use pravah_runtime::{ModelError, Provider};

use crate::{
    cases,
    server::{Server, stream},
};

pub(crate) async fn error(
    provider: Provider,
    answer: impl Fn() -> Response + Send + Sync + 'static,
) -> ModelError {
    let server = Server::start(provider, answer).await;
    let request = cases::structured();
    server.client.complete(&request).await.unwrap_err()
}

pub(crate) async fn stream_error(provider: Provider, body: String) -> ModelError {
    let server = Server::start(provider, move || stream(provider, body.clone())).await;
    let request = cases::structured();
    let answer = server.client.stream(&request, &|_| {}).await;
    answer.unwrap_err()
}

/// An error as each provider words it.
pub(crate) fn body(provider: Provider, message: &str) -> String {
    match provider {
        Provider::Anthropic => format!(
            r#"{{"type":"error","error":{{"type":"invalid_request_error","message":"{message}"}},"request_id":"r"}}"#
        ),
        Provider::Gemini => format!(
            r#"[{{"error":{{"code":400,"message":"{message}","status":"INVALID_ARGUMENT"}}}}]"#
        ),
        Provider::Ollama => format!(r#"{{"error":"{message}"}}"#),
        _ => format!(
            r#"{{"error":{{"message":"{message}","type":"invalid_request_error","param":null,"code":null}}}}"#
        ),
    }
}

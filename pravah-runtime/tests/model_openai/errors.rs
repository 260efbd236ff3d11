//! What goes wrong between here and the provider.

use std::{io::Write, net::TcpListener, time::Duration};

use axum::{
    http::StatusCode,
    response::{IntoResponse, Response},
};
use pravah_runtime::{ClientFactory, ModelErrorKind, ModelUrl, Provider};
use serde_json::{Value, json};

use crate::server::{KEY, Server, ask, client, ok, request};

async fn kind_of(answer: Response) -> ModelErrorKind {
    ask(answer).await.unwrap_err().kind()
}

fn error(status: u16, body: Value) -> Response {
    (StatusCode::from_u16(status).unwrap(), axum::Json(body)).into_response()
}

#[tokio::test]
async fn a_wrong_key_is_an_auth_error_without_the_key() {
    let message = format!("Incorrect API key provided: {KEY}");
    let body = json!({ "error": { "message": message, "code": "invalid_api_key" } });
    let error = ask(error(401, body)).await.unwrap_err();
    assert_eq!(error.kind(), ModelErrorKind::Auth);
    assert!(!error.is_retryable());
    assert!(
        !format!("{error} {error:?}").contains("secret"),
        "{error:?}"
    );
}

#[tokio::test]
async fn a_rate_limit_says_how_long_to_wait() {
    let body = json!({ "error": { "message": "slow down", "type": "requests", "code": "rate_limit_exceeded" } });
    let seconds = (
        StatusCode::TOO_MANY_REQUESTS,
        [("retry-after", "7")],
        axum::Json(body),
    );
    let error = ask(seconds.into_response()).await.unwrap_err();
    assert_eq!(
        (error.kind(), error.is_retryable()),
        (ModelErrorKind::RateLimited, true)
    );
    assert_eq!(error.retry_after(), Some(Duration::from_secs(7)));
    let text = format!("slow down (status 429 at {})", error.address().unwrap());
    assert_eq!(error.to_string(), text);

    let headers = [("retry-after-ms", "250"), ("retry-after", "7")];
    let milliseconds = (StatusCode::TOO_MANY_REQUESTS, headers);
    let error = ask(milliseconds.into_response()).await.unwrap_err();
    assert_eq!(error.retry_after(), Some(Duration::from_millis(250)));

    let date = (
        StatusCode::TOO_MANY_REQUESTS,
        [("retry-after", "Sun, 06 Nov 1994 08:49:37 GMT")],
    );
    let error = ask(date.into_response()).await.unwrap_err();
    assert_eq!(error.retry_after(), Some(Duration::ZERO));
}

#[tokio::test]
async fn a_used_up_quota_is_not_tried_again() {
    let body = json!({ "error": { "message": "no money", "code": "insufficient_quota" } });
    let error = ask(error(429, body)).await.unwrap_err();
    assert_eq!(
        (error.kind(), error.is_retryable()),
        (ModelErrorKind::Quota, false)
    );
}

#[tokio::test]
async fn statuses_have_their_kinds() {
    for (status, kind) in [
        (400, ModelErrorKind::InvalidRequest),
        (404, ModelErrorKind::InvalidRequest),
        (403, ModelErrorKind::Auth),
        (408, ModelErrorKind::Upstream),
        (409, ModelErrorKind::Upstream),
        (500, ModelErrorKind::Upstream),
        (503, ModelErrorKind::Upstream),
    ] {
        assert_eq!(
            kind_of(error(status, json!({ "error": "odd" }))).await,
            kind,
            "{status}"
        );
    }
}

#[tokio::test]
async fn an_error_need_not_have_a_body() {
    let error = ask(StatusCode::BAD_GATEWAY.into_response())
        .await
        .unwrap_err();
    let text = error.to_string();
    let start = "the server did not say why (status 502 at http://127.0.0.1:";
    assert!(text.starts_with(start), "{text}");
    assert!(error.is_retryable());
}

#[tokio::test]
async fn the_providers_word_on_retrying_counts() {
    let answer = (
        StatusCode::INTERNAL_SERVER_ERROR,
        [("x-should-retry", "false")],
    );
    assert!(
        !ask(answer.into_response())
            .await
            .unwrap_err()
            .is_retryable()
    );
}

#[tokio::test]
async fn an_error_in_a_success_is_an_error() {
    let error = ask(ok(json!({ "error": { "message": "overloaded" } })))
        .await
        .unwrap_err();
    assert_eq!(error.kind(), ModelErrorKind::Upstream);
    assert!(error.to_string().starts_with("overloaded (status 200 at "));
}

#[tokio::test]
async fn malformed_json_is_an_error_that_says_where() {
    let error = ask("{\"choices\": [\n{]".into_response())
        .await
        .unwrap_err();
    assert_eq!(error.kind(), ModelErrorKind::Malformed);
    assert!(error.to_string().contains("line 2"), "{error}");
    assert_eq!(
        kind_of(ok(json!({ "choices": [] }))).await,
        ModelErrorKind::Malformed
    );
}

#[tokio::test]
async fn an_endless_body_is_not_read() {
    let big = vec![b' '; (16 << 20) + 1];
    let error = ask(big.into_response()).await.unwrap_err();
    assert_eq!(error.kind(), ModelErrorKind::Malformed);
    assert!(error.to_string().contains("16 MiB"), "{error}");
}

#[tokio::test]
async fn a_redirect_is_not_followed() {
    let answer = (StatusCode::TEMPORARY_REDIRECT, [("location", "/elsewhere")]).into_response();
    let (server, client) = Server::start([answer]).await;
    assert!(client.complete(&request()).await.is_err());
    assert_eq!(server.received().len(), 1);
}

#[tokio::test]
async fn a_body_that_is_cut_off_is_a_broken_connection() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let server = std::thread::spawn(move || {
        let (mut socket, _) = listener.accept().unwrap();
        read_request(&mut socket);
        let cut = b"HTTP/1.1 200 OK\r\ncontent-length: 1000\r\n\r\n{\"choices\": [";
        socket.write_all(cut).unwrap();
    });
    let error = client(&format!("http://{address}"))
        .complete(&request())
        .await
        .unwrap_err();
    server.join().unwrap();
    assert_eq!(
        (error.kind(), error.is_retryable()),
        (ModelErrorKind::Transport, true)
    );
}

/// Reads one request, so that closing the socket afterwards does not reset it.
fn read_request(socket: &mut std::net::TcpStream) {
    use std::io::{BufRead, BufReader, Read};
    let mut reader = BufReader::new(socket);
    let mut length = 0;
    let mut line = String::new();
    while reader.read_line(&mut line).unwrap() > 2 {
        if let Some(value) = line.to_lowercase().strip_prefix("content-length:") {
            length = value.trim().parse().unwrap();
        }
        line.clear();
    }
    reader.read_exact(&mut vec![0; length]).unwrap();
}

#[tokio::test]
async fn nobody_listening_is_a_broken_connection() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    drop(listener);
    let error = client(&format!("http://{address}"))
        .complete(&request())
        .await
        .unwrap_err();
    assert_eq!(error.kind(), ModelErrorKind::Transport);
    assert!(
        !format!("{error} {error:?}").contains("secret"),
        "{error:?}"
    );
}

#[test]
fn a_base_url_that_is_no_web_address_is_refused_in_its_own_words() {
    for (base, shown) in [
        ("nonsense", "nonsense"),
        ("ftp://x", "ftp://x"),
        ("localhost:8000/v1", "localhost:8000/v1"),
        ("", ""),
        ("htp://me:secret@host/v1?key=secret", "htp://host/v1"),
    ] {
        let factory = ClientFactory::new()
            .with_key(Provider::OpenAi, KEY)
            .with_base_url(Provider::OpenAi, base);
        let answer = factory.client(&ModelUrl::parse("openai://m").unwrap());
        let error = answer.err().unwrap();
        assert_eq!(error.kind(), ModelErrorKind::Config);
        let text = format!("the address of `openai`, `{shown}`, is not a web address");
        assert!(error.to_string().starts_with(&text), "{error}");
    }
}

#[test]
fn a_client_with_tls_can_be_made_without_a_provider_of_the_process() {
    let factory = ClientFactory::new()
        .with_key(Provider::OpenAi, KEY)
        .with_base_url(Provider::OpenAi, "https://localhost:1");
    assert!(
        factory
            .client(&ModelUrl::parse("openai://m").unwrap())
            .is_ok()
    );
}

#[test]
fn the_key_is_not_in_the_debug_output() {
    let factory = ClientFactory::new().with_key(Provider::OpenAi, KEY);
    assert!(!format!("{factory:?}").contains("secret"));
}

//! Answers that are none, and streams that end too early.

use std::time::Duration;

use axum::response::Response;
use pravah_runtime::{ModelError, ModelErrorKind, Provider};

use crate::{
    cases,
    server::{KEY, Server, factory, json, stream},
};

async fn error(
    provider: Provider,
    answer: impl Fn() -> Response + Send + Sync + 'static,
) -> ModelError {
    let server = Server::start(provider, answer).await;
    let request = cases::structured();
    server.client.complete(&request).await.unwrap_err()
}

async fn stream_error(provider: Provider, body: String) -> ModelError {
    let server = Server::start(provider, move || stream(provider, body.clone())).await;
    let request = cases::structured();
    let answer = server.client.stream(&request, &|_| {}).await;
    answer.unwrap_err()
}

/// An error as each provider words it.
fn body(provider: Provider, message: &str) -> String {
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

#[tokio::test]
async fn a_refused_request_is_told_in_the_providers_words() {
    for provider in Provider::ALL {
        let error = error(provider, move || json(400, body(provider, "no such model"))).await;
        assert_eq!(error.kind(), ModelErrorKind::InvalidRequest, "{provider:?}");
        assert_eq!(error.to_string(), "no such model (status 400)");
        assert!(!error.is_retryable());
    }
}

#[tokio::test]
async fn statuses_mean_the_same_from_every_provider() {
    for provider in Provider::ALL {
        for (status, kind, again) in [
            (401, ModelErrorKind::Auth, false),
            (402, ModelErrorKind::Quota, false),
            (404, ModelErrorKind::InvalidRequest, false),
            (408, ModelErrorKind::Upstream, true),
            (429, ModelErrorKind::RateLimited, true),
            (500, ModelErrorKind::Upstream, true),
            (529, ModelErrorKind::Upstream, true),
        ] {
            let error = error(provider, move || json(status, "<html>")).await;
            assert_eq!((error.kind(), error.is_retryable()), (kind, again));
        }
    }
}

#[tokio::test]
async fn a_wait_that_is_asked_for_is_told() {
    for provider in Provider::ALL {
        let error = error(provider, move || {
            let mut response = json(429, body(provider, "slow down"));
            let headers = response.headers_mut();
            headers.insert("retry-after", "7".parse().unwrap());
            response
        })
        .await;
        assert_eq!(error.retry_after(), Some(Duration::from_secs(7)));
    }
}

#[tokio::test]
async fn an_error_that_stands_in_a_stream_as_plain_json_is_read() {
    let error = "[{\n  \"error\": {\n    \"code\": 429,\n    \"message\": \"quota\",\n    \
                 \"status\": \"RESOURCE_EXHAUSTED\",\n    \
                 \"details\": [{\"retryDelay\": \"30s\"}]\n  }\n}]\n";
    let chunk = r#"data: {"candidates":[{"content":{"parts":[{"text":"{"}]}}]}"#;
    for body in [error.to_owned(), format!("{chunk}\n\n{error}")] {
        let error = stream_error(Provider::Gemini, body).await;
        assert_eq!(error.kind(), ModelErrorKind::RateLimited);
        assert_eq!(error.retry_after(), Some(Duration::from_secs(30)));
    }
}

#[tokio::test]
async fn gemini_tells_the_wait_in_the_body() {
    let body = r#"{"error":{"code":429,"message":"quota","status":"RESOURCE_EXHAUSTED","details":[{"@type":"type.googleapis.com/google.rpc.RetryInfo","retryDelay":"30s"}]}}"#;
    let error = error(Provider::Gemini, move || json(429, body)).await;
    assert_eq!(error.retry_after(), Some(Duration::from_secs(30)));
}

#[tokio::test]
async fn a_spend_limit_is_not_tried_again() {
    let body = r#"{"type":"error","error":{"type":"rate_limit_error","message":"limit","details":{"error_code":"enforced_spend_limit_reached"}}}"#;
    let error = error(Provider::Anthropic, move || json(429, body)).await;
    assert_eq!(error.kind(), ModelErrorKind::Quota);
    assert!(!error.is_retryable());
}

#[tokio::test]
async fn a_wrong_key_of_gemini_is_an_auth_error() {
    let body = r#"{"error":{"code":400,"message":"API key not valid","status":"INVALID_ARGUMENT","details":[{"reason":"API_KEY_INVALID"}]}}"#;
    let error = error(Provider::Gemini, move || json(400, body)).await;
    assert_eq!(error.kind(), ModelErrorKind::Auth);
}

#[tokio::test]
async fn a_key_that_comes_back_in_an_error_is_not_shown() {
    for provider in Provider::ALL {
        let text = format!("what is {KEY}?");
        let error = error(provider, move || json(400, body(provider, &text))).await;
        assert_eq!(error.to_string(), "what is …? (status 400)");
        assert!(!format!("{error:?}").contains(KEY));
    }
}

#[tokio::test]
async fn an_answer_that_is_no_json_says_where() {
    for provider in Provider::ALL {
        let error = error(provider, || json(200, "{\n\"a\" 1")).await;
        assert_eq!(error.kind(), ModelErrorKind::Malformed);
        assert!(error.to_string().contains("line 2"), "{error}");
    }
}

#[tokio::test]
async fn an_answer_of_another_shape_is_malformed() {
    for provider in Provider::ALL {
        for shape in [
            "null",
            "[]",
            "7",
            "{}",
            r#"{"choices":7,"output":7,"content":7}"#,
        ] {
            let error = error(provider, move || json(200, shape)).await;
            assert_eq!(
                error.kind(),
                ModelErrorKind::Malformed,
                "{provider:?} {shape}"
            );
        }
    }
}

#[tokio::test]
async fn a_stream_that_breaks_off_says_after_how_many_events() {
    for provider in Provider::ALL {
        let text = cases::read(provider, "structured.stream");
        let half: String = text.split_inclusive('\n').take(3).collect();
        let error = stream_error(provider, half).await;
        assert_eq!(error.kind(), ModelErrorKind::Transport, "{provider:?}");
        assert!(error.is_retryable());
        assert!(error.to_string().contains("broke off after"), "{error}");
    }
}

#[tokio::test]
async fn a_stream_that_breaks_off_anywhere_is_an_answer_or_an_error() {
    for provider in Provider::ALL {
        let text = cases::read(provider, "tools.stream");
        let whole = {
            let text = text.clone();
            let server = Server::start(provider, move || stream(provider, text.clone())).await;
            let request = cases::tools();
            server.client.stream(&request, &|_| {}).await.unwrap()
        };
        for end in (0..text.len()).step_by(97) {
            let body = text.as_bytes()[..end].to_vec();
            let server = Server::start(provider, move || stream(provider, body.clone())).await;
            let request = cases::tools();
            if let Ok(answer) = server.client.stream(&request, &|_| {}).await {
                assert_eq!(answer.calls, whole.calls, "{provider:?}: {end}");
            }
        }
    }
}

#[tokio::test]
async fn an_event_that_is_no_json_says_which() {
    for provider in Provider::ALL {
        let body = match provider {
            Provider::Ollama => "{\"model\"]\n".to_owned(),
            _ => "data: {\"model\"]\n\n".to_owned(),
        };
        let error = stream_error(provider, body).await;
        assert_eq!(error.kind(), ModelErrorKind::Malformed);
        assert!(
            error.to_string().contains(": event 1 of the answer"),
            "{error}"
        );
    }
}

#[tokio::test]
async fn an_error_within_a_stream_is_an_error() {
    for (provider, event) in [
        (
            Provider::OpenAi,
            "data: {\"error\":{\"message\":\"overloaded\",\"type\":\"server_error\"}}\n\n",
        ),
        (
            Provider::OpenAiResponses,
            "event: error\ndata: {\"type\":\"error\",\"code\":\"server_error\",\"message\":\"overloaded\"}\n\n",
        ),
        (
            Provider::OpenAiResponses,
            "data: {\"type\":\"response.failed\",\"response\":{\"status\":\"failed\",\"output\":[],\"error\":{\"code\":\"server_error\",\"message\":\"overloaded\"}}}\n\n",
        ),
        (
            Provider::Anthropic,
            "event: error\ndata: {\"type\":\"error\",\"error\":{\"type\":\"overloaded_error\",\"message\":\"overloaded\"}}\n\n",
        ),
        (
            Provider::Gemini,
            "data: {\"error\":{\"code\":503,\"message\":\"overloaded\",\"status\":\"UNAVAILABLE\"}}\n\n",
        ),
        (Provider::Ollama, "{\"error\":\"overloaded\"}\n"),
    ] {
        let error = stream_error(provider, event.to_owned()).await;
        assert_eq!(error.kind(), ModelErrorKind::Upstream, "{provider:?}");
        assert_eq!(error.to_string(), "overloaded");
        assert!(error.is_retryable());
    }
}

/// The clock runs ahead whenever nothing else does.
#[tokio::test(start_paused = true)]
async fn a_server_that_never_answers_is_not_waited_for_for_ever() {
    for provider in Provider::ALL {
        // It takes connections, and that is all.
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap().to_string();
        let (factory, url) = factory(provider, &address);
        let client = factory.client(&url).unwrap();
        let error = client.complete(&cases::structured()).await.unwrap_err();
        assert_eq!(error.kind(), ModelErrorKind::TimedOut, "{provider:?}");
        assert_eq!(
            error.to_string(),
            format!("the provider at http://{address} took too long to answer")
        );
        // The provider may go on answering, and charge for it.
        assert!(!error.is_retryable());
        assert!(error.usage().is_some());
    }
}

#[tokio::test]
async fn a_stream_without_end_is_not_read() {
    for provider in [Provider::Gemini, Provider::Ollama] {
        let line = match provider {
            Provider::Ollama => r#"{"message":{"content":"PAD"}}"#.to_owned() + "\n",
            _ => "data: {\"x\":\"PAD\"}\n\n".to_owned(),
        };
        let body = line.replace("PAD", &"x".repeat(1 << 20)).repeat(65);
        let error = stream_error(provider, body).await;
        assert_eq!(error.kind(), ModelErrorKind::Malformed);
        assert!(error.to_string().contains("64 MiB"), "{error}");
    }
}

#[tokio::test]
async fn a_part_that_no_answer_has_is_an_error() {
    let body =
        "data: {\"type\":\"content_block_start\",\"index\":4000000000,\"content_block\":{}}\n\n";
    let error = stream_error(Provider::Anthropic, body.to_owned()).await;
    assert_eq!(error.kind(), ModelErrorKind::Malformed);
    let body = "data: {\"choices\":[{\"delta\":{\"tool_calls\":[{\"index\":99999999}]}}]}\n\n";
    let error = stream_error(Provider::OpenAi, body.to_owned()).await;
    assert_eq!(error.kind(), ModelErrorKind::Malformed);
}

#[tokio::test]
async fn what_is_no_answer_means_the_same_whole_and_as_a_stream() {
    let cut_off = r#"{"choices":[{"#;
    for (body, kind) in [
        ("<!doctype html>\n<html></html>", ModelErrorKind::Malformed),
        ("\n upstream connect error", ModelErrorKind::Malformed),
        (cut_off, ModelErrorKind::Transport),
        ("", ModelErrorKind::Transport),
    ] {
        for provider in Provider::ALL {
            let whole = error(provider, move || json(200, body)).await;
            let streamed = stream_error(provider, body.to_owned()).await;
            let kinds = (whole.kind(), streamed.kind());
            assert_eq!(kinds, (kind, kind), "{provider:?} {body}: {streamed}");
        }
    }
}

#[tokio::test]
async fn an_answer_that_broke_off_tells_what_is_known_of_its_cost() {
    for (provider, is_known) in [
        (Provider::Anthropic, true),
        (Provider::Gemini, true),
        (Provider::OpenAi, false),
        (Provider::OpenAiResponses, false),
        (Provider::Ollama, false),
    ] {
        let text = cases::read(provider, "structured.stream");
        let half: String = text.split_inclusive('\n').take(3).collect();
        let error = stream_error(provider, half).await;
        let usage = error.usage().map(|usage| usage.input > 0);
        assert_eq!(usage, Some(is_known), "{provider:?} {error:?}");
        assert!(error.is_retryable(), "{error}");
    }
}

#[tokio::test]
async fn a_request_that_was_refused_costs_nothing() {
    for provider in Provider::ALL {
        let error = error(provider, move || json(429, body(provider, "slow down"))).await;
        assert_eq!(error.usage(), None, "{provider:?}");
    }
}

#[tokio::test]
async fn errors_with_a_number_within_an_answer_are_classified() {
    for (code, kind) in [
        ("400", ModelErrorKind::InvalidRequest),
        ("401", ModelErrorKind::Auth),
        ("402", ModelErrorKind::Quota),
        ("429", ModelErrorKind::RateLimited),
        ("502", ModelErrorKind::Upstream),
        ("\"402\"", ModelErrorKind::Quota),
    ] {
        let reported = format!(r#"{{"error":{{"code":{code},"message":"no"}}}}"#);
        let within = format!(
            r#"{{"choices":[{{"message":{{"content":"a"}},"finish_reason":"error","error":{{"code":{code},"message":"no"}}}}]}}"#
        );
        for provider in [
            Provider::OpenAi,
            Provider::OpenAiResponses,
            Provider::Gemini,
            Provider::Ollama,
        ] {
            let event = match provider {
                Provider::Ollama => format!("{reported}\n"),
                _ => format!("data: {reported}\n\n"),
            };
            let streamed = stream_error(provider, event).await;
            assert_eq!(streamed.kind(), kind, "{provider:?} {code}");
        }
        for body in [reported, within] {
            let whole = body.clone();
            let whole = error(Provider::OpenAi, move || json(200, whole.clone())).await;
            assert_eq!(whole.kind(), kind, "{body}");
            let event = format!("data: {body}\n\n");
            let streamed = stream_error(Provider::OpenAi, event).await;
            assert_eq!(streamed.kind(), kind, "{body}");
        }
    }
}

#[tokio::test]
async fn an_answer_that_ends_in_an_error_is_none() {
    let body = r#"{"choices":[{"message":{"content":"half"},"finish_reason":"error"}]}"#;
    let error = error(Provider::OpenAi, move || json(200, body)).await;
    assert_eq!(error.kind(), ModelErrorKind::Upstream);
}

#[tokio::test]
async fn a_server_that_is_not_there_is_named_with_the_reason() {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap().to_string();
    drop(listener);
    for provider in Provider::ALL {
        let (factory, url) = factory(provider, &address);
        let client = factory.client(&url).unwrap();
        let error = client.complete(&cases::structured()).await.unwrap_err();
        let text = error.to_string();
        let start = format!("the provider at http://{address} could not be reached: ");
        assert!(text.starts_with(&start), "{text}");
        assert!(text.contains("refused"), "{text}");
        assert_eq!(error.usage(), None);
    }
}

#[tokio::test]
async fn an_answer_without_a_reason_is_told_with_status_address_and_the_start_of_its_text() {
    let html = format!("<html>\n  <p>{}</p>", "x".repeat(500));
    let long = format!("<html> <p>{}…", "x".repeat(190));
    for (status, body, said) in [
        (
            404,
            "404 page not found\n".to_owned(),
            "said: 404 page not found",
        ),
        (
            404,
            r#"{"detail":"Not Found"}"#.to_owned(),
            r#"said: {"detail":"Not Found"}"#,
        ),
        (500, html, &*format!("said: {long}")),
        (500, String::new(), "did not say why"),
        (503, "\u{0}\u{1}binary".to_owned(), "did not say why"),
    ] {
        for provider in Provider::ALL {
            let body = body.clone();
            let server = Server::start(provider, move || json(status, body.clone())).await;
            let request = cases::structured();
            let error = server.client.complete(&request).await.unwrap_err();
            let path = server.last().uri.path().to_owned();
            let text = format!("http://{}{path} {said} (status {status})", server.address);
            assert_eq!(error.to_string(), text);
            assert_eq!(error.status(), Some(status));
        }
    }
}

#[tokio::test]
async fn a_key_is_not_shown_in_an_address_or_a_text_that_is_told() {
    let body = format!("no route for {KEY}");
    let server = Server::start(Provider::OpenAi, move || json(404, body.clone())).await;
    let address = format!("http://me:{KEY}@{}/v1?key={KEY}", server.address);
    let factory = server
        .factory
        .clone()
        .with_base_url(Provider::OpenAi, address);
    let client = factory.client(&server.url).unwrap();
    let error = client.complete(&cases::structured()).await.unwrap_err();
    let at = format!("http://{}/v1/chat/completions", server.address);
    assert_eq!(
        error.to_string(),
        format!("{at} said: no route for … (status 404)")
    );
}

#[tokio::test]
async fn a_redirect_is_named_with_where_it_leads() {
    for provider in Provider::ALL {
        for (status, target) in [
            (301, "/v2/x?token=secret"),
            (307, "https://elsewhere.example/v1"),
        ] {
            let server = Server::start(provider, move || {
                let mut answer = json(status, "");
                let headers = answer.headers_mut();
                headers.insert("location", target.parse().unwrap());
                answer
            })
            .await;
            let request = cases::structured();
            let error = server.client.complete(&request).await.unwrap_err();
            let path = server.last().uri.path().to_owned();
            let from = format!("http://{}", server.address);
            let to = match status {
                301 => format!("{from}/v2/x"),
                _ => target.to_owned(),
            };
            let text = format!("{from}{path} redirects to {to}, and redirects are not followed");
            assert_eq!(error.to_string(), format!("{text} (status {status})"));
            assert!(!error.is_retryable());
        }
    }
}

#[tokio::test]
async fn an_error_with_a_code_alone_is_told_by_its_code() {
    let body = r#"{"error":{"code":"server_overloaded","message":""}}"#;
    let error = error(Provider::OpenAi, move || json(503, body)).await;
    let text = "the provider says `server_overloaded`, and not why (status 503)";
    assert_eq!(error.to_string(), text);
}

#[tokio::test]
async fn an_answer_of_another_kind_of_server_is_told_with_its_address() {
    for provider in Provider::ALL {
        for body in ["<html>Welcome</html>", "", r#"{"hello":"world"}"#] {
            let server = Server::start(provider, move || json(200, body)).await;
            let request = cases::structured();
            let whole = server.client.complete(&request).await.unwrap_err();
            let path = server.last().uri.path().to_owned();
            let address = format!("http://{}{path}: ", server.address);
            assert!(whole.to_string().starts_with(&address), "{whole}");
            let streamed = server.client.stream(&request, &|_| {}).await.unwrap_err();
            let path = server.last().uri.path().to_owned();
            let address = format!("http://{}{path}: ", server.address);
            assert!(streamed.to_string().starts_with(&address), "{streamed}");
        }
    }
}

#[tokio::test]
async fn what_an_error_in_a_stream_says_of_its_cost_is_kept() {
    let event = r#"{"choices":[],"error":{"code":502,"message":"upstream"},"usage":{"prompt_tokens":40,"completion_tokens":2}}"#;
    let error = stream_error(Provider::OpenAi, format!("data: {event}\n\n")).await;
    assert_eq!(error.kind(), ModelErrorKind::Upstream);
    assert_eq!(error.usage().map(|usage| usage.total()), Some(42));
}

//! Errors that a server reports, by its status or in its words: what kind each is.

use std::time::Duration;

use pravah_runtime::{ModelErrorKind, Provider};

use crate::{
    failures::{body, error, stream_error},
    server::json,
};

#[tokio::test]
async fn a_refused_request_is_told_in_the_providers_words() {
    for provider in Provider::ALL {
        let error = error(provider, move || json(400, body(provider, "no such model"))).await;
        assert_eq!(error.kind(), ModelErrorKind::InvalidRequest, "{provider:?}");
        let at = error.address().unwrap();
        let text = format!("no such model (status 400 at {at})");
        assert_eq!(error.to_string(), text);
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
async fn an_error_with_a_code_alone_is_told_by_its_code() {
    let body = r#"{"error":{"code":"server_overloaded","message":""}}"#;
    let error = error(Provider::OpenAi, move || json(503, body)).await;
    let text = "the provider says `server_overloaded`, and not why (status 503 at ";
    assert!(error.to_string().starts_with(text), "{error}");
}

#[tokio::test]
async fn what_an_error_in_a_stream_says_of_its_cost_is_kept() {
    let event = r#"{"choices":[],"error":{"code":502,"message":"upstream"},"usage":{"prompt_tokens":40,"completion_tokens":2}}"#;
    let error = stream_error(Provider::OpenAi, format!("data: {event}\n\n")).await;
    assert_eq!(error.kind(), ModelErrorKind::Upstream);
    assert_eq!(error.usage().map(|usage| usage.total()), Some(42));
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
        assert!(error.to_string().starts_with("overloaded (status 200 at "));
        assert!(error.is_retryable());
    }
}

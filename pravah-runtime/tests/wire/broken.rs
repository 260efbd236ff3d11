//! Answers that are none, and streams that end too early.

use std::time::Duration;

use pravah_runtime::{ModelErrorKind, Provider};

use crate::{
    cases,
    failures::{error, stream_error},
    server::{Server, factory, json, stream},
};

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
            error.to_string().starts_with("event 1 of the answer"),
            "{error}"
        );
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
            format!(
                "the provider did not begin to answer within 600s (at {})",
                error.address().unwrap()
            )
        );
        assert!(error.address().unwrap().contains(&address));
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
        (r#"{"detail":"Not Found"}"#, ModelErrorKind::Malformed),
        ("{}", ModelErrorKind::Malformed),
        (r#"["nothing"]"#, ModelErrorKind::Malformed),
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
async fn an_answer_that_ends_in_an_error_is_none() {
    let body = r#"{"choices":[{"message":{"content":"half"},"finish_reason":"error"}]}"#;
    let error = error(Provider::OpenAi, move || json(200, body)).await;
    assert_eq!(error.kind(), ModelErrorKind::Upstream);
}

#[tokio::test]
async fn a_success_of_another_kind_of_server_says_how_its_text_starts() {
    for provider in Provider::ALL {
        let body = "<!doctype html>\n<title>It works!</title>";
        let says = "the server said: <!doctype html> <title>It works!</title>";
        let whole = error(provider, move || json(200, body)).await;
        assert!(whole.to_string().contains(says), "{whole}");
        let streamed = stream_error(provider, body.to_owned()).await;
        if provider != Provider::Ollama {
            assert!(streamed.to_string().contains(says), "{streamed}");
        }
    }
}

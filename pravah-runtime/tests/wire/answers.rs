//! How the answers of each provider are read, whole and as streams.

use std::sync::Mutex;

use pravah_runtime::{Arguments, ModelResponse, Provider, StopReason, ToolCall};
use serde_json::json;

use crate::{
    cases,
    server::{Server, json, stream},
};

async fn whole(provider: Provider, case: &str) -> ModelResponse {
    let body = cases::read(provider, &format!("{case}.response.json"));
    let server = Server::start(provider, move || json(200, body.clone())).await;
    server.client.complete(&cases::tools()).await.unwrap()
}

/// The answer and the pieces of text that came before it.
async fn streamed(provider: Provider, case: &str) -> (ModelResponse, Vec<String>) {
    let body = cases::read(provider, &format!("{case}.stream"));
    let server = Server::start(provider, move || stream(provider, body.clone())).await;
    let heard = Mutex::new(Vec::new());
    let hear = |text: &str| heard.lock().unwrap().push(text.to_owned());
    let request = cases::tools();
    let response = server.client.stream(&request, &hear).await.unwrap();
    (response, heard.into_inner().unwrap())
}

#[tokio::test]
async fn an_answer_means_the_same_from_every_provider() {
    for provider in Provider::ALL {
        let response = whole(provider, "structured").await;
        let wanted = ModelResponse::default()
            .with_text("{\"urgent\":true,\"note\":null}")
            .with_stop(StopReason::End)
            .with_usage(cases::usage(provider))
            .with_opaque(response.opaque.clone());
        assert_eq!(response, wanted, "{provider:?}");
    }
}

#[tokio::test]
async fn two_calls_of_one_answer_mean_the_same_from_every_provider() {
    for provider in Provider::ALL {
        let response = whole(provider, "tools").await;
        let call = |id: &str, query: &str| {
            // Ollama gives none.
            let id = match provider {
                Provider::Ollama => "",
                _ => id,
            };
            ToolCall::new(id, "search", Arguments::Json(json!({ "query": query })))
        };
        let wanted = ModelResponse::default()
            .with_calls(vec![call("call_a", "printer"), call("call_b", "toner")])
            .with_stop(StopReason::ToolCalls)
            .with_usage(cases::usage(provider))
            .with_opaque(response.opaque.clone());
        assert_eq!(response, wanted, "{provider:?}");
    }
}

#[tokio::test]
async fn what_only_the_provider_understands_is_kept() {
    for provider in Provider::ALL {
        let case = match provider {
            // Only servers that speak like it send such things.
            Provider::OpenAi => continue,
            Provider::Ollama => "structured",
            _ => "tools",
        };
        let opaque = whole(provider, case).await.opaque.unwrap();
        assert_eq!(opaque.provider, provider.scheme());
        assert_eq!(opaque.model, "test-model");
        let kept = opaque.items.to_string();
        let mark = match provider {
            Provider::OpenAiResponses => "gAAAA",
            Provider::Anthropic => "cmVk",
            Provider::Gemini => "c2ln",
            _ => "It is broken.",
        };
        assert!(kept.contains(mark), "{provider:?}: {kept}");
    }
}

#[tokio::test]
async fn an_answer_that_is_too_long_says_so() {
    for provider in Provider::ALL {
        let response = whole(provider, "cut").await;
        assert_eq!(response.stop, StopReason::MaxTokens, "{provider:?}");
        assert_eq!(response.text.as_deref(), Some("{\"urgent\":"));
    }
}

#[tokio::test]
async fn a_refusal_is_told_apart_from_an_answer() {
    for provider in Provider::ALL {
        let wanted = match provider {
            Provider::Gemini => StopReason::ContentFilter,
            // Its models refuse in words.
            Provider::Ollama => continue,
            _ => StopReason::Refusal,
        };
        assert_eq!(whole(provider, "refused").await.stop, wanted);
    }
}

#[tokio::test]
async fn a_stream_ends_in_the_same_answer() {
    for provider in Provider::ALL {
        for case in ["structured", "tools"] {
            let (response, heard) = streamed(provider, case).await;
            assert_eq!(
                response,
                whole(provider, case).await,
                "{provider:?}: {case}"
            );
            assert_eq!(heard.concat(), response.text.unwrap_or_default());
            assert_eq!(heard.len(), if case == "tools" { 0 } else { 2 });
        }
    }
}

#[tokio::test]
async fn the_probability_of_an_answer_is_the_mean_of_its_tokens() {
    for provider in Provider::ALL {
        let body = cases::read(provider, "structured.response.json");
        let mut body: serde_json::Value = serde_json::from_str(&body).unwrap();
        let tokens = json!([{ "token": "a", "logprob": -0.5 }, { "token": "b", "logprob": -1.5 }]);
        match provider {
            Provider::OpenAi => body["choices"][0]["logprobs"] = json!({ "content": tokens }),
            Provider::OpenAiResponses => body["output"][1]["content"][0]["logprobs"] = tokens,
            Provider::Gemini => body["candidates"][0]["avgLogprobs"] = json!(-1.0),
            Provider::Ollama => body["logprobs"] = tokens,
            _ => continue,
        }
        let server = Server::start(provider, move || json(200, body.to_string())).await;
        let response = server.client.complete(&cases::structured()).await.unwrap();
        let probability = response.token_probability.unwrap();
        assert!(
            (probability - (-1.0_f64).exp()).abs() < 1e-9,
            "{provider:?}"
        );
    }
}

#[tokio::test]
async fn a_server_that_speaks_like_openai_gets_its_models_reasoning_back() {
    let first = r#"{"choices":[{"message":{"role":"assistant","content":"no JSON","reasoning_content":"Hm.","new_field":1},"finish_reason":"stop"}]}"#;
    let server = Server::start(Provider::OpenAi, move || json(200, first)).await;
    let mut request = cases::structured();
    let response = server.client.complete(&request).await.unwrap();
    request
        .messages
        .push(pravah_runtime::Message::assistant(response));
    server.client.complete(&request).await.unwrap();
    assert_eq!(
        server.last().body["messages"][2],
        json!({ "role": "assistant", "content": "no JSON", "reasoning_content": "Hm." })
    );
}

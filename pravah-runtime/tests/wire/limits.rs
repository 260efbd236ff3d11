//! A value that an interface does not take is an error before anything is sent, which names the model, the
//! option, and what is taken.

use std::sync::atomic::Ordering;

use pravah_runtime::{
    Media, ModelErrorKind, ModelOptions, ModelRequest, Part, Provider, Server as Remote,
};

use crate::{
    cases,
    server::{Server, json as answer},
    servers::client,
};

use Provider::{Anthropic, Gemini, Ollama, OpenAi, OpenAiResponses as Responses};

pub(crate) async fn start(provider: Provider) -> Server {
    let body = cases::read(provider, "structured.response.json");
    Server::start(provider, move || answer(200, body.clone())).await
}

/// The words in which a request is refused that is not sent.
pub(crate) async fn refusal(provider: Provider, request: &ModelRequest) -> String {
    let server = start(provider).await;
    let error = server.client.complete(request).await.unwrap_err();
    assert_eq!(error.kind(), ModelErrorKind::InvalidRequest, "{error}");
    assert_eq!(error.usage(), None);
    assert_eq!(server.connections.load(Ordering::Relaxed), 0, "{error}");
    error.to_string()
}

pub(crate) async fn takes(provider: Provider, request: &ModelRequest) {
    let server = start(provider).await;
    let answer = server.client.complete(request).await;
    assert!(answer.is_ok(), "{provider:?}: {answer:?}");
}

fn with(options: ModelOptions) -> ModelRequest {
    let mut request = cases::structured();
    request.options = options;
    request
}

/// Checks that these options are refused, by which of them and for what.
async fn refuses(provider: Provider, options: ModelOptions, option: &str, limit: &str) {
    let error = refusal(provider, &with(options)).await;
    let text = format!("{option} cannot be set for `test-model`: {limit}");
    assert_eq!(error, text);
}

fn metadata(key: usize, value: usize) -> ModelOptions {
    ModelOptions::new().metadata("k".repeat(key), "v".repeat(value))
}

fn stops(count: usize) -> ModelOptions {
    (0..count).fold(ModelOptions::new(), |options, i| {
        options.stop(format!("END {i}"))
    })
}

fn pairs(count: usize) -> ModelOptions {
    let pair = |options: ModelOptions, i| options.metadata(format!("key {i}"), "value");
    (0..count).fold(ModelOptions::new(), pair)
}

#[tokio::test]
async fn the_ends_of_every_documented_range_are_taken() {
    for (provider, options) in [
        (OpenAi, stops(4).temperature(2.0).top_p(1.0)),
        (OpenAi, pairs(16)),
        (OpenAi, metadata(64, 512)),
        (Responses, pairs(16).temperature(2.0)),
        (Responses, metadata(64, 512)),
        (
            Anthropic,
            ModelOptions::new().reasoning(1_024).max_tokens(1_025),
        ),
        (
            Anthropic,
            ModelOptions::new().metadata("user_id", "v".repeat(200)),
        ),
        (Gemini, stops(5).temperature(2.0).top_p(0.0)),
        (Ollama, stops(20).temperature(9.0)),
    ] {
        takes(provider, &with(options)).await;
    }
}

#[tokio::test]
async fn a_temperature_beyond_its_range_is_refused() {
    for (provider, temperature, limit) in [
        (OpenAi, 2.5, "OpenAI takes 0 to 2"),
        (Responses, 2.01, "OpenAI's Responses takes 0 to 2"),
        (Gemini, 2.1, "Gemini takes 0 to 2"),
    ] {
        let options = ModelOptions::new().temperature(temperature);
        let option = format!("`temperature = {temperature}`");
        refuses(provider, options, &option, limit).await;
    }
}

#[tokio::test]
async fn more_texts_to_stop_at_than_an_interface_takes_are_refused() {
    let (four, five) = ("OpenAI takes at most 4", "Gemini takes at most 5");
    refuses(OpenAi, stops(5), "`stop` with 5 texts", four).await;
    refuses(Gemini, stops(6), "`stop` with 6 texts", five).await;
}

#[tokio::test]
async fn metadata_beyond_its_limits_is_refused() {
    for (provider, options, option, limit) in [
        (
            OpenAi,
            pairs(17),
            "`metadata` with 17 keys",
            "OpenAI takes at most 16",
        ),
        (
            OpenAi,
            metadata(65, 1),
            "a key of `metadata` with 65 characters",
            "OpenAI takes at most 64",
        ),
        (
            Responses,
            metadata(3, 513),
            "`kkk` of `metadata` with 513 characters",
            "OpenAI's Responses takes at most 512",
        ),
        (
            Anthropic,
            ModelOptions::new().metadata("team", "support"),
            "`team` of `metadata`",
            "Anthropic takes only `user_id`",
        ),
    ] {
        refuses(provider, options, option, limit).await;
    }
}

#[tokio::test]
async fn reasoning_that_is_too_short_or_leaves_no_answer_is_refused() {
    let options = ModelOptions::new().reasoning(1_023);
    let limit = "Anthropic takes at least 1024 tokens";
    refuses(Anthropic, options, "`reasoning = 1023`", limit).await;
    let options = ModelOptions::new().reasoning(1_024).max_tokens(1_024);
    let limit = "it leaves nothing beside 1024 tokens of reasoning";
    refuses(Anthropic, options, "`max_tokens = 1024`", limit).await;
}

/// Of somebody else's server nobody knows where its ranges end.
#[tokio::test]
async fn a_compatible_server_decides_about_values_itself() {
    let server = start(OpenAi).await;
    let address = format!("http://{}/v1", server.address);
    let client = client(Remote::openai_compatible(address));
    let mut request = with(stops(9).temperature(3.0));
    client.complete(&request).await.unwrap();
    request = cases::media([Some(Part::Image(Media::new("image/bmp", [0]))), None]);
    client.complete(&request).await.unwrap();
}

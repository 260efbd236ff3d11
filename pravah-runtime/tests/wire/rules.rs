//! Models that refuse what others take, behind servers that enforce what their vendors document.

use std::sync::Arc;

use axum::response::Response;
use pravah_runtime::{
    ClientFactory, Effort, Message, ModelClient, ModelErrorKind, ModelOptions, ModelRequest,
    ModelResponse, ModelUrl, OutputMode, Provider, ToolCall, ToolChoice,
};
use serde_json::{Value, json};

use crate::{
    cases,
    server::{Received, Server, json, stream},
};

/// An error as OpenAI and Anthropic word it.
fn refuse(message: &str) -> Response {
    let error = json!({ "type": "invalid_request_error", "message": message });
    json(400, json!({ "type": "error", "error": error }).to_string())
}

fn structured(provider: Provider) -> Response {
    json(200, cases::read(provider, "structured.response.json"))
}

fn with_tools(model: &str) -> ModelRequest {
    let mut request = cases::tools();
    request.model = model.to_owned();
    request
}

fn with_schema(model: &str) -> ModelRequest {
    let mut request = cases::structured();
    request.model = model.to_owned();
    request
}

/// Anthropic's 5.5 models: they take no forced call, no sampling, and always think.
async fn opus() -> Server {
    Server::judging(Provider::Anthropic, |Received { body, .. }| {
        let choice = body["tool_choice"]["type"].as_str().unwrap_or("auto");
        if matches!(choice, "any" | "tool") {
            return refuse("tool_choice `any` is not supported for this model");
        }
        if body.get("temperature").or(body.get("top_p")).is_some() {
            return refuse("sampling parameters are not supported");
        }
        if body["thinking"]["type"] == "disabled" {
            return refuse("thinking cannot be disabled");
        }
        structured(Provider::Anthropic)
    })
    .await
}

#[tokio::test]
async fn a_model_that_refuses_forced_calls_is_left_to_decide() {
    let server = opus().await;
    for model in [
        "claude-opus-5-5",
        "claude-sonnet-5-5",
        "claude-fable-5-1",
        "claude-new",
    ] {
        server.client.complete(&with_tools(model)).await.unwrap();
        assert!(server.last().body["tools"].is_array());
    }
}

#[tokio::test]
async fn a_call_is_forced_where_a_model_is_known_to_take_that() {
    for (provider, model, pointer, value) in [
        (Provider::OpenAi, "gpt-4o-mini", "/tool_choice", "required"),
        (
            Provider::OpenAiResponses,
            "gpt-5-mini",
            "/tool_choice",
            "required",
        ),
        (
            Provider::Anthropic,
            "claude-opus-4-5",
            "/tool_choice/type",
            "any",
        ),
        (
            Provider::Gemini,
            "gemini-2.5-flash",
            "/toolConfig/functionCallingConfig/mode",
            "ANY",
        ),
    ] {
        let server = Server::start(provider, move || structured(provider)).await;
        server.client.complete(&with_tools(model)).await.unwrap();
        assert_eq!(
            server.last().body.pointer(pointer),
            Some(&json!(value)),
            "{model}"
        );
    }
}

#[tokio::test]
async fn what_a_model_is_known_to_refuse_is_an_error_before_anything_is_sent() {
    let required = || ModelOptions::new().tool_choice(ToolChoice::Required);
    for (provider, model, options, error) in [
        (
            Provider::Anthropic,
            "claude-opus-5-5",
            required(),
            "`tool_choice = required` cannot be set for `claude-opus-5-5`: this model does not take it",
        ),
        (
            Provider::Anthropic,
            "claude-opus-5-5",
            ModelOptions::new().reasoning(Effort::None),
            "`reasoning = none` cannot be set for `claude-opus-5-5`: this model does not take it",
        ),
        (
            Provider::Anthropic,
            "claude-haiku-5-5",
            ModelOptions::new().temperature(0.5),
            "`temperature` cannot be set for `claude-haiku-5-5`: Anthropic does not take it",
        ),
        (
            Provider::Anthropic,
            "claude-opus-4-5",
            required().reasoning(2_000),
            "`tool_choice = required` beside a number of tokens for `reasoning` cannot be set for \
             `claude-opus-4-5`: Anthropic does not take it",
        ),
        (
            Provider::OpenAi,
            "gpt-4o",
            ModelOptions::new().reasoning(Effort::Low),
            "an effort of `reasoning` cannot be set for `gpt-4o`: this model does not take it",
        ),
        (
            Provider::OpenAi,
            "o3",
            ModelOptions::new().stop("END"),
            "`stop` cannot be set for `o3`: this model does not take it",
        ),
        (
            Provider::OpenAiResponses,
            "gpt-5.2",
            ModelOptions::new().seed(7),
            "`seed` cannot be set for `gpt-5.2`: OpenAI's Responses does not take it",
        ),
        (
            Provider::Gemini,
            "gemini-3-pro",
            ModelOptions::new().metadata("team", "support"),
            "`metadata` cannot be set for `gemini-3-pro`: Gemini does not take it",
        ),
        (
            Provider::Ollama,
            "qwen3",
            required(),
            "`tool_choice = required` cannot be set for `qwen3`: Ollama does not take it",
        ),
        (
            Provider::OpenAi,
            "deepseek-v4",
            required(),
            "`tool_choice = required` cannot be set for `deepseek-v4`: this model does not take it",
        ),
        (
            Provider::OpenAi,
            "m",
            ModelOptions::new().top_p(1.5),
            "`top_p` is 1.5: it is a number from 0 to 1",
        ),
    ] {
        let server = Server::start(provider, move || structured(provider)).await;
        let mut request = with_tools(model);
        request.options = options;
        let refused = server.client.complete(&request).await.unwrap_err();
        assert_eq!(refused.to_string(), error);
        assert_eq!(refused.kind(), ModelErrorKind::InvalidRequest);
        assert!(!refused.is_retryable());
        assert_eq!(server.requests(), 0, "{model}");
    }
}

/// OpenAI as it is to gpt-5.6 and gpt-6.
async fn openai() -> Server {
    Server::judging(Provider::OpenAi, |Received { uri, body, .. }| {
        let model = body["model"].as_str().unwrap_or_default();
        let is_new = model.starts_with("gpt-5.6") || model.starts_with("gpt-6");
        let reasons = is_new && body["reasoning_effort"] != "none";
        match uri.path() {
            "/v1/responses" if body["stream"] == true => {
                let provider = Provider::OpenAiResponses;
                stream(provider, cases::read(provider, "structured.stream"))
            }
            "/v1/responses" => structured(Provider::OpenAiResponses),
            _ if body["tools"].is_array() && reasons => refuse(
                "Function tools are not supported: use /v1/responses or set reasoning_effort to 'none'",
            ),
            _ => structured(Provider::OpenAi),
        }
    })
    .await
}

#[tokio::test]
async fn openais_newer_models_are_asked_through_responses_where_they_have_tools() {
    let server = openai().await;
    let client = &server.client;
    for model in ["gpt-5.6", "gpt-5.6-mini", "gpt-6-sol", "gpt-6.1-terra"] {
        client.complete(&with_tools(model)).await.unwrap();
        let sent = server.last();
        assert_eq!(sent.uri.path(), "/v1/responses");
        assert_eq!(sent.body["store"], false);
        client.stream(&with_tools(model), &|_| {}).await.unwrap();
        assert_eq!(server.last().uri.path(), "/v1/responses");

        client.complete(&with_schema(model)).await.unwrap();
        assert_eq!(server.last().uri.path(), "/v1/chat/completions");

        let mut request = with_tools(model);
        request.options = ModelOptions::new().reasoning(Effort::None);
        client.complete(&request).await.unwrap();
        assert_eq!(server.last().uri.path(), "/v1/chat/completions");
    }
    client.complete(&with_tools("gpt-5-mini")).await.unwrap();
    assert_eq!(server.last().uri.path(), "/v1/chat/completions");
}

/// A client of `server` as somebody else's, under a scheme of its own.
fn compatible(
    server: &Server,
    model: &str,
    change: impl FnOnce(pravah_runtime::Server) -> pravah_runtime::Server,
) -> Arc<dyn ModelClient> {
    let address = format!("http://{}/v1", server.address);
    let other = change(pravah_runtime::Server::openai_compatible(address));
    let factory = ClientFactory::new().with_server("acme", other);
    let url = ModelUrl::custom(&format!("acme://{model}")).unwrap();
    factory.client(&url).unwrap()
}

#[tokio::test]
async fn somebody_elses_server_is_asked_through_chat_completions_alone() {
    let server = Server::start(Provider::OpenAi, || structured(Provider::OpenAi)).await;
    let client = compatible(&server, "gpt-6-sol", |server| server);
    client.complete(&with_tools("gpt-6-sol")).await.unwrap();
    assert_eq!(server.last().uri.path(), "/v1/chat/completions");
}

#[tokio::test]
async fn a_second_account_of_openai_is_asked_as_openai_is() {
    let server = openai().await;
    let account =
        pravah_runtime::Server::new(Provider::OpenAi, format!("http://{}/v1", server.address));
    let factory = ClientFactory::new().with_server("second", account);
    let url = ModelUrl::custom("second://gpt-6-sol").unwrap();
    let client = factory.client(&url).unwrap();
    client.complete(&with_tools("gpt-6-sol")).await.unwrap();
    assert_eq!(server.last().uri.path(), "/v1/responses");

    let mut request = with_schema("o1");
    request.options = ModelOptions::new().max_tokens(100);
    client.complete(&request).await.unwrap();
    let body = server.last().body;
    assert_eq!(body["max_completion_tokens"], 100);
    assert_eq!(body.get("max_tokens"), None);

    let client = compatible(&server, "o1", |server| server);
    client.complete(&request).await.unwrap();
    let body = server.last().body;
    assert_eq!(body["max_tokens"], 100);
    assert_eq!(body.get("max_completion_tokens"), None);
}

#[tokio::test]
async fn openais_two_interfaces_share_a_key_and_an_address_unless_each_has_its_own() {
    let server = openai().await;
    let address = format!("http://{}/v1", server.address);
    let key_sent = async |factory: &ClientFactory, scheme: &str| {
        let url = ModelUrl::parse(&format!("{scheme}://gpt-5-mini")).unwrap();
        let client = factory.client(&url).unwrap();
        client.complete(&with_schema("gpt-5-mini")).await.unwrap();
        let sent = server.last();
        let path = sent.uri.path().to_owned();
        (
            path,
            sent.headers["authorization"].to_str().unwrap().to_owned(),
        )
    };
    let (chat, responses) = (Provider::OpenAi, Provider::OpenAiResponses);
    let paths = ["/v1/chat/completions", "/v1/responses"];
    for given in [chat, responses] {
        let factory = ClientFactory::new()
            .with_key(given, "key-one")
            .with_base_url(given, &address);
        for (provider, path) in [chat, responses].into_iter().zip(paths) {
            let sent = key_sent(&factory, provider.scheme()).await;
            assert_eq!(sent, (path.to_owned(), "Bearer key-one".to_owned()));
        }
    }
    let factory = ClientFactory::new()
        .with_base_url(chat, &address)
        .with_key(chat, "key-one")
        .with_key(responses, "key-two");
    for (provider, key) in [(chat, "Bearer key-one"), (responses, "Bearer key-two")] {
        assert_eq!(key_sent(&factory, provider.scheme()).await.1, key);
    }
}

/// The schema that a prompt states, if it does.
fn stated(body: &Value) -> bool {
    let system = body["messages"][0]["content"].as_str().unwrap_or_default();
    system.starts_with("You triage tickets.\n\nAnswer with JSON that fits this schema:\n{")
}

#[tokio::test]
async fn deepseek_is_asked_for_a_json_object() {
    let server = Server::judging(Provider::OpenAi, |Received { body, .. }| {
        if body["response_format"]["type"] == "json_schema" {
            return refuse("This response_format type is unavailable now");
        }
        if body["tool_choice"] == "required" {
            return refuse("tool_choice `required` is not supported in thinking mode");
        }
        structured(Provider::OpenAi)
    })
    .await;
    for model in ["deepseek-chat", "deepseek-reasoner", "deepseek-v4-pro"] {
        server.client.complete(&with_schema(model)).await.unwrap();
        let body = server.last().body;
        assert_eq!(body["response_format"], json!({ "type": "json_object" }));
        assert!(stated(&body), "{body}");
        server.client.complete(&with_tools(model)).await.unwrap();
    }
}

/// A conversation in which the model called a tool without a word.
fn called() -> ModelRequest {
    let arguments = pravah_runtime::Arguments::Json(json!({ "query": "fire" }));
    let call = ToolCall::new("call_a", "search", arguments);
    let mut answer = ModelResponse::default();
    answer.calls = vec![call.clone(), call];
    answer.calls[1].id = "call_b".to_owned();
    cases::results(&answer)
}

#[tokio::test]
async fn a_server_is_asked_for_json_in_the_way_it_knows() {
    for (mode, format) in [
        (OutputMode::Object, json!({ "type": "json_object" })),
        (OutputMode::Prompt, Value::Null),
    ] {
        let server = Server::start(Provider::OpenAi, || structured(Provider::OpenAi)).await;
        let client = compatible(&server, "m", |server| server.output(mode));
        client.complete(&with_schema("m")).await.unwrap();
        let body = server.last().body;
        assert_eq!(body["response_format"], format);
        assert!(stated(&body));
    }
}

#[tokio::test]
async fn llama_cpp_python_gets_an_object_with_a_schema_and_text_beside_calls() {
    let server = Server::judging(Provider::OpenAi, |Received { body, .. }| {
        let messages = body["messages"].as_array().unwrap();
        if body["response_format"]["type"] == "json_schema" {
            return json(500, "{}");
        }
        if messages
            .iter()
            .any(|message| !message["content"].is_string())
        {
            return json(500, "{}");
        }
        structured(Provider::OpenAi)
    })
    .await;
    let client = compatible(&server, "m", |server| {
        server.output(OutputMode::ObjectSchema).string_content()
    });
    client.complete(&with_schema("m")).await.unwrap();
    let format = &server.last().body["response_format"];
    assert_eq!(format["type"], "json_object");
    assert_eq!(format["schema"]["type"], "object");
    let request = called();
    assert!(matches!(
        request.messages[1],
        Message::Assistant { text: None, .. }
    ));
    client.complete(&request).await.unwrap();
}

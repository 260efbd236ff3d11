//! What each provider is sent.

use std::sync::{Arc, Mutex, atomic::Ordering};

use pravah_runtime::{
    Media, ModelClient, ModelFuture, ModelRequest, ModelResponse, ModelUrl, Part, Provider,
    prelude::*,
};
use serde_json::{Value, json};

use crate::{
    cases,
    flows::{Ticket, Verdict},
    server::{KEY, Server, json, stream},
};

/// `value` with the JSON in its texts parsed where a crate of the program (`genai`) makes serde_json keep the order of the
/// source, so that the order of keys does not count. Where it sorts them, texts are compared as they are.
fn comparable(value: Value) -> Value {
    let keeps_order = json!({ "b": 0, "a": 0 }).to_string().starts_with(r#"{"b""#);
    match keeps_order {
        true => with_json_read(value),
        false => value,
    }
}

fn with_json_read(value: Value) -> Value {
    match value {
        Value::String(text) => match text.find('{').map(|at| text.split_at(at)) {
            Some((before, rest)) => {
                let mut values = serde_json::Deserializer::from_str(rest).into_iter::<Value>();
                match values.next() {
                    Some(Ok(read)) => {
                        let after = with_json_read(rest[values.byte_offset()..].into());
                        json!([before, read, after])
                    }
                    _ => text.into(),
                }
            }
            None => text.into(),
        },
        Value::Array(items) => items.into_iter().map(with_json_read).collect(),
        Value::Object(fields) => {
            let fields = fields.into_iter();
            fields
                .map(|(key, value)| (key, with_json_read(value)))
                .collect()
        }
        other => other,
    }
}

/// Sends a request, and compares it with the file of the case.
pub(crate) async fn sends(provider: Provider, case: &str, request: &ModelRequest) {
    let body = cases::read(provider, "structured.response.json");
    let server = Server::start(provider, move || json(200, body.clone())).await;
    server.client.complete(request).await.unwrap();
    let sent = server.last().body;
    let file = format!("{case}.request.json");
    if std::env::var_os("PRAVAH_BLESS").is_some() {
        let text = serde_json::to_string_pretty(&sent).unwrap() + "\n";
        std::fs::write(cases::path(provider, &file), text).unwrap();
    }
    let wanted: Value = serde_json::from_str(&cases::read(provider, &file)).unwrap();
    assert_eq!(
        with_json_read(sent),
        with_json_read(wanted),
        "{provider:?}: {case}"
    );
}

async fn with_results(provider: Provider) -> ModelRequest {
    let body = cases::read(provider, "tools.response.json");
    let server = Server::start(provider, move || json(200, body.clone())).await;
    cases::results(&server.client.complete(&cases::tools()).await.unwrap())
}

// S1.15, S1.34
#[tokio::test]
async fn json_is_asked_for_with_a_schema() {
    for provider in Provider::ALL {
        sends(provider, "structured", &cases::structured()).await;
    }
}

// S1.16
#[tokio::test]
async fn tools_are_offered_and_one_must_be_called() {
    for provider in Provider::ALL {
        sends(provider, "tools", &cases::tools()).await;
    }
}

#[tokio::test]
async fn results_go_back_with_what_only_the_provider_understands() {
    for provider in Provider::ALL {
        sends(provider, "results", &with_results(provider).await).await;
    }
}

#[tokio::test]
async fn images_and_files_are_sent_where_the_provider_takes_them() {
    for provider in Provider::ALL {
        let file = (provider != Provider::Ollama).then(cases::pdf);
        let request = cases::media([Some(cases::image()), file]);
        sends(provider, "media", &request).await;
    }
}

#[tokio::test]
async fn images_and_files_at_an_address_are_sent_where_the_provider_takes_them() {
    let image = Part::Image(Media::url("https://example.com/a.png").with_media_type("image/png"));
    let file = Part::File(Media::url("https://example.com/a.pdf"));
    for (provider, file) in [
        (Provider::OpenAi, None),
        (Provider::OpenAiResponses, Some(file.clone())),
        (Provider::Anthropic, Some(file.clone())),
        (Provider::Gemini, Some(file)),
    ] {
        let request = cases::media([Some(image.clone()), file]);
        sends(provider, "media_at_address", &request).await;
    }
}

#[tokio::test]
async fn a_conversation_that_another_provider_began_goes_on() {
    for provider in Provider::ALL {
        sends(provider, "foreign", &cases::foreign()).await;
    }
}

#[tokio::test]
async fn another_model_gets_nothing_that_only_the_first_understands() {
    for provider in Provider::ALL {
        let mut request = with_results(provider).await;
        request.model = "other-model".to_owned();
        sends(provider, "other_model", &request).await;
    }
}

#[tokio::test]
async fn what_was_wrong_with_an_answer_is_said_in_the_conversation() {
    for provider in Provider::ALL {
        sends(provider, "repair", &cases::repair()).await;
    }
}

#[tokio::test]
async fn an_answer_of_nothing_goes_back_in_a_form_that_is_taken() {
    for provider in Provider::ALL {
        sends(provider, "nothing", &cases::nothing()).await;
    }
}

#[tokio::test]
async fn an_answer_under_a_contract_is_asked_for_in_its_envelope() {
    for provider in Provider::ALL {
        sends(provider, "contract", &contract().await).await;
    }
}

#[agent(model = "openai://test-model", preamble = "You triage.", output = Verdict, contract)]
fn triage(_: &Ticket) -> String {
    "The printer is on fire.".to_owned()
}

#[node]
fn rescue(_: &Failure<Ticket>) -> Verdict {
    Verdict {
        urgent: true,
        note: None,
    }
}

#[flow]
fn support(ticket: Ticket) -> Verdict {
    flow! { triage; catch(triage) -> rescue }
}

/// What an agent under a contract asks.
async fn contract() -> ModelRequest {
    #[derive(Default)]
    struct Asked(Mutex<Vec<ModelRequest>>);

    impl ModelClient for Asked {
        fn complete<'a>(&'a self, request: &'a ModelRequest) -> ModelFuture<'a> {
            self.0.lock().unwrap().push(request.clone());
            Box::pin(async { Ok(ModelResponse::default()) })
        }
    }

    let asked = Arc::new(Asked::default());
    let factory = ClientFactory::new().with_client(asked.clone());
    let mut run = FlowRuntime::new(Ticket {}).unwrap().with_factory(factory);
    run.next(Context::default()).await.unwrap();
    asked.0.lock().unwrap().remove(0)
}

#[tokio::test]
async fn probabilities_of_tokens_are_asked_for_where_they_are_told() {
    for provider in Provider::ALL {
        let mut request = cases::structured();
        request.token_probabilities = true;
        if provider == Provider::Anthropic {
            let server = Server::start(provider, || json(200, "")).await;
            let error = server.client.complete(&request).await.unwrap_err();
            let text = "models of Anthropic do not tell how probable their tokens are";
            assert_eq!(error.to_string(), text);
            continue;
        }
        sends(provider, "probabilities", &request).await;
    }
}

#[tokio::test]
async fn a_stream_is_asked_for() {
    for provider in Provider::ALL {
        let body = cases::read(provider, "structured.stream");
        let server = Server::start(provider, move || stream(provider, body.clone())).await;
        let request = cases::structured();
        server.client.stream(&request, &|_| {}).await.unwrap();
        let received = server.last();
        let plain = cases::read(provider, "structured.request.json");
        let mut plain: Value = serde_json::from_str(&plain).unwrap();
        match provider {
            Provider::Gemini => {
                let uri = "/v1beta/models/test-model:streamGenerateContent?alt=sse";
                assert_eq!(received.uri, uri);
            }
            Provider::OpenAi => {
                plain["stream_options"] = serde_json::json!({ "include_usage": true });
                plain["stream"] = true.into();
            }
            _ => plain["stream"] = true.into(),
        }
        assert_eq!(comparable(received.body), comparable(plain), "{provider:?}");
    }
}

#[tokio::test]
async fn each_provider_has_its_address_and_its_way_to_show_a_key() {
    for provider in Provider::ALL {
        let body = cases::read(provider, "structured.response.json");
        let server = Server::start(provider, move || json(200, body.clone())).await;
        server.client.complete(&cases::structured()).await.unwrap();
        let received = server.last();
        let bearer = format!("Bearer {KEY}");
        let (path, header, value) = match provider {
            Provider::OpenAi => ("/v1/chat/completions", "authorization", bearer.as_str()),
            Provider::OpenAiResponses => ("/v1/responses", "authorization", bearer.as_str()),
            Provider::Anthropic => ("/v1/messages", "x-api-key", KEY),
            Provider::Gemini => (
                "/v1beta/models/test-model:generateContent",
                "x-goog-api-key",
                KEY,
            ),
            Provider::Ollama => ("/api/chat", "authorization", bearer.as_str()),
            other => panic!("{other:?}"),
        };
        assert_eq!(received.uri.path(), path);
        assert_eq!(received.headers[header], value);
        assert_eq!(received.headers["content-type"], "application/json");
        let version = received.headers.get("anthropic-version");
        assert_eq!(version.is_some(), provider == Provider::Anthropic);
    }
}

#[tokio::test]
async fn all_models_of_a_provider_are_asked_over_one_connection() {
    for provider in Provider::ALL {
        let body = cases::read(provider, "structured.response.json");
        let server = Server::start(provider, move || json(200, body.clone())).await;
        for model in ["one", "other", "one"] {
            let url = server.url.to_string().replace("test-model", model);
            let url = ModelUrl::parse(&url).unwrap();
            let client = server.factory.client(&url).unwrap();
            let mut request = cases::structured();
            request.model = model.to_owned();
            client.complete(&request).await.unwrap();
        }
        let connections = server.connections.load(Ordering::Relaxed);
        assert_eq!(connections, 1, "{provider:?}");
    }
}

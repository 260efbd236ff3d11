//! A web server on loopback that records what it gets, and a client of it.

use std::{
    collections::VecDeque,
    sync::{Arc, Mutex},
};

use axum::{
    Router,
    body::Bytes,
    extract::State,
    http::{HeaderMap, Method, StatusCode, Uri},
    response::{IntoResponse, Response},
};
use pravah_runtime::{
    ClientFactory, Message, ModelClient, ModelError, ModelRequest, ModelResponse, ModelUrl,
    OutputSpec, Provider, ToModel,
};
use serde_json::{Value, json};

pub(crate) const KEY: &str = "sk-secret-123";

/// What the server got.
#[derive(Clone)]
pub(crate) struct Received {
    pub(crate) method: Method,
    pub(crate) uri: Uri,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Value,
}

#[derive(Clone, Default)]
pub(crate) struct Server {
    answers: Arc<Mutex<VecDeque<Response>>>,
    received: Arc<Mutex<Vec<Received>>>,
}

impl Server {
    /// A server with these answers, and a client of it.
    pub(crate) async fn start(
        answers: impl IntoIterator<Item = Response>,
    ) -> (Self, Arc<dyn ModelClient>) {
        let server = Self::default();
        server.answers.lock().unwrap().extend(answers);
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let app = Router::new().fallback(answer).with_state(server.clone());
        tokio::spawn(async move { axum::serve(listener, app).await });
        (server, client(&format!("http://{address}/v1")))
    }

    pub(crate) fn received(&self) -> Vec<Received> {
        self.received.lock().unwrap().clone()
    }
}

async fn answer(
    State(server): State<Server>,
    method: Method,
    uri: Uri,
    headers: HeaderMap,
    body: Bytes,
) -> Response {
    let body = serde_json::from_slice(&body).unwrap_or_default();
    server.received.lock().unwrap().push(Received {
        method,
        uri,
        headers,
        body,
    });
    let answer = server.answers.lock().unwrap().pop_front();
    answer.unwrap_or_else(|| StatusCode::IM_A_TEAPOT.into_response())
}

pub(crate) fn client(base_url: &str) -> Arc<dyn ModelClient> {
    let factory = ClientFactory::new()
        .with_key(Provider::OpenAi, KEY)
        .with_base_url(Provider::OpenAi, base_url);
    factory
        .client(&ModelUrl::parse("openai://gpt-4o").unwrap())
        .unwrap()
}

pub(crate) fn request() -> ModelRequest {
    let message = Message::user("A ticket.".to_model());
    let mut request = ModelRequest::new("gpt-4o", vec![message]);
    request.node = "triage".to_owned();
    request.system = "You triage.".to_owned();
    request.output = Some(OutputSpec::new(
        "Failure<Verdict>",
        json!({ "type": "object", "properties": { "n": { "type": "integer" } }, "required": ["n"] }),
    ));
    request
}

pub(crate) fn ok(body: Value) -> Response {
    axum::Json(body).into_response()
}

pub(crate) fn completion(message: Value, finish_reason: &str) -> Response {
    ok(json!({
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "choices": [{ "index": 0, "message": message, "finish_reason": finish_reason, "logprobs": null }],
        "usage": {
            "prompt_tokens": 20, "completion_tokens": 7, "total_tokens": 27,
            "prompt_tokens_details": { "cached_tokens": 5, "audio_tokens": 0 },
            "completion_tokens_details": { "reasoning_tokens": 3 },
        },
        "system_fingerprint": null,
    }))
}

pub(crate) async fn ask(answer: Response) -> Result<ModelResponse, ModelError> {
    let (_, client) = Server::start([answer]).await;
    client.complete(&request()).await
}

//! A web server on loopback that gives prepared answers and keeps what it was sent.

use std::sync::{
    Arc, Mutex,
    atomic::{AtomicUsize, Ordering},
};

use axum::{
    Router,
    body::Bytes,
    extract::State,
    http::{HeaderMap, StatusCode, Uri},
    response::{IntoResponse, Response},
    serve::ListenerExt as _,
};
use pravah_runtime::{ClientFactory, ModelClient, ModelUrl, Provider};
use serde_json::Value;

pub(crate) const KEY: &str = "planted-key-0123456789";

pub(crate) struct Received {
    pub(crate) uri: Uri,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Value,
}

#[derive(Clone)]
struct Shared {
    answer: Arc<dyn Fn(&Received) -> Response + Send + Sync>,
    received: Arc<Mutex<Vec<Received>>>,
}

pub(crate) struct Server {
    pub(crate) client: Arc<dyn ModelClient>,
    pub(crate) factory: ClientFactory,
    /// The model to ask there.
    pub(crate) url: ModelUrl,
    /// How often somebody has connected.
    pub(crate) connections: Arc<AtomicUsize>,
    received: Arc<Mutex<Vec<Received>>>,
    /// Where it is: `127.0.0.1:PORT`.
    pub(crate) address: String,
}

impl Server {
    /// A server that answers everything with `answer`, and a client of it.
    pub(crate) async fn start(
        provider: Provider,
        answer: impl Fn() -> Response + Send + Sync + 'static,
    ) -> Self {
        Self::judging(provider, move |_| answer()).await
    }

    /// A server that answers by what it is sent.
    pub(crate) async fn judging(
        provider: Provider,
        answer: impl Fn(&Received) -> Response + Send + Sync + 'static,
    ) -> Self {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let received = Arc::<Mutex<Vec<Received>>>::default();
        let shared = Shared {
            answer: Arc::new(answer),
            received: Arc::clone(&received),
        };
        let app = Router::new().fallback(handle).with_state(shared);
        let connections = Arc::<AtomicUsize>::default();
        let count = Arc::clone(&connections);
        let listener = listener.tap_io(move |_| {
            count.fetch_add(1, Ordering::Relaxed);
        });
        tokio::spawn(async move { axum::serve(listener, app).await });
        let (factory, url) = factory(provider, &address.to_string());
        Self {
            client: factory.client(&url).unwrap(),
            factory,
            url,
            connections,
            received,
            address: address.to_string(),
        }
    }

    /// How many requests came.
    pub(crate) fn requests(&self) -> usize {
        self.received.lock().unwrap().len()
    }

    pub(crate) fn last(&self) -> Received {
        self.received.lock().unwrap().pop().unwrap()
    }
}

/// Clients of a server at `address`, and the model to ask there.
pub(crate) fn factory(provider: Provider, address: &str) -> (ClientFactory, ModelUrl) {
    let base = match provider {
        Provider::OpenAi | Provider::OpenAiResponses => format!("http://{address}/v1"),
        Provider::Gemini => format!("http://{address}/v1beta"),
        _ => format!("http://{address}"),
    };
    let url = match provider {
        Provider::Ollama => format!("ollama://{address}/test-model"),
        provider => format!("{}://test-model", provider.scheme()),
    };
    let factory = ClientFactory::new().with_key(provider, KEY);
    let factory = match provider {
        Provider::Ollama => factory,
        provider => factory.with_base_url(provider, base),
    };
    (factory, ModelUrl::parse(&url).unwrap())
}

async fn handle(
    State(shared): State<Shared>,
    uri: Uri,
    headers: HeaderMap,
    body: Bytes,
) -> Response {
    let body = serde_json::from_slice(&body).unwrap_or_default();
    let received = Received { uri, headers, body };
    let answer = (shared.answer)(&received);
    shared.received.lock().unwrap().push(received);
    answer
}

/// An answer with a body of a content type.
pub(crate) fn answer(status: u16, content_type: &str, body: impl Into<Vec<u8>>) -> Response {
    let status = StatusCode::from_u16(status).unwrap();
    let headers = [("content-type", content_type.to_owned())];
    (status, headers, body.into()).into_response()
}

pub(crate) fn json(status: u16, body: impl Into<Vec<u8>>) -> Response {
    answer(status, "application/json", body)
}

pub(crate) fn stream(provider: Provider, body: impl Into<Vec<u8>>) -> Response {
    match provider {
        Provider::Ollama => answer(200, "application/x-ndjson", body),
        _ => answer(200, "text/event-stream", body),
    }
}

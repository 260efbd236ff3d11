//! A server that answers as a test says, well or not.

use std::sync::{Arc, Mutex};

use axum::{
    Json, Router,
    body::{Body, Bytes},
    extract::State,
    http::StatusCode,
    response::{IntoResponse as _, Response},
    routing::{get, post},
};
use futures_util::{StreamExt as _, stream};
use pravah_a2a::A2aRunner;
use pravah_runtime::{
    FlowRuntime,
    invocation::{AgentRegistry, RemoteTaskHandle, RunnerConfig},
};
use serde_json::{Value, json};
use tokio::{net::TcpListener, task::JoinHandle};

/// What a method is answered with.
pub(crate) enum Reply {
    Result(Value),
    Error(i64),
    Status(u16, &'static str),
    /// Events, after which the stream breaks, or is silent.
    Stream(Vec<Value>, Then),
}

#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Then {
    Breaks,
    IsSilent,
}

type Handler = Arc<dyn Fn(&str, &Value) -> Reply + Send + Sync>;

pub(crate) struct Peer {
    pub(crate) url: String,
    methods: Arc<Mutex<Vec<String>>>,
    task: JoinHandle<()>,
}

impl Drop for Peer {
    fn drop(&mut self) {
        self.task.abort();
    }
}

impl Peer {
    /// A server whose card says whether it has streams.
    pub(crate) async fn start(
        has_streams: bool,
        handler: impl Fn(&str, &Value) -> Reply + Send + Sync + 'static,
    ) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let interface =
            json!({ "url": url, "protocolBinding": "JSONRPC", "protocolVersion": "1.0" });
        let card = json!({
            "name": "peer",
            "description": "",
            "version": "1",
            "supportedInterfaces": [interface],
            "capabilities": { "streaming": has_streams },
            "defaultInputModes": [],
            "defaultOutputModes": [],
            "skills": [],
        });
        let methods = Arc::<Mutex<Vec<String>>>::default();
        let state = (Arc::new(handler) as Handler, Arc::clone(&methods));
        let router = Router::new()
            .route("/.well-known/agent-card.json", get(async || Json(card)))
            .route("/", post(answer))
            .with_state(state);
        let task = tokio::spawn(async move { axum::serve(listener, router).await.unwrap() });
        Self { url, methods, task }
    }

    /// How often a method was called.
    pub(crate) fn count(&self, method: &str) -> usize {
        let methods = self.methods.lock().unwrap();
        methods.iter().filter(|it| *it == method).count()
    }

    pub(crate) fn runner(&self) -> A2aRunner {
        A2aRunner::new().with_agent("peer", &self.url)
    }

    /// A run of its agent.
    pub(crate) fn run(&self) -> FlowRuntime<AgentRegistry> {
        let registry = AgentRegistry::new()
            .with_runner(self.runner())
            .with_remote_agent("peer", "a2a");
        crate::support::invoke(&registry, "peer", json!({ "name": "Ada" }))
    }

    /// The handle of its task.
    pub(crate) fn handle(&self) -> RemoteTaskHandle {
        let address = json!({ "url": self.url, "context_id": "c", "id": "t" });
        let remote_id = json!({ "task": address }).to_string();
        RemoteTaskHandle::new("run/peer#1", remote_id, RunnerConfig::new("a2a"))
    }
}

async fn answer(
    State((handler, methods)): State<(Handler, Arc<Mutex<Vec<String>>>)>,
    body: Bytes,
) -> Response {
    let request: Value = serde_json::from_slice(&body).unwrap();
    let method = request["method"].as_str().unwrap();
    methods.lock().unwrap().push(method.to_owned());
    let envelope =
        |key: &str, value: Value| json!({ "jsonrpc": "2.0", "id": request["id"], key: value });
    match handler(method, &request["params"]) {
        Reply::Result(result) => Json(envelope("result", result)).into_response(),
        Reply::Error(code) => {
            let error = json!({ "code": code, "message": "no" });
            Json(envelope("error", error)).into_response()
        }
        Reply::Status(status, body) => {
            (StatusCode::from_u16(status).unwrap(), body).into_response()
        }
        Reply::Stream(events, then) => {
            let events = events
                .into_iter()
                .map(|event| format!("data: {}\n\n", envelope("result", event)));
            let events: Vec<_> = events.map(|it| Ok(Bytes::from(it))).collect();
            let end = match then {
                Then::Breaks => stream::iter([Err(std::io::Error::other("cut"))]).boxed(),
                Then::IsSilent => stream::pending().boxed(),
            };
            let body = Body::from_stream(stream::iter(events).chain(end));
            Response::builder()
                .header("content-type", "text/event-stream")
                .body(body)
                .unwrap()
        }
    }
}

/// A task in this state.
pub(crate) fn task(state: &str) -> Value {
    json!({ "id": "t", "contextId": "c", "status": { "state": format!("TASK_STATE_{state}") } })
}

/// A task that has returned a text.
pub(crate) fn done() -> Value {
    let mut done = task("COMPLETED");
    done["artifacts"] = json!([{ "artifactId": "a", "parts": [{ "text": "done" }] }]);
    done
}

/// A task that asks this, in a message of this id or in none.
pub(crate) fn asking(message_id: Option<&str>, text: &str) -> Value {
    let mut asking = task("INPUT_REQUIRED");
    let id = message_id.unwrap_or_default();
    asking["status"]["message"] =
        json!({ "messageId": id, "role": "ROLE_AGENT", "parts": [{ "text": text }] });
    asking
}

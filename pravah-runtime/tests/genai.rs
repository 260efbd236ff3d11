//! Models through the crate `genai`, against a web server on loopback that speaks as OpenAI does.
#![allow(
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a helper that fails is a test that fails"
)]

use std::{
    sync::{Arc, Mutex},
    time::{Duration, SystemTime},
};

use axum::{
    Router,
    body::Bytes,
    extract::State,
    http::{HeaderMap, StatusCode, header},
    response::{IntoResponse, Response},
};
use pravah_runtime::{
    EventKind, FlowEvent, FlowObserver, ModelErrorKind, ModelOptions,
    genai::{
        ModelIden, ServiceTarget,
        adapter::AdapterKind,
        resolver::{AuthData, Endpoint},
    },
    prelude::*,
};
use serde_json::{Value, json};

const KEY: &str = "planted-key-0123456789";

#[state]
struct Ticket {
    text: String,
}
#[state]
#[derive(Debug, PartialEq)]
struct Verdict {
    urgent: bool,
}

#[agent(model = "genai://some-model", preamble = "You triage.", output = Verdict)]
fn triage(ticket: &Ticket) -> String {
    ticket.text.clone()
}

#[flow(named)]
fn structured(ticket: Ticket) -> Verdict {
    flow! { triage }
}

/// Searches the articles.
#[tool]
async fn search(query: String) -> Result<String, ToolError> {
    Ok(format!("an article on {query}"))
}

#[agent(model = "genai://some-model", preamble = "", output = Verdict, tools = [search])]
fn research(ticket: &Ticket) -> String {
    ticket.text.clone()
}

#[flow(named)]
fn with_tools(ticket: Ticket) -> Verdict {
    flow! { research }
}

#[derive(Clone, Default)]
struct Server {
    /// What it answers, the last one first.
    answers: Arc<Mutex<Vec<Response>>>,
    received: Arc<Mutex<Vec<(HeaderMap, Value)>>>,
}

impl Server {
    fn new(answers: Vec<Response>) -> Self {
        let server = Self::default();
        *server.answers.lock().unwrap() = answers.into_iter().rev().collect();
        server
    }

    /// A factory whose `genai` asks this server.
    async fn factory(&self) -> ClientFactory {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let app = Router::new().fallback(answer).with_state(self.clone());
        tokio::spawn(async move { axum::serve(listener, app).await });
        ClientFactory::new().with_genai(move |client| {
            client.with_service_target_resolver_fn(move |target: ServiceTarget| {
                Ok(ServiceTarget {
                    endpoint: Endpoint::from_owned(format!("http://{address}/v1/")),
                    auth: AuthData::from_single(KEY),
                    model: ModelIden::new(AdapterKind::OpenAI, target.model.model_name),
                })
            })
        })
    }

    fn received(&self, index: usize) -> Value {
        self.received.lock().unwrap()[index].1.clone()
    }
}

async fn answer(State(server): State<Server>, headers: HeaderMap, body: Bytes) -> Response {
    let body = serde_json::from_slice(&body).unwrap();
    server.received.lock().unwrap().push((headers, body));
    let next = server.answers.lock().unwrap().pop();
    next.unwrap_or_else(|| StatusCode::IM_A_TEAPOT.into_response())
}

fn completion(message: Value, finish: &str) -> Response {
    axum::Json(json!({
        "id": "1",
        "object": "chat.completion",
        "created": 1,
        "model": "some-model",
        "choices": [{ "index": 0, "message": message, "finish_reason": finish }],
        "usage": {
            "prompt_tokens": 11,
            "completion_tokens": 5,
            "total_tokens": 16,
            "completion_tokens_details": { "reasoning_tokens": 2 },
        },
    }))
    .into_response()
}

fn says(text: &str) -> Response {
    completion(json!({ "role": "assistant", "content": text }), "stop")
}

fn calls(calls: &[(&str, &str, Value)]) -> Response {
    let calls: Vec<Value> = calls
        .iter()
        .map(|(id, name, arguments)| {
            let function = json!({ "name": name, "arguments": arguments.to_string() });
            json!({ "id": id, "type": "function", "function": function })
        })
        .collect();
    let message = json!({ "role": "assistant", "content": null, "tool_calls": calls });
    completion(message, "tool_calls")
}

fn ticket() -> Ticket {
    Ticket {
        text: "It burns.".into(),
    }
}

async fn triaged(server: &Server) -> FlowRuntime<structured> {
    let run = structured::start(ticket()).unwrap();
    run.with_factory(server.factory().await)
}

async fn failure(answer: Response) -> (FlowError, Server) {
    let server = Server::new(vec![answer]);
    let error = triaged(&server).await.next(Context::default()).await;
    (error.err().unwrap(), server)
}

#[tokio::test]
async fn json_is_asked_for_and_read() {
    let server = Server::new(vec![says(r#"{"urgent":true}"#)]);
    let mut run = triaged(&server).await;
    let out = run.run(Context::default()).await.unwrap();
    assert_eq!(out, RunOut::Done(Verdict { urgent: true }));
    let (headers, body) = server.received.lock().unwrap().remove(0);
    assert_eq!(headers[header::AUTHORIZATION], format!("Bearer {KEY}"));
    assert_eq!(body["model"], "some-model");
    assert_eq!(body["messages"][0]["content"], "You triage.");
    assert_eq!(body["messages"][1]["content"], "It burns.");
    let format = &body["response_format"]["json_schema"];
    assert_eq!(format["schema"]["properties"]["urgent"]["type"], "boolean");
    let usage = run.usage();
    assert_eq!((usage.input, usage.output, usage.reasoning), (11, 5, 2));
}

#[tokio::test]
async fn what_a_request_says_is_handed_on() {
    let server = Server::new(vec![says(r#"{"urgent":true}"#)]);
    let options = ModelOptions::new()
        .temperature(0.5)
        .seed(7)
        .extra("user", "u-1");
    let run = triaged(&server).await;
    let mut run = run.with_options("triage", options).unwrap();
    run.run(Context::default()).await.unwrap();
    let (_, body) = server.received.lock().unwrap().remove(0);
    assert_eq!(body["temperature"], 0.5);
    assert_eq!(body["seed"], 7);
    assert_eq!(body["user"], "u-1");
}

#[tokio::test]
async fn tools_are_called_and_their_results_go_back() {
    let first = [
        ("a", "search", json!({ "query": "fire" })),
        ("b", "search", json!({ "query": "smoke" })),
    ];
    let server = Server::new(vec![
        calls(&first),
        calls(&[("c", "submit", json!({ "urgent": true }))]),
    ]);
    let run = with_tools::start(ticket()).unwrap();
    let mut run = run.with_factory(server.factory().await);
    let out = run.run(Context::default()).await.unwrap();
    assert_eq!(out, RunOut::Done(Verdict { urgent: true }));
    let asked = server.received(0);
    assert!(asked.get("tool_choice").is_none());
    let names: Vec<&Value> = asked["tools"]
        .as_array()
        .unwrap()
        .iter()
        .map(|tool| &tool["function"]["name"])
        .collect();
    assert_eq!(names, ["search", "submit"]);
    let again = &server.received(1)["messages"];
    assert_eq!(again[1]["tool_calls"][1]["id"], "b");
    assert_eq!(again[2]["tool_call_id"], "a");
    assert_eq!(again[3]["content"], "an article on smoke");
}

#[derive(Default)]
struct Heard(Mutex<String>);

impl FlowObserver for Heard {
    fn on_event(&self, event: &FlowEvent) {
        if let EventKind::AgentText { content, .. } = &event.kind {
            self.0.lock().unwrap().push_str(content);
        }
    }

    fn wants_text(&self) -> bool {
        true
    }
}

fn stream(events: &[Value]) -> Response {
    let mut body: String = events
        .iter()
        .map(|event| format!("data: {event}\n\n"))
        .collect();
    body.push_str("data: [DONE]\n\n");
    ([(header::CONTENT_TYPE, "text/event-stream")], body).into_response()
}

#[tokio::test]
async fn text_is_heard_while_it_comes_and_the_result_is_the_same() {
    let delta = |text: &str| json!({ "choices": [{ "index": 0, "delta": { "content": text } }] });
    let end = json!({ "choices": [{ "index": 0, "delta": {}, "finish_reason": "stop" }] });
    let server = Server::new(vec![stream(&[delta("{\"urgent\""), delta(":true}"), end])]);
    let heard = Arc::new(Heard::default());
    let mut run = triaged(&server).await.with_observer(heard.clone());
    let out = run.run(Context::default()).await.unwrap();
    assert_eq!(out, RunOut::Done(Verdict { urgent: true }));
    assert_eq!(*heard.0.lock().unwrap(), r#"{"urgent":true}"#);
    assert_eq!(server.received(0)["stream"], true);
}

#[tokio::test]
async fn a_rate_limit_is_waited_for() {
    let error = json!({ "error": { "message": "slow down", "code": "rate_limit_exceeded" } });
    let limited = (
        StatusCode::TOO_MANY_REQUESTS,
        [("retry-after", "7")],
        error.to_string(),
    );
    let server = Server::new(vec![limited.into_response()]);
    let before = SystemTime::now();
    let mut run = triaged(&server).await;
    run.next(Context::default()).await.unwrap();
    let Ok(RunOut::Waiting { until, .. }) = run.next(Context::default()).await else {
        panic!()
    };
    let wait = until.unwrap().duration_since(before).unwrap();
    assert!(wait >= Duration::from_millis(6_900));
}

#[tokio::test]
async fn a_key_that_is_not_accepted_is_in_no_error() {
    let error =
        json!({ "error": { "message": format!("wrong key {KEY}"), "code": "invalid_api_key" } });
    let refused = (StatusCode::UNAUTHORIZED, error.to_string());
    let (error, server) = failure(refused.into_response()).await;
    let FlowError::Model { source, .. } = &error else {
        panic!("{error}")
    };
    assert_eq!(source.kind(), ModelErrorKind::Auth);
    assert!(!format!("{error} {error:?}").contains(KEY), "{error:?}");
    assert_eq!(server.received.lock().unwrap().len(), 1);
}

#[tokio::test]
async fn a_key_that_comes_back_is_in_no_error_and_no_event() {
    #[derive(Default)]
    struct Log(Mutex<String>);

    impl FlowObserver for Log {
        fn on_event(&self, event: &FlowEvent) {
            self.0.lock().unwrap().push_str(&format!("{event:?}"));
        }
    }

    let body = json!({ "error": { "message": format!("what is {KEY}?"), "code": "odd" } });
    for status in [StatusCode::BAD_REQUEST, StatusCode::INTERNAL_SERVER_ERROR] {
        let server = Server::new(vec![(status, body.to_string()).into_response()]);
        let log = Arc::new(Log::default());
        let mut run = triaged(&server).await.with_observer(log.clone());
        let said = match run.next(Context::default()).await {
            Err(error) => format!("{error} {error:?}"),
            Ok(_) => String::new(),
        };
        let seen = said + &log.0.lock().unwrap();
        assert!(!seen.contains(KEY), "{seen}");
        assert!(seen.contains("what is …?"), "{seen}");
    }
}

#[tokio::test]
async fn answers_that_are_none_are_typed_errors() {
    for (answer, kind) in [
        ("no json".into_response(), ModelErrorKind::Malformed),
        (
            (StatusCode::BAD_REQUEST, "{\"error\":{\"message\":\"no\"}}").into_response(),
            ModelErrorKind::InvalidRequest,
        ),
    ] {
        let (error, _) = failure(answer).await;
        match &error {
            FlowError::Model { source, .. } => assert_eq!(source.kind(), kind, "{error}"),
            _ => panic!("{error}"),
        }
    }
}

#[tokio::test]
async fn without_a_key_the_error_says_so() {
    let factory = ClientFactory::new()
        .with_genai(|client| client.with_auth_resolver_fn(|_: ModelIden| Ok(None)));
    let run = structured::start(ticket()).unwrap().with_factory(factory);
    let mut run = run.with_model("triage", "genai://deepseek-chat").unwrap();
    let error = run.next(Context::default()).await.err().unwrap();
    assert!(
        matches!(&error, FlowError::Model { source, .. } if source.kind() == ModelErrorKind::Config),
        "{error}"
    );
}

/// A run whose model is asked for a stream.
async fn heard(server: &Server) -> FlowRuntime<structured> {
    let run = triaged(server).await;
    run.with_observer(Arc::new(Heard::default()))
}

#[tokio::test]
async fn a_refusal_says_the_same_whole_and_as_a_stream() {
    let body = json!({ "error": { "message": "the prompt is too long", "code": "odd" } });
    let refused = || (StatusCode::BAD_REQUEST, body.to_string()).into_response();
    let server = Server::new(vec![refused(), refused()]);
    let whole = triaged(&server).await.next(Context::default()).await;
    let streamed = heard(&server).await.next(Context::default()).await;
    for error in [whole.err().unwrap(), streamed.err().unwrap()] {
        let FlowError::Model { source, .. } = &error else {
            panic!("{error}")
        };
        assert_eq!(source.kind(), ModelErrorKind::InvalidRequest);
        assert_eq!(source.status(), Some(400));
        let at = source.address().unwrap();
        assert!(at.starts_with("http://127.0.0.1:"), "{at}");
        let text = format!("the prompt is too long (status 400 at {at})");
        assert_eq!(source.to_string(), text);
        assert!(!format!("{error:?}").contains(KEY));
    }
    assert_eq!(server.received(1)["stream"], true);
}

#[tokio::test]
async fn a_rate_limit_is_waited_for_also_as_a_stream() {
    let limited = (
        StatusCode::TOO_MANY_REQUESTS,
        [("retry-after", "7")],
        json!({ "error": { "message": "slow down" } }).to_string(),
    );
    let server = Server::new(vec![limited.into_response()]);
    let before = SystemTime::now();
    let mut run = heard(&server).await;
    run.next(Context::default()).await.unwrap();
    let Ok(RunOut::Waiting { until, .. }) = run.next(Context::default()).await else {
        panic!()
    };
    let wait = until.unwrap().duration_since(before).unwrap();
    assert!(wait >= Duration::from_millis(6_900));
    assert_eq!(run.model_calls(), 0);
}

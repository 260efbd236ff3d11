//! Web requests reach the hosts that are listed, and no others.
#![cfg(feature = "providers")]
#![allow(
    clippy::panic,
    clippy::unwrap_used,
    reason = "a helper that fails is a test that fails"
)]

use axum::{
    Json, Router,
    extract::State as Shared,
    response::Redirect,
    routing::{get, post},
};
use pravah_runtime::{Constraints, HttpRequest, Tool, prelude::*};
use serde_json::{Value, json};

#[state]
struct Question {
    url: String,
}

#[state]
#[derive(PartialEq)]
struct Answer {
    text: String,
}

#[node]
async fn ask(question: Question, http: Http) -> Result<Answer, ToolError> {
    let answer = http.get(&question.url).await?.success()?;
    Ok(Answer {
        text: answer.text(),
    })
}

#[flow(only(http))]
fn asking(question: Question) -> Answer {
    flow! { ask }
}

/// A server, by its port.
async fn server() -> u16 {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let routes = Router::new()
        .route("/hello", get(|| async { "hello" }))
        .route(
            "/double",
            post(|Json(n): Json<u32>| async move { Json(n * 2) }),
        )
        .route("/here", get(|| async { Redirect::temporary("/hello") }))
        .route(
            "/there",
            get(|Shared(port): Shared<u16>| async move {
                Redirect::temporary(&format!("http://127.0.0.1:{port}/hello"))
            }),
        )
        .with_state(port);
    tokio::spawn(async move { axum::serve(listener, routes).await });
    port
}

fn reaching(hosts: &[String]) -> Context {
    Context::new(FlowConf {
        hosts: hosts.to_vec(),
        ..FlowConf::default()
    })
}

fn forbidden<T: std::fmt::Debug>(answer: Result<T, ToolError>) -> String {
    match answer.unwrap_err() {
        ToolError::ForbiddenHost(host) => host,
        error => panic!("{error}"),
    }
}

#[tokio::test]
async fn a_node_reaches_a_host_that_is_listed() {
    let port = server().await;
    let ctx = reaching(&[format!("localhost:{port}")]);
    let url = format!("http://localhost:{port}/hello");
    let answer = asking(Question { url }, ctx).await.unwrap();
    assert_eq!(answer.text, "hello");
}

#[tokio::test]
async fn a_host_that_is_not_listed_fails_the_node_and_is_named() {
    let port = server().await;
    let url = format!("http://localhost:{port}/hello");
    // The port counts.
    let ctx = reaching(&["localhost".to_owned()]);
    let error = asking(Question { url }, ctx).await.unwrap_err();
    let FlowError::Node { node, source, .. } = error else {
        panic!("{error}");
    };
    assert_eq!(node, "ask");
    let host = forbidden(Err::<(), _>(ToolError::from(source)));
    assert_eq!(host, format!("localhost:{port}"));
}

#[tokio::test]
async fn json_is_sent_and_read() {
    let port = server().await;
    let http = reaching(&[format!("localhost:{port}")]).http();
    let url = format!("http://localhost:{port}/double");
    let answer = http.post(&url, &21).await.unwrap();
    assert_eq!((answer.status, answer.json::<u32>().unwrap()), (200, 42));
    let wrong = HttpRequest::new("POST", &url).json(&json!("x")).unwrap();
    let answer = http.send(wrong).await.unwrap();
    assert!(answer.json::<Value>().is_err() && answer.success().is_err());
}

#[tokio::test]
async fn a_redirect_is_followed_only_to_a_host_that_is_listed() {
    let port = server().await;
    let (name, address) = (format!("localhost:{port}"), format!("127.0.0.1:{port}"));
    let http = reaching(std::slice::from_ref(&name)).http();
    let here = http.get(format!("http://{name}/here")).await.unwrap();
    assert_eq!(here.text(), "hello");
    assert_eq!(
        forbidden(http.get(format!("http://{name}/there")).await),
        address
    );
    let http = reaching(&[name.clone(), address]).http();
    let there = http.get(format!("http://{name}/there")).await.unwrap();
    assert_eq!(there.text(), "hello");
}

#[tokio::test]
async fn a_private_address_is_reached_only_if_it_is_listed() {
    let port = server().await;
    let http = reaching(&[]).http();
    let url = format!("http://127.0.0.1:{port}/hello");
    assert_eq!(forbidden(http.get(&url).await), format!("127.0.0.1:{port}"));
    let http = reaching(&[format!("127.0.0.1:{port}")]).http();
    assert_eq!(http.get(&url).await.unwrap().text(), "hello");
}

#[tokio::test]
async fn what_is_no_address_is_an_error() {
    let answer = reaching(&[]).http().get("hello").await;
    assert!(matches!(answer, Err(ToolError::Http(_))), "{answer:?}");
}

/// A tool by hand, which has the whole context.
#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Fetch {}

impl Tool for Fetch {
    type Output = String;

    fn name() -> &'static str {
        "fetch"
    }

    fn description() -> &'static str {
        "Fetches a page."
    }

    async fn call(self, ctx: Context) -> Result<String, ToolError> {
        Ok(forbidden(ctx.http().get("http://localhost:1/").await))
    }
}

#[state]
struct Look {
    text: String,
}

impl Agent for Look {
    type Output = Answer;

    fn build() -> AgentConfig {
        AgentConfig::new("You look around.", "openai://gpt-4o-mini")
            .with_tools(ToolBox::new().with::<Fetch>())
            .with_constraints(Constraints::new().no_network())
    }
}

impl Flow for Look {
    type Output = Answer;

    fn build() -> Result<FlowGraph, FlowError> {
        FlowGraph::builder().agent::<Self>().build()
    }
}

// S5.2
#[tokio::test]
async fn an_agent_without_a_network_reaches_no_host_that_is_listed() {
    let script = ScriptedModel::new().call("Look", "fetch", json!({})).call(
        "Look",
        "submit",
        json!({ "text": "done" }),
    );
    let ctx = reaching(&["localhost:1".to_owned()]).with_dep(script);
    let mut run = FlowRuntime::new(Look { text: "?".into() }).unwrap();
    let done = run.run(ctx).await.unwrap();
    assert_eq!(
        done,
        RunOut::Done(Answer {
            text: "done".into()
        })
    );
}

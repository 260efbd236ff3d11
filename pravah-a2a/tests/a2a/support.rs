//! A server on loopback, and requests to it.

use std::sync::Arc;

use axum::{Json, Router, routing::get};
use pravah_a2a::A2aServer;
use pravah_runtime::{
    __private::http_client,
    Context, FlowRuntime, RunOut,
    invocation::{AgentRegistry, Invocation, InvocationResult, Message, Target, TaskStatus},
    reqwest,
};
use serde_json::{Value, json};
use tokio::{net::TcpListener, task::JoinHandle};

use crate::agents::{Counter, registry, script};

/// A server that is stopped when it is dropped.
pub(crate) struct Served {
    pub(crate) url: String,
    pub(crate) counter: Arc<Counter>,
    task: JoinHandle<()>,
}

impl Drop for Served {
    fn drop(&mut self) {
        self.task.abort();
    }
}

pub(crate) async fn serve() -> Served {
    serve_as(|server| server).await
}

pub(crate) async fn serve_as(set_up: impl FnOnce(A2aServer) -> A2aServer) -> Served {
    serve_agents(registry(), set_up).await
}

pub(crate) async fn serve_agents(
    agents: AgentRegistry,
    set_up: impl FnOnce(A2aServer) -> A2aServer,
) -> Served {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let counter = Arc::new(Counter::default());
    let context = Context::default().with_dep_arc(Arc::clone(&counter));
    // A script is for agents that are there.
    let context = match agents.describe("researcher") {
        Some(_) => context.with_dep(script()),
        None => context,
    };
    let server = set_up(A2aServer::new(agents, &url).with_context(context));
    let router = server.router().unwrap();
    let cards = cards_of_rest(&url);
    let task = tokio::spawn(async move {
        axum::serve(listener, router.merge(cards)).await.unwrap();
    });
    Served { url, counter, task }
}

/// The cards of the agents once more, below `/rest/AGENT`, which offer HTTP+JSON alone.
fn cards_of_rest(url: &str) -> Router {
    let url = url.to_owned();
    let path = "/rest/{agent}/.well-known/agent-card.json";
    Router::new().route(
        path,
        get(async move |agent: axum::extract::Path<String>| {
            let card = format!("{url}/agents/{}/.well-known/agent-card.json", *agent);
            let card = http().get(card).send().await.unwrap();
            let card = card.bytes().await.unwrap();
            let mut card: Value = serde_json::from_slice(&card).unwrap();
            card["supportedInterfaces"]
                .as_array_mut()
                .unwrap()
                .remove(0);
            Json(card)
        }),
    )
}

/// A client for loopback.
pub(crate) fn http() -> reqwest::Client {
    http_client(&"http://127.0.0.1".parse().unwrap()).unwrap()
}

/// What is answered to a request of JSON-RPC to an agent.
pub(crate) async fn call(served: &Served, agent: &str, method: &str, params: Value) -> Value {
    let request = json!({ "jsonrpc": "2.0", "id": 7, "method": method, "params": params });
    let answer = post(served, &format!("/agents/{agent}"), &request.to_string()).await;
    assert_eq!(answer.0, 200);
    assert_eq!(answer.1["id"], 7);
    answer.1
}

/// The status and the JSON that are answered to a POST.
pub(crate) async fn post(served: &Served, path: &str, body: &str) -> (u16, Value) {
    let request = http()
        .post(format!("{}{path}", served.url))
        .header("content-type", "application/json")
        .header("a2a-version", "1.0")
        .body(body.to_owned());
    answer(request).await
}

/// The same of a GET.
pub(crate) async fn get_json(served: &Served, path: &str) -> (u16, Value) {
    let request = http()
        .get(format!("{}{path}", served.url))
        .header("a2a-version", "1.0");
    answer(request).await
}

pub(crate) async fn answer(request: reqwest::RequestBuilder) -> (u16, Value) {
    let response = request.send().await.unwrap();
    let status = response.status().as_u16();
    let body = response.bytes().await.unwrap();
    (status, serde_json::from_slice(&body).unwrap_or_default())
}

/// A message with one part.
pub(crate) fn message(id: &str, part: Value) -> Value {
    json!({ "message": { "messageId": id, "role": "ROLE_USER", "parts": [part] } })
}

pub(crate) fn ada() -> Value {
    json!({ "data": { "name": "Ada" } })
}

/// When a run is restored from its snapshot.
#[derive(Clone, Copy)]
pub(crate) enum Restarts {
    AfterEachStep,
    /// Each step is made, forgotten with its process, and made again.
    LosingEachStepOnce,
}

/// The run of an invocation of one agent with data.
pub(crate) fn invoke(
    registry: &AgentRegistry,
    agent: &str,
    input: Value,
) -> FlowRuntime<AgentRegistry> {
    let target = Target::named(agent, Message::data(input));
    registry.invoke(Invocation::single(target)).unwrap()
}

/// What the only target of an invocation has returned.
pub(crate) fn content(out: RunOut<InvocationResult>) -> Value {
    match out {
        RunOut::Done(InvocationResult::Scalar { result, .. }) => {
            assert_eq!(result.status, TaskStatus::Completed, "{}", result.content);
            result.content
        }
        out => panic!("{out:?}"),
    }
}

/// Runs an agent to its end, answers its question with `true`, and restores the run with a new registry after each step.
pub(crate) async fn restart_at_every_step(
    registry: impl Fn() -> AgentRegistry,
    agent: &str,
    input: Value,
    restarts: Restarts,
) -> Value {
    let context = Context::default();
    let mut stored = serde_json::to_string(&invoke(&registry(), agent, input)).unwrap();
    let mut is_lost = false;
    loop {
        let mut run = registry()
            .restore(serde_json::from_str(&stored).unwrap())
            .unwrap();
        let question = run.suspensions().pop();
        let out = match question {
            Some(question) => run.answer(context.clone(), &question.tool_id, true).await,
            None => run.next(context.clone()).await,
        };
        let out = out.unwrap();
        if let RunOut::Waiting { .. } = out {
            run.wait().await;
        }
        is_lost = matches!(restarts, Restarts::LosingEachStepOnce) && !is_lost;
        if is_lost {
            continue;
        }
        if let RunOut::Done(_) = out {
            return content(out);
        }
        stored = serde_json::to_string(&run).unwrap();
    }
}

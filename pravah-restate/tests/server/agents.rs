//! Agents with scripted models, and bodies that run side by side.

use std::{
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use pravah_restate::RestateFlows;
use pravah_runtime::{
    ClientFactory, EventKind, ModelClient, ModelFuture, ModelRequest, ModelResponse, OnText,
    prelude::*,
};
use serde_json::json;
use tokio::sync::mpsc;

use crate::{flows::Effects, server::Server};

#[state]
struct Question {
    text: String,
}
#[state]
#[derive(Debug, PartialEq)]
struct Report {
    text: String,
}

/// Looks something up.
#[tool]
async fn look_up(effects: Dep<Effects>, ctx: Context) -> Result<String, ToolError> {
    effects.happen(&ctx);
    Ok("by train".to_owned())
}

/// You write reports.
#[agent(model = "openai://m", output = Report, tools = [look_up])]
fn reporter(question: &Question) -> String {
    question.text.clone()
}

#[flow]
fn reporting(question: Question) -> Report {
    flow! { reporter }
}

/// The tool is called twice side by side, and once more.
fn script() -> ScriptedModel {
    ScriptedModel::new()
        .calls("reporter", [("look_up", json!({})), ("look_up", json!({}))])
        .call("reporter", "look_up", json!({}))
        .call("reporter", "submit", json!({ "text": "Two ways." }))
}

#[tokio::test]
async fn an_agent_asks_its_model_once_for_each_turn() {
    let (server, effects) = (Server::start().await, Effects::default());
    for live_runs in [0, 1_000] {
        let models = ClientFactory::new().with_scripted(script());
        let flows = RestateFlows::new()
            .serve_with::<Question>(move |run, _| Ok(run.with_factory(models.clone())))
            .with_context(effects.context())
            .with_live_runs(live_runs);
        let _serving = server.serve(flows).await;
        let runs = server.runs();
        let text = "Which trains go to Benin?".to_owned();
        let id = runs.start::<Question>(Question { text }).await.unwrap();
        let report = runs.result::<Question>(&id).await.unwrap();
        assert_eq!(report.text, "Two ways.");
        let keys = effects.keys();
        assert_eq!(
            keys.iter().filter(|key| key.starts_with(&id)).count(),
            3,
            "{keys:?}"
        );
    }
}

// --- Streamed text.

/// You tell tales.
#[agent(model = "openai://m", output = Report)]
fn tell(question: &Question) -> String {
    question.text.clone()
}

#[flow(named)]
fn telling(question: Question) -> Report {
    flow! { tell }
}

/// Streams its text in two pieces.
struct Teller;

impl ModelClient for Teller {
    fn complete<'a>(&'a self, _: &'a ModelRequest) -> ModelFuture<'a> {
        let response = ModelResponse::default().with_text(r#"{"text":"the end"}"#);
        Box::pin(async move { Ok(response) })
    }

    fn stream<'a>(&'a self, request: &'a ModelRequest, on_text: OnText<'a>) -> ModelFuture<'a> {
        on_text(r#"{"text":"#);
        on_text(r#""the end"}"#);
        self.complete(request)
    }
}

#[tokio::test]
async fn the_text_of_a_model_comes_as_it_is_streamed() {
    let server = Server::start().await;
    let (send, mut received) = mpsc::unbounded_channel();
    let flows = RestateFlows::new().serve_with::<telling>(move |run, _| {
        let teller = ClientFactory::new().with_client(Arc::new(Teller));
        let mut run = run.with_factory(teller);
        let mut events = run.events_with_text();
        let send = send.clone();
        tokio::spawn(async move {
            while let Some(event) = events.next().await {
                if let EventKind::AgentText { content, .. } = event.kind {
                    let _ = send.send(content);
                }
            }
        });
        Ok(run)
    });
    let _serving = server.serve(flows).await;
    let runs = server.runs();
    let text = "A tale.".to_owned();
    let id = runs.start::<telling>(Question { text }).await.unwrap();
    let report = runs.result::<telling>(&id).await.unwrap();
    assert_eq!(report.text, "the end");
    assert_eq!(received.recv().await.unwrap().to_string(), r#"{"text":"#);
    assert_eq!(received.recv().await.unwrap().to_string(), r#""the end"}"#);
}

// --- Branches.

#[state]
struct Shift {
    branches: usize,
}
#[state]
struct Washed {
    bodies: usize,
}
#[state]
struct Dried {
    bodies: usize,
}
#[state]
#[derive(Debug, PartialEq)]
struct Closed {
    bodies: usize,
}

/// How many bodies were started, and how many run.
#[derive(Default)]
struct Bodies {
    started: AtomicUsize,
    running: AtomicUsize,
}

impl Bodies {
    /// Ends once as many bodies run at the same time.
    async fn meet(&self, branches: usize) -> usize {
        self.started.fetch_add(1, Ordering::SeqCst);
        self.running.fetch_add(1, Ordering::SeqCst);
        while self.running.load(Ordering::SeqCst) < branches {
            tokio::task::yield_now().await;
        }
        self.running.load(Ordering::SeqCst)
    }
}

#[node]
async fn wash(shift: &Shift, bodies: Dep<Arc<Bodies>>) -> Washed {
    let bodies = bodies.meet(shift.branches).await;
    Washed { bodies }
}

#[node]
async fn dry(shift: &Shift, bodies: Dep<Arc<Bodies>>) -> Dried {
    let met = bodies.meet(shift.branches).await;
    // The other one is committed first.
    tokio::time::sleep(Duration::from_millis(300)).await;
    Dried { bodies: met }
}

#[node]
fn close(washed: Washed, dried: Dried) -> Closed {
    Closed {
        bodies: washed.bodies.min(dried.bodies),
    }
}

#[flow]
fn closing(shift: Shift) -> Closed {
    flow! { fork(wash, dry) -> join(close) }
}

#[tokio::test]
async fn branches_run_at_the_same_time_and_a_commit_of_one_does_not_cost_the_other_its_work() {
    let (server, bodies) = (Server::start().await, Arc::new(Bodies::default()));
    let flows = RestateFlows::new()
        .serve_with::<Shift>(|run, _| Ok(run.with_concurrency(2)))
        .with_context(Context::default().with_dep(Arc::clone(&bodies)));
    let _serving = server.serve(flows).await;
    let runs = server.runs();
    let id = runs.start::<Shift>(Shift { branches: 2 }).await.unwrap();
    assert_eq!(
        runs.result::<Shift>(&id).await.unwrap(),
        Closed { bodies: 2 }
    );
    assert_eq!(bodies.started.load(Ordering::SeqCst), 2);
}

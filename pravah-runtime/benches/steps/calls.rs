//! An agent that another one or a node calls, beside the same agent as a node.

use std::{hint::black_box, sync::Arc};

use pravah_runtime::{
    Arguments, ModelClient, ModelFuture, ModelRequest, ModelResponse, ToolCall, prelude::*,
};
use serde_json::{Value, json};

use super::median;

#[state]
struct Question {
    text: String,
}
#[state]
struct Finding {
    text: String,
}

/// Looks things up.
#[tool]
async fn look_up(prompt: String) -> Result<String, ToolError> {
    Ok(prompt)
}

/// You look things up.
#[agent(model = "openai://m", output = Finding)]
fn researcher(question: &Question) -> String {
    question.text.clone()
}

/// You ask others.
#[agent(
    model = "openai://m",
    output = Finding,
    tools = [look_up],
    agents = [researcher],
    delegation(max_children = 100),
)]
fn lead(question: &Question) -> String {
    question.text.clone()
}

#[flow(named)]
fn alone(question: Question) -> Finding {
    flow! { researcher }
}

#[flow(named)]
fn leading(question: Question) -> Finding {
    flow! { lead }
}

/// How many calls the model of the lead asks for at once, and the node makes.
const CALLS: usize = 50;

/// How many calls are made.
#[state]
struct Calls {
    count: usize,
}

#[node(agents = [researcher])]
fn ask(calls: &Calls) -> Invoke<Each<Finding>> {
    Invoke::all((0..calls.count).map(|_| researcher::invoke(question())))
}

#[node]
fn count(findings: Each<Finding>) -> Calls {
    Calls {
        count: findings.len(),
    }
}

#[flow(named)]
fn asking(calls: Calls) -> Calls {
    flow! { ask -> count }
}

/// Answers at once: the lead first with these calls.
struct Model {
    call: &'static str,
    arguments: Value,
}

impl ModelClient for Model {
    fn complete<'a>(&'a self, request: &'a ModelRequest) -> ModelFuture<'a> {
        let found = json!({ "text": "found" });
        let call = |name: &str, n: usize, arguments: &Value| {
            ToolCall::new(
                format!("call_{n}"),
                name,
                Arguments::Json(arguments.clone()),
            )
        };
        let response = match (request.node.as_str(), request.messages.len()) {
            ("lead", 1) => {
                let calls = (0..CALLS).map(|n| call(self.call, n, &self.arguments));
                ModelResponse::calls(calls)
            }
            ("lead", _) => ModelResponse::calls([call("submit", CALLS, &found)]),
            _ => ModelResponse::text(found.to_string()),
        };
        Box::pin(async move { Ok(response) })
    }
}

fn factory(call: &'static str, arguments: Value) -> ClientFactory {
    ClientFactory::new().with_client(Arc::new(Model { call, arguments }))
}

fn question() -> Question {
    Question {
        text: "Trains".into(),
    }
}

/// The time of a run, in nanoseconds.
async fn leading_by(factory: &ClientFactory) -> f64 {
    median(15, async || {
        let run = leading::start(question()).unwrap();
        let mut run = run.with_factory(factory.clone());
        black_box(run.run(Context::default()).await.unwrap())
    })
    .await
}

/// The same of a node that makes so many calls.
async fn asking_by(factory: &ClientFactory, count: usize) -> f64 {
    median(15, async || {
        let run = asking::start(Calls { count }).unwrap();
        let mut run = run.with_factory(factory.clone());
        black_box(run.run(Context::default()).await.unwrap())
    })
    .await
}

pub(crate) async fn ratios() {
    let tools = factory("look_up", json!({ "prompt": "Trains" }));
    let agents = factory(
        "call_agent",
        json!({ "agent": "researcher", "prompt": "Trains" }),
    );
    let as_node = median(15, async || {
        let run = alone::start(question()).unwrap();
        let mut run = run.with_factory(agents.clone());
        black_box(run.run(Context::default()).await.unwrap())
    })
    .await;
    // Both runs of the lead have as many calls, of which one kind asks another model.
    let called = (leading_by(&agents).await - leading_by(&tools).await) / CALLS as f64;
    let invoked = (asking_by(&agents, CALLS).await - asking_by(&agents, 0).await) / CALLS as f64;
    println!("\nAn agent with one model call (ns)");
    println!("| as a node, with its run | called by a model, beyond a tool | called by a node |");
    println!("|---|---|---|");
    println!(
        "| {as_node:.0} | {called:.0} ({:.2} x) | {invoked:.0} ({:.2} x) |",
        called / as_node,
        invoked / as_node
    );
}

//! A process that dies between any two steps of an agent's run: no paid model call and no tool is
//! repeated. The model is a web server on loopback that counts what it is asked.
#![cfg(feature = "providers")]
#![allow(
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a helper that fails is a test that fails"
)]

use std::sync::{Arc, Mutex};

use axum::{Json, Router, extract::State, routing::post};
use pravah_runtime::{Provider, Review, prelude::*};
use serde_json::{Value, json};

#[state]
struct Claim {
    text: String,
}
#[state]
struct Refund {
    euros: u32,
}
#[state]
#[derive(Debug, PartialEq)]
struct Letter {
    text: String,
}

/// What was done outside, in order.
#[derive(Clone, Default)]
struct Done(Arc<Mutex<Vec<String>>>);

impl Done {
    fn note(&self, what: impl Into<String>) {
        self.0.lock().unwrap().push(what.into());
    }

    fn take(&self) -> Vec<String> {
        std::mem::take(&mut *self.0.lock().unwrap())
    }
}

/// Looks up an order.
#[tool]
async fn look_up(order: u32, ctx: Context) -> Result<String, ToolError> {
    ctx.dep::<Done>()?.note(format!("looked up {order}"));
    Ok(format!("order {order} came late"))
}

/// Asks the customer.
#[tool]
async fn ask(question: String, ctx: Context) -> Result<String, ToolError> {
    match ctx.resumed::<String>()? {
        Some(answer) => {
            ctx.dep::<Done>()?.note(format!("heard {answer}"));
            Ok(answer)
        }
        None => Err(ToolError::suspend(question)),
    }
}

#[agent(
    model = "openai://gpt-4o-mini",
    preamble = "You decide on refunds.",
    output = Refund,
    tools = [look_up, ask],
    contract,
)]
fn judge(claim: &Claim, ctx: Context) -> String {
    if let Ok(done) = ctx.dep::<Done>() {
        done.note("wrote the prompt");
    }
    claim.text.clone()
}

#[node]
fn grant(refund: &Refund) -> Letter {
    Letter {
        text: format!("{} euros", refund.euros),
    }
}

#[node]
fn refuse(failure: &Failure<Claim>) -> Letter {
    Letter {
        text: failure.message.clone(),
    }
}

#[flow(named)]
fn refunds(claim: Claim) -> Letter {
    flow! { judge -> grant -> done; catch(judge) -> refuse -> done }
}

fn call(id: &str, name: &str, arguments: &Value) -> Value {
    let function = json!({ "name": name, "arguments": arguments.to_string() });
    json!({ "id": id, "type": "function", "function": function })
}

fn submit(id: &str, euros: &Value) -> Value {
    let envelope = json!({
        "primary_output": { "euros": euros },
        "confidence": 0.7,
        "confidence_type": "verbalized",
        "escalate": false,
    });
    call(id, "submit", &envelope)
}

/// The model: two tools at once, an output that does not fit, one that does.
async fn model(State(done): State<Done>, Json(asked): Json<Value>) -> Json<Value> {
    let said = asked["messages"].as_array().unwrap();
    let turns = said.iter().filter(|message| message["role"] == "assistant");
    let turn = turns.count();
    done.note(format!("model call {turn}"));
    let calls = match turn {
        0 => vec![
            call("a", "look_up", &json!({ "order": 7 })),
            call("b", "ask", &json!({ "question": "How late?" })),
        ],
        1 => vec![submit("c", &json!("many"))],
        _ => vec![submit("d", &json!(20))],
    };
    Json(json!({
        "choices": [{
            "message": { "role": "assistant", "content": null, "tool_calls": calls },
            "finish_reason": "tool_calls",
        }],
        "usage": { "prompt_tokens": 10, "completion_tokens": 1 },
    }))
}

struct World {
    done: Done,
    address: String,
}

impl World {
    async fn new() -> Self {
        let done = Done::default();
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap().to_string();
        let app = Router::new()
            .route("/v1/chat/completions", post(model))
            .with_state(done.clone());
        tokio::spawn(async move { axum::serve(listener, app).await });
        Self { done, address }
    }

    fn ctx(&self) -> Context {
        Context::default().with_dep(self.done.clone())
    }

    /// A run in a process of its own: nothing is kept but the snapshot.
    fn run(&self, snapshot: Option<&str>) -> FlowRuntime<refunds> {
        let run = match snapshot {
            Some(json) => FlowRuntime::from_snapshot(serde_json::from_str(json).unwrap()),
            None => refunds::start(Claim {
                text: "It came late.".into(),
            }),
        };
        let factory = ClientFactory::new()
            .with_key(Provider::OpenAi, "key")
            .with_base_url(Provider::OpenAi, format!("http://{}/v1", self.address));
        run.unwrap().with_factory(factory)
    }

    /// Runs to the end; the process dies after the steps that `dies` names. Answers how many steps
    /// there were.
    async fn through(&self, dies: impl Fn(u32) -> bool) -> u32 {
        let mut run = self.run(None);
        let mut steps = 0;
        let mut answer = None;
        loop {
            let out = match answer.take() {
                Some(answer) => run.resume(self.ctx(), answer).await,
                None => run.next(self.ctx()).await,
            };
            steps += 1;
            match out.unwrap() {
                RunOut::Continue => {}
                RunOut::Suspend { value, tool_id } if tool_id == "judge::ask" => {
                    assert_eq!(value, "How late?");
                    answer = Some((tool_id, json!("4 days")));
                }
                RunOut::Suspend { tool_id, .. } => {
                    let edit = Review::Edit {
                        output: Refund { euros: 5 },
                    };
                    answer = Some((tool_id, serde_json::to_value(edit).unwrap()));
                }
                RunOut::Waiting { .. } => panic!("there is nothing to wait for"),
                RunOut::Done(letter) => {
                    assert_eq!(letter.text, "5 euros");
                    assert_eq!(run.model_calls(), 3);
                    assert_eq!(run.usage().total(), 33);
                    return steps;
                }
            }
            if dies(steps) {
                let snapshot = serde_json::to_string(&run.snapshot()).unwrap();
                drop(run);
                run = self.run(Some(&snapshot));
            }
        }
    }
}

#[tokio::test]
async fn a_crash_between_any_two_steps_repeats_no_model_call_and_no_tool() {
    let world = World::new().await;
    let steps = world.through(|_| false).await;
    let wanted = [
        "wrote the prompt",
        "model call 0",
        "looked up 7",
        "heard 4 days",
        "model call 1",
        "model call 2",
    ];
    assert_eq!(world.done.take(), wanted);
    for crash in 1..steps {
        assert_eq!(world.through(|step| step == crash).await, steps);
        assert_eq!(world.done.take(), wanted, "after step {crash}");
    }
    assert_eq!(world.through(|_| true).await, steps);
    assert_eq!(world.done.take(), wanted);
}

#[tokio::test]
async fn a_step_that_is_dropped_leaves_the_run_as_it_was() {
    let world = World::new().await;
    let mut run = world.run(None);
    loop {
        let before = serde_json::to_value(run.snapshot()).unwrap();
        // The request is on its way, and nobody waits for the answer.
        let dropped = tokio::select! {
            biased;
            out = run.next(world.ctx()) => Some(out),
            () = tokio::task::yield_now() => None,
        };
        if let Some(out) = dropped {
            assert!(matches!(out, Ok(RunOut::Suspend { .. })));
            break;
        }
        assert_eq!(serde_json::to_value(run.snapshot()).unwrap(), before);
        run.next(world.ctx()).await.unwrap();
    }
}

//! Scripts whose visits have lists of their own, and scripts beside other models: the same answers in one
//! process and in several.

use std::sync::Arc;

use pravah_runtime::{
    Agent, AgentConfig, Arguments, ClientFactory, Context, Either, Flow, FlowError, FlowGraph,
    FlowRuntime, ModelClient, ModelError, ModelErrorKind, ModelFuture, ModelRequest, ModelResponse,
    RunOut, ScriptedModel, ToolCall,
};
use serde_json::{Value, json};

use crate::engine_support::{agents::Look, restart, states};

states!(Plan, Planned, Enough, More);

impl Agent for Plan {
    type Output = Planned;

    fn build() -> AgentConfig {
        AgentConfig::new("You plan.", "first://m")
            .with_tools(pravah_runtime::ToolBox::new().with::<Look>())
            .with_fallback("second://m")
            .max_repairs(0)
    }
}

/// Plans until it is more than 9.
impl Flow for Plan {
    type Output = Enough;

    fn build() -> Result<FlowGraph, FlowError> {
        FlowGraph::builder()
            .agent::<Plan>()
            .either::<Planned, Enough, More, _>(|planned, _| {
                Ok(match planned.n > 9 {
                    true => Either::Left(Enough { n: planned.n }),
                    false => Either::Right(More { n: planned.n }),
                })
            })
            .work::<More, Plan, _, _>(|more, _| async move { Ok(Plan { n: more.n }) })
            .build()
    }
}

fn planned(n: u64) -> Value {
    json!({ "n": n })
}

fn start() -> FlowRuntime<Plan> {
    FlowRuntime::new(Plan { n: 0 }).unwrap()
}

/// Runs to the end, and tries again after every failure.
async fn in_one_process(factory: ClientFactory) -> (RunOut<Enough>, usize) {
    let mut run = start().with_factory(factory);
    let mut failures = 0;
    loop {
        match run.run(Context::default()).await {
            Ok(out) => return (out, failures),
            Err(error) => {
                failures += 1;
                assert!(failures < 9, "{error}");
            }
        }
    }
}

/// The same, where every step is made in another process, with models of its own.
async fn in_many_processes(factory: impl Fn() -> ClientFactory) -> (RunOut<Enough>, usize) {
    let mut run = start();
    let mut failures = 0;
    for _ in 0..30 {
        run = restart(&run).with_factory(factory());
        match run.next(Context::default()).await {
            Ok(RunOut::Continue) => {}
            Ok(out) => return (out, failures),
            Err(_) => failures += 1,
        }
    }
    panic!("it goes on for ever");
}

/// The output of both.
async fn everywhere(factory: impl Fn() -> ClientFactory) -> (RunOut<Enough>, usize) {
    let there = in_many_processes(&factory).await;
    assert_eq!(in_one_process(factory()).await, there);
    there
}

const DONE: RunOut<Enough> = RunOut::Done(Enough { n: 10 });

/// The second visit fails twice: before it has an answer, and after the first.
fn second_fails() -> ScriptedModel {
    ScriptedModel::new()
        .reply("Plan", planned(1))
        .text("Plan#2", "no call")
        .call("Plan#2", "look", json!({}))
        .text("Plan#2", "no call, again")
        .reply("Plan#2", planned(2))
        .reply("Plan", planned(10))
}

#[tokio::test]
async fn a_visit_goes_on_in_its_list_after_a_failed_attempt() {
    let factory = || ClientFactory::new().with_scripted(second_fails());
    assert_eq!(everywhere(factory).await, (DONE, 2));
}

#[tokio::test]
async fn a_visit_that_leaves_answers_over_takes_none_from_the_next() {
    let factory = || {
        let script = ScriptedModel::new()
            .reply("Plan#1", planned(1))
            .reply("Plan#1", planned(7))
            .reply("Plan", planned(2))
            .reply("Plan", planned(10));
        ClientFactory::new().with_scripted(script)
    };
    assert_eq!(everywhere(factory).await, (DONE, 0));
}

/// Calls a tool, and is down after that.
struct CallsOnce;

impl ModelClient for CallsOnce {
    fn complete<'a>(&'a self, request: &'a ModelRequest) -> ModelFuture<'a> {
        Box::pin(async move {
            match request.turn() {
                0 => {
                    let arguments = Arguments::Json(json!({}));
                    Ok(ModelResponse::calls([ToolCall::new(
                        "c", "look", arguments,
                    )]))
                }
                _ => Err(ModelError::new(ModelErrorKind::Quota, "used up")),
            }
        })
    }
}

fn beside(script: ScriptedModel) -> ClientFactory {
    ClientFactory::new()
        .register("first", |_| Ok(Arc::new(CallsOnce)))
        .register("second", move |_| Ok(Arc::new(script.clone())))
}

#[tokio::test]
async fn a_script_beside_another_model_starts_with_its_first_answer() {
    let factory = || {
        let script = ScriptedModel::new()
            .text("Plan", "no call")
            .reply("Plan", planned(1))
            .reply("Plan", planned(10));
        beside(script)
    };
    assert_eq!(everywhere(factory).await, (DONE, 1));
}

#[tokio::test]
async fn two_scripts_beside_each_other_are_counted_apart() {
    let factory = || {
        let down = ScriptedModel::new().error("Plan", "down");
        let up = ScriptedModel::new()
            .reply("Plan", planned(10))
            .reply("Plan", planned(1));
        ClientFactory::new()
            .register("first", move |_| Ok(Arc::new(down.clone())))
            .register("second", move |_| Ok(Arc::new(up.clone())))
    };
    assert_eq!(everywhere(factory).await, (DONE, 0));
}

#[tokio::test]
async fn one_script_for_two_models_goes_on_from_one_to_the_other() {
    let factory = || {
        let script = ScriptedModel::new()
            .error("Plan", "down")
            .reply("Plan", planned(1))
            .reply("Plan", planned(10));
        let clone = script.clone();
        ClientFactory::new()
            .register("first", move |_| Ok(Arc::new(script.clone())))
            .register("second", move |_| Ok(Arc::new(clone.clone())))
    };
    assert_eq!(everywhere(factory).await, (DONE, 0));
}

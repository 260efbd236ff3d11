//! Agents in the engine: their models, their history, their visits, their limits.

use std::sync::Arc;

use pravah_runtime::{
    Agent, AgentConfig, ClientFactory, Either, Flow, FlowError, FlowGraph, FlowRuntime, Limit,
    ModelClient, ModelFuture, ModelRequest, RunOut, ScriptedModel, ToolBox,
};
use serde_json::json;

use crate::engine_support::{agents::*, bytes, json, load, only_failed, poll_once, states};

#[tokio::test]
async fn a_model_is_swapped_for_one_run_also_for_one_of_a_scheme_of_ones_own() {
    for url in ["anthropic://claude", "acme://own"] {
        let machine = Machine::new(only_one_asks());
        let mut run = machine.start().with_model("Two", url).unwrap();
        // It stops at the question of the other agent, and no earlier.
        run.run(machine.ctx()).await.unwrap();
        let model = url.split("://").nth(1).unwrap();
        let entries = machine.log.entries();
        assert!(entries.contains(&format!("Two {model} 0")), "{entries:?}");
        assert!(entries.contains(&"One gpt-4o 0".to_owned()), "{entries:?}");
    }
}

#[test]
fn a_model_for_a_node_that_is_no_agent_is_refused() {
    let run = || FlowRuntime::new(Start { n: 0 }).unwrap();
    assert!(
        matches!(run().with_model("Start", "openai://m"), Err(FlowError::NotFound(node)) if node == "Start")
    );
    assert!(matches!(
        run().with_model("One", "m"),
        Err(FlowError::BuildError(_))
    ));
}

// S1.42: kept beside the snapshot, and goes on growing after a restart.
#[tokio::test]
async fn the_history_is_carried_over_a_restart_by_the_caller() {
    let machine = Machine::new(only_one_asks());
    let mut run = machine.start();
    run.run(machine.ctx()).await.unwrap();
    while run.history().get("Two").is_none() {
        run.next(machine.ctx()).await.unwrap();
    }
    let saved = serde_json::to_vec(run.history()).unwrap();
    let mut run = machine
        .restart(&run)
        .with_history(serde_json::from_slice(&saved).unwrap());
    run.resume(machine.ctx(), ("One::ask", "yes"))
        .await
        .unwrap();
    run.run(machine.ctx()).await.unwrap();
    assert_eq!(
        run.history()
            .iter()
            .map(|(node, _)| node)
            .collect::<Vec<_>>(),
        ["One", "Two"]
    );
}

// A dropped model call and a dropped batch of tools.
#[tokio::test]
async fn a_dropped_model_call_changes_nothing() {
    struct Never;

    impl ModelClient for Never {
        fn complete<'a>(&'a self, _: &'a ModelRequest) -> ModelFuture<'a> {
            Box::pin(std::future::pending())
        }
    }

    let machine = Machine::new(only_one_asks());
    let mut run = machine
        .start()
        .with_factory(ClientFactory::new().with_client(Arc::new(Never)));
    run.next(machine.ctx()).await.unwrap();
    let before = json(&run);
    assert!(poll_once(run.next(machine.ctx())).is_none());
    assert_eq!(json(&run), before);
    let mut run = machine.on(run);
    assert_eq!(suspended(run.run(machine.ctx()).await.unwrap()), "One::ask");
}

#[tokio::test]
async fn a_panic_of_a_model_client_names_the_agent() {
    struct Falls;

    impl ModelClient for Falls {
        fn complete<'a>(&'a self, _: &'a ModelRequest) -> ModelFuture<'a> {
            panic!("wires crossed")
        }
    }

    let machine = Machine::new(only_one_asks());
    let mut run = machine
        .start()
        .with_factory(ClientFactory::new().with_client(Arc::new(Falls)));
    run.next(machine.ctx()).await.unwrap();
    let before = json(&run);
    let error = run.next(machine.ctx()).await.unwrap_err();
    assert!(
        matches!(&error, FlowError::Panicked { node, .. } if node == "One"),
        "{error}"
    );
    only_failed(&run, &before, "One");
}

states!(Loop, Question, Answer, LoopEnd);
agent!(Question -> Answer);

impl Flow for Loop {
    type Output = LoopEnd;

    fn build() -> Result<FlowGraph, FlowError> {
        FlowGraph::builder()
            .work::<Loop, Question, _, _>(|loops, _| async move { Ok(Question { n: loops.n }) })
            .agent::<Question>()
            .either::<Answer, Question, LoopEnd, _>(|answer, _| {
                Ok(match answer.n {
                    0 => Either::Right(LoopEnd { n: 0 }),
                    n => Either::Left(Question { n }),
                })
            })
            .build()
    }
}

// Each visit begins a conversation of its own, with call ids of its own.
#[tokio::test]
async fn an_agent_on_a_loop_begins_anew_at_each_visit() {
    let script = asks(asks(ScriptedModel::new(), "Question#1", 1), "Question#2", 0);
    let machine = Machine::new(script);
    let mut run = machine.on(FlowRuntime::new(Loop { n: 1 }).unwrap().with_run_id("r"));
    for _ in 0..2 {
        assert_eq!(
            suspended(run.run(machine.ctx()).await.unwrap()),
            "Question::ask"
        );
        run = machine.restart(&run);
        run.resume(machine.ctx(), ("Question::ask", "yes"))
            .await
            .unwrap();
    }
    assert_eq!(
        run.run(machine.ctx()).await.unwrap(),
        RunOut::Done(LoopEnd { n: 0 })
    );
    let ids: std::collections::BTreeSet<_> = machine
        .log
        .entries()
        .into_iter()
        .filter(|entry| entry.starts_with("ask"))
        .collect();
    assert_eq!(ids.len(), 2, "{ids:?}");
}

#[tokio::test]
async fn a_limit_of_an_agent_holds_over_a_restart() {
    states!(Brief, BriefEnd);

    impl Agent for Brief {
        type Output = BriefEnd;

        fn build() -> AgentConfig {
            AgentConfig::new("", "openai://m")
                .with_tools(ToolBox::new().with::<Look>())
                .max_turns(2)
        }
    }

    impl Flow for Brief {
        type Output = BriefEnd;

        fn build() -> Result<FlowGraph, FlowError> {
            FlowGraph::builder().agent::<Brief>().build()
        }
    }

    let looks = |script: ScriptedModel| script.call("Brief", "look", json!({}));
    let machine = Machine::new(looks(looks(looks(ScriptedModel::new()))));
    let mut run = machine.on(FlowRuntime::new(Brief { n: 0 }).unwrap());
    for _ in 0..4 {
        run.next(machine.ctx()).await.unwrap();
        run = machine.restart(&run);
    }
    let before = json(&run);
    let error = run.next(machine.ctx()).await.unwrap_err();
    assert!(
        matches!(&error, FlowError::Limit { node, limit: Limit::Turns(2), .. } if node == "Brief"),
        "{error}"
    );
    only_failed(&run, &before, "Brief");
    let failed = bytes(&run);
    assert_eq!(bytes(&load::<Brief>(&failed)), failed);
}

//! Turns of agents: tools that are called at the same time, and messages that start another turn.

use std::{sync::Arc, time::Duration};

use pravah_restate::RestateFlows;
use pravah_runtime::{ClientFactory, prelude::*};
use pravah_store::Status;
use serde_json::json;
use tokio::{sync::Barrier, time::timeout};

use crate::server::{Server, until};

#[state]
struct Topic {
    text: String,
}
#[state]
#[derive(Debug, PartialEq)]
struct Plan {
    text: String,
}

fn topic() -> Topic {
    Topic {
        text: "Trains to Benin".into(),
    }
}

/// Waits for another call of this tool.
#[tool]
async fn meet(barrier: Dep<Arc<Barrier>>) -> Result<String, ToolError> {
    let met = timeout(Duration::from_secs(20), barrier.wait()).await;
    met.map_err(|_| ToolError::other("nobody came"))?;
    Ok("met".to_owned())
}

/// You plan.
#[agent(model = "openai://m", output = Plan, tools = [meet])]
fn gather(topic: &Topic) -> String {
    topic.text.clone()
}

#[flow]
fn gathering(topic: Topic) -> Plan {
    flow! { gather }
}

/// You plan.
#[agent(model = "openai://m", output = Plan, turns(max = 2, idle = "1h"))]
fn plan(topic: &Topic) -> String {
    topic.text.clone()
}

#[flow(named)]
fn planning(topic: Topic) -> Plan {
    flow! { plan }
}

#[tokio::test]
async fn tools_that_are_called_in_one_turn_run_at_the_same_time() {
    let server = Server::start().await;
    let script = ScriptedModel::new()
        .calls("gather", [("meet", json!({})), ("meet", json!({}))])
        .reply("gather", json!({ "text": "By train." }));
    let models = ClientFactory::new().with_scripted(script);
    let flows = RestateFlows::new()
        .serve_with::<Topic>(move |run, _| Ok(run.with_factory(models.clone())))
        .with_context(Context::default().with_dep(Arc::new(Barrier::new(2))));
    let _serving = server.serve(flows).await;
    let runs = server.runs();
    let id = runs.start::<Topic>(topic()).await.unwrap();
    assert_eq!(runs.result::<Topic>(&id).await.unwrap().text, "By train.");
}

#[tokio::test]
async fn a_message_to_an_agent_starts_another_turn() {
    let server = Server::start().await;
    let script = ScriptedModel::new()
        .reply("plan", json!({ "text": "By train." }))
        .reply("plan", json!({ "text": "By ship." }));
    let models = ClientFactory::new().with_scripted(script);
    let flows = RestateFlows::new()
        .serve_with::<planning>(move |run, _| Ok(run.with_factory(models.clone())));
    let _serving = server.serve(flows).await;
    let runs = server.runs();
    let id = runs.start::<planning>(topic()).await.unwrap();
    until(&runs, &id, Status::Waiting).await;
    runs.message(&id, "plan", "Not by train.").await.unwrap();
    assert_eq!(runs.result::<planning>(&id).await.unwrap().text, "By ship.");
    assert!(runs.refused(&id).await.unwrap().is_empty());
}

//! Multi-turn agents beside what else agents do: tools, lists, limits and failures.

use std::time::Duration;

use pravah_runtime::{Limit, ScriptedModel, ToolError, prelude::*};
use serde_json::json;
use tokio::time::{Instant, sleep};

use super::{Draft, Page, now};

#[state]
#[derive(Debug, PartialEq)]
struct Plan {
    n: u32,
}

/// Looks something up.
#[tool]
async fn look() -> Result<u32, ToolError> {
    Ok(7)
}

/// Plans.
#[agent(model = "openai://m", output = Plan, tools = [look], max_turns = 3, turns(idle = "1m"))]
fn plan(draft: &Draft) -> String {
    draft.n.to_string()
}

#[flow(named)]
fn planning(draft: Draft) -> Plan {
    flow! { plan }
}

fn with(script: ScriptedModel) -> ClientFactory {
    ClientFactory::new().with_scripted(script)
}

#[tokio::test(start_paused = true)]
async fn an_agent_uses_its_tools_in_each_turn_and_its_limits_are_for_all_of_them() {
    let script = ScriptedModel::new()
        .reply("plan", json!({ "n": 1 }))
        .call("plan", "look", json!({}))
        .reply("plan", json!({ "n": 2 }))
        .reply("plan", json!({ "n": 3 }));
    let run = planning::start(Draft { n: 1 }).unwrap();
    let mut run = run.with_factory(with(script));
    let hub = run.hub();
    hub.send_to("plan", "Look it up.");
    while run
        .listening_agents()
        .first()
        .is_none_or(|agent| agent.turn < 2)
    {
        run.next(Context::default()).await.unwrap();
    }
    assert_eq!(run.listening_agents()[0].answer, json!({ "n": 2 }));
    hub.send_to("plan", "Once more.");
    let error = run.run(Context::default()).await.unwrap_err();
    assert!(
        matches!(
            error,
            FlowError::Limit {
                limit: Limit::Turns(3),
                ..
            }
        ),
        "{error}"
    );
}

#[state]
struct Batch {
    drafts: Vec<Draft>,
}
#[state]
#[derive(Debug, PartialEq)]
struct Plans {
    numbers: Vec<u32>,
}

#[node]
fn split(batch: Batch) -> Each<Draft> {
    batch.drafts.into()
}

#[node]
fn gather(plans: Each<Plan>) -> Plans {
    Plans {
        numbers: plans.iter().map(|plan| plan.n).collect(),
    }
}

#[flow(named)]
fn many(batch: Batch) -> Plans {
    flow! { split -> each(plan) -> gather }
}

#[tokio::test(start_paused = true)]
async fn each_item_of_a_list_has_a_conversation_of_its_own() {
    let drafts = (1..=2).map(|n| Draft { n }).collect();
    let script = ScriptedModel::new()
        .reply("plan[0]", json!({ "n": 1 }))
        .reply("plan[0]", json!({ "n": 11 }))
        .reply("plan[1]", json!({ "n": 2 }))
        .reply("plan[1]", json!({ "n": 12 }));
    let run = many::start(Batch { drafts }).unwrap().with_run_id("r");
    let mut run = run.with_factory(with(script)).with_concurrency(2);
    let hub = run.hub();
    while run.listening_agents().len() < 2 {
        run.next(Context::default()).await.unwrap();
    }
    let listening = run.listening_agents();
    let items: Vec<_> = listening.iter().map(|agent| agent.items.clone()).collect();
    assert_eq!(items, [[0], [1]]);
    let mut first = hub.send_to_agent(&*listening[0].agent_run, "You.");
    let mut last = hub.send_to("plan", "You too.");
    let out = run.run(Context::default()).await.unwrap();
    assert_eq!(
        out,
        RunOut::Done(Plans {
            numbers: vec![11, 12]
        })
    );
    assert!(now(&mut first).unwrap().is_ok() && now(&mut last).unwrap().is_ok());
}

/// Plans.
#[agent(model = "openai://m", output = Plan, turns(idle = "1h"), total_timeout = "10s", retry(max_attempts = 2))]
fn hurry(draft: &Draft) -> String {
    draft.n.to_string()
}

#[node]
fn print(plan: Plan) -> Page {
    Page { n: plan.n }
}

#[flow(named)]
fn hurrying(draft: Draft) -> Page {
    flow! { hurry -> print }
}

#[tokio::test(start_paused = true)]
async fn the_time_in_which_an_agent_listens_does_not_count() {
    let script = ScriptedModel::new()
        .reply("hurry", json!({ "n": 1 }))
        .reply("hurry", json!({ "n": 2 }));
    let run = hurrying::start(Draft { n: 1 }).unwrap();
    let mut run = run.with_factory(with(script));
    let hub = run.hub();
    tokio::spawn(async move {
        sleep(Duration::from_secs(1_800)).await;
        hub.send_to("hurry", "Once more.").await
    });
    let started = Instant::now();
    let out = run.serve(Context::default()).await.unwrap();
    assert_eq!(out, RunOut::Done(Page { n: 2 }));
    assert_eq!(started.elapsed(), Duration::from_secs(1_800 + 3_600));
}

#[tokio::test(start_paused = true)]
async fn another_attempt_is_another_conversation_with_another_id() {
    let script = ScriptedModel::new()
        .reply("hurry", json!({ "n": 1 }))
        .error("hurry", "no more")
        .reply("hurry", json!({ "n": 3 }));
    let run = hurrying::start(Draft { n: 1 }).unwrap().with_run_id("r");
    let mut run = run.with_factory(with(script));
    let hub = run.hub();
    let taken = hub.send_to("hurry", "Once more.");
    let queued = hub.send_to("hurry", "And again.");
    while run
        .listening_agents()
        .first()
        .is_none_or(|agent| agent.answer != json!({ "n": 3 }))
    {
        run.next(Context::default()).await.unwrap();
    }
    taken.await.unwrap();
    assert_eq!(run.listening_agents()[0].agent_run, "r/hurry(Draft)#1@2");
    // It was for the first attempt.
    run.next(Context::default()).await.unwrap();
    assert!(matches!(
        queued.await.unwrap_err(),
        FlowError::NoAgentRun(_)
    ));
}

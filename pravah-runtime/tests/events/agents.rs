//! Agent runs that end otherwise than with an output: every one that began ends once, and with it its events.

use std::time::Duration;

use pravah_runtime::{ScriptedModel, ToolError, prelude::*};
use serde_json::json;

use super::{Batch, Checked, Draft, Page, Printed, Told, ask, lines, split};

/// Takes its time.
#[tool]
async fn dawdle() -> Result<String, ToolError> {
    tokio::time::sleep(Duration::from_secs(5)).await;
    Ok("done".to_owned())
}

#[agent(model = "openai://m", preamble = "Tell.", output = Told, tools = [ask, dawdle])]
fn tell(_: &Draft) -> String {
    String::new()
}

#[flow(named)]
fn asking(draft: Draft) -> Told {
    flow! { tell }
}

#[node]
async fn quick(draft: Draft) -> Checked {
    Checked { n: draft.n }
}

/// A flow whose agent is in flight while something else is committed.
#[flow(named)]
fn tale(draft: Draft) -> Page {
    flow! { fork(tell, quick) -> join(meet) }
}

#[node]
async fn check(_: &Draft) -> Result<Checked, std::io::Error> {
    tokio::time::sleep(Duration::from_secs(1)).await;
    Err(std::io::Error::other("no"))
}

#[node]
fn meet(told: Told, checked: Checked) -> Page {
    Page {
        n: told.n + checked.n,
    }
}

#[flow(named)]
fn both(draft: Draft) -> Page {
    flow! { fork(tell, check) -> join(meet) }
}

#[node]
fn rescue(failure: Failure<Draft>) -> Page {
    Page { n: failure.input.n }
}

#[flow(named)]
fn rescued(draft: Draft) -> Page {
    flow! { both -> done; catch(both) -> rescue }
}

/// The events of agents and of the run.
fn of_agents(lines: Vec<String>) -> Vec<String> {
    let is_meant = |line: &String| line.contains("agent:") || line.starts_with("run ");
    lines.into_iter().filter(is_meant).collect()
}

#[tokio::test(start_paused = true)]
async fn an_agent_run_ends_where_a_catch_around_it_takes_the_failure_of_another_node() {
    let script = ScriptedModel::new().call("both::tell", "ask", json!({}));
    let run = rescued::start(Draft { n: 1 }).unwrap().with_run_id("r");
    let mut run = run.with_factory(ClientFactory::new().with_scripted(script));
    let mut events = run.events();
    run.run(Context::default()).await.unwrap();
    let expected = [
        "run harness:start",
        "both::tell agent:start r/both::tell(Draft)#1@1",
        "both::tell agent:tool:start ask",
        "both::tell agent:complete r/both::tell(Draft)#1@1 false",
        "run harness:complete true",
    ];
    assert_eq!(of_agents(lines(&mut events)), expected);
}

#[node]
fn bind(told: Each<Told>) -> Result<Printed, std::io::Error> {
    Ok(Printed { count: told.len() })
}

#[state]
struct Delayed {
    n: u32,
}

#[node]
async fn delay(_: &Batch) -> Result<Delayed, std::io::Error> {
    tokio::time::sleep(Duration::from_secs(1)).await;
    Err(std::io::Error::other("no"))
}

#[node]
fn collect(printed: Printed, delayed: Delayed) -> Page {
    Page {
        n: delayed.n + u32::try_from(printed.count).unwrap(),
    }
}

#[flow(named)]
fn book(batch: Batch) -> Page {
    flow! { fork(split -> each(tell) -> bind, delay) -> join(collect) }
}

#[gate(prompt = "What now?")]
fn decide(failure: &Failure<Batch>, yes: bool) -> Page {
    Page {
        n: failure.attempts + u32::from(yes),
    }
}

#[flow(named)]
fn decided(batch: Batch) -> Page {
    flow! { book -> done; catch(book) -> decide }
}

#[tokio::test(start_paused = true)]
async fn the_agent_runs_of_a_list_end_with_it_and_not_once_more_when_the_run_is_cancelled() {
    let script = ScriptedModel::new()
        .call("book::tell", "ask", json!({}))
        .call("book::tell", "ask", json!({}));
    let drafts = vec![Draft { n: 1 }, Draft { n: 2 }];
    let run = decided::start(Batch { drafts })
        .unwrap()
        .with_concurrency(4);
    let mut run = run.with_factory(ClientFactory::new().with_scripted(script));
    let mut events = run.events();
    run.run(Context::default()).await.unwrap();
    run.cancel("enough").await.unwrap();
    let told = of_agents(lines(&mut events));
    let ended = told.iter().filter(|line| line.contains("agent:complete"));
    assert_eq!(ended.count(), 2, "{told:#?}");
}

#[tokio::test(start_paused = true)]
async fn nothing_of_an_agent_comes_after_its_end_also_within_the_grace_of_a_cancelled_run() {
    let script = ScriptedModel::new().call("tell", "dawdle", json!({}));
    let run = tale::start(Draft { n: 1 }).unwrap().with_run_id("r");
    let run = run
        .with_cancel_grace(Duration::from_secs(9))
        .with_concurrency(2);
    let mut run = run.with_factory(ClientFactory::new().with_scripted(script));
    let mut events = run.events();
    run.next(Context::default()).await.unwrap();
    run.next(Context::default()).await.unwrap();
    run.cancel("enough").await.unwrap();
    let expected = [
        "run harness:start",
        "tell agent:start r/tell(Draft)#1@1",
        "tell agent:tool:start dawdle",
        "run session:abort enough",
        "tell agent:tool:complete dawdle false",
        "tell agent:complete r/tell(Draft)#1@1 false",
        "run harness:complete false",
    ];
    assert_eq!(of_agents(lines(&mut events)), expected);
}

#[tokio::test]
async fn an_agent_run_of_a_restored_run_ends_when_that_is_cancelled() {
    let script = ScriptedModel::new().call("tell", "ask", json!({}));
    let run = asking::start(Draft { n: 1 }).unwrap().with_run_id("r");
    let mut run = run.with_factory(ClientFactory::new().with_scripted(script));
    run.run(Context::default()).await.unwrap();

    let mut run = FlowRuntime::<asking>::from_snapshot(run.snapshot()).unwrap();
    let mut events = run.events();
    run.cancel("enough").await.unwrap();
    let expected = [
        "run session:abort enough",
        "tell agent:complete r/tell(Draft)#1@1 false",
        "run harness:complete false",
    ];
    assert_eq!(of_agents(lines(&mut events)), expected);
}

#[agent(model = "openai://m", preamble = "Tell.", output = Told, tools = [dawdle], timeout = "1s")]
fn hurry(_: &Draft) -> String {
    String::new()
}

#[flow(named)]
fn hurried(draft: Draft) -> Told {
    flow! { hurry }
}

#[tokio::test(start_paused = true)]
async fn a_call_that_is_dropped_with_its_step_has_failed_before_the_agent_run_ends() {
    let script = ScriptedModel::new().call("hurry", "dawdle", json!({}));
    let run = hurried::start(Draft { n: 1 }).unwrap().with_run_id("r");
    let mut run = run.with_factory(ClientFactory::new().with_scripted(script));
    let mut events = run.events();
    run.next(Context::default()).await.unwrap();
    lines(&mut events);
    let step = run.next(Context::default());
    let soon = Duration::from_millis(1);
    tokio::time::timeout(soon, step).await.unwrap_err();
    run.next(Context::default()).await.unwrap_err();
    let expected = [
        "hurry agent:tool:start dawdle",
        "hurry agent:tool:complete dawdle true",
        "hurry agent:tool:start dawdle",
        "hurry agent:tool:complete dawdle true",
        "hurry agent:complete r/hurry(Draft)#1@1 false",
    ];
    assert_eq!(of_agents(lines(&mut events)), expected);
}

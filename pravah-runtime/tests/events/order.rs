//! Which events a run has, and in which order.

use std::time::Duration;

use pravah_runtime::{EventKind, ScriptedModel, ToolError, prelude::*};
use serde_json::json;

use super::{Batch, Checked, Draft, Page, Printed, Told, ask, come, lines, split};

#[tokio::test]
async fn a_run_starts_once_each_node_starts_and_completes_and_the_run_completes_last() {
    let mut run = FlowRuntime::new(Draft { n: 1 }).unwrap();
    let mut events = run.events();
    run.run(Context::default()).await.unwrap();
    let expected = [
        "run harness:start",
        "publish task:start",
        "publish step 1",
        "publish task:complete",
        "run harness:complete true",
    ];
    assert_eq!(lines(&mut events), expected);
    run.next(Context::default()).await.unwrap_err();
    run.pause();
    assert!(lines(&mut events).is_empty());
}

#[tokio::test]
async fn a_run_starts_under_the_name_of_its_flow_whether_or_not_that_is_named() {
    let mut plain = FlowRuntime::new(Draft { n: 1 }).unwrap();
    let mut events = plain.events();
    plain.run(Context::default()).await.unwrap();
    assert_eq!(come(&mut events)[0].kind, EventKind::run_started("story"));
    let mut named = luck::start(Draft { n: 0 }).unwrap();
    let mut events = named.events();
    named.run(Context::default()).await.unwrap();
    assert_eq!(come(&mut events)[0].kind, EventKind::run_started("luck"));
}

#[derive(Debug, thiserror::Error)]
#[error("no luck")]
struct NoLuck;

#[node(retry(max_attempts = 3, backoff = "1s"))]
fn check(draft: &Draft, step: Step) -> Result<Checked, NoLuck> {
    match step.attempt() > draft.n {
        true => Ok(Checked { n: draft.n }),
        false => Err(NoLuck),
    }
}

#[node]
fn print(checked: Checked) -> Page {
    Page { n: checked.n }
}

#[flow(named)]
fn luck(draft: Draft) -> Page {
    flow! { check -> print }
}

#[tokio::test(start_paused = true)]
async fn each_attempt_starts_and_says_what_becomes_of_its_failure() {
    let mut run = luck::start(Draft { n: 1 }).unwrap();
    let mut events = run.events();
    run.run(Context::default()).await.unwrap();
    let expected = [
        "run harness:start",
        "check task:start",
        "check task:failed Retried",
        "check step 1",
        "check attempt 2 task:start",
        "check attempt 2 step 2",
        "check attempt 2 task:complete",
    ];
    assert_eq!(lines(&mut events)[..7], expected);
}

#[tokio::test(start_paused = true)]
async fn a_run_that_has_ended_says_how_long_it_took() {
    let mut run = luck::start(Draft { n: 1 }).unwrap();
    let mut events = run.events();
    run.run(Context::default()).await.unwrap();
    let last = come(&mut events).pop().unwrap();
    assert_eq!(
        last.kind,
        EventKind::run_ended(true, Duration::from_secs(1))
    );
}

#[tokio::test]
async fn a_run_that_is_paused_has_not_started() {
    let mut run = luck::start(Draft { n: 0 }).unwrap();
    run.pause();
    let mut events = run.events();
    run.next(Context::default()).await.unwrap();
    assert!(lines(&mut events).is_empty());
    run.unpause();
    run.next(Context::default()).await.unwrap();
    let told = lines(&mut events);
    assert_eq!(told[..2], ["run session:unpause", "run harness:start"]);
}

#[tokio::test(start_paused = true)]
async fn a_failure_that_nothing_takes_is_told_and_the_run_has_not_ended() {
    let mut run = luck::start(Draft { n: 9 }).unwrap();
    let mut events = run.events();
    run.run(Context::default()).await.unwrap_err();
    let told = lines(&mut events);
    let expected = [
        "check attempt 3 task:start",
        "check attempt 3 task:failed Unhandled",
    ];
    assert_eq!(told[told.len() - 2..], expected);
}

#[state]
struct Approved {
    n: u32,
}

#[gate(prompt = "Publish?")]
fn approve(draft: &Draft, yes: bool) -> Approved {
    Approved {
        n: draft.n + u32::from(yes),
    }
}

#[node]
fn issue(approved: Approved) -> Page {
    Page { n: approved.n }
}

#[flow(named)]
fn gated(draft: Draft) -> Page {
    flow! { approve -> issue }
}

#[tokio::test]
async fn a_question_and_its_reply_have_the_same_id_and_a_restored_run_starts_again() {
    let mut run = gated::start(Draft { n: 1 }).unwrap();
    let mut events = run.events();
    run.run(Context::default()).await.unwrap();
    let expected = [
        "run harness:start",
        "approve task:start",
        "approve session:prompt approve",
        "approve step 1",
    ];
    assert_eq!(lines(&mut events), expected);

    let mut run = FlowRuntime::<gated>::from_snapshot(run.snapshot()).unwrap();
    let mut events = run.events();
    run.answer(Context::default(), "approve", true)
        .await
        .unwrap();
    let expected = [
        "run harness:start",
        "approve session:reply approve",
        "approve step 2",
        "approve task:complete",
    ];
    assert_eq!(lines(&mut events), expected);
}

#[tokio::test]
async fn a_cancelled_run_says_why_and_completes_without_success() {
    let mut run = gated::start(Draft { n: 1 }).unwrap();
    let mut events = run.events();
    run.pause();
    run.pause();
    run.unpause();
    run.cancel("enough").await.unwrap();
    run.cancel("again").await.unwrap_err();
    let expected = [
        "run session:pause",
        "run session:unpause",
        "run session:abort enough",
        "run harness:complete false",
    ];
    assert_eq!(lines(&mut events), expected);
}

/// Looks something up.
#[tool]
async fn look(word: String) -> Result<String, ToolError> {
    match word.as_str() {
        "none" => Err(ToolError::other("no such word")),
        word => Ok(word.to_owned()),
    }
}

#[agent(model = "openai://m", preamble = "Tell.", output = Told, tools = [look, ask])]
fn tell(_: &Draft) -> String {
    String::new()
}

#[flow(named)]
fn tale(draft: Draft) -> Told {
    flow! { tell }
}

#[tokio::test]
async fn each_tool_that_starts_completes_once_after_what_it_waits_for() {
    let script = ScriptedModel::new()
        .call("tell", "look", json!({ "word": "none" }))
        .call("tell", "lost", json!({}))
        .call("tell", "ask", json!({}))
        .reply("tell", json!({ "n": 1 }));
    let run = tale::start(Draft { n: 1 }).unwrap();
    let mut run = run.with_factory(ClientFactory::new().with_scripted(script));
    let mut events = run.events();
    run.run(Context::default()).await.unwrap();
    let tools = |lines: Vec<String>| -> Vec<String> {
        let of_tool = |line: &String| line.contains("tool:") || line.contains("session:");
        lines.into_iter().filter(of_tool).collect()
    };
    let expected = [
        "tell agent:tool:start look",
        "tell agent:tool:failed",
        "tell agent:tool:complete look true",
        "tell agent:tool:start lost",
        "tell agent:tool:failed",
        "tell agent:tool:complete lost true",
        "tell agent:tool:start ask",
        "tell session:prompt tell::ask",
    ];
    assert_eq!(tools(lines(&mut events)), expected);

    run.answer(Context::default(), "tell::ask", json!(7))
        .await
        .unwrap_err();
    let refused = [
        "tell session:reply tell::ask",
        "tell agent:tool:failed",
        "tell session:prompt tell::ask",
    ];
    assert_eq!(tools(lines(&mut events)), refused);

    run.answer(Context::default(), "tell::ask", "yes")
        .await
        .unwrap();
    let expected = [
        "tell session:reply tell::ask",
        "tell agent:tool:complete ask false",
    ];
    assert_eq!(tools(lines(&mut events)), expected);
}

/// The events of agents alone.
fn of_agents(lines: Vec<String>) -> Vec<String> {
    let of_agent = |line: &String| line.contains("agent:start") || line.contains("agent:complete");
    lines.into_iter().filter(of_agent).collect()
}

#[tokio::test]
async fn an_agent_run_starts_and_completes_once_over_all_its_steps_and_a_restore() {
    let script = ScriptedModel::new()
        .call("tell", "ask", json!({}))
        .reply("tell", json!({ "n": 1 }));
    let factory = ClientFactory::new().with_scripted(script);
    let run = tale::start(Draft { n: 1 }).unwrap().with_run_id("r");
    let mut run = run.with_factory(factory.clone());
    let mut events = run.events();
    run.run(Context::default()).await.unwrap();
    let started = ["tell agent:start r/tell(Draft)#1@1"];
    assert_eq!(of_agents(lines(&mut events)), started);

    let run = FlowRuntime::<tale>::from_snapshot(run.snapshot()).unwrap();
    let mut run = run.with_factory(factory);
    let mut events = run.events();
    run.answer(Context::default(), "tell::ask", "yes")
        .await
        .unwrap();
    run.run(Context::default()).await.unwrap();
    let completed = ["tell agent:complete r/tell(Draft)#1@1 true"];
    assert_eq!(of_agents(lines(&mut events)), completed);
}

#[tokio::test]
async fn an_agent_run_completes_when_it_fails_and_when_the_run_is_cancelled() {
    let script = ScriptedModel::new().call("tell", "ask", json!({}));
    let run = tale::start(Draft { n: 1 }).unwrap().with_run_id("r");
    let mut run = run.with_factory(ClientFactory::new().with_scripted(script));
    let mut events = run.events();
    run.run(Context::default()).await.unwrap();
    run.cancel("enough").await.unwrap();
    let told = lines(&mut events);
    let last = [
        "run session:abort enough",
        "tell agent:complete r/tell(Draft)#1@1 false",
        "run harness:complete false",
    ];
    assert_eq!(told[told.len() - 3..], last);

    let script = ScriptedModel::new().error("tell", "no");
    let run = tale::start(Draft { n: 1 }).unwrap().with_run_id("r");
    let mut run = run.with_factory(ClientFactory::new().with_scripted(script));
    let mut events = run.events();
    run.run(Context::default()).await.unwrap_err();
    let expected = [
        "tell agent:start r/tell(Draft)#1@1",
        "tell agent:complete r/tell(Draft)#1@1 false",
    ];
    assert_eq!(of_agents(lines(&mut events)), expected);
}

#[node]
async fn print_one(draft: Draft) -> Page {
    tokio::time::sleep(Duration::from_secs(1)).await;
    Page { n: draft.n }
}

#[node]
fn bind(pages: Each<Page>) -> Printed {
    Printed { count: pages.len() }
}

#[flow(named)]
fn book(batch: Batch) -> Printed {
    flow! { split -> each(print_one) -> bind }
}

#[tokio::test(start_paused = true)]
async fn the_items_of_a_list_are_told_apart_also_where_they_run_side_by_side() {
    let drafts = vec![Draft { n: 1 }, Draft { n: 2 }];
    let mut run = book::start(Batch { drafts }).unwrap().with_concurrency(2);
    let mut events = run.events();
    run.run(Context::default()).await.unwrap();
    let told = lines(&mut events);
    let of_items: Vec<_> = told.iter().filter(|line| line.contains('[')).collect();
    let expected = [
        "print_one[0] task:start",
        "print_one[1] task:start",
        "print_one[0] step 2",
        "print_one[0] task:complete",
        "print_one[1] step 3",
        "print_one[1] task:complete",
    ];
    assert_eq!(of_items, expected);
}

#[tokio::test]
async fn an_observer_that_panics_harms_neither_the_run_nor_a_stream() {
    let mut run = FlowRuntime::new(Draft { n: 1 })
        .unwrap()
        .with_observer(|_| panic!("an observer that fails"));
    let mut events = run.events();
    let out = run.run(Context::default()).await.unwrap();
    assert_eq!(out, RunOut::Done(Page { n: 1 }));
    assert_eq!(lines(&mut events).len(), 5);
}

#[state]
struct Outer {
    n: u32,
}

/// Calls a flow that asks somebody, whose run nobody could go on with.
#[node]
async fn call(outer: &Outer, ctx: Context) -> Result<Page, FlowError> {
    gated(Draft { n: outer.n }, ctx).await
}

#[flow(named)]
fn calling(outer: Outer) -> Page {
    flow! { call }
}

#[tokio::test]
async fn a_node_that_called_a_flow_which_waits_for_somebody_has_failed() {
    let mut run = calling::start(Outer { n: 1 }).unwrap();
    let mut events = run.events();
    run.run(Context::default()).await.unwrap_err();
    let expected = [
        "run harness:start",
        "call task:start",
        "call task:failed Unhandled",
    ];
    assert_eq!(lines(&mut events), expected);
}

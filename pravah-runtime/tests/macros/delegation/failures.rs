//! Agents that fail, wait or are stopped while they have called others.

use std::{
    sync::{
        Arc,
        atomic::{AtomicU32, Ordering},
    },
    time::{Duration, SystemTime},
};

use pravah_runtime::{ManualClock, RunStatus, prelude::*};
use serde_json::json;

use super::{Finding, Question, Report, ctx, of, question, text, told};
use crate::macros_support::{Recorder, output, restart, suspended};

/// Counts how often a tool was tried.
#[derive(Clone, Default)]
struct Tried(Arc<AtomicU32>);

/// Asks, and breaks down once it is answered.
#[tool]
async fn ask_and_break(answer: Resumed<String>, tried: Dep<Tried>) -> Result<String, ToolError> {
    if answer.is_none() {
        return Err(ToolError::suspend("Shall I?"));
    }
    tried.0.fetch_add(1, Ordering::Relaxed);
    Err(ToolError::fatal("broken"))
}

/// Asks.
#[tool]
async fn ask(answer: Resumed<String>) -> Result<String, ToolError> {
    answer.0.ok_or_else(|| ToolError::suspend("When?"))
}

/// Breaks down.
#[tool]
async fn break_down() -> Result<String, ToolError> {
    Err(ToolError::fatal("broken"))
}

/// You read.
#[agent(model = "openai://m", output = Finding, tools = [ask])]
fn reader(question: &Question) -> String {
    question.text.clone()
}

/// You try again.
#[agent(
    model = "openai://m",
    output = Finding,
    tools = [break_down],
    retry(max_attempts = 2, backoff = "1s"),
)]
fn stubborn(question: &Question) -> String {
    question.text.clone()
}

/// You write reports.
#[agent(
    model = "openai://m",
    output = Report,
    tools = [ask, ask_and_break],
    agents = [reader, stubborn],
    total_timeout = "1m",
)]
fn chief(question: &Question) -> String {
    question.text.clone()
}

/// You write reports, if need be twice.
#[agent(
    model = "openai://m",
    output = Report,
    tools = [break_down],
    agents = [reader],
    delegation(max_children = 1),
    retry(max_attempts = 2, backoff = "5s"),
)]
fn patient(question: &Question) -> String {
    question.text.clone()
}

#[flow(named)]
fn fast(question: Question) -> Report {
    flow! { chief }
}

#[flow(named, fail_fast = false)]
fn slow(question: Question) -> Report {
    flow! { chief }
}

#[flow(named)]
fn again(question: Question) -> Report {
    flow! { patient }
}

fn call(agent: &str) -> (&'static str, serde_json::Value) {
    ("call_agent", told(agent, "Read."))
}

fn failing_script() -> ScriptedModel {
    ScriptedModel::new()
        .calls("chief", [call("reader"), ("ask_and_break", json!({}))])
        .call("reader", "submit", text("read"))
}

#[tokio::test]
async fn an_answer_that_cannot_be_read_leaves_what_was_called_as_it_is() {
    let script = ScriptedModel::new()
        .calls("chief", [("ask", json!({})), call("reader")])
        .call("reader", "submit", text("read"))
        .call("chief", "submit", text("Done."));
    let model = Recorder::new(script);
    let mut run = fast::start(question())
        .unwrap()
        .with_factory(model.factory());
    run.next(ctx()).await.unwrap();
    let (id, _) = suspended(run.next(ctx()).await);
    run.answer(ctx(), &id, 7).await.map(drop).unwrap_err();
    run = restart(&run).with_factory(model.factory());
    assert!(matches!(run.status(), RunStatus::Ready));
    run.next(ctx()).await.unwrap();
    run.answer(ctx(), &id, "noon").await.unwrap();
    assert_eq!(output(run.run(ctx()).await).text, "Done.");
}

#[tokio::test]
async fn an_agent_that_has_failed_is_tried_again_after_those_that_it_has_called() {
    let tried = Tried::default();
    let ctx = || Context::default().with_dep(tried.clone());
    let model = Recorder::new(failing_script());
    let mut run = fast::start(question())
        .unwrap()
        .with_factory(model.factory());
    run.next(ctx()).await.unwrap();
    run.next(ctx()).await.unwrap();
    run.answer(ctx(), "chief::ask_and_break", "yes")
        .await
        .map(drop)
        .unwrap_err();
    assert_eq!(of(&model.asked(), "reader").len(), 0);
    run.run(ctx()).await.map(drop).unwrap_err();
    assert_eq!(of(&model.asked(), "reader").len(), 1);
    assert_eq!(tried.0.load(Ordering::Relaxed), 2);
}

#[tokio::test]
async fn where_a_flow_does_not_fail_fast_those_that_were_called_go_on_first() {
    let tried = Tried::default();
    let ctx = || Context::default().with_dep(tried.clone());
    let model = Recorder::new(failing_script());
    let mut run = slow::start(question())
        .unwrap()
        .with_factory(model.factory());
    run.next(ctx()).await.unwrap();
    run.next(ctx()).await.unwrap();
    run.answer(ctx(), "chief::ask_and_break", "yes")
        .await
        .unwrap();
    run = restart(&run).with_factory(model.factory());
    run.run(ctx()).await.map(drop).unwrap_err();
    assert_eq!(of(&model.asked(), "reader").len(), 1);
    assert_eq!(tried.0.load(Ordering::Relaxed), 1);
    run.run(ctx()).await.map(drop).unwrap_err();
    assert_eq!(tried.0.load(Ordering::Relaxed), 2);
}

#[tokio::test(start_paused = true)]
async fn a_second_attempt_calls_others_under_other_numbers_and_within_the_limit_of_both() {
    let script = ScriptedModel::new()
        .calls("patient", [call("reader")])
        .call("patient", "break_down", json!({}))
        .calls("patient", [call("reader")])
        .call("reader", "submit", text("read"))
        .call("patient", "submit", text("Done."));
    let model = Recorder::new(script);
    let mut run = again::start(question())
        .unwrap()
        .with_factory(model.factory());
    loop {
        match run.next(ctx()).await.unwrap() {
            RunOut::Done(report) => break assert_eq!(report.text, "Done."),
            RunOut::Waiting { .. } => run.wait().await,
            _ => run = restart(&run).with_factory(model.factory()),
        }
    }
    assert_eq!(of(&model.asked(), "reader").len(), 1);
    assert_eq!(
        &*model.results()[0].text,
        "not called: no more agents may be called in this visit"
    );
}

#[tokio::test]
async fn the_clock_of_an_agent_is_stopped_while_its_tasks_go_on() {
    let clock = ManualClock::new(SystemTime::now());
    let script = ScriptedModel::new()
        .calls("chief", [call("reader")])
        .call("reader", "ask", json!({}))
        .call("reader", "submit", text("read"))
        .call("chief", "submit", text("Done."));
    let model = Recorder::new(script);
    let run = fast::start(question()).unwrap().with_clock(clock.clone());
    let mut run = run.with_factory(model.factory());
    let (id, _) = suspended(run.run(ctx()).await);
    clock.advance(Duration::from_secs(3_600));
    run.answer(ctx(), &id, "noon").await.unwrap();
    assert_eq!(output(run.run(ctx()).await).text, "Done.");
}

#[tokio::test(start_paused = true)]
async fn an_agent_that_is_tried_again_goes_on_in_its_script_though_another_one_fails_meanwhile() {
    let script = ScriptedModel::new()
        .calls("chief", [call("stubborn"), call("reader")])
        .call("stubborn", "break_down", json!({}))
        .call("stubborn", "submit", text("second attempt"))
        .text("reader", "no call")
        .text("reader", "no call")
        .text("reader", "no call")
        .call("chief", "submit", text("Done."));
    let model = Recorder::new(script);
    let mut run = fast::start(question())
        .unwrap()
        .with_factory(model.factory());
    assert_eq!(output(run.run(ctx()).await).text, "Done.");
    let results = model.results();
    assert_eq!(&*results[0].text, r#"{"text":"second attempt"}"#);
    assert!(results[1].is_error);
}

/// How many more tool calls have started than ended, and the calls of agents that have ended.
fn tool_events(events: &mut pravah_runtime::Events) -> (i32, usize) {
    use futures_util::FutureExt as _;
    let (mut open, mut ended) = (0, 0);
    while let Some(Some(event)) = events.next().now_or_never() {
        match &event.kind {
            EventKind::ToolStarted { .. } => open += 1,
            EventKind::ToolEnded { tool, .. } => {
                open -= 1;
                ended += usize::from(tool == "call_agent");
            }
            _ => {}
        }
    }
    (open, ended)
}

#[tokio::test]
async fn observers_receive_the_end_of_each_call_once() {
    let script = ScriptedModel::new()
        .calls("chief", [call("reader"), ("ask", json!({}))])
        .call("reader", "submit", text("read"))
        .call("chief", "submit", text("Done."));
    let mut run = fast::start(question())
        .unwrap()
        .with_factory(Recorder::new(script).factory());
    let mut events = run.events();
    suspended(run.run(ctx()).await);
    let _ = run.run(ctx()).await;
    run.answer(ctx(), "chief::ask", 7)
        .await
        .map(drop)
        .unwrap_err();
    run.answer(ctx(), "chief::ask", "noon").await.unwrap();
    output(run.run(ctx()).await);
    assert_eq!(tool_events(&mut events), (0, 1));
}

#[tokio::test]
async fn observers_receive_the_end_of_a_call_that_was_not_made() {
    let script = ScriptedModel::new()
        .calls("patient", [call("reader"), call("reader")])
        .call("reader", "submit", text("read"))
        .call("patient", "submit", text("Done."));
    let mut run = again::start(question())
        .unwrap()
        .with_factory(Recorder::new(script).factory());
    let mut events = run.events();
    output(run.run(ctx()).await);
    assert_eq!(tool_events(&mut events), (0, 2));
}

/// Waits for a day.
#[tool]
async fn sleep() -> Result<String, ToolError> {
    tokio::time::sleep(Duration::from_secs(86_400)).await;
    Ok("rested".to_owned())
}

/// You write reports in a hurry.
#[agent(
    model = "openai://m",
    output = Report,
    tools = [sleep, ask],
    agents = [reader],
    delegation(max_children = 1),
    total_timeout = "1m",
)]
fn hurried(question: &Question) -> String {
    question.text.clone()
}

#[flow(named)]
fn hurrying(question: Question) -> Report {
    flow! { hurried }
}

#[tokio::test(start_paused = true)]
async fn an_agent_whose_calls_were_all_refused_still_runs_out_of_time() {
    let script = ScriptedModel::new()
        .calls("hurried", [call("reader")])
        .call("reader", "submit", text("read"))
        .calls("hurried", [call("reader")])
        .call("hurried", "sleep", json!({}))
        .call("hurried", "submit", text("Done."));
    let run = hurrying::start(question()).unwrap();
    let mut run = run.with_factory(Recorder::new(script).factory());
    let error = run.run(ctx()).await.map(drop).unwrap_err().to_string();
    assert_eq!(error, "node `hurried` took longer than 1m");
}

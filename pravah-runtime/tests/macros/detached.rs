//! Agents that run in the background of the agent that has started them.

mod events;
mod limits;
mod on_done;
mod random;
mod shown;
mod snapshots;
mod supervision;
mod tree;
mod waits;

use std::time::{Duration, UNIX_EPOCH};

use pravah_runtime::{
    FlowDef, ManualClock, Message, ModelRequest, invocation::TaskStatus, prelude::*,
};
use serde_json::{Value, json};

use crate::macros_support::{Recorder, output};

#[state]
#[derive(Clone, Debug, PartialEq)]
struct Question {
    text: String,
}
#[state]
#[derive(Clone, Debug, PartialEq)]
struct Finding {
    text: String,
}
#[state]
#[derive(Clone, Debug, PartialEq)]
struct Report {
    text: String,
}

/// Asks a person.
#[tool]
async fn ask(answer: Resumed<String>) -> Result<String, ToolError> {
    answer.0.ok_or_else(|| ToolError::suspend("?"))
}

/// Breaks down.
#[tool]
async fn break_down() -> Result<String, ToolError> {
    Err(ToolError::fatal("broken"))
}

/// You look things up.
#[agent(model = "openai://m", output = Finding, tools = [ask, break_down])]
fn researcher(question: &Question) -> String {
    question.text.clone()
}

/// You write reports.
#[agent(
    model = "openai://m",
    output = Report,
    agents = [researcher],
    delegation(context = [independent, inherited], join = [single, all, detached]),
)]
fn lead(question: &Question) -> String {
    question.text.clone()
}

#[flow]
fn reporting(question: Question) -> Report {
    flow! { lead }
}

fn question() -> Question {
    Question {
        text: "Which trains go to Benin?".into(),
    }
}

fn ctx() -> Context {
    Context::default()
}

fn text(text: &str) -> Value {
    json!({ "text": text })
}

/// The arguments of a call that starts as many detached researchers as there are prompts.
fn in_background(prompts: &[&str]) -> Value {
    with_join("detached", prompts)
}

fn with_join(join: &str, prompts: &[&str]) -> Value {
    let target = |prompt: &&str| json!({ "agent": "researcher", "prompt": prompt });
    let targets: Vec<Value> = prompts.iter().map(target).collect();
    json!({ "join": join, "targets": targets })
}

fn clock() -> ManualClock {
    ManualClock::new(UNIX_EPOCH + Duration::from_secs(1_000))
}

/// Steps until nothing moves; says how it rests.
async fn rest<F: FlowDef>(run: &mut FlowRuntime<F>) -> String
where
    F::Output: std::fmt::Debug,
{
    loop {
        match run.next(ctx()).await {
            Ok(RunOut::Continue | RunOut::Suspend { .. }) => {}
            Ok(RunOut::Waiting { until, why, .. }) => {
                break format!(
                    "{why:?} until {:?}",
                    until.map(|it| it.duration_since(UNIX_EPOCH).unwrap().as_secs())
                );
            }
            Ok(RunOut::Done(out)) => break format!("done: {out:?}"),
            Err(error) => break format!("error: {error}"),
        }
    }
}

/// A run with a model that answers by this script.
fn run_by(script: ScriptedModel) -> (FlowRuntime<Question>, Recorder) {
    let model = Recorder::new(script);
    let run = FlowRuntime::new(question()).unwrap();
    (run.with_factory(model.factory()), model)
}

/// What the model that was asked last has read of its calls.
fn results(model: &Recorder) -> Vec<Value> {
    results_of(model.asked().last().unwrap())
}

fn results_of(request: &ModelRequest) -> Vec<Value> {
    let messages = request.messages.iter();
    let results = messages.filter_map(|message| match message {
        Message::Tool { results, .. } => Some(results),
        _ => None,
    });
    let read = |text: &str| serde_json::from_str(text).unwrap_or_else(|_| text.into());
    results.flatten().map(|result| read(&result.text)).collect()
}

// A10, S2.11
#[tokio::test]
async fn a_call_of_several_is_answered_with_all_results_in_the_order_of_the_targets() {
    let script = ScriptedModel::new()
        .call("lead", "call_agent", with_join("all", &["One.", "Two."]))
        .call("researcher[0]", "break_down", json!({}))
        .reply("researcher[1]", text("second"))
        .call("lead", "submit", text("Done."));
    for bodies in [1, 8] {
        let (run, model) = run_by(script.clone());
        let mut run = run.with_run_id("run").with_concurrency(bodies);
        assert_eq!(output(run.run(ctx()).await).text, "Done.");
        let why = "tool `break_down` of agent `researcher` failed: broken";
        assert_eq!(
            results(&model),
            [json!({ "kind": "vector", "results": [
                { "content": why, "task_id": "run/lead(Question)#1[0]", "status": "failed" },
                { "content": { "text": "second" }, "task_id": "run/lead(Question)#1[1]", "status": "completed" },
            ] })]
        );
        assert_eq!(run.tasks(), []);
    }
}

// A6, A11, S2.12
#[tokio::test]
async fn a_detached_call_is_answered_with_the_ids_of_its_tasks_before_they_have_ended() {
    let script = ScriptedModel::new()
        .call("lead", "call_agent", in_background(&["One.", "Two."]))
        .call("lead", "submit", text("Done."))
        .reply("researcher[1]", text("first"))
        .reply("researcher[2]", text("second"));
    let (mut run, model) = run_by(script);
    run.next(ctx()).await.unwrap();
    run.next(ctx()).await.unwrap();
    let tasks = run.tasks();
    let shown = |index: usize| serde_json::to_value(&tasks[index]).unwrap();
    let started_at = tasks[0].started_at;
    assert!(started_at > 1_500_000_000_000);
    assert_eq!(
        shown(1),
        json!({
            "task_id": "task_2", "agent_id": "researcher", "status": "running",
            "executor": { "type": "local" }, "started_at": started_at, "last_event_at": started_at,
            "ended_at": null, "context": "independent", "join": "detached", "tools": { "kind": "none" },
        })
    );
    assert_eq!(output(run.run(ctx()).await).text, "Done.");
    assert_eq!(
        results(&model),
        [json!({ "kind": "task_ids", "task_ids": ["task_1", "task_2"] })]
    );
    assert_eq!(model.asked().last().unwrap().node, "lead");
}

#[tokio::test]
async fn an_agent_and_its_tasks_make_steps_in_turn() {
    let script = ScriptedModel::new()
        .call("lead", "call_agent", in_background(&["One.", "Two."]))
        .call("researcher[1]", "break_down", json!({}))
        .reply("researcher[2]", text("second"))
        .call("lead", "wait_task", json!({ "task_id": "task_2" }))
        .call("lead", "submit", text("Done."));
    let (mut run, _) = run_by(script);
    let mut steps = Vec::new();
    while let RunOut::Continue = run.next(ctx()).await.unwrap() {
        steps.push(run.last_step().unwrap().to_string());
    }
    assert_eq!(
        steps,
        [
            "1. lead (model)",
            "2. lead (tools)",
            "3. lead (tools)",
            "4. researcher[1] (model)",
            "5. lead (model)",
            "6. researcher[1] (failed)",
            "7. lead (tools)",
            "8. researcher[2] (model) -> Finding",
            "9. lead (tools)",
        ]
    );
}

// A12, S2.13: the snapshot says what becomes of them.
#[tokio::test]
async fn a_cancelled_run_has_cancelled_its_tasks() {
    let script = ScriptedModel::new().call("lead", "call_agent", in_background(&["One."]));
    let (mut run, _) = run_by(script);
    run.next(ctx()).await.unwrap();
    run.next(ctx()).await.unwrap();
    run.cancel("enough").await.unwrap();
    assert_eq!(run.tasks()[0].status, TaskStatus::Cancelled);
    let run = crate::macros_support::restart(&run);
    assert_eq!(run.tasks()[0].status, TaskStatus::Cancelled);
}

#[tokio::test]
async fn a_call_with_invalid_targets_or_join_is_an_error_that_the_model_reads() {
    let both = json!({ "agent": "researcher", "prompt": "One.", "targets": [] });
    for (arguments, says) in [
        (
            json!({ "join": "single", "targets": [] }),
            "`targets` is empty: name at least one agent",
        ),
        (
            with_join("single", &["One.", "Two."]),
            "`join` is `single`, which takes one agent, and `targets` names 2",
        ),
        (both, "use either `targets`, or `agent`"),
        (
            json!({ "join": "all" }),
            "name an `agent`, or several in `targets`",
        ),
        (with_join("later", &["One."]), "unknown variant `later`"),
    ] {
        let script = ScriptedModel::new()
            .call("lead", "call_agent", arguments)
            .call("lead", "submit", text("Done."));
        let (mut run, model) = run_by(script);
        output(run.run(ctx()).await);
        let results = model.results();
        assert!(results[0].is_error);
        assert!(results[0].text.contains(says), "{}", &*results[0].text);
    }
}

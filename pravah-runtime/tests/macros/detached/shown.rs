//! What the host sees of how a task was called.

use pravah_runtime::{
    invocation::{ContextScope, Executor, Join, ToolPolicy},
    prelude::*,
};
use serde_json::json;

use super::{Finding, Question, Report, ask, break_down, ctx, question, researcher};
use crate::macros_support::{Recorder, output, restart};

/// You write reports.
#[agent(
    model = "openai://m",
    output = Report,
    tools = [ask, break_down],
    agents = [researcher],
    delegation(
        context = [independent, inherited],
        tools = [ask],
        join = [single, detached],
        on_done = wait,
    ),
)]
fn lead(question: &Question) -> String {
    question.text.clone()
}

#[flow(named)]
fn by_an_agent(question: Question) -> Report {
    flow! { lead }
}

#[node(agents = [researcher])]
fn start(question: &Question) -> Invoke<Tasks> {
    Invoke::detached([researcher::invoke(question.clone())])
}

#[node(agents = [researcher])]
fn collect(tasks: &Tasks) -> Invoke<Each<Finding>> {
    tasks.wait()
}

#[flow(named)]
fn by_a_node(question: Question) -> Each<Finding> {
    flow! { start -> collect }
}

fn call(context: &str) -> (&'static str, serde_json::Value) {
    let call =
        json!({ "agent": "researcher", "prompt": "Go.", "join": "detached", "context": context });
    ("call_agent", call)
}

// S2.32
#[tokio::test]
async fn the_host_sees_how_each_task_of_an_agent_was_called() {
    let text = json!({ "text": "Done." });
    let script = ScriptedModel::new()
        .calls("lead", [call("independent"), call("inherited")])
        .call("lead", "submit", text.clone())
        .call("researcher[1]", "submit", text.clone())
        .call("researcher[2]", "submit", text);
    let model = Recorder::new(script);
    let run = by_an_agent::start(question()).unwrap();
    let mut run = run.with_factory(model.factory());
    output(run.run(ctx()).await);
    for run in [restart(&run), run] {
        let tasks = run.tasks();
        let contexts: Vec<_> = tasks.iter().map(|task| task.context).collect();
        let expected = [ContextScope::Independent, ContextScope::Inherited];
        assert_eq!(contexts, expected.map(Some));
        for task in tasks {
            assert_eq!(task.join, Some(Join::Detached));
            assert_eq!(task.tools, Some(ToolPolicy::exact(["ask"])));
            assert_eq!(task.executor, Executor::Local);
        }
    }
}

// S2.32
#[tokio::test]
async fn a_task_of_a_node_has_no_conversation_and_no_tools_of_a_caller() {
    let script = ScriptedModel::new().call("researcher", "submit", json!({ "text": "Done." }));
    let model = Recorder::new(script);
    let mut run = by_a_node::start(question())
        .unwrap()
        .with_factory(model.factory());
    output(run.run(ctx()).await);
    let task = &run.tasks()[0];
    assert_eq!(task.context, Some(ContextScope::Independent));
    assert_eq!(task.join, Some(Join::Detached));
    assert_eq!(task.tools, Some(ToolPolicy::None));
}

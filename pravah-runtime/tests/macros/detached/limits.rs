//! How many detached agents may be started.

use pravah_runtime::prelude::*;
use serde_json::{Value, json};

use super::{Finding, Question, Report, ctx, question, results_of, text};
use crate::macros_support::{Recorder, output, restart};

/// You read.
#[agent(model = "openai://m", output = Finding)]
fn reader(question: &Question) -> String {
    question.text.clone()
}

/// You search.
#[agent(
    model = "openai://m",
    output = Finding,
    agents = [reader],
    delegation(join = [single, detached], on_done = wait),
)]
fn searcher(question: &Question) -> String {
    question.text.clone()
}

/// You write reports.
#[agent(
    model = "openai://m",
    output = Report,
    agents = [searcher],
    delegation(join = [single, detached], on_done = wait, max_depth = 2, max_children = 3),
)]
fn editor(question: &Question) -> String {
    question.text.clone()
}

#[flow(named)]
fn editing(question: Question) -> Report {
    flow! { editor }
}

fn start(agent: &str, count: usize) -> Value {
    let target = json!({ "agent": agent, "prompt": "Go." });
    json!({ "join": "detached", "targets": vec![target; count] })
}

const REFUSED: &str = "not called: no more agents may be called in this visit";

#[tokio::test]
async fn a_call_of_more_agents_than_are_left_starts_none_of_them() {
    let script = ScriptedModel::new()
        .call("editor", "call_agent", start("searcher", 4))
        .call("editor", "call_agent", start("searcher", 3))
        .call("editor", "call_agent", start("searcher", 1))
        .call("editor", "submit", text("Done."))
        .reply("searcher[1]", text("one"))
        .reply("searcher[2]", text("two"))
        .reply("searcher[3]", text("three"));
    let model = Recorder::new(script);
    let mut run = editing::start(question())
        .unwrap()
        .with_factory(model.factory());
    output(run.run(ctx()).await);
    assert_eq!(run.tasks().len(), 3);
    let asked = model.asked();
    let last = asked
        .iter()
        .rfind(|request| request.node == "editor")
        .unwrap();
    let started = json!({ "kind": "task_ids", "task_ids": ["task_1", "task_2", "task_3"] });
    let too_many =
        "not called: the call names 4 agents, and only 3 more may be called in this visit";
    assert_eq!(results_of(last), [json!(too_many), started, json!(REFUSED)]);
}

#[tokio::test]
async fn what_tasks_start_counts_for_the_agent_that_has_started_them_also_when_it_is_done() {
    let script = ScriptedModel::new()
        .call("editor", "call_agent", start("searcher", 1))
        .call("editor", "submit", text("Done."))
        .call("searcher", "call_agent", start("reader", 3))
        .call("searcher", "call_agent", start("reader", 1))
        .call(
            "searcher",
            "call_agent",
            json!({ "agent": "reader", "prompt": "Go." }),
        )
        .call("searcher", "call_agent", start("reader", 1))
        .call("searcher", "submit", text("searched"));
    let script = script
        .reply("reader", text("read"))
        .reply("reader", text("read"));
    for restarts in [false, true] {
        let model = Recorder::new(script.clone());
        let mut run = editing::start(question())
            .unwrap()
            .with_factory(model.factory());
        while let RunOut::Continue = run.next(ctx()).await.unwrap() {
            if restarts {
                run = restart(&run).with_factory(model.factory());
            }
        }
        let asked = model.asked();
        let last = asked
            .iter()
            .rfind(|request| request.node == "searcher")
            .unwrap();
        let results = results_of(last);
        let too_many =
            "not called: the call names 3 agents, and only 2 more may be called in this visit";
        assert_eq!(results[0], json!(too_many));
        assert_eq!(results[1]["task_ids"], json!(["task_2"]));
        assert_eq!(results[2], json!({ "text": "read" }));
        assert_eq!(results[3], json!(REFUSED));
    }
}

#[tokio::test]
async fn only_an_agent_that_may_start_tasks_has_the_task_tools() {
    let script = ScriptedModel::new()
        .call("editor", "call_agent", start("searcher", 1))
        .call("editor", "wait_task", json!({ "task_id": "task_1" }))
        .call("searcher", "call_agent", start("reader", 1))
        .call("searcher", "submit", text("searched"))
        .reply("reader", text("read"))
        .call("editor", "submit", text("Done."));
    let model = Recorder::new(script);
    let mut run = editing::start(question())
        .unwrap()
        .with_factory(model.factory());
    output(run.run(ctx()).await);
    let tools = |node: &str| -> Vec<String> {
        let asked = model.asked();
        let request = asked.iter().find(|request| request.node == node).unwrap();
        request.tools.iter().map(|tool| tool.name.clone()).collect()
    };
    let all = [
        "call_agent",
        "get_task",
        "wait_task",
        "cancel_task",
        "list_my_tasks",
        "submit",
    ];
    assert_eq!(tools("editor"), all);
    assert_eq!(tools("searcher"), all);
    assert!(tools("reader").is_empty());
}

//! Agents that call other agents.

mod ad_hoc;
mod contexts;
mod crashes;
mod failures;
mod flows;
mod hostile;
mod limits;
mod questions;
pub(crate) mod random;
mod upgrades;

use pravah_runtime::{ModelRequest, prelude::*};
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
struct Verdict {
    holds: bool,
}
#[state]
#[derive(Clone, Debug, PartialEq)]
struct Report {
    text: String,
}

/// You look things up.
#[agent(model = "openai://m", output = Finding)]
fn researcher(_: &Question) -> String {
    panic!("its own prompt is not written where it is called")
}

/// You check facts.
#[agent(model = "openai://m", output = Verdict)]
fn checker(finding: &Finding) -> String {
    finding.text.clone()
}

/// You write reports.
#[agent(model = "openai://m", output = Report, agents = [researcher, checker])]
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

/// The arguments of a call of an agent.
fn told(agent: &str, prompt: &str) -> Value {
    json!({ "agent": agent, "prompt": prompt })
}

fn text(text: &str) -> Value {
    json!({ "text": text })
}

/// A run with a model that answers by this script.
fn run_by(script: ScriptedModel) -> (FlowRuntime<Question>, Recorder) {
    let model = Recorder::new(script);
    let run = FlowRuntime::new(question()).unwrap();
    (run.with_factory(model.factory()), model)
}

fn of<'a>(asked: &'a [ModelRequest], node: &str) -> Vec<&'a ModelRequest> {
    asked
        .iter()
        .filter(|request| request.node == node)
        .collect()
}

// A20, S2.30
#[tokio::test]
async fn the_agent_that_is_called_knows_what_it_is_told_and_its_answer_is_that_of_the_call() {
    let script = ScriptedModel::new()
        .call("lead", "call_agent", told("researcher", "Look up trains."))
        .reply("researcher", text("There are none."))
        .call("lead", "submit", text("No trains."));
    let (mut run, model) = run_by(script);
    assert_eq!(output(run.run(ctx()).await).text, "No trains.");

    let asked = model.asked();
    let child = of(&asked, "researcher").remove(0);
    assert_eq!(child.system, "You look things up.");
    assert_eq!(child.messages.len(), 1);
    assert_eq!(child.messages[0].user_text().unwrap(), "Look up trains.");
    assert!(child.tools.is_empty());
    assert_eq!(child.items, [0]);
    let results = model.results();
    assert_eq!(&*results[0].text, r#"{"text":"There are none."}"#);
    assert!(!results[0].is_error);
}

#[tokio::test]
async fn the_model_reads_whom_it_may_call_and_what_for() {
    let script = ScriptedModel::new().call("lead", "submit", text("Done."));
    let (mut run, model) = run_by(script);
    output(run.run(ctx()).await);
    let asked = model.asked();
    let tools: Vec<&str> = asked[0].tools.iter().map(|tool| &*tool.name).collect();
    assert_eq!(tools, ["call_agent", "submit"]);
    let tool = &asked[0].tools[0];
    let names = &tool.parameters["properties"]["agent"]["enum"];
    assert_eq!(*names, json!(["researcher", "checker"]));
    assert!(
        tool.description
            .contains("- `checker` (takes `prompt`): You check facts."),
        "{}",
        tool.description
    );
}

// S2.11
#[tokio::test]
async fn agents_that_one_answer_calls_run_side_by_side_and_their_results_keep_the_order_of_the_calls()
 {
    let script = ScriptedModel::new()
        .calls(
            "lead",
            [
                ("call_agent", told("researcher", "One.")),
                ("call_agent", told("checker", "Two.")),
                ("call_agent", told("researcher", "Three.")),
            ],
        )
        .reply("researcher[0]", text("first"))
        .reply("checker[1]", json!({ "holds": true }))
        .reply("researcher[2]", text("third"))
        .call("lead", "submit", text("Done."));
    for bodies in [1, 8] {
        let (run, model) = run_by(script.clone());
        let mut run = run.with_concurrency(bodies);
        assert_eq!(output(run.run(ctx()).await).text, "Done.");
        let results = model.results();
        let results: Vec<&str> = results.iter().map(|result| &*result.text).collect();
        assert_eq!(
            results,
            [
                r#"{"text":"first"}"#,
                r#"{"holds":true}"#,
                r#"{"text":"third"}"#
            ]
        );
    }
}

// S2.28
#[tokio::test]
async fn the_model_learns_that_an_agent_has_failed_and_goes_on() {
    let script = ScriptedModel::new()
        .calls(
            "lead",
            [
                ("call_agent", told("researcher", "One.")),
                ("call_agent", told("checker", "Two.")),
            ],
        )
        .reply("researcher", json!("no finding"))
        .reply("researcher", json!("no finding"))
        .reply("researcher", json!("no finding"))
        .reply("checker", json!({ "holds": false }))
        .call("lead", "submit", text("Done."));
    let (mut run, model) = run_by(script);
    assert_eq!(output(run.run(ctx()).await).text, "Done.");
    let results = model.results();
    assert!(results[0].is_error);
    assert!(
        results[0].text.starts_with("the call failed: "),
        "{}",
        &*results[0].text
    );
    assert_eq!(&*results[1].text, r#"{"holds":false}"#);
}

#[tokio::test]
async fn a_call_that_names_no_agent_or_tells_it_nothing_goes_back_to_the_model() {
    for (arguments, says) in [
        (told("writer", "Write."), "there is no agent `writer`"),
        (told("checker", " "), "the prompt is empty"),
        (json!({ "agent": "checker" }), "`checker` takes a `prompt`"),
        (
            json!({ "agent": "checker", "prompt": "Look.", "tools": [] }),
            "unknown field `tools`",
        ),
        (json!(7), "invalid type"),
    ] {
        let script = ScriptedModel::new()
            .call("lead", "call_agent", arguments)
            .call("lead", "submit", text("Done."));
        let (mut run, model) = run_by(script);
        output(run.run(ctx()).await);
        let result = model.results().remove(0);
        assert!(
            result.is_error && result.text.contains(says),
            "{}",
            &*result.text
        );
    }
}

#[tokio::test]
async fn what_the_agents_cost_is_counted_by_their_names_and_their_models_can_be_swapped() {
    let script = ScriptedModel::new()
        .call("lead", "call_agent", told("researcher", "Look."))
        .reply("researcher", text("Found."))
        .call("lead", "submit", text("Done."));
    let (run, _) = run_by(script);
    let mut run = run
        .with_model("researcher", "ollama://localhost:1/other")
        .unwrap();
    output(run.run(ctx()).await);
    assert_eq!(run.model_calls(), 3);
    let said = run.history().iter().map(|(node, _)| node.to_owned());
    assert_eq!(said.collect::<Vec<_>>(), ["lead", "researcher[0]"]);
}

#[tokio::test]
async fn the_steps_name_the_agents() {
    let script = ScriptedModel::new()
        .call("lead", "call_agent", told("researcher", "Look."))
        .reply("researcher", text("Found."))
        .call("lead", "submit", text("Done."));
    let (mut run, _) = run_by(script);
    let mut steps = Vec::new();
    loop {
        let out = run.next(ctx()).await.unwrap();
        steps.push(run.last_step().unwrap().to_string());
        if let RunOut::Done(_) = out {
            break;
        }
    }
    assert_eq!(
        steps,
        [
            "1. lead (model)",
            "2. lead (tools)",
            "3. researcher[0] (model) -> Finding",
            "4. lead (tools)",
            "5. lead (model) -> Report",
        ]
    );
}

#[tokio::test]
#[should_panic(expected = "the script has no node `researcher`")]
async fn a_test_hears_of_answers_that_an_agent_lacks_whose_caller_goes_on() {
    let script = ScriptedModel::new()
        .call("lead", "call_agent", told("researcher", "Look."))
        .call("lead", "submit", text("Done."));
    let (mut run, _) = run_by(script.clone());
    assert_eq!(output(run.run(ctx()).await).text, "Done.");
    script.assert_used();
}

//! Flows that agents call.

use pravah_runtime::prelude::*;
use serde_json::{Value, json};

use super::{Finding, Question, Report, ctx, question, text};
use crate::macros_support::{Recorder, output, restart, suspended};

#[state]
#[derive(Clone, Debug, PartialEq)]
struct Draft {
    text: String,
    #[schemars(range(max = 9))]
    urgency: u8,
}
#[state]
#[derive(Clone, Debug, PartialEq)]
struct Approved {
    text: String,
    by: String,
}
#[state]
struct Sum {
    of: Vec<u32>,
}
#[state]
struct Total {
    sum: u32,
}

/// You write drafts.
#[agent(model = "openai://m", output = Finding)]
fn writer(draft: &Draft) -> String {
    format!("{} at {}", draft.text, draft.urgency)
}

#[gate(prompt = "Is it good?")]
fn approve(finding: &Finding, name: String) -> Approved {
    Approved {
        text: finding.text.clone(),
        by: name,
    }
}

/// Writes a draft and has somebody approve it.
#[flow(named)]
fn drafting(draft: Draft) -> Approved {
    flow! { writer -> approve }
}

#[node]
fn add(sum: Sum) -> Result<Total, String> {
    let total = sum.of.iter().try_fold(0_u32, |sum, n| sum.checked_add(*n));
    Ok(Total {
        sum: total.ok_or("too much")?,
    })
}

/// Adds numbers.
#[flow]
fn adding(sum: Sum) -> Total {
    flow! { add }
}

/// You write reports.
#[agent(model = "openai://m", output = Report, agents = [adding, drafting, super::researcher])]
fn chief(question: &Question) -> String {
    question.text.clone()
}

#[flow(named)]
fn reporting(question: Question) -> Report {
    flow! { chief }
}

fn run_by(script: ScriptedModel) -> (FlowRuntime<reporting>, Recorder) {
    let model = Recorder::new(script);
    let run = reporting::start(question()).unwrap();
    (run.with_factory(model.factory()), model)
}

fn given(flow: &str, input: &Value) -> (&'static str, Value) {
    ("call_agent", json!({ "agent": flow, "input": input }))
}

#[tokio::test]
async fn a_flow_starts_with_what_the_model_gives_it_and_goes_on_through_restarts() {
    let script = ScriptedModel::new()
        .calls(
            "chief",
            [
                given("drafting", &json!({ "text": "Trains", "urgency": 3 })),
                given("adding", &json!({ "of": [1, 2] })),
            ],
        )
        .reply("drafting::writer", text("By train."))
        .call("chief", "submit", text("Done."));
    let (mut run, model) = run_by(script);
    let (id, value) = loop {
        match run.next(ctx()).await.unwrap() {
            RunOut::Continue => run = restart(&run).with_factory(model.factory()),
            out => break suspended(Ok(out)),
        }
    };
    assert_eq!(
        (&*id, &value["state"]["text"]),
        ("drafting::approve[0]", &json!("By train."))
    );
    let prompts = model.asked();
    let writer = prompts
        .iter()
        .find(|request| request.node == "drafting::writer")
        .unwrap();
    assert_eq!(writer.messages[0].user_text().unwrap(), "Trains at 3");
    run.answer(ctx(), &id, "Ada").await.unwrap();
    run = restart(&run).with_factory(model.factory());
    assert_eq!(output(run.run(ctx()).await).text, "Done.");
    let results = model.results();
    let drafted: Value = serde_json::from_str(&results[0].text).unwrap();
    assert_eq!(drafted, json!({ "text": "By train.", "by": "Ada" }));
    assert_eq!(&*results[1].text, r#"{"sum":3}"#);
}

#[tokio::test]
async fn the_model_reads_what_each_flow_takes() {
    let (mut run, model) = run_by(ScriptedModel::new().call("chief", "submit", text("Done.")));
    output(run.run(ctx()).await);
    let asked = model.asked();
    let parameters = &asked[0].tools[0].parameters;
    assert_eq!(parameters["required"], json!(["agent"]));
    assert_eq!(
        parameters["properties"]["agent"]["enum"],
        json!(["adding", "drafting", "researcher"])
    );
    let inputs = parameters["properties"]["input"]["anyOf"]
        .as_array()
        .unwrap();
    assert_eq!(inputs[0]["properties"]["of"]["type"], "array");
    assert_eq!(inputs[1]["properties"]["urgency"]["maximum"], 9);
    let description = &asked[0].tools[0].description;
    assert!(
        description.contains("- `adding` (takes `input`): Adds numbers."),
        "{description}"
    );
}

#[tokio::test]
async fn what_a_flow_cannot_take_goes_back_to_the_model() {
    for (arguments, says) in [
        (
            given("drafting", &json!({ "text": "Trains", "urgency": 10 })),
            "the input of `drafting` does not fit",
        ),
        (
            given("adding", &json!({ "of": [-1] })),
            "the input of `adding` does not fit",
        ),
        (
            given("adding", &json!(null)),
            "`adding` takes an `input`, and no `prompt`",
        ),
        (
            given("researcher", &json!({ "of": [] })),
            "`researcher` takes a `prompt`, and no `input`",
        ),
        (
            ("call_agent", json!({ "agent": "adding", "prompt": "1, 2" })),
            "`adding` takes an `input`",
        ),
    ] {
        let script =
            ScriptedModel::new()
                .calls("chief", [arguments])
                .call("chief", "submit", text("Done."));
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
async fn a_flow_that_fails_fails_its_call() {
    let script = ScriptedModel::new()
        .calls("chief", [given("adding", &json!({ "of": [u32::MAX, 1] }))])
        .call("chief", "submit", text("Done."));
    let (mut run, model) = run_by(script);
    assert_eq!(output(run.run(ctx()).await).text, "Done.");
    let result = model.results().remove(0);
    assert!(result.is_error);
    assert_eq!(&*result.text, "the call failed: too much");
}

#[tokio::test]
async fn what_need_not_be_said_may_be_null() {
    let script = ScriptedModel::new()
        .call(
            "chief",
            "call_agent",
            json!({ "agent": "researcher", "prompt": "Look.", "input": null }),
        )
        .call(
            "chief",
            "call_agent",
            json!({ "agent": "adding", "prompt": null, "input": { "of": [] } }),
        )
        .reply("researcher", text("Found."))
        .call("chief", "submit", text("Done."));
    let (mut run, model) = run_by(script);
    assert_eq!(output(run.run(ctx()).await).text, "Done.");
    assert_eq!(&*model.results()[0].text, r#"{"sum":0}"#);
}

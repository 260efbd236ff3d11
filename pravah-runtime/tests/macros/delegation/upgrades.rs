//! Runs that go on in a version of the flow in which an agent may call others than before.

use std::collections::BTreeMap;

use pravah_runtime::{FlowDef, LoadOptions, prelude::*};
use serde_json::{Value, json};

use super::{Finding, Question, Report, ctx, question, text, told};
use crate::macros_support::{Recorder, output};

/// You read.
#[agent(model = "openai://m", output = Finding)]
fn reader(question: &Question) -> String {
    question.text.clone()
}

/// You read as well.
#[agent(model = "openai://m", output = Finding)]
fn other(question: &Question) -> String {
    question.text.clone()
}

macro_rules! versions {
    ($($version:ident: [$($agent:ident),*];)*) => {$(
        #[allow(dead_code, reason = "runs are restored as one of these flows, and the function is not called")]
        mod $version {
            use super::*;

            /// You write reports.
            #[agent(model = "openai://m", output = Report, agents = [$($agent),*])]
            pub(super) fn lead(question: &Question) -> String {
                question.text.clone()
            }

            #[flow(named)]
            pub(super) fn reporting(question: Question) -> Report {
                flow! { lead }
            }
        }
    )*};
}

versions! {
    with_reader: [reader];
    with_other: [other];
    with_both: [reader, other];
}

/// A snapshot of a run in which the lead has called `agent`.
async fn called<F: FlowDef<Input = Question>>(agent: &str) -> Value {
    let script = ScriptedModel::new().call("lead", "call_agent", told(agent, "Read."));
    let run = FlowRuntime::<F>::start(question()).unwrap();
    let mut run = run.with_factory(Recorder::new(script).factory());
    run.next(ctx()).await.unwrap();
    run.next(ctx()).await.unwrap();
    serde_json::to_value(&run).unwrap()
}

fn load<F: FlowDef>(snapshot: &Value, options: &LoadOptions) -> Result<FlowRuntime<F>, FlowError> {
    FlowRuntime::from_snapshot_with(serde_json::from_value(snapshot.clone()).unwrap(), options)
}

#[tokio::test]
async fn a_call_goes_on_where_another_agent_may_be_called_too() {
    let snapshot = called::<with_reader::reporting>("reader").await;
    let mut run = load::<with_both::reporting>(&snapshot, &LoadOptions::new()).unwrap();
    let script = ScriptedModel::new()
        .reply("reader", text("read"))
        .call("lead", "call_agent", told("other", "Never said."))
        .call("lead", "submit", text("Done."));
    run = run.with_factory(Recorder::new(script).factory());
    assert_eq!(output(run.run(ctx()).await).text, "Done.");
}

#[tokio::test]
async fn a_call_of_an_agent_that_is_gone_goes_to_no_other_and_the_caller_may_start_over() {
    let snapshot = called::<with_both::reporting>("other").await;
    let refused = load::<with_reader::reporting>(&snapshot, &LoadOptions::new());
    let why = refused.err().unwrap().to_string();
    assert!(
        why.contains("`LoadOptions::drop_progress` would let it start over"),
        "{why}"
    );
    let snapshot = called::<with_reader::reporting>("reader").await;
    assert!(load::<with_other::reporting>(&snapshot, &LoadOptions::new()).is_err());

    let options = LoadOptions::new().drop_progress();
    let run = load::<with_other::reporting>(&snapshot, &options).unwrap();
    let script = ScriptedModel::new()
        .call("lead", "call_agent", told("other", "Read."))
        .call("lead", "submit", text("Done."))
        .reply("other", text("read"));
    let mut run = run.with_factory(Recorder::new(script).factory());
    run.next(ctx()).await.unwrap();
}

#[tokio::test]
async fn more_tasks_than_can_be_counted_are_refused() {
    let mut snapshot = called::<with_reader::reporting>("reader").await;
    snapshot["agents"]["Question"]["next_task"] = json!(u64::MAX);
    let why = load::<with_reader::reporting>(&snapshot, &LoadOptions::new())
        .err()
        .unwrap();
    assert!(
        why.to_string().contains("is more than it has started"),
        "{why}"
    );
}

#[state]
struct Loose {
    words: BTreeMap<String, String>,
}

#[node]
fn loosen(question: Question) -> Loose {
    let words = [(question.text, "not json[".to_owned())];
    Loose {
        words: words.into(),
    }
}

/// Loosens.
#[flow(named)]
fn loosening(question: Question) -> Loose {
    flow! { loosen }
}

/// You write reports.
#[agent(model = "openai://m", output = Report, agents = [loosening])]
fn chief(question: &Question) -> String {
    question.text.clone()
}

#[flow(named)]
fn reporting(question: Question) -> Report {
    flow! { chief }
}

#[tokio::test]
async fn what_was_returned_is_read_as_it_was_written() {
    let input = json!({ "agent": "loosening", "input": text("$serde_json::private::RawValue") });
    let script = ScriptedModel::new().call("chief", "call_agent", input);
    let run = reporting::start(question()).unwrap();
    let mut run = run.with_factory(Recorder::new(script).factory());
    for _ in 0..3 {
        run.next(ctx()).await.unwrap();
    }
    let snapshot = serde_json::to_value(&run).unwrap();
    load::<reporting>(&snapshot, &LoadOptions::new()).unwrap();
}

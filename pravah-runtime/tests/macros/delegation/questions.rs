//! Agents that are called and wait for somebody.

use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering},
};

use pravah_runtime::{
    ModelClient, ModelError, ModelErrorKind, ModelFuture, ModelRequest, Review, StepKind,
    prelude::*,
};
use serde_json::{Value, json};

use super::{Finding, Question, Report, ctx, question, text, told};
use crate::macros_support::{Recorder, output, restart, suspended};

/// Asks a person.
#[tool]
async fn ask(what: String, answer: Resumed<String>) -> Result<String, ToolError> {
    match answer.0 {
        Some(answer) => Ok(answer),
        None => Err(ToolError::suspend(what)),
    }
}

/// Deletes a note.
#[tool(destructive, approve)]
async fn delete(note: u32) -> Result<String, ToolError> {
    Ok(format!("deleted {note}"))
}

/// You ask people.
#[agent(model = "openai://m", output = Finding, tools = [ask, delete])]
fn asker(question: &Question) -> String {
    question.text.clone()
}

/// You write reports.
#[agent(model = "openai://m", output = Report, tools = [ask], agents = [asker])]
fn chief(question: &Question) -> String {
    question.text.clone()
}

#[flow(named)]
fn asking(question: Question) -> Report {
    flow! { chief }
}

fn run_by(script: ScriptedModel) -> (FlowRuntime<asking>, Recorder) {
    let model = Recorder::new(script);
    let run = asking::start(question()).unwrap();
    (run.with_factory(model.factory()), model)
}

fn asks(what: &str) -> (&'static str, Value) {
    ("ask", json!({ "what": what }))
}

#[tokio::test]
async fn the_run_waits_for_the_answer_to_an_agent_that_was_called_while_the_others_go_on() {
    let script = ScriptedModel::new()
        .calls(
            "chief",
            [
                ("call_agent", told("asker", "One.")),
                asks("Whom?"),
                ("call_agent", told("asker", "Two.")),
            ],
        )
        .calls("asker[0]", [asks("When?")])
        .call("asker[0]", "submit", text("at noon"))
        .call("asker[1]", "submit", text("never"))
        .call("chief", "submit", text("Done."));
    let (mut run, model) = run_by(script);
    suspended(run.run(ctx()).await);
    suspended(run.run(ctx()).await);
    assert!(matches!(run.run(ctx()).await, Ok(RunOut::Suspend { .. })));
    let open = run.suspensions();
    let ids: Vec<&str> = open.iter().map(|open| &*open.tool_id).collect();
    assert_eq!(ids, ["chief::ask", "asker::ask[0]"]);

    for (id, answer) in [("asker::ask[0]", "noon"), ("chief::ask", "Ada")] {
        run = restart(&run).with_factory(model.factory());
        run.answer(ctx(), id, answer).await.unwrap();
    }
    run = restart(&run).with_factory(model.factory());
    assert_eq!(output(run.run(ctx()).await).text, "Done.");
    let results = model.results();
    let results: Vec<&str> = results.iter().map(|result| &*result.text).collect();
    assert_eq!(
        results,
        [r#"{"text":"at noon"}"#, "Ada", r#"{"text":"never"}"#]
    );
}

#[tokio::test]
async fn a_person_approves_what_an_agent_that_was_called_is_about_to_do() {
    let script = ScriptedModel::new()
        .call("chief", "call_agent", told("asker", "Clean up."))
        .call("asker", "delete", json!({ "note": 7 }))
        .call("asker", "submit", text("clean"))
        .call("chief", "submit", text("Done."));
    let (mut run, model) = run_by(script);
    let (id, value) = suspended(run.run(ctx()).await);
    assert_eq!(
        (&*id, &value["tool"]),
        ("asker::delete[0]", &json!("delete"))
    );
    assert_eq!(value["state"], json!({ "prompt": "Clean up." }));
    run = restart(&run).with_factory(model.factory());
    run.answer(ctx(), &id, Review::approve()).await.unwrap();
    assert_eq!(output(run.run(ctx()).await).text, "Done.");
}

/// A model that is overloaded the first time that it is asked for an agent that was called.
#[derive(Clone)]
struct Overloaded(ScriptedModel, Arc<AtomicBool>);

impl ModelClient for Overloaded {
    fn complete<'a>(&'a self, request: &'a ModelRequest) -> ModelFuture<'a> {
        if request.node == "asker" && !self.1.swap(true, Ordering::Relaxed) {
            let error = ModelError::new(ModelErrorKind::Upstream, "too much to do");
            return Box::pin(async move { Err(error) });
        }
        self.0.complete(request)
    }
}

#[tokio::test(start_paused = true)]
async fn an_agent_that_was_called_waits_for_its_model_and_the_run_for_it() {
    let script = ScriptedModel::new()
        .call("chief", "call_agent", told("asker", "Look."))
        .call("asker", "submit", text("found"))
        .call("chief", "submit", text("Done."));
    let factory = || {
        let model = Overloaded(script.clone(), Arc::default());
        ClientFactory::new().with_client(Arc::new(model))
    };
    let mut run = asking::start(question()).unwrap().with_factory(factory());
    for _ in 0..3 {
        run.next(ctx()).await.unwrap();
    }
    assert_eq!(run.last_step().unwrap().kind, StepKind::Wait);
    let out = run.next(ctx()).await.unwrap();
    assert!(matches!(
        out,
        RunOut::Waiting {
            why: WaitReason::Model,
            ..
        }
    ));
    assert_eq!(output(run.run(ctx()).await).text, "Done.");
}

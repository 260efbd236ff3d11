//! Tool calls that a person approves before they run.

mod crashes;
mod places;

use std::sync::{Arc, Mutex};

use pravah_runtime::{Review, prelude::*};
use serde_json::{Value, json};

use crate::macros_support::{Recorder, output, restart, suspended};

#[state]
#[derive(Clone, Debug, PartialEq)]
struct Claim {
    text: String,
}
#[state]
#[derive(Clone, Debug, PartialEq)]
struct Letter {
    text: String,
}

/// What was done outside, in order.
#[derive(Clone, Default)]
struct Done(Arc<Mutex<Vec<String>>>);

impl Done {
    fn note(ctx: &Context, what: impl Into<String>) -> Result<(), ToolError> {
        ctx.dep::<Done>()?.0.lock().unwrap().push(what.into());
        Ok(())
    }

    fn ctx(&self) -> Context {
        Context::default().with_dep(self.clone())
    }

    fn take(&self) -> Vec<String> {
        std::mem::take(&mut *self.0.lock().unwrap())
    }
}

/// Looks up an order.
#[tool(read_only)]
async fn look(order: u32, ctx: Context) -> Result<String, ToolError> {
    Done::note(&ctx, format!("look {order}"))?;
    Ok(format!("order {order} came late"))
}

/// Pays a customer.
#[tool(destructive, idempotent = false, approve)]
async fn pay(
    /// How much.
    #[schemars(range(max = 500))]
    euros: u32,
    ctx: Context,
) -> Result<String, ToolError> {
    // Whoever drops the step here has not paid.
    tokio::task::yield_now().await;
    Done::note(&ctx, format!("pay {euros}"))?;
    Ok(format!("paid {euros}"))
}

/// Sends a letter, once it is known to whom.
#[tool]
async fn send(text: String, ctx: Context) -> Result<String, ToolError> {
    let Some(to) = ctx.resumed::<String>()? else {
        Done::note(&ctx, "ask")?;
        return Err(ToolError::suspend("to whom?"));
    };
    Done::note(&ctx, format!("send {text} to {to}"))?;
    Ok("sent".into())
}

#[agent(
    model = "openai://m",
    preamble = "",
    output = Letter,
    tools = [look, pay, send],
    approve = [send],
)]
fn clerk(claim: &Claim) -> String {
    claim.text.clone()
}

#[flow]
fn claims(claim: Claim) -> Letter {
    flow! { clerk }
}

fn claim() -> Claim {
    Claim {
        text: "It came late.".into(),
    }
}

/// A run in which the model calls these tools at once.
fn calling<const N: usize>(calls: [(&str, Value); N]) -> (FlowRuntime<Claim>, Recorder) {
    let script = ScriptedModel::new()
        .calls("clerk", calls)
        .reply("clerk", json!({ "text": "Done." }));
    let model = Recorder::new(script);
    let run = FlowRuntime::new(claim()).unwrap();
    (run.with_factory(model.factory()), model)
}

fn approve() -> Value {
    json!({ "verdict": "approve" })
}

/// What the model reads of the call that is answered with `review`, and what was done.
async fn reviewed(review: Value) -> (String, bool, Vec<String>) {
    let done = Done::default();
    let (mut run, model) = calling([("pay", json!({ "euros": 100 }))]);
    let (id, _) = suspended(run.run(done.ctx()).await);
    assert_eq!(done.take(), Vec::<String>::new());
    run.answer(done.ctx(), &id, review).await.unwrap();
    assert_eq!(output(run.run(done.ctx()).await).text, "Done.");
    let result = model.results().remove(0);
    (result.text.to_string(), result.is_error, done.take())
}

// S5.23
#[tokio::test]
async fn a_call_that_needs_approval_waits_and_the_others_run() {
    let done = Done::default();
    let (mut run, _) = calling([
        ("look", json!({ "order": 7 })),
        ("pay", json!({ "euros": 100 })),
        ("send", json!({ "text": "Sorry." })),
    ]);
    let (id, _) = suspended(run.run(done.ctx()).await);
    assert_eq!(done.take(), ["look 7"]);
    let open: Vec<String> = run.suspensions().into_iter().map(|it| it.tool_id).collect();
    assert_eq!(
        (&*id, open),
        (
            "clerk::pay",
            vec!["clerk::pay".into(), "clerk::send".into()]
        )
    );
}

// S5.23
#[tokio::test]
async fn the_question_says_which_tool_would_do_what() {
    let (mut run, _) = calling([("pay", json!({ "euros": 100 }))]);
    let (_, value) = suspended(run.run(Done::default().ctx()).await);
    let question: ApprovalQuestion = serde_json::from_value(value.clone()).unwrap();
    assert_eq!(question.tool, "pay");
    assert_eq!(question.description, "Pays a customer.");
    assert_eq!(question.arguments, json!({ "euros": 100 }));
    assert_eq!(question.state, json!({ "text": "It came late." }));
    assert_eq!(
        value["annotations"],
        json!({ "destructiveHint": true, "idempotentHint": false })
    );
    let edit = &question.schema["oneOf"][1]["properties"];
    assert_eq!(edit["verdict"]["const"], "edit");
    assert_eq!(
        edit["output"]["properties"]["euros"]["description"],
        "How much."
    );
}

// S5.23
#[tokio::test]
async fn what_is_approved_runs_as_the_model_called_it() {
    let (text, is_error, done) = reviewed(approve()).await;
    assert_eq!((&*text, is_error), ("paid 100", false));
    assert_eq!(done, ["pay 100"]);
}

// S5.23
#[tokio::test]
async fn what_is_edited_runs_with_the_new_arguments_and_the_model_reads_that() {
    let edit = Review::edit(json!({ "euros": 20 }));
    let (text, is_error, done) = reviewed(serde_json::to_value(edit).unwrap()).await;
    assert_eq!(
        (&*text, is_error),
        (
            "A person changed the arguments to {\"euros\":20}. The result: paid 20",
            false
        )
    );
    assert_eq!(done, ["pay 20"]);
}

// S5.23
#[tokio::test]
async fn what_is_rejected_does_not_run_and_the_model_reads_why() {
    let (text, is_error, done) =
        reviewed(json!({ "verdict": "reject", "reason": "too much" })).await;
    assert_eq!(
        (&*text, is_error),
        ("a person rejected this call: too much", true)
    );
    assert!(done.is_empty());
    let (text, _, _) = reviewed(json!({ "verdict": "reject" })).await;
    assert_eq!(text, "a person rejected this call");
}

// S5.23
#[tokio::test]
async fn a_payload_that_does_not_fit_is_an_error_and_leaves_the_question_open() {
    let done = Done::default();
    let (mut run, _) = calling([("pay", json!({ "euros": 100 }))]);
    let (id, question) = suspended(run.run(done.ctx()).await);
    let before = serde_json::to_value(run.snapshot()).unwrap();
    for (payload, why) in [
        (json!("approve"), "a review is an object"),
        (json!({}), "missing field `verdict`"),
        (json!({ "verdict": "perhaps" }), "unknown variant `perhaps`"),
        (json!({ "verdict": "edit" }), "missing field `output`"),
        (
            json!({ "verdict": "edit", "output": { "euros": "many" } }),
            "euros",
        ),
        (
            json!({ "verdict": "edit", "output": { "euros": 501 } }),
            "euros",
        ),
        (json!({ "verdict": "edit", "output": 20 }), "object"),
    ] {
        let error = run.answer(done.ctx(), &id, &payload).await.unwrap_err();
        assert!(
            matches!(error, FlowError::ResumePayload { .. }),
            "{payload}"
        );
        assert!(error.to_string().contains(why), "{payload}: {error}");
        let after = serde_json::to_value(run.snapshot()).unwrap();
        assert_eq!(after, before, "{payload}");
    }
    assert_eq!(run.suspensions()[0].value, question);
    assert!(done.take().is_empty());
}

#[tokio::test]
async fn nobody_is_asked_about_arguments_that_do_not_fit() {
    for (arguments, part) in [
        (json!({ "euros": 501 }), "euros"),
        (json!({ "euros": -1 }), "euros"),
        (json!({}), "euros"),
    ] {
        let done = Done::default();
        let (mut run, model) = calling([("pay", arguments)]);
        output(run.run(done.ctx()).await);
        let result = model.results().remove(0);
        assert!(result.is_error && result.text.contains(part), "{result:?}");
        assert!(done.take().is_empty());
    }
}

// S5.23
#[tokio::test]
async fn each_call_is_answered_on_its_own() {
    let done = Done::default();
    let (mut run, model) = calling([
        ("pay", json!({ "euros": 1 })),
        ("pay", json!({ "euros": 2 })),
        ("pay", json!({ "euros": 3 })),
    ]);
    suspended(run.run(done.ctx()).await);
    let ids: Vec<String> = run.suspensions().into_iter().map(|it| it.tool_id).collect();
    assert_eq!(ids, ["clerk::pay", "clerk::pay#2", "clerk::pay#3"]);
    run.answer(done.ctx(), &ids[2], approve()).await.unwrap();
    assert_eq!(done.take(), ["pay 3"]);
    let reject = Review::<Value>::Reject { reason: None };
    run.answer(done.ctx(), &ids[0], reject).await.unwrap();
    assert_eq!(run.suspensions().len(), 1);
    run.answer(done.ctx(), &ids[1], approve()).await.unwrap();
    assert_eq!(done.take(), ["pay 2"]);
    output(run.run(done.ctx()).await);
    let texts: Vec<String> = model
        .results()
        .iter()
        .map(|it| it.text.to_string())
        .collect();
    assert_eq!(texts, ["a person rejected this call", "paid 2", "paid 3"]);
}

// S5.23
#[tokio::test]
async fn a_tool_that_suspends_asks_after_its_approval_and_keeps_the_new_arguments() {
    let done = Done::default();
    let (mut run, model) = calling([("send", json!({ "text": "Sorry." }))]);
    let (id, value) = suspended(run.run(done.ctx()).await);
    assert_eq!(value["tool"], "send");
    assert!(done.take().is_empty());
    let edit = json!({ "verdict": "edit", "output": { "text": "Hello." } });
    let (id, value) = suspended(run.answer(done.ctx(), &id, edit).await);
    assert_eq!((&*id, value), ("clerk::send", json!("to whom?")));
    assert_eq!(done.take(), ["ask"]);

    let mut run = restart(&run).with_factory(model.factory());
    let unreadable = run.answer(done.ctx(), &id, 7).await.unwrap_err();
    assert!(matches!(unreadable, FlowError::ResumePayload { .. }));
    let mut run = restart(&run).with_factory(model.factory());
    run.answer(done.ctx(), &id, "Ada").await.unwrap();
    output(run.run(done.ctx()).await);
    assert_eq!(done.take(), ["send Hello. to Ada"]);
    let text = model.results().remove(0).text.to_string();
    assert!(
        text.ends_with("{\"text\":\"Hello.\"}. The result: sent"),
        "{text}"
    );
}

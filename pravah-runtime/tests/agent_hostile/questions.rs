//! Tools that ask a person, and what a model or that person makes of it.

use std::sync::Arc;

use pravah_runtime::{
    Arguments, Message, ModelClient, ModelFuture, ModelRequest, ModelResponse, ToolCall, prelude::*,
};
use serde_json::{Value, json};

use crate::{
    Rating, Ticket, good,
    macros_support::{Recorder, output, restart, suspended, to_rest},
    nested,
};

/// Asks with whatever its argument says.
#[tool]
async fn ask(depth: u32) -> Result<String, ToolError> {
    Err(ToolError::suspend(nested(depth as usize)))
}

/// Asks until the answer is a number, or says that the shop is closed.
#[tool]
async fn insist(question: String, ctx: Context) -> Result<u32, ToolError> {
    tokio::task::yield_now().await;
    if let Ok(Some(closed)) = ctx.resumed::<bool>() {
        assert!(closed);
        return Err("the shop is closed".into());
    }
    match ctx.resumed::<u32>()? {
        Some(0) | None => Err(ToolError::suspend(question)),
        Some(number) => Ok(number),
    }
}

/// Takes nothing but a text, and has none of it.
#[tool]
async fn choosy(ctx: Context) -> Result<u32, ToolError> {
    if ctx.resumed::<bool>().is_err() && ctx.resumed::<String>()?.is_some() {
        return Err("not today".into());
    }
    Err(ToolError::suspend("well?"))
}

#[agent(model = "openai://m", preamble = "", output = Rating, tools = [ask, insist, choosy])]
fn asker(_: &Ticket) -> String {
    String::new()
}

#[flow(named)]
fn asking(ticket: Ticket) -> Rating {
    flow! { asker }
}

/// Asks with a question that is nested so deeply.
fn nested_question(depth: u32) -> FlowRuntime<asking> {
    let script = ScriptedModel::new().call("asker", "ask", json!({ "depth": depth }));
    let factory = ClientFactory::new().with_scripted(script);
    asking::start(Ticket {}).unwrap().with_factory(factory)
}

#[tokio::test]
async fn a_question_that_no_snapshot_could_carry_fails_its_tool() {
    let out = nested_question(100).run(Context::default()).await;
    let error = out.err().unwrap();
    assert!(matches!(error, FlowError::Tool { .. }), "{error}");
}

#[tokio::test]
async fn an_answer_that_no_snapshot_could_carry_is_refused() {
    let mut run = nested_question(10);
    let (id, _) = suspended(run.run(Context::default()).await);
    let out = run.resume(Context::default(), (id, nested(100))).await;
    assert!(matches!(out, Err(FlowError::ResumePayload { .. })));
    assert_eq!(restart(&run).suspensions().len(), 1);
}

fn insisting(ids: [&str; 2]) -> ClientFactory {
    let calls =
        ids.map(|id| ToolCall::new(id, "insist", Arguments::Json(json!({ "question": id }))));
    ClientFactory::new().with_client(Arc::new(Once(calls.into())))
}

/// Asks for these calls, and then for nothing.
struct Once(Vec<ToolCall>);

impl ModelClient for Once {
    fn complete<'a>(&'a self, request: &'a ModelRequest) -> ModelFuture<'a> {
        let calls = match request.turn() {
            0 => self.0.clone(),
            _ => Vec::new(),
        };
        Box::pin(async move { Ok(ModelResponse::default().with_calls(calls)) })
    }
}

fn questions(run: &FlowRuntime<asking>) -> Vec<(String, Value)> {
    let open = run.suspensions().into_iter();
    open.map(|open| (open.tool_id, open.value)).collect()
}

#[tokio::test]
async fn an_answer_goes_to_the_call_that_asked_whatever_the_model_calls_its_calls() {
    let run = asking::start(Ticket {}).unwrap();
    let mut run = run.with_factory(insisting(["a", "a#2"]));
    to_rest(&mut run).await;
    let open = questions(&run);
    // The first one asks again.
    run.resume(Context::default(), (open[0].0.clone(), json!(0)))
        .await
        .unwrap();
    let second = (open[1].0.clone(), json!(7));
    run.resume(Context::default(), second).await.unwrap();
    let open = questions(&run);
    assert_eq!(open.len(), 1);
    assert_eq!(open[0].1, "a");
}

#[tokio::test]
async fn a_payload_is_not_refused_for_what_another_was() {
    let run = asking::start(Ticket {}).unwrap();
    let mut run = run.with_factory(insisting(["a", "b"]));
    to_rest(&mut run).await;
    let open = questions(&run);
    // Whoever gave the first answer has gone before it was read.
    tokio::select! {
        biased;
        _ = run.resume(Context::default(), (open[0].0.clone(), json!("many"))) => panic!(),
        () = std::future::ready(()) => {}
    }
    run.resume(Context::default(), (open[1].0.clone(), json!(7)))
        .await
        .unwrap();
    assert_eq!(questions(&run).len(), 1, "the first is asked again");
}

#[tokio::test]
async fn a_tool_may_try_one_type_after_another() {
    let script = ScriptedModel::new()
        .call("asker", "choosy", json!({}))
        .reply("asker", good());
    let model = Recorder::new(script);
    let run = asking::start(Ticket {}).unwrap();
    let mut run = run.with_factory(model.factory());
    let (id, _) = suspended(run.run(Context::default()).await);
    run.resume(Context::default(), (id, json!("yes")))
        .await
        .unwrap();
    output(run.run(Context::default()).await);
    let Message::Tool { results, .. } = &model.asked()[1].messages[2] else {
        panic!()
    };
    assert_eq!(results[0].text, "not today");
}

//! Models that answer with what nobody asked for: each answer ends in a repair or a typed error, and
//! what it cost is counted.
#![allow(
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a helper that fails is a test that fails"
)]

mod macros_support;

use std::{collections::BTreeSet, sync::Arc};

use macros_support::{Recorder, output, restart, to_rest};
use pravah_runtime::{
    Arguments, Budget, Message, ModelClient, ModelFuture, ModelRequest, ModelResponse,
    ScriptedTurn, ToolCall, Usage, prelude::*,
};
use serde_json::{Value, json};

#[state]
struct Ticket {}

/// Its schema says more than its type.
#[state]
#[derive(Debug, PartialEq)]
struct Rating {
    #[schemars(range(min = 1, max = 5))]
    stars: u8,
    #[schemars(length(max = 3), regex(pattern = "^[A-Z]*$"))]
    code: String,
}

#[agent(model = "openai://m", preamble = "", output = Rating)]
fn rate(_: &Ticket) -> String {
    String::new()
}

#[flow(named)]
fn rating(ticket: Ticket) -> Rating {
    flow! { rate }
}

/// Notes something.
#[tool]
async fn note(
    text: String,
    /// Each at most once.
    tags: BTreeSet<String>,
) -> Result<String, ToolError> {
    Ok(format!("{text} {}", tags.len()))
}

#[agent(model = "openai://m", preamble = "", output = Rating, tools = [note])]
fn rate_with(_: &Ticket) -> String {
    String::new()
}

#[flow(named)]
fn rating_with_tools(ticket: Ticket) -> Rating {
    flow! { rate_with }
}

#[state]
struct Begun {}

#[node]
fn begin(_: Ticket) -> Begun {
    Begun {}
}

#[agent(model = "openai://m", preamble = "", output = Rating, max_repairs = 0)]
fn rate_once(_: &Begun) -> String {
    String::new()
}

#[node]
fn again(_: Failure<Begun>) -> Ticket {
    Ticket {}
}

#[flow(named)]
fn endless(ticket: Ticket) -> Rating {
    flow! { begin -> rate_once -> done; catch(rate_once) -> again -> begin }
}

fn good() -> Value {
    json!({ "stars": 5, "code": "OK" })
}

#[tokio::test]
async fn what_the_type_takes_and_its_schema_does_not_goes_back_to_the_model() {
    for (bad, reason) in [
        (
            json!({ "stars": 99, "code": "OK" }),
            "`stars` is more than 5",
        ),
        (
            json!({ "stars": 0, "code": "OK" }),
            "`stars` is less than 1",
        ),
        (
            json!({ "stars": 5, "code": "LONG" }),
            "`code` has more than 3 characters",
        ),
        (
            json!({ "stars": 5, "code": "no" }),
            "`code` does not match ^[A-Z]*$",
        ),
    ] {
        let script = ScriptedModel::new()
            .reply("rate", bad)
            .reply("rate", good());
        let model = Recorder::new(script);
        let mut run = rating::start(Ticket {})
            .unwrap()
            .with_factory(model.factory());
        assert_eq!(output(run.run(Context::default()).await).stars, 5);
        let text = model.asked()[1].messages[2].user_text().unwrap();
        assert!(text.contains(reason), "{text}");
    }
}

fn nested(depth: usize) -> Value {
    (0..depth).fold(json!("x"), |inner, _| json!([inner]))
}

async fn tool_says(name: &str, arguments: Value) -> (String, FlowRuntime<rating_with_tools>) {
    let script = ScriptedModel::new()
        .call("rate_with", name, arguments)
        .reply("rate_with", good());
    let model = Recorder::new(script);
    let run = rating_with_tools::start(Ticket {}).unwrap();
    let mut run = run.with_factory(model.factory());
    for _ in 0..2 {
        run.next(Context::default()).await.unwrap();
        // It can be kept, whatever the model said.
        run = restart(&run).with_factory(model.factory());
    }
    output(run.run(Context::default()).await);
    let Message::Tool { results, .. } = &model.asked()[1].messages[2] else {
        panic!()
    };
    (results[0].text.to_string(), run)
}

#[tokio::test]
async fn arguments_that_the_schema_does_not_take_do_not_reach_the_tool() {
    let twice = json!({ "text": "a", "tags": ["x", "x"] });
    let (said, _) = tool_says("note", twice).await;
    assert_eq!(said, "invalid input: `tags` has an item twice");
    let (said, _) = tool_says("note", json!({ "text": "a", "tags": ["x", "y"] })).await;
    assert_eq!(said, "a 2");
}

#[tokio::test]
async fn arguments_that_are_nested_deeply_can_be_kept() {
    for depth in [60, 70, 120] {
        let (said, _) = tool_says("note", json!({ "tags": [], "text": nested(depth) })).await;
        let reason = match depth {
            60 => "invalid input: `text` is not of type string",
            _ => "invalid input: the arguments are not JSON, or nested too deeply",
        };
        assert_eq!(said, reason);
    }
}

#[tokio::test]
async fn a_tool_that_there_is_not_is_answered_under_a_name_that_providers_take() {
    for name in ["functions.search now!", "", "ä", &"x".repeat(1000)] {
        let (said, run) = tool_says(name, json!({})).await;
        assert!(
            said.contains("there is no such tool: the tools are note, submit"),
            "{said}"
        );
        let said = run.history().get("rate_with").unwrap().messages();
        let Message::Assistant { calls, .. } = &said[1] else {
            panic!()
        };
        let name = &calls[0].name;
        assert!((1..=64).contains(&name.len()), "{name}");
        assert!(
            name.bytes()
                .all(|b| b.is_ascii_alphanumeric() || b == b'_' || b == b'-')
        );
    }
}

#[tokio::test]
async fn megabytes_of_arguments_are_answered_like_any_others() {
    let huge = json!({ "text": "x".repeat(5 << 20), "tags": vec!["y"; 100_000] });
    let (said, run) = tool_says("note", huge).await;
    assert_eq!(said, "invalid input: `tags` has an item twice");
    let said = run.history().get("rate_with").unwrap().messages();
    let Message::Assistant { calls, .. } = &said[1] else {
        panic!()
    };
    assert!(matches!(calls[0].arguments, Arguments::Json(_)));
}

#[tokio::test]
async fn an_output_that_is_nested_deeply_goes_back() {
    let deep = ScriptedTurn::text(nested(100).to_string());
    let script = ScriptedModel::new()
        .turn("rate", deep)
        .reply("rate", good());
    let model = Recorder::new(script);
    let mut run = rating::start(Ticket {})
        .unwrap()
        .with_factory(model.factory());
    output(run.run(Context::default()).await);
    let text = model.asked()[1].messages[2].user_text().unwrap();
    assert!(
        text.starts_with("the result is nested too deeply"),
        "{text}"
    );
}

/// Answers that are of no use are paid for all the same.
#[tokio::test]
async fn what_a_caught_failure_cost_counts_against_the_budget() {
    let useless = ScriptedTurn::text("well").with_usage(Usage::new(10, 0));
    let script = (0..4).fold(ScriptedModel::new(), |script, _| {
        script.turn("rate_once", useless.clone())
    });
    let model = Recorder::new(script);
    let run = endless::start(Ticket {}).unwrap();
    let run = run.with_budget(Budget::new().calls(3));
    let mut run = run.with_factory(model.factory());
    for _ in 0..40 {
        // The limit itself is a failure too, and caught.
        assert!(matches!(
            run.next(Context::default()).await,
            Ok(RunOut::Continue)
        ));
        run = restart(&run).with_factory(model.factory());
    }
    assert_eq!(model.asked().len(), 3);
    assert_eq!((run.model_calls(), run.usage().total()), (3, 30));
    let nodes: Vec<_> = run
        .usage_by_node()
        .map(|(node, usage)| (node, usage.total()))
        .collect();
    assert_eq!(nodes, [("rate_once", 30)]);
}

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

#[tokio::test]
async fn questions_and_answers_that_no_snapshot_could_carry_are_refused() {
    let run = |depth: u32| {
        let script = ScriptedModel::new().call("asker", "ask", json!({ "depth": depth }));
        let factory = ClientFactory::new().with_scripted(script);
        asking::start(Ticket {}).unwrap().with_factory(factory)
    };
    let error = run(100).run(Context::default()).await.err().unwrap();
    assert!(matches!(error, FlowError::Tool { .. }), "{error}");

    let mut run = run(10);
    let (id, _) = macros_support::suspended(run.run(Context::default()).await);
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
    let (id, _) = macros_support::suspended(run.run(Context::default()).await);
    run.resume(Context::default(), (id, json!("yes")))
        .await
        .unwrap();
    output(run.run(Context::default()).await);
    let Message::Tool { results, .. } = &model.asked()[1].messages[2] else {
        panic!()
    };
    assert_eq!(results[0].text, "not today");
}

#[state]
#[derive(Debug, PartialEq)]
struct Share {
    of: f32,
}

#[agent(model = "openai://m", preamble = "", output = Share)]
fn divide(_: &Ticket) -> String {
    String::new()
}

#[flow(named)]
fn dividing(ticket: Ticket) -> Share {
    flow! { divide }
}

#[tokio::test]
async fn what_could_not_be_read_again_is_no_output() {
    let script = ScriptedModel::new()
        .reply("divide", json!({ "of": 1e39 }))
        .reply("divide", json!({ "of": 0.5 }));
    let model = Recorder::new(script);
    let run = dividing::start(Ticket {}).unwrap();
    let mut run = run.with_factory(model.factory());
    assert_eq!(output(run.run(Context::default()).await), Share { of: 0.5 });
}

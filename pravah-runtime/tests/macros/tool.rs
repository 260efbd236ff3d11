//! `#[tool]`: what the model sees of a function, and what becomes of its result.

use std::collections::BTreeMap;

use pravah_runtime::{ToolResult, ToolSpec, prelude::*};
use serde_json::{Value, json};

use crate::macros_support::{Recorder, output};

#[state]
#[derive(Clone)]
struct Answer {
    text: String,
}

mod shop {
    use super::*;

    #[derive(serde::Serialize)]
    pub(super) struct Order {
        id: u32,
        note: Option<String>,
    }

    /// Looks up
    /// an order.
    #[tool]
    pub(super) async fn order(
        /// Its number.
        id: u32,
        /// What to note.
        #[serde(default)]
        note: Option<String>,
        #[serde(rename = "maxAge", default = "a_week")]
        #[schemars(range(min = 1))]
        max_age: u32,
        ctx: Context,
    ) -> Result<Order, ToolError> {
        assert!(ctx.call_id().is_some());
        assert_eq!(max_age, 7);
        Ok(Order { id, note })
    }

    fn a_week() -> u32 {
        7
    }
}

/// Counts.
#[tool]
async fn count() -> Result<u32, std::num::ParseIntError> {
    "12".parse()
}

/// Fails.
#[tool]
async fn failing(secret: String) -> Result<(), Box<dyn std::error::Error + Send + Sync>> {
    let _: u32 = secret.parse()?;
    Ok(())
}

/// Says why.
#[tool]
async fn refusing(mut names: Vec<String>, by: BTreeMap<String, u32>) -> Result<Value, String> {
    names.sort();
    Err(format!("not for {} and {}", names.join(", "), by.len()))
}

// The argument has the name of the tool, another that of the context, a third is a keyword.
/// Searches.
#[tool]
async fn search(
    search: String,
    ctx: u32,
    r#type: String,
    _context: Context,
) -> Result<String, ToolError> {
    Ok(format!("{search} {ctx} {type}", r#type = r#type))
}

#[state]
struct Input {}

#[agent(
    model = "openai://m",
    preamble = "",
    output = Answer,
    tools = [shop::order, count, failing, refusing, search],
)]
fn clerk(_: &Input) -> String {
    String::new()
}

#[flow]
fn asking(input: Input) -> Answer {
    flow! { clerk }
}

/// What the model is told of one call.
async fn called(tool: &str, arguments: Value) -> ToolResult {
    let script = ScriptedModel::new()
        .call("clerk", tool, arguments)
        .reply("clerk", json!({ "text": "" }));
    let model = Recorder::new(script);
    let mut run = FlowRuntime::new(Input {})
        .unwrap()
        .with_factory(model.factory());
    output(run.run(Context::default()).await);
    model.results().remove(0)
}

async fn specs() -> Vec<ToolSpec> {
    let model = Recorder::new(ScriptedModel::new().reply("clerk", json!({ "text": "" })));
    let mut run = FlowRuntime::new(Input {})
        .unwrap()
        .with_factory(model.factory());
    output(run.run(Context::default()).await);
    model.asked().remove(0).tools.to_vec()
}

// S1.9
#[tokio::test]
async fn the_model_sees_names_descriptions_and_arguments() {
    let specs = specs().await;
    let names: Vec<&str> = specs.iter().map(|spec| spec.name.as_str()).collect();
    assert_eq!(
        names,
        ["order", "count", "failing", "refusing", "search", "submit"]
    );
    let order = &specs[0];
    assert_eq!(order.description, "Looks up\nan order.");
    let properties = &order.parameters["properties"];
    assert_eq!(properties["id"]["description"], "Its number.");
    assert_eq!(properties["note"]["description"], "What to note.");
    assert_eq!(properties["maxAge"]["minimum"], 1);
    assert_eq!(order.parameters["required"], json!(["id"]));
    assert_eq!(specs[1].parameters["type"], "object");
    assert_eq!(
        specs[4].parameters["required"],
        json!(["search", "ctx", "type"])
    );
}

#[tokio::test]
async fn a_result_goes_to_the_model_as_json() {
    let result = called("order", json!({ "id": 7 })).await;
    assert_eq!(
        serde_json::from_str::<Value>(&result.text).unwrap(),
        json!({ "id": 7, "note": null })
    );
    assert!(!result.is_error);
}

#[tokio::test]
async fn a_tool_without_arguments_is_called_with_anything_empty() {
    for arguments in [json!({}), Value::Null] {
        let result = called("count", arguments).await;
        assert_eq!((&*result.text, result.is_error), ("12", false));
    }
}

// S3.4
#[tokio::test]
async fn an_error_says_nothing_of_itself_to_the_model() {
    let result = called("failing", json!({ "secret": "hunter2" })).await;
    assert!(result.is_error);
    assert!(
        !result.text.contains("hunter2") && !result.text.contains("digit"),
        "{}",
        result.text
    );
}

#[tokio::test]
async fn a_text_as_error_is_meant_for_the_model() {
    let arguments = json!({ "names": ["b", "a"], "by": { "x": 1 } });
    let result = called("refusing", arguments).await;
    assert_eq!(
        (&*result.text, result.is_error),
        ("not for a, b and 1", true)
    );
}

#[tokio::test]
async fn arguments_may_have_any_name() {
    let result = called("search", json!({ "search": "a", "ctx": 1, "type": "b" })).await;
    assert!(result.text.contains("a 1 b"), "{}", result.text);
}

#[tokio::test]
async fn arguments_that_do_not_fit_are_an_error_for_the_model() {
    assert!(called("order", json!({ "id": "seven" })).await.is_error);
}

#[tokio::test]
async fn a_tool_stays_a_function() {
    assert_eq!(count().await.unwrap(), 12);
    assert!(failing("x".into()).await.is_err());
}

#[test]
fn a_tool_is_a_type_too() {
    let tools = ToolBox::new().with::<shop::order>().with::<count>();
    assert_eq!(tools.names().collect::<Vec<_>>(), ["order", "count"]);
    assert_eq!(<shop::order as Tool>::description(), "Looks up\nan order.");
}

/// Asks a person, and takes its time to read what they say.
#[tool]
async fn ask(ctx: Context) -> Result<String, ToolError> {
    tokio::task::yield_now().await;
    match ctx.resumed::<String>()? {
        None => Err(ToolError::suspend("which one?")),
        Some(answer) => Ok(answer),
    }
}

#[state]
struct Question {
    text: String,
}

#[agent(model = "openai://m", preamble = "Ask.", output = Answer, tools = [ask])]
fn choosing(question: &Question) -> String {
    question.text.clone()
}

#[flow(named)]
fn asked(question: Question) -> Answer {
    flow! { choosing }
}

#[tokio::test]
async fn a_payload_that_nobody_waited_for_and_the_tool_cannot_read_is_asked_for_again() {
    let script = ScriptedModel::new()
        .call("choosing", "ask", json!({}))
        .reply("choosing", json!({ "text": "this one" }));
    let factory = ClientFactory::new().with_scripted(script);
    let question = Question { text: "?".into() };
    let mut run = asked::start(question).unwrap().with_factory(factory);
    let asks = |out| matches!(out, RunOut::Suspend { tool_id, .. } if tool_id == "choosing::ask");
    assert!(asks(run.run(Context::default()).await.unwrap()));
    {
        let resume = run.resume(Context::default(), ("choosing::ask", 17));
        let mut resume = std::pin::pin!(resume);
        let started = std::future::poll_fn(|cx| std::task::Poll::Ready(resume.as_mut().poll(cx)));
        assert!(started.await.is_pending());
    }
    assert!(run.suspensions().is_empty());
    assert!(asks(run.run(Context::default()).await.unwrap()));
    run.resume(Context::default(), ("choosing::ask", "this one"))
        .await
        .unwrap();
    let RunOut::Done(answer) = run.run(Context::default()).await.unwrap() else {
        panic!()
    };
    assert_eq!(answer.text, "this one");
}

#[state]
struct Answers {
    count: usize,
}

#[node]
fn questions(_: Input) -> Each<Question> {
    (0..3)
        .map(|n| Question {
            text: n.to_string(),
        })
        .collect()
}

#[node]
fn answers(all: &Each<Answer>) -> Answers {
    Answers { count: all.len() }
}

#[flow(named)]
fn survey(input: Input) -> Answers {
    flow! { questions -> each(choosing) -> answers }
}

#[tokio::test]
async fn a_payload_that_a_tool_of_an_item_cannot_read_leaves_the_run_as_it_was() {
    let mut script = ScriptedModel::new();
    for item in 0..3 {
        script = script
            .call(format!("choosing[{item}]"), "ask", json!({}))
            .reply(format!("choosing[{item}]"), json!({ "text": "" }));
    }
    let factory = ClientFactory::new().with_scripted(script);
    let mut run = survey::start(Input {}).unwrap().with_factory(factory);
    while run.suspensions().len() < 3 {
        run.run(Context::default()).await.unwrap();
    }
    for item in [1, 0, 2] {
        let id = format!("choosing::ask[{item}]");
        let before = serde_json::to_value(run.snapshot()).unwrap();
        let error = run.resume(Context::default(), (&id, 17)).await.err();
        assert!(matches!(error, Some(FlowError::ResumePayload { .. })));
        assert_eq!(serde_json::to_value(run.snapshot()).unwrap(), before);
        run.resume(Context::default(), (&id, "this one"))
            .await
            .unwrap();
    }
    let RunOut::Done(answers) = run.run(Context::default()).await.unwrap() else {
        panic!()
    };
    assert_eq!(answers.count, 3);
}

//! Scripted models and the factory of clients.
#![allow(
    clippy::panic,
    clippy::unwrap_used,
    reason = "a helper that fails is a test that fails"
)]

use std::sync::{
    Arc,
    atomic::{AtomicU32, Ordering},
};

use pravah_runtime::{
    ClientFactory, Message, ModelClient, ModelErrorKind, ModelRequest, ModelResponse, ModelUrl,
    ScriptedModel, ScriptedTurn, ToolSpec, Usage,
};
use serde_json::json;

/// The request of `node` where the model has answered `turn` times.
fn request(node: &str, turn: usize) -> ModelRequest {
    let answer = Message::assistant(ModelResponse::default());
    let mut request = ModelRequest::new("m", vec![answer; turn]);
    request.node = node.to_owned();
    request
}

async fn text(model: &ScriptedModel, request: ModelRequest) -> String {
    model.complete(&request).await.unwrap().text.unwrap()
}

#[tokio::test]
async fn answers_follow_the_conversation_and_not_a_counter() {
    let model = ScriptedModel::new().text("n", "a").text("n", "b");
    assert_eq!(text(&model, request("n", 1)).await, "b");
    assert_eq!(text(&model, request("n", 0)).await, "a");
    assert_eq!(text(&model, request("n", 0)).await, "a");
}

#[tokio::test]
async fn the_nearest_name_counts() {
    let model = ScriptedModel::new()
        .text("n", "any")
        .text("n#2", "visit")
        .text("n[1]", "item")
        .text("n[1]#2", "both");
    let with = |items: &[usize], visit| {
        let mut request = request("n", 0);
        request.items = items.to_vec();
        request.visit = visit;
        request.asked = vec![0; 2];
        request
    };
    assert_eq!(text(&model, with(&[], 1)).await, "any");
    assert_eq!(text(&model, with(&[], 2)).await, "visit");
    assert_eq!(text(&model, with(&[0], 2)).await, "visit");
    assert_eq!(text(&model, with(&[1], 1)).await, "item");
    assert_eq!(text(&model, with(&[1], 2)).await, "both");
}

/// The request of `n` in its latest visit, where the script was asked so often in each visit.
fn asked<const VISITS: usize>(asked: [u32; VISITS]) -> ModelRequest {
    let mut request = request("n", 0);
    request.visit = u32::try_from(VISITS).unwrap();
    request.asked = asked.into();
    request
}

#[tokio::test]
async fn a_later_visit_takes_the_answers_that_follow() {
    let model = ScriptedModel::new()
        .text("n", "a")
        .text("n", "b")
        .text("n", "c");
    assert_eq!(text(&model, asked([1, 0])).await, "b");
    assert_eq!(text(&model, asked([2, 0])).await, "c");
    assert_eq!(text(&model, asked([1, 1])).await, "c");
    let error = model.complete(&asked([2, 1, 0])).await.unwrap_err();
    assert_eq!(
        error.to_string(),
        "the script has no answer 4 for `n`: it has 3"
    );
}

/// The second visit has a list of its own.
fn second_apart() -> ScriptedModel {
    ScriptedModel::new()
        .text("n", "first")
        .text("n", "third")
        .text("n#2", "second")
        .text("n#2", "second, again")
}

#[tokio::test]
async fn a_visit_with_a_list_of_its_own_takes_nothing_from_the_others() {
    let model = second_apart();
    assert_eq!(text(&model, asked([0])).await, "first");
    assert_eq!(text(&model, asked([1, 0])).await, "second");
    assert_eq!(text(&model, asked([1, 1])).await, "second, again");
    assert_eq!(text(&model, asked([1, 2, 0])).await, "third");
    model.assert_used();
}

#[tokio::test]
async fn an_unused_answer_of_a_visit_is_listed_and_not_repeated() {
    let model = second_apart();
    assert_eq!(text(&model, asked([0])).await, "first");
    assert_eq!(text(&model, asked([1, 0])).await, "second");
    assert_eq!(text(&model, asked([1, 1, 0])).await, "third");
    assert_eq!(model.unused(), ["`n#2`: answer 2, a text"]);
}

#[tokio::test]
async fn which_answer_is_next_depends_on_nothing_but_the_request() {
    let elsewhere = || second_apart();
    assert_eq!(text(&elsewhere(), asked([1, 1])).await, "second, again");
    assert_eq!(text(&elsewhere(), asked([1, 1, 0])).await, "third");
}

#[tokio::test]
async fn what_nobody_took_is_listed() {
    let model = ScriptedModel::new()
        .call("n", "t", json!({}))
        .text("n", "b")
        .reply("m", json!(1))
        .error("m", "no");
    let clone = model.clone();
    assert_eq!(
        model.unused(),
        [
            "`m`: answer 1, a reply",
            "`m`: answer 2, an error",
            "`n`: answer 1, a call of `t`",
            "`n`: answer 2, a text",
        ]
    );
    clone.complete(&request("n", 0)).await.unwrap();
    clone.complete(&request("m", 1)).await.unwrap_err();
    let left = ["`m`: answer 1, a reply", "`n`: answer 2, a text"];
    assert_eq!(model.unused(), left);
    clone.complete(&request("n", 1)).await.unwrap();
    clone.complete(&request("m", 0)).await.unwrap();
    assert!(model.unused().is_empty());
    // What is added makes another script, of which nothing was taken.
    let longer = model.clone().text("n", "c");
    assert_eq!((longer.unused().len(), model.unused().len()), (5, 0));
}

#[test]
#[should_panic(expected = "answers that nobody took:\n  `n`: answer 1, a text")]
fn a_test_that_leaves_answers_over_fails() {
    ScriptedModel::new().text("n", "a").assert_used();
}

#[tokio::test]
async fn a_missing_answer_names_what_is_there() {
    let model = ScriptedModel::new().text("n", "a").text("n", "b");
    let error = model.complete(&request("n", 2)).await.unwrap_err();
    assert_eq!(
        error.to_string(),
        "the script has no answer 3 for `n`: it has 2"
    );
    let error = model.complete(&request("x", 0)).await.unwrap_err();
    assert_eq!(error.to_string(), "the script has no node `x`: it has `n`");
    assert!(!error.is_retryable());
}

#[tokio::test]
async fn a_reply_with_tools_is_a_submit() {
    let model = ScriptedModel::new().reply("n", json!({ "a": 1 }));
    let mut with_tool = request("n", 0);
    let tool = |name: &str| ToolSpec::new(name, "", json!({}));
    with_tool.tools = [tool("t"), tool("submit")].into();
    let answer = model.complete(&with_tool).await.unwrap();
    assert_eq!(
        (answer.calls.len(), answer.calls[0].name.as_str()),
        (1, "submit")
    );
    let answer = model.complete(&request("n", 0)).await.unwrap();
    assert_eq!(
        (answer.calls.len(), answer.text.as_deref()),
        (0, Some(r#"{"a":1}"#))
    );
}

#[tokio::test]
async fn a_reply_that_is_a_text_is_said_where_no_json_is_asked_for() {
    let model = ScriptedModel::new().reply("n", json!("hello"));
    let mut with_tool = request("n", 0);
    with_tool.tools = [ToolSpec::new("t", "", json!({}))].into();
    for request in [with_tool, request("n", 0)] {
        let answer = model.complete(&request).await.unwrap();
        assert_eq!(
            (answer.calls.len(), answer.text.as_deref()),
            (0, Some("hello"))
        );
    }
}

#[tokio::test]
async fn a_reply_may_be_any_type_that_serialises() {
    #[derive(serde::Serialize)]
    struct Verdict {
        urgent: bool,
    }

    let typed = ScriptedModel::new()
        .reply("n", Verdict { urgent: true })
        .turn("n", ScriptedTurn::text("so").with_reply("late"));
    let json = ScriptedModel::new()
        .reply("n", json!({ "urgent": true }))
        .turn("n", ScriptedTurn::text("so").with_reply(json!("late")));
    assert_eq!(typed, json);
}

#[tokio::test]
async fn a_reply_that_cannot_be_serialised_fails_with_the_reason() {
    async fn why(reply: impl serde::Serialize) -> String {
        let model = ScriptedModel::new().text("n", "first").reply("n", reply);
        text(&model, request("n", 0)).await;
        let error = model.complete(&request("n", 1)).await.unwrap_err();
        let error = error.to_string();
        // Whoever goes on without the answer finds it here.
        let panic = std::panic::catch_unwind(|| model.assert_used()).unwrap_err();
        let panic = panic.downcast::<String>().unwrap();
        assert_eq!(*panic, format!("the script is wrong: {error}"));
        error
    }

    let keys = why(std::collections::BTreeMap::from([((1, 2), 3)])).await;
    assert!(keys.ends_with("key must be a string"), "{keys}");
    assert_eq!(
        why(f64::NAN).await,
        "the reply in answer 2 for `n` cannot be serialised as JSON: `f64` contains `NaN`, which no number in JSON can be"
    );
    let turn = ScriptedTurn::reply(f64::NAN).with_reply(1.5);
    assert_eq!(turn, ScriptedTurn::reply(1.5));
}

#[tokio::test]
async fn a_script_can_be_a_file() {
    let file = tempfile::NamedTempFile::new().unwrap();
    let script = r#"{"n": [
        {"calls": [{"tool": "t"}, {"tool": "u", "arguments": {"x": 1}}], "usage": {"input": 3}},
        {"error": "overloaded"}
    ]}"#;
    std::fs::write(file.path(), script).unwrap();
    let model = ScriptedModel::from_file(file.path()).unwrap();
    let answer = model.complete(&request("n", 0)).await.unwrap();
    assert_eq!(answer.usage, Usage::new(3, 0));
    assert_eq!(
        answer
            .calls
            .iter()
            .map(|c| c.name.as_str())
            .collect::<Vec<_>>(),
        ["t", "u"]
    );
    assert_ne!(answer.calls[0].id, answer.calls[1].id);
    assert!(
        !model
            .complete(&request("n", 1))
            .await
            .unwrap_err()
            .is_retryable()
    );
}

#[test]
fn a_file_that_is_no_script_is_an_error() {
    let error = r#"{"n": [{"replay": 1}]}"#.parse::<ScriptedModel>().unwrap_err();
    assert_eq!(error.kind(), ModelErrorKind::Config);
    assert!(error.to_string().contains("replay"), "{error}");
    let error = ScriptedModel::from_file("/does/not/exist").unwrap_err();
    assert!(error.to_string().contains("/does/not/exist"), "{error}");
}

fn url(url: &str) -> ModelUrl {
    ModelUrl::custom(url).unwrap()
}

fn why(factory: &ClientFactory, model: &str) -> String {
    match factory.client(&url(model)) {
        Ok(_) => panic!("a client for {model}"),
        Err(error) => error.to_string(),
    }
}

// S1.24
#[tokio::test]
async fn a_registered_scheme_makes_one_client_for_each_url() {
    let made = Arc::new(AtomicU32::new(0));
    let count = Arc::clone(&made);
    let factory = ClientFactory::new().register("acme", move |url| {
        count.fetch_add(1, Ordering::Relaxed);
        Ok(Arc::new(ScriptedModel::new().text("n", url.model())))
    });
    for model in ["acme://a", "acme://b", "acme://a"] {
        let client = factory.client(&url(model)).unwrap();
        let answer = client.complete(&request("n", 0)).await.unwrap();
        assert_eq!(answer.text.as_deref(), model.strip_prefix("acme://"));
    }
    assert_eq!(made.load(Ordering::Relaxed), 2);
}

// S1.24
#[test]
fn an_unknown_scheme_is_answered_with_the_registered_ones_too() {
    let factory = ClientFactory::new().register("acme", |_| Ok(Arc::new(ScriptedModel::new())));
    assert_eq!(
        why(&factory, "acne://m"),
        "unknown model scheme `acne`, did you mean `acme`?: the known ones are `openai`, \
         `openai-responses`, `anthropic`, `gemini`, `ollama`, `genai`, `acme`; \
         `ClientFactory::with_server` adds one for a server, and `register` one for a client"
    );
}

#[test]
fn a_script_stands_in_for_every_url() {
    let factory = ClientFactory::new().with_scripted(ScriptedModel::new());
    for model in ["openai://m", "gemini://m", "unheard://m"] {
        assert!(factory.client(&url(model)).is_ok());
    }
}

#[tokio::test]
async fn a_failure_may_cost_something_and_a_reply_may_be_null() {
    let model = ScriptedModel::new()
        .turn(
            "n",
            ScriptedTurn::error("down").with_usage(Usage::new(5, 1)),
        )
        .reply("n", json!(null));
    let read: ScriptedModel = serde_json::to_string(&model).unwrap().parse().unwrap();
    assert_eq!(read, model);
    let error = read.complete(&request("n", 0)).await.unwrap_err();
    assert_eq!(error.usage(), Some(Usage::new(5, 1)));
    assert_eq!(read.unused(), ["`n`: answer 2, a reply"]);
}

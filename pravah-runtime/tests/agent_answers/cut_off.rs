//! An answer that reached its length limit is not complete, whatever its parts parse to.

use std::sync::{
    Arc, Mutex,
    atomic::{AtomicUsize, Ordering},
};

use pravah_runtime::{
    Arguments, Limit, Message, ModelClient, ModelFuture, ModelOptions, ModelRequest, ModelResponse,
    StopReason, ToolCall, prelude::*,
};
use serde_json::json;

#[state]
#[derive(Debug)]
struct Order {}

#[state]
#[derive(Debug, PartialEq)]
struct Outcome {
    n: u32,
}

static DELETED: AtomicUsize = AtomicUsize::new(0);

/// Deletes rows: all of them, unless a table is named.
#[tool]
async fn delete_rows(table: Option<String>) -> Result<String, ToolError> {
    DELETED.fetch_add(1, Ordering::Relaxed);
    Ok(format!("{table:?} is empty"))
}

#[agent(model = "openai://m", preamble = "You tidy up.", output = Outcome, tools = [delete_rows])]
fn tidy(_: &Order) -> String {
    String::new()
}

#[flow(named)]
fn tidying(order: Order) -> Outcome {
    flow! { tidy }
}

#[agent(model = "openai://m", preamble = "You count.", output = Outcome)]
fn count(_: &Order) -> String {
    String::new()
}

#[flow(named)]
fn counting(order: Order) -> Outcome {
    flow! { count }
}

/// Gives one answer after the other.
#[derive(Clone, Default)]
struct Answers {
    left: Arc<Mutex<Vec<ModelResponse>>>,
    asked: Arc<Mutex<Vec<ModelRequest>>>,
}

impl ModelClient for Answers {
    fn complete<'a>(&'a self, request: &'a ModelRequest) -> ModelFuture<'a> {
        self.asked.lock().unwrap().push(request.clone());
        let answer = self.left.lock().unwrap().remove(0);
        Box::pin(async move { Ok(answer) })
    }
}

fn answers(answers: impl IntoIterator<Item = ModelResponse>) -> (Answers, ClientFactory) {
    let model = Answers {
        left: Arc::new(Mutex::new(answers.into_iter().collect())),
        ..Default::default()
    };
    let factory = ClientFactory::new().with_client(Arc::new(model.clone()));
    (model, factory)
}

fn call(name: &str, arguments: Arguments) -> ToolCall {
    ToolCall::new("", name, arguments)
}

fn calls(stop: StopReason, calls: Vec<ToolCall>) -> ModelResponse {
    ModelResponse::default().with_stop(stop).with_calls(calls)
}

fn text(stop: StopReason, text: &str) -> ModelResponse {
    ModelResponse::default().with_text(text).with_stop(stop)
}

fn submit() -> ToolCall {
    call("submit", Arguments::Json(json!({ "n": 1 })))
}

#[tokio::test]
async fn no_call_of_an_answer_that_was_cut_off_is_run() {
    let cut_off = calls(
        StopReason::MaxTokens,
        vec![
            call("delete_rows", Arguments::parse("")),
            call("delete_rows", Arguments::Json(json!({ "table": "log" }))),
            submit(),
        ],
    );
    let (model, factory) = answers([cut_off, calls(StopReason::ToolCalls, vec![submit()])]);
    let mut run = tidying::start(Order {}).unwrap().with_factory(factory);
    let out = run.run(Context::default()).await.unwrap();
    assert_eq!(out, RunOut::Done(Outcome { n: 1 }));
    assert_eq!(DELETED.load(Ordering::Relaxed), 0);
    let asked = model.asked.lock().unwrap();
    let Some(Message::Tool { results, .. }) = asked[1].messages.last() else {
        panic!("{:?}", asked[1].messages)
    };
    assert_eq!(results.len(), 3);
    for result in results {
        assert_eq!(result.text, "not run: the answer was cut off");
        assert!(result.is_error);
    }
}

#[tokio::test]
async fn an_answer_that_is_cut_off_again_and_again_fails_after_its_repairs() {
    let cut_off = || {
        let call = call("delete_rows", Arguments::parse(""));
        calls(StopReason::MaxTokens, vec![call])
    };
    let (model, factory) = answers([cut_off(), cut_off(), cut_off()]);
    let mut run = tidying::start(Order {}).unwrap().with_factory(factory);
    let error = run.run(Context::default()).await.unwrap_err();
    assert_eq!(
        error.to_string(),
        "agent `tidy` returned no result after 2 repairs: the answer was cut off"
    );
    assert_eq!(model.asked.lock().unwrap().len(), 3);
}

#[tokio::test]
async fn an_answer_that_is_cut_off_fails_with_the_limit_that_was_set() {
    let cut_off = || text(StopReason::MaxTokens, "{\"n\": ");
    let (_, factory) = answers([cut_off(), cut_off(), cut_off()]);
    let run = counting::start(Order {}).unwrap().with_factory(factory);
    let run = run.with_options("count", ModelOptions::new().max_tokens(5));
    let error = run.unwrap().run(Context::default()).await.unwrap_err();
    let error = error.to_string();
    assert!(error.ends_with("; `max_tokens` is 5"), "{error}");
}

#[tokio::test]
async fn json_that_is_complete_counts_though_more_was_to_come() {
    let (_, factory) = answers([text(StopReason::MaxTokens, "{\"n\": 12}\n\n\n")]);
    let mut run = counting::start(Order {}).unwrap().with_factory(factory);
    let out = run.run(Context::default()).await.unwrap();
    assert_eq!(out, RunOut::Done(Outcome { n: 12 }));
}

#[tokio::test]
async fn a_full_context_window_is_a_limit_and_not_repaired() {
    let full = || text(StopReason::ContextWindow, "");
    let (model, factory) = answers([full(), full()]);
    let mut run = counting::start(Order {})
        .unwrap()
        .with_factory(factory.clone());
    let error = run.run(Context::default()).await.unwrap_err();
    assert!(is_full(&error), "{error}");
    let mut run = tidying::start(Order {}).unwrap().with_factory(factory);
    let error = run.run(Context::default()).await.unwrap_err();
    assert!(is_full(&error), "{error}");
    assert_eq!(model.asked.lock().unwrap().len(), 2);
}

fn is_full(error: &FlowError) -> bool {
    let limit = Limit::ContextWindow;
    matches!(error, FlowError::Limit { limit: met, .. } if *met == limit)
}

#[tokio::test]
async fn no_call_of_an_answer_that_may_have_been_interrupted_is_run() {
    let interrupted = calls(
        StopReason::Other("abort".to_owned()),
        vec![call("delete_rows", Arguments::parse(""))],
    );
    let (_, factory) = answers([interrupted, calls(StopReason::ToolCalls, vec![submit()])]);
    let mut run = tidying::start(Order {}).unwrap().with_factory(factory);
    let out = run.run(Context::default()).await.unwrap();
    assert_eq!(out, RunOut::Done(Outcome { n: 1 }));
    assert_eq!(DELETED.load(Ordering::Relaxed), 0);
}

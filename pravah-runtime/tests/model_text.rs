//! What a model is told of a tool's error, and what whoever watches the run is told of it.
#![allow(
    clippy::panic,
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a helper that fails is a test that fails"
)]

use std::{
    error::Error,
    fmt,
    sync::{Arc, Mutex},
};

use pravah_runtime::{
    BoxError, EventKind, FlowEvent, FlowObserver, Message, ModelError, ModelErrorKind, prelude::*,
};
use serde_json::{Value, json};

#[state]
struct Question {}
#[state]
#[derive(Debug, PartialEq)]
struct Answer {
    text: String,
}

#[derive(Debug)]
struct Denied(std::io::Error);

impl fmt::Display for Denied {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("row 17 of `ledger` was denied")
    }
}

impl Error for Denied {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        Some(&self.0)
    }
}

fn denied() -> BoxError {
    Denied(std::io::Error::other("the disk is on fire")).into()
}

/// Fails as it is asked to.
#[tool]
async fn fail(how: String, ctx: Context) -> Result<String, ToolError> {
    match how.as_str() {
        "vendor" => {
            // As a provider refuses what a tool asked it.
            let said = "`gpt-9` does not exist for org-17";
            let error = ModelError::new(ModelErrorKind::InvalidRequest, said).with_status(400);
            Err(ToolError::other(error.with_source(denied())))
        }
        "hint" => Err(ToolError::other(denied()).with_hint("Ask for another row.")),
        "message" => Err(ToolError::message("there is no such row")),
        "panic" => panic!("row 17"),
        "fatal" => Err(ToolError::fatal(denied())),
        "escape" => Ok(ctx.resolve("../ledger")?.display().to_string()),
        _ => Err(ToolError::other(denied())),
    }
}

#[agent(model = "openai://m", preamble = "Answer.", output = Answer, tools = [fail])]
fn answer(_: &Question) -> String {
    String::new()
}

#[flow(named)]
fn answering(question: Question) -> Answer {
    flow! { answer }
}

/// What was told of a failed tool: the tool, the error, its causes, and what the model was told.
type Told = (String, String, Vec<String>, Option<String>);

#[derive(Default)]
struct Watcher {
    told: Mutex<Vec<Told>>,
    calls: Mutex<Vec<String>>,
}

impl FlowObserver for Watcher {
    fn on_event(&self, event: &FlowEvent) {
        if let EventKind::ToolFailed {
            tool,
            call_id,
            error,
            causes,
            told,
            ..
        } = &event.kind
        {
            assert_eq!(event.node.as_deref(), Some("answer"));
            let told = told.as_ref().map(ToString::to_string);
            let told = (tool.clone(), error.clone(), causes.clone(), told);
            self.told.lock().unwrap().push(told);
            self.calls.lock().unwrap().push(call_id.clone());
        }
    }
}

/// Lets a model call a tool, and answers what it was told and what the observers were told.
async fn call(tool: &str, arguments: Value) -> (Result<String, FlowError>, Vec<Told>) {
    let script = ScriptedModel::new()
        .call("answer", tool, arguments)
        .reply("answer", json!({ "text": "" }));
    let watcher = Arc::new(Watcher::default());
    let mut run = answering::start(Question {})
        .unwrap()
        .with_run_id("run")
        .with_factory(ClientFactory::new().with_scripted(script))
        .with_observer(Arc::clone(&watcher));
    let out = run.run(Context::default()).await;
    let told = watcher.told.lock().unwrap().clone();
    let calls = watcher.calls.lock().unwrap().clone();
    assert!(
        calls
            .iter()
            .all(|id| id == "run/answer(Question)#1/1/call_1_1"),
        "{calls:?}"
    );
    let said = out.map(
        |_| match &run.history().get("answer").unwrap().messages()[2] {
            Message::Tool { results, .. } => results[0].text.to_string(),
            other => panic!("{other:?}"),
        },
    );
    (said, told)
}

async fn call_fail(how: &str) -> (String, Told) {
    let (said, told) = call("fail", json!({ "how": how })).await;
    let [told] = <[Told; 1]>::try_from(told).unwrap();
    (said.unwrap(), told)
}

// S3.22, S3.23
#[tokio::test]
async fn what_a_vendor_says_is_told_to_the_operator_and_to_no_model() {
    let (said, told) = call_fail("vendor").await;
    assert_eq!(said, "upstream model error");
    let error = "`gpt-9` does not exist for org-17 (status 400): row 17 of `ledger` was denied";
    let causes = vec!["the disk is on fire".to_owned()];
    assert_eq!(told, ("fail".into(), error.into(), causes, Some(said)));
}

// S3.23
#[tokio::test]
async fn an_error_that_the_model_is_told_in_other_words_reaches_the_observers_whole() {
    let error = "row 17 of `ledger` was denied".to_owned();
    let causes = vec!["the disk is on fire".to_owned()];
    for (how, text) in [
        ("other", "the tool failed"),
        ("hint", "the tool failed. Ask for another row."),
    ] {
        let (said, told) = call_fail(how).await;
        assert_eq!(said, text);
        let expected = ("fail".into(), error.clone(), causes.clone(), Some(said));
        assert_eq!(told, expected);
    }
}

// S3.23
#[tokio::test]
async fn an_error_that_was_written_for_the_model_is_told_to_the_observers_too() {
    let (said, (_, error, causes, told)) = call_fail("message").await;
    assert_eq!(said, "there is no such row");
    assert_eq!((error, causes), (said.clone(), vec![]));
    assert_eq!(told, Some(said));
}

// S3.22: the sandbox has words of its own.
#[tokio::test]
async fn a_path_that_is_refused_is_named_to_the_operator_alone() {
    let (said, (_, error, ..)) = call_fail("escape").await;
    assert_eq!(said, "the path is outside the working directory");
    assert!(error.contains("../ledger"), "{error}");
}

// S3.23
#[tokio::test]
async fn a_fatal_error_is_told_to_the_observers_and_fails_the_node() {
    let (said, told) = call("fail", json!({ "how": "fatal" })).await;
    let error = said.unwrap_err();
    assert!(matches!(&error, FlowError::Tool { tool, .. } if tool == "fail"));
    let [(_, error, causes, told)] = <[Told; 1]>::try_from(told).unwrap();
    assert_eq!(error, "row 17 of `ledger` was denied");
    assert_eq!(
        (causes, told),
        (vec!["the disk is on fire".to_owned()], None)
    );
}

// S3.23
#[tokio::test]
async fn a_tool_that_panics_is_named_to_the_caller_and_to_the_observers() {
    let (said, told) = call("fail", json!({ "how": "panic" })).await;
    assert_eq!(
        said.unwrap_err().to_string(),
        "node `answer` panicked: in the tool `fail`: row 17"
    );
    let [(tool, error, _, told)] = <[Told; 1]>::try_from(told).unwrap();
    assert_eq!(
        (&*tool, &*error, told),
        ("fail", "in the tool `fail`: row 17", None)
    );
}

// S3.22, S3.23
#[tokio::test]
async fn what_a_model_put_in_wrongly_is_told_to_it_and_to_the_observers() {
    for (tool, arguments, said, error) in [
        (
            "fail",
            json!({}),
            "invalid input: `how` is missing",
            "`how` is missing",
        ),
        (
            "none",
            json!({}),
            "there is no such tool: the tools are fail, submit",
            "`none`",
        ),
    ] {
        let (told_to_model, told) = call(tool, arguments).await;
        assert_eq!(told_to_model.unwrap(), said);
        assert_eq!(told.len(), 1);
        assert!(told[0].1.contains(error), "{told:?}");
        assert_eq!(told[0].3.as_deref(), Some(said));
    }
}

// S3.24: what is read back is a record, of plain texts.
#[tokio::test]
async fn a_history_is_saved_and_given_back_beside_the_snapshot() {
    let script = ScriptedModel::new().reply("answer", json!({ "text": "yes" }));
    let mut run = answering::start(Question {})
        .unwrap()
        .with_factory(ClientFactory::new().with_scripted(script));
    run.run(Context::default()).await.unwrap();
    let saved = serde_json::to_string(run.history()).unwrap();
    let restored = FlowRuntime::<answering>::from_snapshot(run.snapshot())
        .unwrap()
        .with_history(serde_json::from_str(&saved).unwrap());
    assert_eq!(restored.history(), run.history());
    let said = restored.history().get("answer").unwrap().messages();
    assert_eq!(said.len(), 3);
    assert_eq!(said[0], Message::user("".into()));
}

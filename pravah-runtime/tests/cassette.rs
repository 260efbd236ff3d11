//! Tapes: recorded once, replayed without a model.
#![allow(
    clippy::panic,
    clippy::unwrap_used,
    reason = "a helper that fails is a test that fails"
)]

use std::{
    path::Path,
    sync::{
        Arc,
        atomic::{AtomicU32, Ordering},
    },
};

use pravah_runtime::{
    Cassette, ModelClient, ModelErrorKind, ModelFuture, ModelRequest, ModelResponse, Usage,
    prelude::*,
};
use serde_json::Value;

#[state]
struct Ticket {
    text: String,
}
#[state]
#[derive(Debug, PartialEq)]
struct Verdict {
    number: u32,
}

#[agent(model = "openai://m", preamble = "Triage.", output = Verdict)]
fn triage(ticket: &Ticket) -> String {
    ticket.text.clone()
}

#[flow(named)]
fn support(ticket: Ticket) -> Verdict {
    flow! { triage }
}

/// Answers with how often it was asked.
#[derive(Default)]
struct Counter(AtomicU32);

impl ModelClient for Counter {
    fn complete<'a>(&'a self, _: &'a ModelRequest) -> ModelFuture<'a> {
        Box::pin(async {
            let number = self.0.fetch_add(1, Ordering::Relaxed) + 1;
            let text = format!("{{\"number\":{number}}}");
            Ok(ModelResponse::text(text).with_usage(Usage::new(7, 1)))
        })
    }
}

async fn ask(factory: &ClientFactory, text: &str) -> Result<Verdict, FlowError> {
    let ticket = Ticket {
        text: text.to_owned(),
    };
    let run = support::start(ticket)?.with_factory(factory.clone());
    match { run }.run(Context::default()).await? {
        RunOut::Done(verdict) => Ok(verdict),
        _ => panic!(),
    }
}

/// Records three questions, two of them the same.
async fn record(path: &Path) -> Arc<Counter> {
    let model = Arc::new(Counter::default());
    let client = Arc::clone(&model) as Arc<dyn ModelClient>;
    let factory = ClientFactory::new()
        .with_client(client)
        .with_cassette(Cassette::record(path).unwrap());
    for (text, number) in [("one", 1), ("two", 2), ("one", 3)] {
        assert_eq!(ask(&factory, text).await.unwrap(), Verdict { number });
    }
    model
}

#[tokio::test]
async fn what_was_recorded_is_replayed_without_a_model_or_a_key() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("tape.json");
    let model = record(&path).await;
    assert_eq!(model.0.load(Ordering::Relaxed), 3);
    let factory = ClientFactory::new().with_cassette(Cassette::replay(&path).unwrap());
    for (text, number) in [("two", 2), ("one", 1), ("one", 3), ("one", 3)] {
        assert_eq!(ask(&factory, text).await.unwrap(), Verdict { number });
    }
}

#[tokio::test]
async fn a_tape_that_records_asks_only_for_what_is_not_there() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("tape.json");
    record(&path).await;
    let model = record(&path).await;
    assert_eq!(model.0.load(Ordering::Relaxed), 0);
}

#[tokio::test]
async fn a_miss_shows_the_difference() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("tape.json");
    record(&path).await;
    let factory = ClientFactory::new().with_cassette(Cassette::replay(&path).unwrap());
    let Err(FlowError::Model { source, .. }) = ask(&factory, "three").await else {
        panic!()
    };
    assert_eq!(source.kind(), ModelErrorKind::Config);
    let text = source.to_string();
    let difference = "`/messages/0/parts/0/text`: \"one\" on the tape, \"three\" here";
    assert!(text.ends_with(difference), "{text}");
}

#[tokio::test]
async fn a_tape_holds_what_was_asked_and_answered_and_no_more() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("tape.json");
    record(&path).await;
    let tape: Value = serde_json::from_str(&std::fs::read_to_string(&path).unwrap()).unwrap();
    let request = &tape["calls"][0]["request"];
    assert_eq!(request["model"], "openai://m");
    assert_eq!(request["system"], "Triage.");
    assert_eq!(request.get("node"), None);
    assert_eq!(tape["calls"].as_array().unwrap().len(), 3);
}

#[test]
fn what_is_no_tape_is_refused() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("tape.json");
    let kind = || Cassette::replay(&path).unwrap_err().kind();
    assert_eq!(kind(), ModelErrorKind::Config);
    for text in [
        "",
        "[]",
        r#"{"version":2,"calls":[]}"#,
        r#"{"version":1,"calls":[7]}"#,
    ] {
        std::fs::write(&path, text).unwrap();
        assert_eq!(kind(), ModelErrorKind::Config, "{text}");
        assert!(Cassette::record(&path).is_err());
    }
}

#[tokio::test]
async fn an_answer_that_cannot_be_recorded_is_paid_for_all_the_same() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("missing").join("tape.json");
    let factory = ClientFactory::new()
        .with_client(Arc::new(Counter::default()))
        .with_cassette(Cassette::record(path).unwrap());
    let ticket = Ticket {
        text: "one".to_owned(),
    };
    let mut run = support::start(ticket).unwrap().with_factory(factory);
    run.run(Context::default()).await.unwrap_err();
    assert_eq!((run.model_calls(), run.usage().input), (1, 7));
}

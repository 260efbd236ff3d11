//! What is sent or stored and cannot be read.

use pravah_restate::{RestateError, RestateFlows};
use pravah_runtime::prelude::*;
use pravah_store::Status;
use serde_json::json;

use crate::{
    flows::{Bridge, Draft, Effects, Order, Published, served},
    server::{Server, http_client, until},
};

#[tokio::test]
async fn what_cannot_be_read_is_refused_and_starts_nothing() {
    let (server, effects) = (Server::start().await, Effects::default());
    let _serving = server.serve(served(&effects, &Bridge::default())).await;
    let starts = [
        (json!({ "flow": "Order", "input": { "cups": "two" } }), 400),
        (json!({ "flow": "Order" }), 400),
        (json!({ "flow": "Tea", "input": {} }), 404),
        (
            json!({ "flow": "Order", "input": { "cups": 2 }, "tags": { "": "x" } }),
            400,
        ),
    ];
    for (start, expected) in starts {
        let request = http_client().post(server.ingress("PravahRun/7/start"));
        let response = request.json(&start).send().await.unwrap();
        let status = response.status().as_u16();
        assert_eq!(
            status,
            expected,
            "{start}: {}",
            response.text().await.unwrap()
        );
    }
    let missing = server.runs().status("7").await;
    assert!(
        matches!(missing, Err(RestateError::NotFound { .. })),
        "{missing:?}"
    );
    // A tick is the object's own.
    let request = http_client().post(server.ingress("PravahRun/7/tick"));
    let response = request.json(&1).send().await.unwrap();
    assert!(response.status().is_client_error(), "{response:?}");
}

#[state]
struct Tome {
    letters: usize,
}

#[gate(prompt = "x".repeat(tome.letters))]
fn ask(tome: &Tome, read: bool) -> Published {
    Published {
        version: u32::from(read),
    }
}

#[flow]
fn reading(tome: Tome) -> Published {
    flow! { ask }
}

#[tokio::test]
async fn a_question_too_long_for_restate_is_an_error_of_the_run() {
    let server = Server::start().await;
    let _serving = server.serve(RestateFlows::new().serve::<Tome>()).await;
    let runs = server.runs();
    // It is written twice: among the entries and among the questions.
    let tome = Tome {
        letters: 20 * 1024 * 1024,
    };
    let id = runs.start::<Tome>(tome).await.unwrap();
    let info = until(&runs, &id, Status::Failed).await;
    let error = info.error.unwrap();
    assert!(error.contains("and may have 32505856"), "{error}");
}

#[tokio::test]
async fn a_run_of_a_flow_that_is_served_no_more_keeps_its_entries_and_goes_on_when_it_is() {
    let (server, effects) = (Server::start().await, Effects::default());
    let serving = server.serve(served(&effects, &Bridge::default())).await;
    let runs = server.runs();
    let id = runs.start::<Draft>(Draft { version: 1 }).await.unwrap();
    until(&runs, &id, Status::Suspended).await;
    let unwanted = runs.start::<Draft>(Draft { version: 1 }).await.unwrap();
    until(&runs, &unwanted, Status::Suspended).await;
    let before = server.state(&id).await;
    drop(serving);

    let without = RestateFlows::new()
        .serve::<Order>()
        .with_context(effects.context());
    let serving = server.serve(without).await;
    runs.answer(&id, "approve", true).await.unwrap();
    let failed = until(&runs, &id, Status::Failed).await;
    assert!(
        failed
            .error
            .unwrap()
            .contains("the flow `Draft` is not served here")
    );
    let after = server.state(&id).await;
    let entries = before.iter().filter(|(key, _)| key.starts_with("entry"));
    entries.for_each(|(key, json)| assert_eq!(after.get(key), Some(json)));
    // Nobody has to be able to read it for that.
    runs.cancel(&unwanted, "not wanted").await.unwrap();
    until(&runs, &unwanted, Status::Cancelled).await;
    drop(serving);

    let _serving = server.serve(served(&effects, &Bridge::default())).await;
    runs.retry(&id).await.unwrap();
    assert_eq!(
        runs.result::<Draft>(&id).await.unwrap(),
        Published { version: 1 }
    );
}

#[tokio::test]
async fn entries_that_cannot_be_read_fail_the_run_and_stay_as_they_are() {
    let (server, effects) = (Server::start().await, Effects::default());
    let _serving = server.serve(served(&effects, &Bridge::default())).await;
    let runs = server.runs();
    let id = runs.start::<Draft>(Draft { version: 1 }).await.unwrap();
    until(&runs, &id, Status::Suspended).await;
    let sound = server.state(&id).await;
    let mut broken = sound.clone();
    broken.insert("entry/states/Draft".into(), "{".into());
    server.set_state(&id, &broken).await;
    runs.answer(&id, "approve", true).await.unwrap();
    let failed = until(&runs, &id, Status::Failed).await;
    assert!(failed.error.unwrap().contains("`entry/states/Draft`"));
    let mut state = server.state(&id).await;
    assert_eq!(state["entry/states/Draft"], "{");

    let repaired = sound["entry/states/Draft"].clone();
    state.insert("entry/states/Draft".into(), repaired);
    server.set_state(&id, &state).await;
    runs.retry(&id).await.unwrap();
    assert_eq!(
        runs.result::<Draft>(&id).await.unwrap(),
        Published { version: 1 }
    );
}

#[tokio::test]
async fn a_run_of_a_newer_program_is_left_alone() {
    let (server, effects) = (Server::start().await, Effects::default());
    let _serving = server.serve(served(&effects, &Bridge::default())).await;
    let runs = server.runs();
    let id = runs.start::<Draft>(Draft { version: 1 }).await.unwrap();
    until(&runs, &id, Status::Suspended).await;
    let mut newer = server.state(&id).await;
    let record = newer["run"].replace(r#""format":1"#, r#""format":2"#);
    newer.insert("run".into(), record);
    server.set_state(&id, &newer).await;
    let refused = runs.answer(&id, "approve", true).await.unwrap_err();
    assert!(refused.to_string().contains("format 2"), "{refused}");
    assert_eq!(server.state(&id).await, newer);
}

#[state]
struct Length {
    bytes: usize,
}
#[state]
#[derive(Debug, PartialEq)]
struct Text {
    text: String,
}

#[node]
fn write(length: &Length) -> Text {
    Text {
        text: "x".repeat(length.bytes),
    }
}

#[flow]
fn writing(length: Length) -> Text {
    flow! { write }
}

#[tokio::test]
async fn a_step_that_restate_would_not_take_fails_the_run_and_a_large_one_does_not() {
    let server = Server::start().await;
    let _serving = server.serve(RestateFlows::new().serve::<Length>()).await;
    let runs = server.runs();
    let start = |bytes| runs.start::<Length>(Length { bytes });
    let id = start(10_000_000).await.unwrap();
    let text = runs.result::<Length>(&id).await.unwrap();
    assert_eq!(text.text.len(), 10_000_000);
    let id = start(20_000_000).await.unwrap();
    let failed = until(&runs, &id, Status::Failed).await;
    assert!(failed.error.unwrap().contains("the step cannot be stored"));
}

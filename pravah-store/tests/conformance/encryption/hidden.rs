//! What is in the bytes of a file.

use std::sync::Arc;

use pravah_runtime::prelude::*;
use pravah_store::{Command, NewRun, Refusal, RunStore, Runs, Status, Worker};
use serde_json::json;

use super::{File, claim, keys};
use crate::{
    flows::{Working, until},
    support::{changes, key, last_step, step},
};

#[state]
struct Letter {
    text: String,
}
#[state]
struct Sent {
    text: String,
}

#[gate(prompt = format!("Send secret-prompt of {}?", _letter.text))]
fn sign(_letter: Letter, signature: String) -> Sent {
    Sent { text: signature }
}

#[gate(event = "secret-event")]
fn post(sent: Sent, receipt: String) -> Result<Letter, FlowError> {
    Err(format!("secret-error {} {receipt}", sent.text).into())
}

#[flow]
fn mail(letter: Letter) -> Letter {
    flow! { sign -> post }
}

/// Payloads of every kind go into a store, and come out of it.
async fn use_store(store: Arc<dyn RunStore>) {
    let runs = Runs::new(store.clone());
    let letter = Letter {
        text: "secret-state".into(),
    };
    let id = runs.start::<Letter>(letter).with_id("a").await.unwrap();
    let at_work = Working::start(Worker::new(store.clone()).serve::<Letter>());
    let info = until(&runs, &id, Status::Suspended).await;
    let prompt = info.questions[0].value["prompt"].as_str().unwrap();
    assert_eq!(prompt, "Send secret-prompt of secret-state?");
    runs.answer(&id, "sign", json!({ "not": "a text" }))
        .await
        .unwrap();
    runs.answer(&id, "sign", "secret-answer").await.unwrap();
    until(&runs, &id, Status::Suspended).await;
    runs.emit(&id, "secret-event", "secret-value")
        .await
        .unwrap();
    let info = until(&runs, &id, Status::Failed).await;
    assert!(info.error.unwrap().contains("secret-error secret-answer"));
    at_work.kill().await;

    runs.fork(&id, 0).await.unwrap();
    let message = Command::Message {
        node: "post".into(),
        text: "secret-message".into(),
    };
    runs.send(&id, message).await.unwrap();
    runs.cancel(&id, "secret-reason").await.unwrap();
    let inbox = store.inbox(&key("a"), 0).await.unwrap();
    assert!(matches!(&inbox[0].command, Command::Message { text, .. } if text == "secret-message"));

    // What a worker writes with its steps.
    store
        .start(NewRun::new(key("b"), "flow", changes(&[], &[])))
        .await
        .unwrap();
    let lease = claim(&*store, "flow").await.lease;
    let mut commit = step("/x", r#""secret-entry""#);
    commit.refused = vec![Refusal::new(1, "secret-refusal")];
    store.commit(&lease, commit).await.unwrap();
    let mut commit = last_step(Status::Done);
    commit.output = Some(r#"{"text":"secret-output"}"#.to_owned());
    store.commit(&lease, commit).await.unwrap();
    let history = store.history(&key("b"), 0, 9).await.unwrap();
    assert_eq!(history[1].refused[0].error, "secret-refusal");
    let output = store.get(&key("b")).await.unwrap().output;
    assert_eq!(output.as_deref(), Some(r#"{"text":"secret-output"}"#));
}

fn secrets_in(bytes: &[u8]) -> Vec<&'static str> {
    let all = [
        "secret-state",
        "secret-prompt",
        "secret-answer",
        "secret-event",
        "secret-value",
        "secret-error",
        "secret-message",
        "secret-reason",
        "secret-entry",
        "secret-refusal",
        "secret-output",
    ];
    let is_in = |secret: &&str| {
        bytes
            .windows(secret.len())
            .any(|it| it == secret.as_bytes())
    };
    all.into_iter().filter(is_in).collect()
}

#[tokio::test(start_paused = true)]
async fn no_payload_is_in_the_bytes_of_the_file() {
    let (plain, encrypted) = (File::new(), File::new());
    // The connections stay open, so that the log is there.
    let stores: [Arc<dyn RunStore>; 2] = [Arc::new(plain.plain()), encrypted.encrypted(keys())];
    for store in stores.clone() {
        use_store(store).await;
    }
    assert_eq!(secrets_in(&plain.bytes()).len(), 11);
    assert_eq!(secrets_in(&encrypted.bytes()), [""; 0]);
    drop(stores);
    assert_eq!(secrets_in(&encrypted.bytes()), [""; 0]);
}

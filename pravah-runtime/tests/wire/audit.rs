//! The record of a contract says that a model was asked where a request was really sent.

use std::{
    sync::{Arc, Mutex},
    time::Duration,
};

use pravah_runtime::{
    Audit, EventKind, FlowEvent, FlowObserver, ModelOptions, Provider, Server as Remote, prelude::*,
};

use crate::server::{Server, json};

#[state]
struct Claim {}
#[state]
struct Refund {
    euros: u32,
}

#[agent(
    model = custom("one://m"), preamble = "You decide.", output = Refund, contract, max_retries = 0,
)]
fn decide(_: &Claim) -> String {
    "A cup broke.".to_owned()
}

#[node]
fn refuse(_: &Failure<Claim>) -> Refund {
    Refund { euros: 0 }
}

#[flow(named)]
fn refunds(claim: Claim) -> Refund {
    flow! { decide; catch(decide) -> refuse }
}

/// Keeps the names of the entries.
#[derive(Clone, Default)]
struct Record(Arc<Mutex<Vec<&'static str>>>);

impl FlowObserver for Record {
    fn on_event(&self, event: &FlowEvent) {
        let name = match &event.kind {
            EventKind::Audit(Audit::Invocation { .. }) => "asked",
            EventKind::Audit(_) => "decided",
            EventKind::ModelAnswered { .. } => "answered",
            _ => return,
        };
        self.0.lock().unwrap().push(name);
    }
}

/// What is on record of one step.
async fn record(remote: Remote, options: ModelOptions) -> Vec<&'static str> {
    let record = Record::default();
    let mut run = refunds::start(Claim {})
        .unwrap()
        .with_factory(ClientFactory::new().with_server("one", remote))
        .with_observer(record.clone())
        .with_options("decide", options)
        .unwrap();
    let step = run.next(Context::default());
    let _ = tokio::time::timeout(Duration::from_secs(60), step).await;
    std::mem::take(&mut record.0.lock().unwrap())
}

fn at(server: &Server) -> Remote {
    Remote::openai_compatible(format!("http://{}/v1", server.address))
}

#[tokio::test]
async fn a_request_that_was_not_sent_is_not_on_record() {
    let server = Server::start(Provider::OpenAi, || json(500, "")).await;
    let options = ModelOptions::new().reasoning(2_000);
    assert_eq!(record(at(&server), options).await, [""; 0]);
    let remote = at(&server).token(|| async { Err("sealed".into()) });
    assert_eq!(record(remote, ModelOptions::new()).await, [""; 0]);

    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    drop(listener);
    let nobody = Remote::openai_compatible(format!("http://{address}/v1"));
    assert_eq!(record(nobody, ModelOptions::new()).await, [""; 0]);
}

#[tokio::test]
async fn a_request_that_was_sent_is_on_record_whatever_came_of_it() {
    let envelope = r#"{\"primary_output\":{\"euros\":2},\"confidence\":0.99,\"confidence_type\":\"verbalized\",\"escalate\":false}"#;
    let answer = format!(
        r#"{{"choices":[{{"message":{{"content":"{envelope}"}},"finish_reason":"stop"}}]}}"#
    );
    for (status, body, entries) in [
        (200, &*answer, &["asked", "answered", "decided"][..]),
        (200, "<html>", &["asked"]),
        (400, r#"{"error":{"message":"no"}}"#, &["asked"]),
        (401, "", &["asked"]),
        (503, "", &["asked"]),
    ] {
        let body = body.to_owned();
        let server = Server::start(Provider::OpenAi, move || json(status, body.clone())).await;
        let entries_now = record(at(&server), ModelOptions::new()).await;
        assert_eq!(entries_now, entries, "{status}");
        assert_eq!(server.requests(), 1);
    }
}

/// The clock runs ahead whenever nothing else does.
#[tokio::test(start_paused = true)]
async fn a_request_that_had_no_answer_or_was_dropped_is_on_record() {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let silent = Remote::openai_compatible(format!("http://{address}/v1"));
    let in_time = ModelOptions::new().timeout(Duration::from_secs(5));
    assert_eq!(record(silent.clone(), in_time).await, ["asked"]);
    assert_eq!(record(silent, ModelOptions::new()).await, ["asked"]);
}

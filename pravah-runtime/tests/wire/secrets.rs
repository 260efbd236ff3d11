//! A key is sent to its provider, and shows nowhere else.

use std::sync::{Arc, Mutex};

use axum::http::StatusCode;
use pravah_runtime::{Cassette, ClientFactory, FlowEvent, FlowObserver, Provider, prelude::*};

use crate::server::{KEY, Server, json};

#[state]
struct Ticket {}
#[state]
#[derive(Debug, PartialEq)]
struct Verdict {
    urgent: bool,
}

#[agent(model = "openai://test-model", preamble = "You triage.", output = Verdict)]
fn triage(_: &Ticket) -> String {
    "It is on fire.".to_owned()
}

#[flow(named)]
fn support(ticket: Ticket) -> Verdict {
    flow! { triage }
}

#[derive(Default)]
struct Log(Mutex<String>);

impl FlowObserver for Log {
    fn on_event(&self, event: &FlowEvent) {
        self.0.lock().unwrap().push_str(&format!("{event:?}"));
    }

    fn wants_text(&self) -> bool {
        true
    }
}

/// Everything that a run leaves behind, in one text.
async fn traces(provider: Provider, factory: ClientFactory, url: &str) -> String {
    let log = Arc::new(Log::default());
    let mut run = support::start(Ticket {})
        .unwrap()
        .with_factory(factory.clone())
        .with_observer(Arc::clone(&log))
        .with_model("triage", url)
        .unwrap();
    let mut traces = format!("{factory:?} {provider:?}");
    for _ in 0..3 {
        match run.next(Context::default()).await {
            Ok(RunOut::Done(verdict)) => traces += &format!("{verdict:?}"),
            Ok(out) => traces += &format!("{out:?}"),
            Err(error) => {
                traces += &format!("{error} {error:?}");
                let mut cause = std::error::Error::source(&error);
                while let Some(error) = cause {
                    traces += &format!("{error} {error:?}");
                    cause = error.source();
                }
                traces += &ToolError::other(error).to_string();
            }
        }
        traces += &serde_json::to_string(&run.snapshot()).unwrap();
        traces += &serde_json::to_string(run.history()).unwrap();
        traces += &format!("{run:?}");
    }
    traces + &log.0.lock().unwrap()
}

#[tokio::test]
async fn a_key_is_in_no_error_event_snapshot_history_or_tape() {
    let quoting = format!("what is {KEY}?");
    for provider in Provider::ALL {
        for status in [
            StatusCode::BAD_REQUEST,
            StatusCode::UNAUTHORIZED,
            StatusCode::BAD_GATEWAY,
        ] {
            let quoting = quoting.clone();
            let body = move || match provider {
                Provider::Ollama => format!(r#"{{"error":"{quoting}"}}"#),
                _ => format!(r#"{{"error":{{"message":"{quoting}","type":"{quoting}"}}}}"#),
            };
            let server = Server::start(provider, move || json(status.as_u16(), body())).await;
            let dir = tempfile::tempdir().unwrap();
            let tape = dir.path().join("tape.json");
            let factory = server
                .factory
                .clone()
                .with_cassette(Cassette::record(&tape).unwrap());
            let traces = traces(provider, factory, &server.url.to_string()).await;
            assert!(!traces.contains(KEY), "{provider:?} {status}: {traces}");
            let sent = server.last();
            let sent = format!("{:?}", sent.headers);
            assert!(!sent.is_empty());
            let recorded = std::fs::read_to_string(&tape).unwrap_or_default();
            assert!(!recorded.contains(KEY), "{recorded}");
        }
    }
}

#[tokio::test]
async fn a_key_is_on_no_tape_of_an_answer() {
    for provider in Provider::ALL {
        let stream = crate::cases::read(provider, "structured.stream");
        let answer = move || crate::server::stream(provider, stream.clone());
        let server = Server::start(provider, answer).await;
        let dir = tempfile::tempdir().unwrap();
        let tape = dir.path().join("tape.json");
        let factory = server
            .factory
            .clone()
            .with_cassette(Cassette::record(&tape).unwrap());
        let traces = traces(provider, factory, &server.url.to_string()).await;
        assert!(traces.contains("urgent: true"), "{provider:?}: {traces}");
        assert!(!traces.contains(KEY), "{traces}");
        let recorded = std::fs::read_to_string(&tape).unwrap();
        assert!(recorded.contains("It is on fire.") && !recorded.contains(KEY));
    }
}

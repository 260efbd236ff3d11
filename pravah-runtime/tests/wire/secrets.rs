//! A key is sent to its provider, and shows nowhere else.

use std::sync::{Arc, Mutex};

use axum::http::StatusCode;
use pravah_runtime::{
    Cassette, ClientFactory, FlowEvent, FlowObserver, ModelUrl, Provider, Server as AnyServer,
    prelude::*,
};

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

/// The error of a server that answers with this status and body.
async fn quoted(set_up: impl FnOnce(AnyServer) -> AnyServer, status: u16, body: String) -> String {
    let server = Server::start(Provider::OpenAi, move || json(status, body.clone())).await;
    let base = format!("http://{}/v1", server.address);
    let factory =
        ClientFactory::new().with_server("quoting", set_up(AnyServer::openai_compatible(base)));
    let url = ModelUrl::custom("quoting://m").unwrap();
    let client = factory.client(&url).unwrap();
    let error = client.complete(&crate::cases::structured()).await;
    let error = error.unwrap_err();
    format!("{error} {error:?}")
}

#[tokio::test]
async fn a_message_that_is_cut_within_a_key_shows_no_part_of_it() {
    for length in 150..520 {
        let text = format!("{} {KEY}", "y".repeat(length));
        let error = quoted(
            |server| server.key(KEY),
            400,
            format!(r#"{{"error":{{"message":"{text}","type":"x"}}}}"#),
        );
        let error = error.await;
        assert!(!error.contains("planted"), "{length}: {error}");
        let html = quoted(|server| server.key(KEY), 500, format!("<p>{text}</p>"));
        let html = html.await;
        assert!(!html.contains("planted"), "{length}: {html}");
    }
}

#[tokio::test]
async fn a_key_in_a_header_of_the_users_own_is_hidden_without_its_scheme_too() {
    let set_up = |server: AnyServer| server.header("authorization", format!("Bearer {KEY}"));
    let error = quoted(set_up, 400, format!(r#"{{"error":"key {KEY} is bad"}}"#)).await;
    assert!(error.contains("key … is bad"), "{error}");
    assert!(!error.contains(KEY), "{error}");
}

#[tokio::test]
async fn secrets_of_an_address_are_hidden_where_a_server_quotes_them() {
    let body = format!("Cannot POST /v1/x?api-key={KEY}");
    let server = Server::start(Provider::OpenAi, move || json(404, body.clone())).await;
    let base = format!("http://me:{KEY}@{}/v1?api-key={KEY}", server.address);
    let factory = ClientFactory::new().with_server("own", AnyServer::openai_compatible(base));
    let url = ModelUrl::custom("own://m").unwrap();
    let error = factory.client(&url).unwrap();
    let error = error.complete(&crate::cases::structured()).await;
    let error = error.unwrap_err().to_string();
    assert!(error.contains("Cannot POST /v1/x?api-key=…"), "{error}");
    assert!(!error.contains(KEY), "{error}");
}

/// The error of a server that repeats what it was sent: its address and its `Authorization`.
async fn echoed(base: impl Fn(&str) -> String) -> String {
    let server = Server::judging(Provider::OpenAi, |received| {
        let shown = received.headers.get("authorization");
        let shown = shown.map_or("", |shown| shown.to_str().unwrap());
        json(404, format!("no {} for {shown}", received.uri))
    })
    .await;
    let own = AnyServer::openai_compatible(base(&server.address));
    let factory = ClientFactory::new().with_server("own", own);
    let url = ModelUrl::custom("own://m").unwrap();
    let client = factory.client(&url).unwrap();
    let error = client.complete(&crate::cases::structured()).await;
    error.unwrap_err().to_string()
}

#[tokio::test]
async fn what_an_address_shows_a_server_is_hidden_as_it_is_sent() {
    let password = echoed(|at| format!("http://me:p%40ssword-long@{at}/v1")).await;
    assert!(password.contains("for Basic … (status 404"), "{password}");
    let user = echoed(|at| format!("http://planted-token@{at}/v1")).await;
    assert!(user.contains("for Basic … (status 404"), "{user}");
    let query = echoed(|at| format!("http://{at}/v1?planted-token")).await;
    assert!(query.contains("?… for"), "{query}");
}

#[tokio::test]
async fn a_key_is_hidden_where_json_escapes_it_or_a_server_shows_part_of_it() {
    for (key, shown) in [
        ("planted/key/0123456789", r"planted\/key\/0123456789"),
        (KEY, "planted-key-01...6789"),
        (KEY, "planted-****6789"),
        (KEY, "*****************6789"),
        (KEY, "planted-key-012345678"),
    ] {
        for status in [401, 400] {
            let body = format!(r#"{{"detail":"bad key {shown}, try again"}}"#);
            let error = quoted(|server| server.key(key), status, body).await;
            assert!(error.contains("bad key …, try again"), "{error}");
        }
    }
}

#[test]
fn no_part_of_a_malformed_address_may_be_a_password() {
    for address in [
        "http://me:pa?planted@host:8000/v1",
        "me:planted@host",
        "http://me:pl#anted@h",
    ] {
        let own = AnyServer::openai_compatible(address);
        let factory = ClientFactory::new().with_server("own", own);
        let error = factory.client(&ModelUrl::custom("own://m").unwrap());
        let error = error.err().unwrap().to_string();
        assert!(!error.contains("pl") && !error.contains("pa"), "{error}");
    }
}

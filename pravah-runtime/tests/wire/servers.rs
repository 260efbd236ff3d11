//! Servers of the user's own: their addresses, headers, tokens and timeouts.

use std::{
    sync::{
        Arc, Mutex,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use pravah_runtime::{
    ClientFactory, EventKind, FlowEvent, FlowObserver, ModelClient, ModelErrorKind, ModelOptions,
    ModelUrl, Provider, Server as Remote, Timeouts, prelude::*,
};
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::TcpListener,
};

use crate::{
    cases,
    flows::{Ticket, Verdict},
    server::{KEY, Server, json},
};

pub(crate) async fn openai() -> Server {
    let body = cases::read(Provider::OpenAi, "structured.response.json");
    Server::start(Provider::OpenAi, move || json(200, body.clone())).await
}

pub(crate) fn client(remote: Remote) -> Arc<dyn ModelClient> {
    let factory = ClientFactory::new().with_server("acme", remote);
    factory
        .client(&ModelUrl::custom("acme://m").unwrap())
        .unwrap()
}

pub(crate) fn at(server: &Server, path: &str) -> Remote {
    Remote::openai_compatible(format!("http://{}{path}", server.address))
}

#[tokio::test]
async fn a_query_of_the_address_is_part_of_every_request() {
    let server = openai().await;
    let request = cases::structured();
    for path in [
        "/openai/v1?api-version=2026-10-21",
        "/openai/v1/?api-version=2026-10-21",
    ] {
        client(at(&server, path)).complete(&request).await.unwrap();
        let uri = server.last().uri;
        assert_eq!(uri, "/openai/v1/chat/completions?api-version=2026-10-21");
    }
    // It is beside what the interface itself puts there.
    let body = cases::read(Provider::Gemini, "structured.stream");
    let answer = move || crate::server::stream(Provider::Gemini, body.clone());
    let gemini = Server::start(Provider::Gemini, answer).await;
    let address = format!("http://{}/v1beta?tenant=a", gemini.address);
    let remote = client(Remote::new(Provider::Gemini, address));
    remote.stream(&cases::structured(), &|_| {}).await.unwrap();
    let uri = gemini.last().uri;
    assert_eq!(uri.query(), Some("tenant=a&alt=sse"));
}

#[tokio::test]
async fn headers_and_fields_of_the_users_own_are_sent() {
    let server = openai().await;
    let remote = at(&server, "/v1")
        .key("wrong")
        .header("api-key", "planted-secret-1")
        .header("Authorization", "Basic planted-secret-2")
        .options(ModelOptions::new().extra("chat_template_kwargs", true));
    client(remote).complete(&cases::structured()).await.unwrap();
    let sent = server.last();
    assert_eq!(sent.headers["api-key"], "planted-secret-1");
    let authorization: Vec<_> = sent.headers.get_all("authorization").iter().collect();
    assert_eq!(authorization, ["Basic planted-secret-2"]);
}

#[tokio::test]
async fn a_header_that_is_none_is_an_error_that_names_it() {
    let bad = Remote::openai_compatible("http://127.0.0.1:1/v1").header("no header", "x");
    let factory = ClientFactory::new().with_server("acme", bad);
    let error = factory.client(&ModelUrl::custom("acme://m").unwrap());
    let error = error.map(|_| ()).unwrap_err();
    assert_eq!(error.kind(), ModelErrorKind::Config);
    assert_eq!(error.to_string(), "`no header` is not a header");
}

#[tokio::test]
async fn a_token_is_asked_for_before_each_request() {
    let server = openai().await;
    let count = Arc::new(AtomicUsize::new(0));
    let counter = Arc::clone(&count);
    let remote = at(&server, "/v1").token(move || {
        let number = counter.fetch_add(1, Ordering::Relaxed);
        async move { Ok(format!("token-{number}")) }
    });
    let client = client(remote);
    for number in 0..2 {
        client.complete(&cases::structured()).await.unwrap();
        let sent = server.last();
        assert_eq!(
            sent.headers["authorization"],
            format!("Bearer token-{number}")
        );
    }
}

#[tokio::test]
async fn without_a_token_nothing_is_sent() {
    let server = openai().await;
    let remote = at(&server, "/v1").token(|| async { Err("the vault is sealed".into()) });
    let error = client(remote)
        .complete(&cases::structured())
        .await
        .unwrap_err();
    assert_eq!(error.kind(), ModelErrorKind::Auth);
    let cause = error.get_ref().unwrap();
    assert_eq!(cause.to_string(), "the vault is sealed");
    assert!(error.to_string().ends_with(": the vault is sealed"));
    assert_eq!(server.requests(), 0);
}

#[tokio::test]
async fn tokens_and_headers_that_come_back_in_an_error_are_not_shown() {
    let body = r#"{"error":{"message":"planted-token planted-header"}}"#;
    let server = Server::start(Provider::OpenAi, move || json(400, body)).await;
    let remote = at(&server, "/v1")
        .token(|| async { Ok("planted-token".to_owned()) })
        .header("x-secret", "planted-header");
    assert!(!format!("{remote:?}").contains("planted"));
    let error = client(remote)
        .complete(&cases::structured())
        .await
        .unwrap_err();
    assert!(
        error.to_string().starts_with("… … (status 400 at "),
        "{error}"
    );
    assert!(!format!("{error:?}").contains("planted"));
}

#[agent(model = custom("one://m"), preamble = "You triage.", output = Verdict)]
fn first(_: &Ticket) -> String {
    "The printer is on fire.".to_owned()
}

#[flow(named)]
pub(crate) fn one(ticket: Ticket) -> Verdict {
    flow! { first }
}

#[tokio::test]
async fn several_servers_have_a_scheme_each() {
    let (a, b) = (openai().await, openai().await);
    let factory = ClientFactory::new()
        .with_server("one", at(&a, "/v1").header("x-server", "a"))
        .with_server("two", at(&b, "/v1").header("x-server", "b"));
    for (url, server) in [("one://m", &a), ("two://m", &b)] {
        let run = one::start(Ticket {}).unwrap().with_factory(factory.clone());
        let mut run = run.with_model("first", url).unwrap();
        let out = run.run(Context::default()).await.unwrap();
        assert!(matches!(out, RunOut::Done(_)));
        assert_eq!(server.requests(), 1);
        assert_eq!(server.last().body["model"], "m");
    }
    let unknown = factory.client(&ModelUrl::custom("three://m").unwrap());
    let error = unknown.map(|_| ()).unwrap_err().to_string();
    assert!(error.contains("`one`, `two`"), "{error}");
}

#[tokio::test]
async fn a_providers_key_is_not_sent_to_somebody_elses_server() {
    let server = openai().await;
    let factory = server
        .factory
        .clone()
        .with_server("acme", at(&server, "/v1"));
    let theirs = factory
        .client(&ModelUrl::custom("acme://m").unwrap())
        .unwrap();
    theirs.complete(&cases::structured()).await.unwrap();
    assert!(server.last().headers.get("authorization").is_none());
    server.client.complete(&cases::structured()).await.unwrap();
    assert_eq!(
        server.last().headers["authorization"],
        format!("Bearer {KEY}")
    );
}

/// A server that says the head of an answer and the start of its body, and no more. It counts who asks.
async fn falters() -> (String, Arc<AtomicUsize>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap().to_string();
    let asked = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&asked);
    tokio::spawn(async move {
        let mut open = Vec::new();
        while let Ok((mut stream, _)) = listener.accept().await {
            let mut request = [0; 1_024];
            let _ = stream.read(&mut request).await;
            count.fetch_add(1, Ordering::Relaxed);
            let head = "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n\
                        content-length: 900\r\n\r\n{\"choices\":";
            let _ = stream.write_all(head.as_bytes()).await;
            open.push(stream);
        }
    });
    (address, asked)
}

/// The clock runs ahead whenever nothing else does.
#[tokio::test(start_paused = true)]
async fn an_answer_may_be_silent_and_last_only_for_so_long() {
    let (address, _) = falters().await;
    for (timeouts, what) in [
        (
            Timeouts::new().silence(Duration::from_secs(20)),
            "the answer stopped coming: nothing came for 20s",
        ),
        (
            Timeouts::new().total(Duration::from_secs(20)),
            "the answer was not complete within 20s",
        ),
    ] {
        let remote = Remote::openai_compatible(format!("http://{address}/v1")).timeouts(timeouts);
        let start = tokio::time::Instant::now();
        let error = client(remote)
            .complete(&cases::structured())
            .await
            .unwrap_err();
        let at = error.address().unwrap();
        assert_eq!(error.to_string(), format!("{what} (status 200 at {at})"));
        assert_eq!(error.kind(), ModelErrorKind::TimedOut);
        assert!(!error.is_retryable());
        assert_eq!(start.elapsed().as_secs(), 20);
    }
}

#[tokio::test(start_paused = true)]
async fn a_request_that_timed_out_is_not_sent_again() {
    let (address, asked) = falters().await;
    let remote = Remote::openai_compatible(format!("http://{address}/v1"));
    let factory = ClientFactory::new().with_server("one", remote);
    let mut run = one::start(Ticket {}).unwrap().with_factory(factory);
    let error = run.run(Context::default()).await.unwrap_err();
    assert!(matches!(error, FlowError::Model { .. }), "{error}");
    assert_eq!(asked.load(Ordering::Relaxed), 1);
    assert_eq!(run.model_calls(), 1);
}

/// Nobody listens there.
async fn nobody() -> Remote {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    drop(listener);
    Remote::openai_compatible(format!("http://{address}/v1"))
}

#[tokio::test(start_paused = true)]
async fn a_server_that_cannot_be_reached_is_asked_again() {
    let factory = ClientFactory::new().with_server("one", nobody().await);
    let mut run = one::start(Ticket {}).unwrap().with_factory(factory);
    run.next(Context::default()).await.unwrap();
    let out = run.next(Context::default()).await.unwrap();
    assert!(matches!(out, RunOut::Waiting { .. }), "{out:?}");
    assert_eq!(run.model_calls(), 0);
}

/// Keeps the reasons of the waits that it observes.
#[derive(Clone, Default)]
struct Waits(Arc<Mutex<Vec<String>>>);

impl FlowObserver for Waits {
    fn on_event(&self, event: &FlowEvent) {
        if let EventKind::ModelWaits { why, .. } = &event.kind {
            self.0.lock().unwrap().push(why.clone());
        }
    }
}

#[tokio::test(start_paused = true)]
async fn every_retry_is_told_and_the_error_says_how_often_and_how_long_it_was_tried() {
    let factory = ClientFactory::new().with_server("one", nobody().await);
    let waits = Waits::default();
    let mut run = one::start(Ticket {})
        .unwrap()
        .with_factory(factory)
        .with_observer(waits.clone());
    // Whoever asks again after the error starts anew.
    for _ in 0..2 {
        let error = run.run(Context::default()).await.unwrap_err();
        let FlowError::Model { source, .. } = &error else {
            panic!("{error}");
        };
        assert_eq!(source.attempts(), 5);
        // 1, 2, 4 and 8 seconds, spread by up to a half.
        let took = source.attempts_duration();
        assert!((15..=23).contains(&took.as_secs()), "{took:?}");
        let text = source.to_string();
        assert!(text.contains(", after 5 attempts in "), "{text}");
        let told = std::mem::take(&mut *waits.0.lock().unwrap());
        assert_eq!(told.len(), 4);
        assert!(told.iter().all(|why| why.contains("could not be reached")));
    }
}

#[tokio::test]
async fn an_error_after_one_attempt_has_no_attempt_count() {
    let server = Server::start(Provider::OpenAi, || json(400, "{}")).await;
    let factory = ClientFactory::new().with_server("one", at(&server, "/v1"));
    let mut run = one::start(Ticket {}).unwrap().with_factory(factory);
    let error = run.run(Context::default()).await.unwrap_err();
    assert!(!error.to_string().contains("attempt"), "{error}");
}

#[cfg(feature = "reqwest")]
#[tokio::test]
async fn an_http_client_of_the_users_own_is_used() {
    let server = openai().await;
    let _ = rustls::crypto::ring::default_provider().install_default();
    let own = pravah_runtime::reqwest::Client::builder()
        .user_agent("own/1")
        .no_proxy()
        .build()
        .unwrap();
    let remote = at(&server, "/v1").http_client(own);
    client(remote).complete(&cases::structured()).await.unwrap();
    assert_eq!(server.last().headers["user-agent"], "own/1");
}

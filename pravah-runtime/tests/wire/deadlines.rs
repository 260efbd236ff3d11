//! How long a call may take, and what is known of its cost when that is over.

use std::{sync::Arc, time::Duration};

use axum::{
    body::{Body, Bytes},
    response::{IntoResponse, Response},
};
use futures_util::{StreamExt as _, stream};
use pravah_runtime::{
    FlowEvent, FlowObserver, ModelErrorKind, ModelOptions, Provider, Server as Remote, Timeouts,
    prelude::*,
};

use crate::{
    cases,
    flows::{Ticket, Verdict},
    server::{KEY, Server, json},
    servers::{client, one},
};

/// The start of an answer of Anthropic's, which tells what the question cost, and then nothing more.
fn stalls() -> Response {
    let start = cases::read(Provider::Anthropic, "structured.stream");
    let half: String = start.split_inclusive('\n').take(9).collect();
    let start = stream::iter([Ok::<_, std::io::Error>(Bytes::from(half))]);
    let body = Body::from_stream(start.chain(stream::pending()));
    ([("content-type", "text/event-stream")], body).into_response()
}

async fn stalling() -> (Server, Remote) {
    let server = Server::start(Provider::Anthropic, stalls).await;
    let address = format!("http://{}", server.address);
    let remote = Remote::new(Provider::Anthropic, address).key(KEY);
    (server, remote)
}

fn seconds(seconds: u64) -> Duration {
    Duration::from_secs(seconds)
}

/// The clock runs ahead whenever nothing else does.
#[tokio::test(start_paused = true)]
async fn what_a_stream_told_of_its_cost_is_kept_when_the_call_takes_too_long() {
    let (_server, remote) = stalling().await;
    for (timeouts, timeout, what) in [
        (
            Timeouts::new().total(seconds(20)),
            None,
            "the answer was not complete within 20s",
        ),
        (
            Timeouts::new(),
            Some(seconds(20)),
            "the answer was not complete within 20s",
        ),
        (
            Timeouts::new().silence(seconds(20)),
            None,
            "the answer stopped coming: nothing came for 20s",
        ),
    ] {
        let client = client(remote.clone().timeouts(timeouts));
        let mut request = cases::structured();
        request.options.timeout = timeout;
        let start = tokio::time::Instant::now();
        let error = client.stream(&request, &|_| {}).await.unwrap_err();
        assert!(error.to_string().starts_with(what), "{error}");
        assert_eq!(error.kind(), ModelErrorKind::TimedOut);
        assert_eq!(start.elapsed().as_secs(), 20);
        assert!(error.usage().unwrap().input > 0, "{error:?}");
    }
}

/// Wants to hear the text.
struct Listener;

impl FlowObserver for Listener {
    fn on_event(&self, _: &FlowEvent) {}

    fn wants_text(&self) -> bool {
        true
    }
}

#[tokio::test(start_paused = true)]
async fn a_run_counts_the_tokens_of_an_answer_that_took_too_long() {
    let (_server, remote) = stalling().await;
    let factory = ClientFactory::new().with_server("one", remote);
    let mut run = one::start(Ticket {})
        .unwrap()
        .with_factory(factory)
        .with_observer(Listener)
        .with_options("first", ModelOptions::new().timeout(seconds(20)))
        .unwrap();
    let error = run.next(Context::default()).await.unwrap_err();
    assert!(matches!(error, FlowError::Model { .. }), "{error}");
    assert_eq!(run.model_calls(), 1);
    assert!(run.usage().input > 0);
}

#[tokio::test(start_paused = true)]
async fn a_client_of_the_users_own_is_held_to_the_time_of_a_call_too() {
    struct Never;

    impl pravah_runtime::ModelClient for Never {
        fn complete<'a>(
            &'a self,
            _: &'a pravah_runtime::ModelRequest,
        ) -> pravah_runtime::ModelFuture<'a> {
            Box::pin(std::future::pending())
        }
    }

    let own = ClientFactory::new().register("one", |_| Ok(Arc::new(Never)));
    for factory in [own, ClientFactory::new().with_client(Arc::new(Never))] {
        let mut run = one::start(Ticket {})
            .unwrap()
            .with_factory(factory)
            .with_options("first", ModelOptions::new().timeout(seconds(7)))
            .unwrap();
        let start = tokio::time::Instant::now();
        let out: Result<RunOut<Verdict>, _> = run.next(Context::default()).await;
        let text = out.unwrap_err().to_string();
        assert!(text.contains("not complete within 7s"), "{text}");
        assert_eq!(start.elapsed().as_secs(), 7);
        assert_eq!(run.model_calls(), 1);
    }
}

async fn without_a_token(token: impl Fn() -> TokenFuture + Send + Sync + 'static) -> String {
    let server = Server::start(Provider::OpenAi, || json(500, "")).await;
    let address = format!("http://{}/v1", server.address);
    let remote = Remote::openai_compatible(address).token(token);
    let factory = ClientFactory::new().with_server("one", remote);
    let mut run = one::start(Ticket {}).unwrap().with_factory(factory);
    let out = run.run(Context::default()).await;
    assert_eq!((server.requests(), run.model_calls()), (0, 0));
    out.unwrap_err().to_string()
}

type TokenFuture = futures_util::future::BoxFuture<
    'static,
    Result<String, Box<dyn std::error::Error + Send + Sync>>,
>;

#[tokio::test(start_paused = true)]
async fn a_token_that_does_not_come_is_waited_for_only_so_long_and_costs_nothing() {
    let error = without_a_token(|| Box::pin(std::future::pending())).await;
    assert!(error.contains("no access token within 30s"), "{error}");
    let error = without_a_token(|| Box::pin(async { Err("sealed".into()) })).await;
    assert!(error.contains("token could not be obtained"), "{error}");

    let remote = Remote::openai_compatible("http://127.0.0.1:1/v1")
        .timeouts(Timeouts::new().token(seconds(3)))
        .token(std::future::pending);
    let error = client(remote).complete(&cases::structured()).await;
    let error = error.unwrap_err();
    assert_eq!(error.to_string(), "there was no access token within 3s");
    assert_eq!(error.kind(), ModelErrorKind::Auth);
    assert_eq!(error.usage(), None);
}

#[tokio::test(start_paused = true)]
async fn a_token_that_does_not_come_within_the_time_of_a_call_costs_nothing() {
    let remote = Remote::openai_compatible("http://127.0.0.1:1/v1").token(std::future::pending);
    let mut request = cases::structured();
    request.options.timeout = Some(seconds(5));
    let error = client(remote).complete(&request).await.unwrap_err();
    assert_eq!(error.to_string(), "there was no access token within 5s");
    assert_eq!(error.usage(), None);
}

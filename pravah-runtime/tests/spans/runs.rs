//! Spans of whole runs.

use pravah_runtime::prelude::*;
use tracing::{Instrument as _, info_span};

use super::record::Spans;

#[state]
struct Draft {
    n: u32,
}
#[state]
struct Checked {
    n: u32,
}
#[state]
#[derive(Debug, PartialEq)]
struct Page {
    n: u32,
}

/// Says within which span it runs.
#[node]
fn check(draft: Draft) -> Checked {
    tracing::info_span!("checking").in_scope(|| Checked { n: draft.n })
}

#[node]
async fn print(checked: &Checked) -> Page {
    tokio::task::yield_now().await;
    tracing::info_span!("printing").in_scope(|| Page { n: checked.n })
}

#[flow(named)]
fn story(draft: Draft) -> Page {
    flow! { check -> print }
}

#[gate(prompt = "Publish?")]
fn approve(draft: &Draft, more: u32) -> Checked {
    Checked { n: draft.n + more }
}

#[flow(named)]
fn reviewed(draft: Draft) -> Page {
    flow! { approve -> print }
}

#[node]
fn refuse(draft: Draft) -> Result<Page, std::io::Error> {
    Err(std::io::Error::other(format!("the secret {}", draft.n)))
}

#[flow(named)]
fn refusing(draft: Draft) -> Page {
    flow! { refuse }
}

#[node(retry(max_attempts = 2, backoff = "1m"))]
fn stumble(draft: &Draft, step: Step) -> Result<Page, std::io::Error> {
    match step.attempt() {
        1 => Err(std::io::Error::other("not yet")),
        _ => Ok(Page { n: draft.n }),
    }
}

#[flow(named)]
fn stumbling(draft: Draft) -> Page {
    flow! { stumble }
}

/// Runs a flow of its own.
#[node]
async fn call(draft: Draft, ctx: Context) -> Result<Page, FlowError> {
    story(draft, ctx).await
}

#[flow(named)]
fn calling(draft: Draft) -> Page {
    flow! { call }
}

#[tokio::test]
async fn a_run_is_one_span_with_what_its_nodes_do_in_it() {
    let spans = Spans::listen();
    let mut run = story::start(Draft { n: 1 }).unwrap().with_run_id("r-1");
    let out = run.run(Context::default()).await.unwrap();
    assert_eq!(out, RunOut::Done(Page { n: 1 }));
    assert_eq!(
        spans.tree(),
        "invoke_workflow story\n  checking\n  printing\n"
    );
    let span = &spans.named("invoke_workflow")[0];
    let expected = [
        ("gen_ai.agent.name", "story"),
        ("gen_ai.conversation.id", "r-1"),
        ("gen_ai.operation.name", "invoke_workflow"),
        ("gen_ai.workflow.name", "story"),
        ("otel.kind", "internal"),
        ("otel.name", "invoke_workflow story"),
    ];
    let fields = span.fields.iter().map(|(key, value)| (&**key, &**value));
    assert_eq!(fields.collect::<Vec<_>>(), expected);
}

#[tokio::test]
async fn a_run_is_within_the_span_of_its_caller() {
    let spans = Spans::listen();
    let handle = async { story(Draft { n: 1 }, Context::default()).await };
    handle.instrument(info_span!("request")).await.unwrap();
    assert!(
        spans
            .tree()
            .starts_with("request\n  invoke_workflow story\n")
    );
}

#[tokio::test]
async fn the_span_of_a_run_is_not_entered_between_its_steps() {
    let spans = Spans::listen();
    let mut run = story::start(Draft { n: 1 }).unwrap();
    run.next(Context::default()).await.unwrap();
    info_span!("saving").in_scope(|| ());
    assert_eq!(
        spans.tree(),
        "invoke_workflow story *\n  checking\nsaving\n"
    );
    drop(run);
    assert!(spans.all().iter().all(|span| span.is_closed));
}

#[tokio::test]
async fn a_flow_that_a_node_calls_is_within_the_run_of_that_node() {
    let spans = Spans::listen();
    let ctx = Context::default();
    calling::start(Draft { n: 1 })
        .unwrap()
        .run(ctx)
        .await
        .unwrap();
    assert!(
        spans
            .tree()
            .starts_with("invoke_workflow calling\n  invoke_workflow story\n    checking\n"),
        "{}",
        spans.tree()
    );
}

#[tokio::test]
async fn a_run_that_fails_says_how_and_not_why() {
    let spans = Spans::listen();
    let mut run = refusing::start(Draft { n: 7 }).unwrap();
    run.run(Context::default()).await.unwrap_err();
    assert_eq!(spans.tree(), "invoke_workflow refusing: error\n");
    assert_eq!(spans.all()[0].field("otel.status_code"), "ERROR");
    assert!(!format!("{:?}", spans.all()).contains("secret"));
    // Another try is another span.
    run.run(Context::default()).await.unwrap_err();
    assert_eq!(spans.tree(), "invoke_workflow refusing: error\n".repeat(2));
}

#[tokio::test(start_paused = true)]
async fn a_wait_for_another_attempt_does_not_end_a_span() {
    let spans = Spans::listen();
    let mut run = stumbling::start(Draft { n: 1 }).unwrap();
    run.run(Context::default()).await.unwrap();
    assert_eq!(spans.tree(), "invoke_workflow stumbling\n");
}

#[tokio::test]
async fn a_span_ends_where_a_run_waits_for_a_person_and_the_answer_opens_another() {
    let spans = Spans::listen();
    let ctx = Context::default;
    let mut run = reviewed::start(Draft { n: 1 }).unwrap();
    run.run(ctx()).await.unwrap();
    assert_eq!(spans.tree(), "invoke_workflow reviewed\n");
    // Whoever only asks starts nothing.
    run.next(ctx()).await.unwrap_err();
    assert_eq!(spans.tree(), "invoke_workflow reviewed\n");
    run.answer(ctx(), "approve", 2).await.unwrap();
    run.run(ctx()).await.unwrap();
    assert_eq!(
        spans.tree(),
        "invoke_workflow reviewed\ninvoke_workflow reviewed\n  printing\n"
    );
    let ids = spans.named("invoke_workflow");
    let id = |at: usize| ids[at].field("gen_ai.conversation.id").to_owned();
    assert_eq!(id(0), id(1));
}

#[tokio::test]
async fn a_run_that_has_ended_opens_no_span() {
    let ctx = Context::default;
    let mut run = story::start(Draft { n: 1 }).unwrap();
    run.run(ctx()).await.unwrap();
    let spans = Spans::listen();
    run.next(ctx()).await.unwrap_err();
    assert_eq!(spans.tree(), "");
}

#[tokio::test]
async fn a_run_that_is_cancelled_says_so() {
    let spans = Spans::listen();
    let mut run = story::start(Draft { n: 1 }).unwrap();
    run.next(Context::default()).await.unwrap();
    run.cancel("enough").await.unwrap();
    assert_eq!(
        spans.tree(),
        "invoke_workflow story: cancelled\n  checking\n"
    );

    let mut run = story::start(Draft { n: 1 }).unwrap();
    let hub = run.hub();
    run.next(Context::default()).await.unwrap();
    let cancelled = tokio::spawn(async move { hub.cancel("enough").await });
    tokio::task::yield_now().await;
    run.next(Context::default()).await.unwrap_err();
    cancelled.await.unwrap().unwrap();
    let last = spans.named("invoke_workflow").pop().unwrap();
    assert_eq!(
        (last.field("error.type"), last.is_closed),
        ("cancelled", true)
    );
}

#[tokio::test]
async fn a_step_that_is_dropped_goes_on_in_the_same_span() {
    let spans = Spans::listen();
    let ctx = Context::default;
    let mut run = story::start(Draft { n: 1 }).unwrap();
    run.next(ctx()).await.unwrap();
    drop(futures_util::poll!(Box::pin(run.next(ctx()))));
    run.run(ctx()).await.unwrap();
    assert_eq!(
        spans.tree(),
        "invoke_workflow story\n  checking\n  printing\n"
    );
}

#[tokio::test]
async fn a_subscriber_that_wants_less_gets_no_spans_and_changes_nothing() {
    let ctx = Context::default;
    let of_errors = tracing_subscriber::filter::LevelFilter::ERROR;
    let registry = tracing_subscriber::registry();
    let subscriber = tracing_subscriber::layer::SubscriberExt::with(registry, of_errors);
    let _guard = tracing::subscriber::set_default(subscriber);
    let mut run = story::start(Draft { n: 1 }).unwrap();
    assert_eq!(run.run(ctx()).await.unwrap(), RunOut::Done(Page { n: 1 }));
}

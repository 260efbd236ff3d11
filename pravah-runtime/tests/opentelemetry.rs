//! What only OpenTelemetry has of a trace: links across a suspension, and attributes that are lists.
#![allow(
    clippy::panic,
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a helper that fails is a test that fails"
)]

#[path = "common/subscribers.rs"]
mod subscribers;

use opentelemetry::{
    Array, Value,
    trace::{SpanId, SpanKind, Status, TracerProvider as _},
};
use opentelemetry_sdk::trace::{InMemorySpanExporter, SdkTracerProvider, SpanData};
use pravah_runtime::{ToolError, prelude::*};
use serde_json::json;
use tracing::subscriber::DefaultGuard;
use tracing_subscriber::{layer::SubscriberExt as _, util::SubscriberInitExt as _};

#[state]
struct Draft {
    n: u32,
}
#[state]
#[derive(Debug, PartialEq)]
struct Told {
    n: u32,
}

/// Asks a person.
#[tool]
async fn ask(ctx: Context) -> Result<String, ToolError> {
    match ctx.resumed::<String>()? {
        Some(answer) => Ok(answer),
        None => Err(ToolError::suspend(json!("Well?"))),
    }
}

#[agent(model = "openai://m", preamble = "Tell.", output = Told, tools = [ask])]
fn tell(_: &Draft) -> String {
    String::new()
}

#[flow(named)]
fn tale(draft: Draft) -> Told {
    flow! { tell }
}

struct Exported {
    spans: InMemorySpanExporter,
    _guard: DefaultGuard,
}

impl Exported {
    /// Exports what happens on this thread until it is dropped.
    fn start() -> Self {
        subscribers::ask_every_subscriber();
        let spans = InMemorySpanExporter::default();
        let provider = SdkTracerProvider::builder().with_simple_exporter(spans.clone());
        let layer = tracing_opentelemetry::layer().with_tracer(provider.build().tracer("pravah"));
        let guard = tracing_subscriber::registry().with(layer).set_default();
        Self {
            spans,
            _guard: guard,
        }
    }

    /// The spans of this name, in the order in which they ended.
    fn named(&self, name: &str) -> Vec<SpanData> {
        let all = self.spans.get_finished_spans().unwrap();
        all.into_iter().filter(|span| span.name == name).collect()
    }
}

fn attribute(span: &SpanData, name: &str) -> Option<Value> {
    let mut attributes = span.attributes.iter();
    let attribute = attributes.find(|it| it.key.as_str() == name)?;
    Some(attribute.value.clone())
}

fn ctx() -> Context {
    let script = ScriptedModel::new()
        .call("tell", "ask", json!({}))
        .reply("tell", json!({ "n": 2 }));
    Context::default().with_dep(script)
}

#[tokio::test]
async fn a_run_that_goes_on_elsewhere_is_linked_to_what_it_was_before() {
    let ctx = ctx();
    let before = Exported::start();
    let mut run = tale::start(Draft { n: 1 }).unwrap();
    run.run(ctx.clone()).await.unwrap();
    let saved = serde_json::to_string(&run.snapshot()).unwrap();
    drop(run);
    let first = before.named("invoke_workflow tale").remove(0);
    let traceparent = format!(
        "00-{}-{}-01",
        first.span_context.trace_id(),
        first.span_context.span_id()
    );
    assert!(saved.contains(&traceparent));
    assert!(first.links.links.is_empty());
    drop(before);

    // Another process.
    let after = Exported::start();
    let snapshot = serde_json::from_str(&saved).unwrap();
    let mut run = FlowRuntime::<tale>::from_snapshot(snapshot).unwrap();
    run.answer(ctx.clone(), "tell::ask", "Well.").await.unwrap();
    assert_eq!(run.run(ctx).await.unwrap(), RunOut::Done(Told { n: 2 }));
    let second = after.named("invoke_workflow tale").remove(0);
    assert_ne!(
        second.span_context.trace_id(),
        first.span_context.trace_id()
    );
    assert_eq!(second.links.links.len(), 1);
    let linked = &second.links.links[0].span_context;
    assert_eq!(linked.trace_id(), first.span_context.trace_id());
    assert_eq!(linked.span_id(), first.span_context.span_id());
    let conversation = attribute(&first, "gen_ai.conversation.id");
    assert!(conversation.is_some());
    assert_eq!(attribute(&second, "gen_ai.conversation.id"), conversation);
}

#[tokio::test]
async fn spans_have_the_kinds_the_parents_and_the_types_of_the_conventions() {
    let exported = Exported::start();
    let ctx = ctx();
    let mut run = tale::start(Draft { n: 1 }).unwrap();
    run.run(ctx.clone()).await.unwrap();
    let workflow = exported.named("invoke_workflow tale").remove(0);
    let agent = exported.named("invoke_agent tell").remove(0);
    let chat = exported.named("chat m").remove(0);
    let tool = exported.named("execute_tool ask").remove(0);
    let id = |span: &SpanData| span.span_context.span_id();
    let parents = [&workflow, &agent, &chat, &tool].map(|span| span.parent_span_id);
    assert_eq!(
        parents,
        [SpanId::INVALID, id(&workflow), id(&agent), id(&agent)]
    );
    let kinds = [&workflow, &agent, &chat, &tool].map(|span| span.span_kind.clone());
    use SpanKind::{Client, Internal};
    assert_eq!(kinds, [Internal, Internal, Client, Internal]);
    let reasons = Value::Array(Array::String(vec!["tool_call".into()]));
    let recorded = attribute(&chat, "gen_ai.response.finish_reasons");
    assert_eq!(recorded, Some(reasons));
    let tokens = attribute(&chat, "gen_ai.usage.input_tokens");
    assert!(matches!(tokens, Some(Value::I64(_))));
    assert_eq!(tool.status, Status::Unset);
}

#[tokio::test]
async fn without_a_trace_nothing_of_one_is_in_a_snapshot() {
    let ctx = ctx();
    let mut run = tale::start(Draft { n: 1 }).unwrap();
    run.run(ctx).await.unwrap();
    let saved = serde_json::to_string(&run.snapshot()).unwrap();
    assert!(!saved.contains("traceparent"));
}

#[tokio::test]
async fn a_snapshot_whose_traceparent_is_nonsense_goes_on_without_a_link() {
    let ctx = ctx();
    let mut run = tale::start(Draft { n: 1 }).unwrap();
    run.run(ctx.clone()).await.unwrap();
    let mut saved = serde_json::to_value(run.snapshot()).unwrap();
    saved["traceparent"] = json!("00-zz-é-01");
    let exported = Exported::start();
    let snapshot = serde_json::from_value(saved).unwrap();
    let mut run = FlowRuntime::<tale>::from_snapshot(snapshot).unwrap();
    run.answer(ctx.clone(), "tell::ask", "Well.").await.unwrap();
    run.run(ctx).await.unwrap();
    let span = exported.named("invoke_workflow tale").remove(0);
    assert!(span.links.links.is_empty());
}

//! Observers and budgets.
#![allow(
    clippy::panic,
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a helper that fails is a test that fails"
)]

use std::{
    sync::{Arc, Mutex},
    time::{Duration, UNIX_EPOCH},
};

use pravah_runtime::{
    Budget, EventKind, FlowEvent, FlowObserver, Limit, ManualClock, ModelClient, ModelError,
    ModelErrorKind, ModelFuture, ModelRequest, ModelResponse, OnText, StepInfo, StepKind, Usage,
    prelude::*,
};
use serde_json::json;

#[state]
struct Ticket {}
#[state]
struct Verdict {
    urgent: bool,
}
#[state]
#[derive(Debug, PartialEq)]
struct Closed {
    urgent: bool,
}

/// Looks something up.
#[tool]
async fn look() -> Result<String, ToolError> {
    Ok("found".to_owned())
}

#[agent(model = "openai://m", preamble = "Triage.", output = Verdict, tools = [look])]
fn triage(_: &Ticket) -> String {
    String::new()
}

#[node]
fn close(verdict: Verdict) -> Closed {
    Closed {
        urgent: verdict.urgent,
    }
}

#[flow(named)]
fn support(ticket: Ticket) -> Closed {
    flow! { triage -> close }
}

/// Calls a tool, and hands in its result, in pieces where somebody listens.
struct Model;

impl Model {
    fn answer(request: &ModelRequest) -> ModelResponse {
        let (name, arguments) = match request.turn() {
            0 => ("look", json!({})),
            _ => ("submit", json!({ "urgent": true })),
        };
        ModelResponse::default()
            .with_text("one two")
            .with_calls([pravah_runtime::ToolCall::new(
                "",
                name,
                pravah_runtime::Arguments::Json(arguments),
            )])
            .with_usage(Usage::new(10, 5))
    }
}

impl ModelClient for Model {
    fn complete<'a>(&'a self, request: &'a ModelRequest) -> ModelFuture<'a> {
        Box::pin(async move { Ok(Self::answer(request)) })
    }

    fn stream<'a>(&'a self, request: &'a ModelRequest, on_text: OnText<'a>) -> ModelFuture<'a> {
        Box::pin(async move {
            on_text("one ");
            on_text("two");
            Ok(Self::answer(request))
        })
    }
}

#[derive(Default)]
struct Watcher {
    seen: Mutex<Vec<String>>,
    listens: bool,
    panics: bool,
}

impl Watcher {
    fn seen(&self) -> Vec<String> {
        self.seen.lock().unwrap().clone()
    }
}

impl FlowObserver for Watcher {
    fn on_event(&self, event: &FlowEvent) {
        let text = match &event.kind {
            EventKind::Step(step) => step.to_string(),
            EventKind::AgentText { content, .. } => {
                format!("{}: {content:?}", event.node.as_deref().unwrap_or_default())
            }
            EventKind::ModelAnswered { model, usage, .. } => format!("{model} {}", usage.total()),
            EventKind::ModelWaits { why, .. } => format!("waits: {why}"),
            _ => return,
        };
        self.seen.lock().unwrap().push(text);
        assert!(!self.panics, "an observer that fails");
    }

    fn wants_text(&self) -> bool {
        self.listens
    }
}

fn start(watcher: &Arc<Watcher>) -> FlowRuntime<support> {
    let factory = ClientFactory::new().with_client(Arc::new(Model));
    support::start(Ticket {})
        .unwrap()
        .with_factory(factory)
        .with_observer(Arc::clone(watcher))
}

fn watcher(listens: bool, panics: bool) -> Arc<Watcher> {
    Arc::new(Watcher {
        listens,
        panics,
        ..Default::default()
    })
}

const STEPS: [&str; 6] = [
    "openai://m 15",
    "1. triage (model)",
    "2. triage (tools)",
    "openai://m 15",
    "3. triage (model) -> Verdict",
    "4. close -> Closed",
];

#[tokio::test]
async fn an_observer_is_told_of_every_step_and_answer() {
    let watcher = watcher(false, false);
    let out = start(&watcher).run(Context::default()).await.unwrap();
    assert_eq!(out, RunOut::Done(Closed { urgent: true }));
    assert_eq!(watcher.seen(), STEPS);
}

#[tokio::test]
async fn an_observer_that_listens_hears_the_text_and_the_result_is_the_same() {
    let watcher = watcher(true, false);
    let out = start(&watcher).run(Context::default()).await.unwrap();
    assert_eq!(out, RunOut::Done(Closed { urgent: true }));
    let seen = watcher.seen();
    let text = ["triage: \"one \"", "triage: \"two\""];
    assert_eq!(seen[..2], text);
    let others: Vec<_> = seen
        .iter()
        .filter(|line| !text.contains(&line.as_str()))
        .collect();
    assert_eq!(others, STEPS.iter().collect::<Vec<_>>());
    assert_eq!(seen.len(), STEPS.len() + 4);
}

#[tokio::test]
async fn an_observer_that_panics_leaves_the_run_as_it_was() {
    let watcher = watcher(true, true);
    let out = start(&watcher).run(Context::default()).await.unwrap();
    assert_eq!(out, RunOut::Done(Closed { urgent: true }));
    assert_eq!(watcher.seen().len(), STEPS.len() + 4);
}

#[tokio::test(start_paused = true)]
async fn an_observer_is_told_why_a_model_is_waited_for() {
    struct Busy;
    impl ModelClient for Busy {
        fn complete<'a>(&'a self, _: &'a ModelRequest) -> ModelFuture<'a> {
            Box::pin(async { Err(ModelError::new(ModelErrorKind::Upstream, "overloaded")) })
        }
    }
    let watcher = watcher(false, false);
    let factory = ClientFactory::new().with_client(Arc::new(Busy));
    let mut run = start(&watcher).with_factory(factory);
    run.next(Context::default()).await.unwrap();
    assert_eq!(watcher.seen(), ["waits: overloaded", "1. triage (waits)"]);
}

fn limit_of(error: FlowError) -> Limit {
    match error {
        FlowError::Limit { node, limit, .. } if node == "triage" => limit,
        error => panic!("{error}"),
    }
}

#[tokio::test]
async fn a_budget_of_calls_ends_before_the_next_call_and_can_be_raised() {
    let watcher = watcher(false, false);
    let mut run = start(&watcher).with_budget(Budget::new().calls(1));
    let error = run.run(Context::default()).await.unwrap_err();
    assert_eq!(limit_of(error), Limit::RunCalls(1));
    assert_eq!(run.model_calls(), 1);
    let mut run = run.with_budget(Budget::new().calls(2));
    let out = run.run(Context::default()).await.unwrap();
    assert_eq!(out, RunOut::Done(Closed { urgent: true }));
    assert_eq!((run.model_calls(), run.usage().total()), (2, 30));
}

#[tokio::test]
async fn a_budget_and_what_was_spent_survive_a_restore() {
    let watcher = watcher(false, false);
    let mut run = start(&watcher).with_budget(Budget::new().tokens(15));
    run.next(Context::default()).await.unwrap();
    let bytes = serde_json::to_vec(&run.snapshot()).unwrap();
    let snapshot = serde_json::from_slice(&bytes).unwrap();
    let mut run = FlowRuntime::<support>::from_snapshot(snapshot)
        .unwrap()
        .with_factory(ClientFactory::new().with_client(Arc::new(Model)));
    let error = run.run(Context::default()).await.unwrap_err();
    assert_eq!(limit_of(error), Limit::RunTokens(15));
    // The tools ran, the agent failed, and nothing else changed.
    let mut again = start(&watcher)
        .with_budget(Budget::new().tokens(15))
        .with_run_id(run.run_id());
    again.next(Context::default()).await.unwrap();
    again.next(Context::default()).await.unwrap();
    let mut after = serde_json::to_value(run.snapshot()).unwrap();
    let failed = after.as_object_mut().unwrap().remove("failed").unwrap();
    assert_eq!(failed["Ticket"]["kind"], "budget");
    assert_eq!(after, serde_json::to_value(again.snapshot()).unwrap());
}

#[tokio::test]
async fn a_closure_receives_events_that_equal_constructed_ones() {
    let (sender, events) = std::sync::mpsc::channel();
    let script = ScriptedModel::new()
        .call("triage", "look", json!({}))
        .reply("triage", json!({ "urgent": true }));
    let mut run = support::start(Ticket {})
        .unwrap()
        .with_run_id("r")
        .with_factory(ClientFactory::new().with_scripted(script))
        .with_clock(ManualClock::new(UNIX_EPOCH))
        .with_observer(move |event| drop(sender.send(event)));
    run.run(Context::default()).await.unwrap();

    let answered = || EventKind::model_answered("openai://m", Usage::default());
    let step = |number, kind| EventKind::Step(StepInfo::new(number, "triage", kind));
    let of_close = StepInfo::new(4, "close", StepKind::Node).with_outputs(["Closed"]);
    let submitted = StepInfo::new(3, "triage", StepKind::ModelCall).with_outputs(["Verdict"]);
    let call = "r/triage(Ticket)#1/1/call_1_1";
    let agent = "r/triage(Ticket)#1@1";
    let of_triage = [
        (0, EventKind::NodeStarted),
        (0, EventKind::agent_started("triage", agent)),
        (0, answered()),
        (1, step(1, StepKind::ModelCall)),
        (1, EventKind::tool_started("look", call)),
        (1, EventKind::tool_ended("look", call, false)),
        (2, step(2, StepKind::ToolCalls)),
        (2, answered()),
        (2, EventKind::agent_ended("triage", agent, true)),
        (3, EventKind::Step(submitted)),
        (3, EventKind::node_ended()),
    ];
    let of_close = [
        (3, EventKind::NodeStarted),
        (4, EventKind::Step(of_close)),
        (4, EventKind::node_ended()),
    ];
    let of_run = |step, kind| FlowEvent::of_run("r", kind).with_step(step);
    let at = |node| move |(step, kind)| FlowEvent::new("r", node, kind).with_step(step);
    let mut expected = vec![of_run(0, EventKind::run_started("support"))];
    expected.extend(of_triage.map(at("triage")));
    expected.extend(of_close.map(at("close")));
    expected.push(of_run(4, EventKind::run_ended(true, Duration::ZERO)));
    let expected = (1..).zip(expected);
    let expected: Vec<_> = expected
        .map(|(number, event)| event.with_sequence(number, UNIX_EPOCH))
        .collect();
    assert_eq!(events.try_iter().collect::<Vec<_>>(), expected);
}

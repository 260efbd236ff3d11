//! Which events the run of a document sends, in which order.

use std::sync::{Arc, Mutex};

use pravah_runtime::{
    BoxError, Channel, Context, EventKind, FlowEvent,
    document::{DocumentFlow, NodeRegistry},
};
use serde_json::json;

use crate::read;

async fn names(text: &str) -> Vec<String> {
    let session = read(text).session(json!({})).unwrap().collect_events(1_000);
    let result = session.run(Context::default()).await.unwrap();
    let events = result.events.iter();
    events
        .filter(|event| !matches!(event.kind, EventKind::Step(_)))
        .map(|event| match &event.node {
            Some(node) => format!("{} {node}", event.kind.name()),
            None => event.kind.name().to_owned(),
        })
        .collect()
}

/// A document that runs another one.
fn with_subflow(text: &str, subflow: &str) -> DocumentFlow {
    let registry = NodeRegistry::standard().with_flow(read(subflow).document().clone());
    DocumentFlow::read("outer.yaml", text, &registry).unwrap()
}

/// The events of a run that these are the tasks of, and that ends with this.
fn run_of(tasks: &[&str], end: &str) -> Vec<String> {
    let around = (["harness:start", "phase:start"], [end, "harness:complete"]);
    let all = around.0.iter().chain(tasks).chain(&around.1);
    all.map(|name| (*name).to_owned()).collect()
}

// B13
#[tokio::test]
async fn one_node_is_a_run_a_phase_and_a_task() {
    let text = "
flow: { name: one }
nodes: [{ id: a, type: echo, input: { text: hi } }]
edges: []
";
    let expected = run_of(&["task:start a", "task:complete a"], "phase:complete");
    assert_eq!(names(text).await, expected);

    let session = read(text).session(json!({})).unwrap().collect_events(100);
    let result = session.run(Context::default()).await.unwrap();
    let json: Vec<_> = result
        .events
        .iter()
        .map(|event| serde_json::to_value(event).unwrap()["event"].clone())
        .collect();
    let of = |name: &str| json.iter().find(|event| event["type"] == name).unwrap();
    assert_eq!(of("harness:start")["name"], "one");
    assert_eq!(of("phase:start")["name"], "Run Flow");
    assert_eq!(of("task:complete")["result"], json!({ "text": "hi" }));
    assert_eq!(of("harness:complete")["success"], true);
}

#[tokio::test]
async fn what_is_skipped_is_no_task() {
    let text = "
flow: { name: two }
nodes:
  - { id: a, type: echo, when: { or: [] }, input: { text: hi } }
  - { id: b, type: echo, input: { text: hi } }
edges: [{ from: a, to: b }]
";
    let expected = run_of(&[], "phase:complete");
    assert_eq!(names(text).await, expected);
}

const FAILS: &str = "
flow: { name: fails }
nodes: [{ id: a, type: control.fail, input: { message: no } }]
edges: []
";

// B4
#[tokio::test]
async fn a_failure_fails_the_phase_and_the_run() {
    let expected = run_of(&["task:start a", "task:failed a"], "phase:failed");
    assert_eq!(names(FAILS).await, expected);
}

#[tokio::test]
async fn a_region_is_a_task_around_those_of_its_items() {
    let text = "
flow: { name: each }
nodes:
  - { id: each, type: control.foreach, input: { list: [1, 2], body: [show] } }
  - { id: show, type: echo, input: { text: '{{ item }}.' } }
edges: []
";
    let expected = run_of(
        &[
            "task:start each",
            "task:start show",
            "task:complete show",
            "task:start show",
            "task:complete show",
            "task:complete each",
        ],
        "phase:complete",
    );
    assert_eq!(names(text).await, expected);
}

// S4.11: a task is a node, however often that is tried.
#[tokio::test]
async fn a_node_that_is_tried_again_is_one_task() {
    let text = "
flow: { name: flaky }
nodes:
  - { id: a, type: tutorial.flaky, policy: { retry: { maxAttempts: 2 } }, input: { label: tea } }
edges: []
";
    let expected = run_of(
        &["task:start a", "task:retry a", "task:complete a"],
        "phase:complete",
    );
    assert_eq!(names(text).await, expected);
}

// S4.9, S4.10: also where the run goes on to its end.
#[tokio::test]
async fn a_failure_that_the_run_survives_fails_the_phase() {
    let text = "
flow: { name: fails, policy: { failFast: false } }
nodes: [{ id: a, type: control.fail, input: { message: no } }]
edges: []
";
    let expected = run_of(&["task:start a", "task:failed a"], "phase:failed");
    assert_eq!(names(text).await, expected);
}

// S4.11
#[tokio::test]
async fn a_region_that_fails_starts_and_fails_once() {
    for head in [
        "flow: { name: each }",
        "flow: { name: each, policy: { failFast: false } }",
    ] {
        let text = format!(
            "{head}
nodes:
  - {{ id: each, type: control.foreach, input: {{ list: [1], body: [fails] }} }}
  - {{ id: fails, type: control.fail, input: {{ message: no }} }}
edges: []
"
        );
        let expected = run_of(
            &[
                "task:start each",
                "task:start fails",
                "task:failed fails",
                "task:failed each",
            ],
            "phase:failed",
        );
        assert_eq!(names(&text).await, expected, "{head}");
    }
}

// S4.11
#[tokio::test]
async fn a_region_in_which_nothing_runs_is_a_task_all_the_same() {
    let text = "
flow: { name: none }
nodes:
  - { id: each, type: control.foreach, input: { list: [], body: [show] } }
  - { id: show, type: constant, input: { value: 1 } }
  - { id: rounds, type: control.loop, input: { while: { or: [] }, body: [again] } }
  - { id: again, type: constant, input: { value: 1 } }
  - { id: input, type: constant, input: { value: no list } }
  - { id: fails, type: control.foreach, input: { list: '{{ input.value }}', body: [one] } }
  - { id: one, type: constant, input: { value: 1 } }
edges: [{ from: each, to: rounds }, { from: rounds, to: input }, { from: input, to: fails }]
";
    let tasks = [
        "task:start each",
        "task:complete each",
        "task:start rounds",
        "task:complete rounds",
        "task:start input",
        "task:complete input",
        "task:start fails",
        "task:failed fails",
    ];
    assert_eq!(names(text).await, run_of(&tasks, "phase:failed"));
}

// S4.37
#[tokio::test]
async fn a_loop_that_fails_in_a_subflow_is_a_failure_of_the_node_that_runs_it() {
    let pay = "
flow: { name: pay }
nodes: [{ id: a, type: constant, input: { value: 1 } }, { id: b, type: constant, input: { value: 1 } }]
edges: [{ from: a, to: b }, { from: b, to: a, type: loop, maxIterations: 1 }]
";
    let text = "
flow: { name: outer }
nodes:
  - { id: b, type: constant, input: { value: 7 } }
  - { id: pay, type: control.subflow, input: { name: pay } }
edges: [{ from: b, to: pay }]
";
    let flow = with_subflow(text, pay);
    let session = flow.session(json!({})).unwrap();
    let result = session.run(Context::default()).await.unwrap();
    assert_eq!(result.outputs["b"], json!({ "value": 7 }));
    assert_eq!(result.outputs["pay"]["error"]["kind"], json!("limit"));
}

// S4.11
#[tokio::test]
async fn a_loop_edge_that_fails_makes_no_task_of_its_own() {
    let text = "
flow: { name: again }
nodes: [{ id: a, type: constant, input: { value: 1 } }, { id: b, type: constant, input: { value: 1 } }]
edges: [{ from: a, to: b }, { from: b, to: a, type: loop, maxIterations: 1 }]
";
    let names = names(text).await;
    assert!(names.contains(&"phase:failed".to_owned()), "{names:?}");
    assert!(!names.iter().any(|name| name.contains("..")), "{names:?}");
}

// S4.37
#[tokio::test]
async fn the_nodes_of_a_subflow_are_told_apart_by_the_node_that_runs_it() {
    let pay = "
flow: { name: pay, input: { ok: true } }
nodes:
  - { id: ask, type: control.gate, input: { prompt: 'Pay?' } }
  - { id: charge, type: control.fail, when: { equals: { var: flow.input.ok, value: false } }, input: { message: no } }
edges: [{ from: ask, to: charge }]
";
    let text = "
flow: { name: twice }
nodes:
  - { id: first, type: control.subflow, input: { name: pay } }
  - { id: second, type: control.subflow, input: { name: pay, input: { ok: false } } }
edges: []
";
    let flow = with_subflow(text, pay);
    let mut run = flow.start(json!({})).unwrap();
    run.run(Context::default()).await.unwrap();
    let questions: Vec<_> = run.suspensions().into_iter().map(|it| it.tool_id).collect();
    assert_eq!(questions, ["first::ask[0]", "second::ask[0]"]);
    for question in questions {
        run.answer(Context::default(), &question, json!("yes"))
            .await
            .unwrap();
    }
    let error = run.run(Context::default()).await.unwrap_err().to_string();
    assert_eq!(error, "node `second::charge` failed: no");
}

#[tokio::test]
async fn a_loop_edge_makes_no_task_of_its_own() {
    let text = "
flow: { name: again }
nodes:
  - { id: a, type: constant, input: { value: 1 } }
  - { id: b, type: constant, input: { value: 1 } }
edges:
  - { from: a, to: b }
  - { from: b, to: a, type: loop, maxIterations: 1, when: { or: [] } }
";
    let expected = run_of(
        &[
            "task:start a",
            "task:complete a",
            "task:start b",
            "task:complete b",
        ],
        "phase:complete",
    );
    assert_eq!(names(text).await, expected);
}

#[tokio::test]
async fn the_last_region_says_what_it_returns() {
    let text = "
flow: { name: last }
nodes:
  - { id: each, type: control.foreach, input: { list: [1], body: [show] } }
  - { id: show, type: constant, input: { value: '{{ item }}' } }
edges: []
";
    let session = read(text).session(json!({})).unwrap().collect_events(100);
    let result = session.run(Context::default()).await.unwrap();
    let of_each = |event: &&FlowEvent| event.node.as_deref() == Some("each");
    let ended = result.events.iter().rfind(of_each).unwrap();
    let json = serde_json::to_value(ended).unwrap();
    assert_eq!(json["event"]["type"], "task:complete");
    assert_eq!(json["event"]["result"], result.outputs["each"]);
}

// P7
#[tokio::test]
async fn a_channel_hears_of_the_failure_that_ends_a_session() {
    struct Names(Arc<Mutex<Vec<String>>>);

    impl Channel for Names {
        fn name(&self) -> &str {
            "names"
        }

        async fn on_event(&mut self, event: FlowEvent) -> Result<(), BoxError> {
            self.0.lock().unwrap().push(event.kind.name().to_owned());
            Ok(())
        }
    }

    let names = Arc::default();
    let session = read(FAILS).session(json!({})).unwrap();
    let session = session.attach(Names(Arc::clone(&names)));
    session.run(Context::default()).await.unwrap();
    let heard = names.lock().unwrap();
    let expected = run_of(&["task:start", "task:failed"], "phase:failed");
    assert_eq!(*heard, expected);
}

// S4.14
#[tokio::test]
async fn the_question_of_a_gate_says_what_is_asked() {
    let text = "
flow: { name: ask }
nodes: [{ id: a, type: control.gate, input: { prompt: 'Go on?', choices: ['yes'] } }]
edges: []
";
    let session = read(text).session(json!({})).unwrap().collect_events(100);
    let result = session.run(Context::default()).await.unwrap();
    let is_question = |event: &&FlowEvent| event.kind.name() == "session:prompt";
    let question = result.events.iter().find(is_question).unwrap();
    let json = serde_json::to_value(question).unwrap();
    let expected = json!({
        "type": "session:prompt", "promptId": "a", "number": 0,
        "prompt": "Go on?", "choices": ["yes"], "allowText": false,
    });
    assert_eq!(json["event"], expected);
    let again: FlowEvent = serde_json::from_value(json).unwrap();
    assert_eq!(again.kind, question.kind);
}

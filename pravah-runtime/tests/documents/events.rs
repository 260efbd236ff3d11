//! Which events the run of a document sends, in which order.

use pravah_runtime::{Context, EventKind};
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

// B13
#[tokio::test]
async fn one_node_is_a_run_a_phase_and_a_task() {
    let text = "
flow: { name: one }
nodes: [{ id: a, type: echo, input: { text: hi } }]
edges: []
";
    let expected = [
        "harness:start",
        "phase:start",
        "task:start a",
        "task:complete a",
        "phase:complete",
        "harness:complete",
    ];
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
    let expected = [
        "harness:start",
        "phase:start",
        "phase:complete",
        "harness:complete",
    ];
    assert_eq!(names(text).await, expected);
}

// B4
#[tokio::test]
async fn a_failure_fails_the_phase_and_the_run() {
    let text = "
flow: { name: fails }
nodes: [{ id: a, type: control.fail, input: { message: no } }]
edges: []
";
    let expected = [
        "harness:start",
        "phase:start",
        "task:start a",
        "task:failed a",
        "phase:failed",
        "harness:complete",
    ];
    assert_eq!(names(text).await, expected);
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
    let expected = [
        "harness:start",
        "phase:start",
        "task:start each",
        "task:start show",
        "task:complete show",
        "task:start show",
        "task:complete show",
        "task:complete each",
        "phase:complete",
        "harness:complete",
    ];
    assert_eq!(names(text).await, expected);
}

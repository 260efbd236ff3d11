//! What runs at the same time in bodies, subflows and the regions of loop edges.

use super::*;

/// How many milliseconds a run of eight nodes at a time takes.
async fn duration(text: &str) -> u128 {
    let registry = NodeRegistry::standard().with_pack("tutorial");
    let pair = "
flow: { name: pair }
nodes:
  - { id: one, type: tutorial.delay, input: { ms: 100 } }
  - { id: other, type: tutorial.delay, input: { ms: 100 } }
edges: []
";
    let pair = DocumentFlow::read("pair.yaml", pair, &registry).unwrap();
    let registry = registry.with_flow(pair.document().clone());
    let flow = DocumentFlow::read("test.yaml", text, &registry).unwrap();
    let started = tokio::time::Instant::now();
    let mut run = flow.start(json!({})).unwrap().with_concurrency(8);
    run.run(Context::default()).await.unwrap();
    started.elapsed().as_millis()
}

// P10
#[tokio::test(start_paused = true)]
async fn branches_in_a_body_a_subflow_and_a_region_run_side_by_side() {
    let body = r#"
flow: { name: body }
nodes:
  - { id: each, type: control.foreach, input: { list: [1, 2], body: [start, one, other] } }
  - { id: start, type: constant, input: { value: 1 } }
  - { id: one, type: tutorial.delay, input: { ms: 100 } }
  - { id: other, type: tutorial.delay, input: { ms: 100 } }
edges: [{ from: start, to: one }, { from: start, to: other }]
"#;
    assert_eq!(duration(body).await, 200);
    let subflow = r#"
flow: { name: outer }
nodes: [{ id: sub, type: control.subflow, input: { name: pair } }]
edges: []
"#;
    assert_eq!(duration(subflow).await, 100);
    let region = r#"
flow: { name: region }
nodes:
  - { id: start, type: constant, input: { value: 1 } }
  - { id: one, type: tutorial.delay, input: { ms: 100 } }
  - { id: other, type: tutorial.delay, input: { ms: 100 } }
  - { id: end, type: constant, input: { value: 1 } }
edges:
  - { from: start, to: one }
  - { from: start, to: other }
  - { from: one, to: end }
  - { from: other, to: end }
  - { from: end, to: start, type: loop, maxIterations: 1, when: { or: [] } }
"#;
    assert_eq!(duration(region).await, 100);
}

// P10
#[tokio::test(start_paused = true)]
async fn items_within_items_run_side_by_side_as_their_lists_say() {
    let nested = r#"
flow: { name: nested }
nodes:
  - { id: outer, type: control.foreach, input: { list: [1, 2], as: row, body: [inner] } }
  - { id: inner, type: control.foreach, input: { list: [1, 2, 3], concurrency: 3, body: [wait] } }
  - { id: wait, type: tutorial.delay, input: { ms: 100 } }
edges: []
"#;
    assert_eq!(duration(nested).await, 200);
}

// P1.4
#[tokio::test(start_paused = true)]
async fn a_merge_in_a_body_cancels_its_losers() {
    let merge = r#"
flow: { name: merge }
nodes:
  - { id: each, type: control.foreach, input: { list: [1], body: [slow, fast, first] } }
  - { id: slow, type: tutorial.delay, input: { ms: 100000 } }
  - { id: fast, type: tutorial.delay, input: { ms: 10 } }
  - { id: first, type: control.merge, input: { mode: any, cancelLosers: true } }
edges: [{ from: slow, to: first }, { from: fast, to: first }]
"#;
    assert_eq!(duration(merge).await, 10);
}

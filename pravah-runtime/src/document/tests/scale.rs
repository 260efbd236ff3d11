//! Documents that are large.

use std::time::Instant;

use super::*;

fn echo(id: usize) -> Node {
    node(&format!("n{id}"), "echo", json!({ "text": "x" }))
}

/// A graph of nodes `n0`, `n1` and so on.
fn numbered(nodes: Vec<Node>, edges: impl Iterator<Item = (usize, usize)>) -> Graph {
    let edge = |(from, to)| Edge {
        from,
        to,
        on: Selector::Success,
        when: None,
    };
    Graph {
        members: nodes.into_iter().map(Box::new).map(Member::Node).collect(),
        edges: edges.map(edge).collect(),
    }
}

fn chain(nodes: usize) -> Graph {
    numbered(
        (0..nodes).map(echo).collect(),
        (1..nodes).map(|to| (to - 1, to)),
    )
}

#[tokio::test]
async fn a_long_chain_of_skipped_nodes_is_one_step() {
    let mut graph = chain(20_000);
    let Member::Node(second) = &mut graph.members[1] else {
        panic!("it is a node")
    };
    second.when = Some(when(json!({ "or": [] })));
    let flow = flow(document(graph));
    let mut run = flow.start(json!({})).unwrap();
    let RunOut::Done(done) = run.next(Context::default()).await.unwrap() else {
        panic!("it is over with its first node")
    };
    assert_eq!(done.outputs.len(), 20_000);
    assert_eq!(done.outputs["n19999"]["reason"], "edge");
}

/// The most bytes that the changes of a step have in a chain, but for its first and its last one.
async fn most_bytes_of_a_step(nodes: usize) -> usize {
    let mut run = flow(document(chain(nodes))).start(json!({})).unwrap();
    run.next(Context::default()).await.unwrap();
    run.take_changes().unwrap();
    let mut most = 0;
    for _ in 0..nodes - 2 {
        run.next(Context::default()).await.unwrap();
        let changes = serde_json::to_string(&run.take_changes().unwrap()).unwrap();
        most = most.max(changes.len());
    }
    most
}

#[tokio::test]
async fn a_step_in_a_long_chain_changes_as_much_as_one_in_a_short_chain() {
    let (short, long) = (
        most_bytes_of_a_step(10).await,
        most_bytes_of_a_step(1_000).await,
    );
    // The numbers in the names of the nodes have up to two digits more.
    assert!(long - short < 20, "{short} {long}");
}

#[tokio::test]
async fn a_node_may_wait_for_many() {
    for mode in [None, Some(MergeMode::All), Some(MergeMode::Any)] {
        let mut nodes: Vec<Node> = (0..5_000).map(echo).collect();
        nodes.push(match mode {
            Some(mode) => merge("n5000", mode, mode == MergeMode::Any),
            None => echo(5_000),
        });
        let graph = numbered(nodes, (0..5_000).map(|from| (from, 5_000)));
        let flow = flow(document(graph));
        let mut run = flow.start(json!({})).unwrap();
        let RunOut::Done(done) = run.run(Context::default()).await.unwrap() else {
            panic!("it asks nothing")
        };
        let ran = done
            .outputs
            .values()
            .filter(|it| it.get("skipped").is_none());
        assert_eq!(ran.count(), 5_001);
    }
}

// Merges behind merges cancel ever more nodes: their pairs are found once, and are limited.
#[test]
fn merges_that_cancel_what_is_before_them_are_found_in_time() {
    let rung = |number: usize| {
        let id = format!("n{number}");
        match number % 2 {
            0 => node(&id, "constant", json!({ "value": 1 })),
            _ => super::merge(&id, MergeMode::Any, true),
        }
    };
    let ladder = |rungs: usize| {
        let nodes = (0..2 * rungs).map(rung).collect();
        let edges = (0..rungs).flat_map(|rung| {
            let (node, merge) = (2 * rung, 2 * rung + 1);
            let before = merge.checked_sub(2);
            let from_before = before
                .into_iter()
                .flat_map(move |it| [(it, node), (it, merge)]);
            from_before.chain([(node, merge)])
        });
        document(numbered(nodes, edges))
    };
    flow(ladder(2_000));
    let error = DocumentFlow::of(ladder(5_000), &NodeRegistry::standard()).unwrap_err();
    assert!(
        error.to_string().contains("too many nodes lead to merges"),
        "{error}"
    );
}

/// Says how long it takes to store and to load a run of many nodes.
#[tokio::test]
#[ignore = "a measurement"]
async fn storing_and_loading() {
    for nodes in [500, 1_000, 2_000, 4_000] {
        let edges = (1..nodes).map(|to| (to / 2, to));
        let flow_of = || {
            flow(document(numbered(
                (0..nodes).map(echo).collect(),
                edges.clone(),
            )))
        };
        let start = Instant::now();
        let flow = flow_of();
        let build = start.elapsed();
        let mut run = flow.start(json!({})).unwrap();
        run.take_changes().unwrap();
        for _ in 0..nodes / 2 {
            run.next(Context::default()).await.unwrap();
        }
        run.take_changes().unwrap();
        let start = Instant::now();
        let json = serde_json::to_string(&run.snapshot()).unwrap();
        let write = start.elapsed();
        let start = Instant::now();
        let snapshot = serde_json::from_str(&json).unwrap();
        let _restored = flow.restore(snapshot).unwrap();
        let load = start.elapsed();
        let (mut steps, mut changes) = (start - start, start - start);
        for _ in 0..100 {
            let start = Instant::now();
            run.next(Context::default()).await.unwrap();
            steps += start.elapsed();
            let start = Instant::now();
            run.take_changes().unwrap();
            changes += start.elapsed();
        }
        let start = Instant::now();
        run.run(Context::default()).await.unwrap();
        let rest = start.elapsed();
        println!(
            "{nodes} nodes: build {build:?}, write {write:?}, load {load:?}, step {:?}, changes {:?}, rest {rest:?}",
            steps / 100,
            changes / 100,
        );
    }
}

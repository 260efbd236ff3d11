//! Loop edges, and failures in bodies and regions.

use pravah_document::Repeat;

use super::*;
use crate::document::NodeType;

fn echo(id: &str) -> Node {
    node(id, "echo", json!({ "text": id }))
}

fn fails(id: &str) -> Node {
    node(id, "control.fail", json!({ "message": "no" }))
}

/// The nodes of a chain, repeated while the last has this outcome.
fn repeated(nodes: Vec<Node>, on: Selector) -> Repeat {
    let edges: Vec<(String, String)> = nodes
        .windows(2)
        .map(|pair| (pair[0].id.clone(), pair[1].id.clone()))
        .collect();
    let edges: Vec<(&str, &str)> = edges.iter().map(|(from, to)| (&**from, &**to)).collect();
    Repeat {
        id: format!("{}..{}", nodes[0].id, nodes[nodes.len() - 1].id),
        target: 0,
        source: nodes.len() - 1,
        max_iterations: 2,
        on,
        when: None,
        graph: graph(nodes, &edges),
    }
}

/// A region, and a node behind it.
fn and_after(region: Repeat, on: Selector) -> Document {
    document(Graph {
        members: vec![
            Member::Repeat(Box::new(region)),
            Member::Node(Box::new(echo("after"))),
        ],
        edges: vec![Edge {
            from: 0,
            to: 1,
            on,
            when: None,
        }],
    })
}

#[tokio::test]
async fn a_loop_edge_on_failure_tries_again() {
    let picky = NodeType::new("test.picky", "test", "Fails the first time.");
    let registry = NodeRegistry::standard().with_fn(picky, async |input: Value, _| {
        match input["before"].as_u64() {
            Some(0) => Err("not yet".into()),
            _ => Ok(json!({})),
        }
    });
    let code = json!({ "value": "{{ test.attempts | default: 0 }}" });
    let nodes = vec![
        node("code", "constant", code),
        node(
            "test",
            "test.picky",
            json!({ "before": "{{ code.value }}" }),
        ),
    ];
    for (on, after) in [(Selector::Failure, "echo"), (Selector::Any, "failed")] {
        let mut region = repeated(nodes.clone(), on);
        let again = json!({ "exists": { "var": "test.failed" } });
        region.when = Some(when(again));
        let flow = DocumentFlow::of(and_after(region, Selector::Success), &registry).unwrap();
        let done = restored(&flow, json!({})).await.unwrap();
        assert_eq!(done.outputs["code"], json!({ "value": 1 }), "{after}");
        assert_eq!(done.outputs["test"], json!({}));
        assert_eq!(done.outputs["after"], json!({ "text": "after" }));
        assert_eq!(done.failed, [""; 0]);
    }
}

#[tokio::test]
async fn a_failure_edge_out_of_a_region_takes_the_failure_of_its_last_node() {
    let last = repeated(vec![echo("first"), fails("last")], Selector::Success);
    let done = outputs(and_after(last, Selector::Failure), json!({})).await;
    assert_eq!(done["last"]["error"]["message"], "no");
    assert_eq!(done["last"]["attempts"], 1);
    assert_eq!(done["first"], json!({ "text": "first" }));
    assert_eq!(done["after"], json!({ "text": "after" }));
}

#[tokio::test]
async fn a_failure_edge_that_does_not_fire_lets_the_failure_stop_the_run() {
    let last = repeated(vec![echo("first"), fails("last")], Selector::Success);
    let mut document = and_after(last, Selector::Failure);
    document.graph.edges[0].when = Some(when(json!({ "or": [] })));
    let error = restored(&flow(document), json!({})).await.unwrap_err();
    assert!(
        matches!(&error, FlowError::Failed { node, .. } if node == "last"),
        "{error}"
    );
}

#[tokio::test]
async fn a_failure_in_a_region_is_not_that_of_its_last_node() {
    let region = repeated(vec![fails("first"), echo("last")], Selector::Success);
    let stops = flow(and_after(region, Selector::Failure));
    let error = restored(&stops, json!({})).await.unwrap_err();
    assert_eq!(error.to_string(), "node `first` failed: no");
}

#[tokio::test]
async fn what_is_behind_a_region_is_skipped_for_a_failure_in_it() {
    let region = repeated(vec![fails("first"), echo("last")], Selector::Success);
    let mut document = and_after(region, Selector::Success);
    document.fail_fast = false;
    let done = restored(&flow(document), json!({})).await.unwrap();
    assert_eq!(done.failed, ["first"]);
    for id in ["last", "after"] {
        assert_eq!(done.outputs[id]["reason"], "upstream_failed");
    }
}

/// `b..c` within `a..c`.
fn nested(last: Node) -> Repeat {
    let inner = repeated(vec![echo("b"), last], Selector::Success);
    Repeat {
        id: "a..c".to_owned(),
        target: 0,
        source: 1,
        max_iterations: 2,
        on: Selector::Success,
        when: Some(when(json!({ "or": [] }))),
        graph: Graph {
            members: vec![
                Member::Node(Box::new(echo("a"))),
                Member::Repeat(Box::new(Repeat {
                    when: Some(when(json!({ "or": [] }))),
                    ..inner
                })),
            ],
            edges: vec![Edge {
                from: 0,
                to: 1,
                on: Selector::Success,
                when: None,
            }],
        },
    }
}

#[tokio::test]
async fn regions_may_end_with_the_same_node() {
    let done = outputs(and_after(nested(echo("c")), Selector::Success), json!({})).await;
    for id in ["a", "b", "c", "after"] {
        assert_eq!(done[id], json!({ "text": id }));
    }
    let mut failing = and_after(nested(fails("c")), Selector::Success);
    failing.fail_fast = false;
    let done = restored(&flow(failing), json!({})).await.unwrap();
    assert_eq!(done.failed, ["c"]);
    assert_eq!(done.outputs["after"]["reason"], "upstream_failed");
}

#[tokio::test]
async fn what_fails_in_a_body_fails_the_node_once_everything_else_has_gone_on() {
    let body = || graph(vec![fails("no"), echo("yes")], &[]);
    let foreach = Work::Foreach {
        list: Template::parse(&json!([1, 2])).unwrap(),
        item: "item".to_owned(),
        concurrency: 1,
        body: body(),
    };
    let rounds = Work::Loop {
        condition: condition(json!({ "and": [] })),
        max_iterations: 3,
        stops_at_cap: true,
        body: body(),
    };
    for (kind, region) in [("control.foreach", foreach), ("control.loop", rounds)] {
        let nodes = vec![work("region", kind, region), echo("rescue"), echo("after")];
        let edges = [("region", "rescue"), ("region", "after")];
        let mut document = document(graph(nodes, &edges));
        document.fail_fast = false;
        let unhandled = restored(&flow(document.clone()), json!({})).await.unwrap();
        assert_eq!(unhandled.failed, ["region"]);
        assert_eq!(unhandled.outputs["after"]["reason"], "upstream_failed");

        document.graph.edges[0].on = Selector::Failure;
        let done = restored(&flow(document), json!({})).await.unwrap();
        let message = "`no` has failed in the body: no";
        assert_eq!(done.outputs["region"]["error"]["message"], message);
        assert_eq!(done.outputs["rescue"], json!({ "text": "rescue" }));
        assert_eq!(done.failed, [""; 0]);
    }
}

/// P10: an item that waits is not done.
#[tokio::test]
async fn one_item_is_asked_about_after_another() {
    let input = Template::parse(&json!({ "prompt": "{{ item }}?" })).unwrap();
    for concurrency in [1, 2] {
        let foreach = Work::Foreach {
            list: Template::parse(&json!(["a", "b", "c"])).unwrap(),
            item: "item".to_owned(),
            concurrency,
            body: graph(
                vec![work(
                    "ask",
                    "control.gate",
                    Work::Gate {
                        input: input.clone(),
                    },
                )],
                &[],
            ),
        };
        let nodes = vec![work("each", "control.foreach", foreach)];
        let flow = flow(document(graph(nodes, &[])));
        let mut run = flow.start(json!({})).unwrap().with_concurrency(8);
        for done in 0..3 {
            while !matches!(
                run.next(Context::default()).await,
                Err(FlowError::ResumeRequired(_))
            ) {}
            let open = run.suspensions();
            assert_eq!(open.len(), (concurrency as usize).min(3 - done));
            let id = open[0].tool_id.clone();
            run = flow.restore(run.snapshot()).unwrap().with_concurrency(8);
            run.answer(Context::default(), &id, "yes").await.unwrap();
        }
        assert!(run.output().unwrap().is_some());
    }
}

#[test]
fn subflows_that_multiply_are_refused() {
    let uses = |name: &str| -> String {
        let node = |number| {
            format!("  - {{ id: n{number}, type: control.subflow, input: {{ name: {name} }} }}\n")
        };
        (0..600).map(node).collect()
    };
    let one = "  - { id: a, type: control.noop, input: {} }\n".to_owned();
    let mut registry = NodeRegistry::standard();
    let mut read = |name: &str, nodes: String| {
        let text = format!("flow: {{ name: {name} }}\nnodes:\n{nodes}edges: []\n");
        let flow = DocumentFlow::read("large.yaml", &text, &registry)?;
        registry = std::mem::take(&mut registry).with_flow(flow.document().clone());
        Ok::<_, crate::document::DocumentError>(())
    };
    read("one", one).unwrap();
    read("many", uses("one")).unwrap();
    let error = format!("{:?}", read("too_many", uses("many")).unwrap_err());
    assert!(error.contains("more than 250000 nodes"), "{error}");
}

#[tokio::test]
async fn a_list_may_be_tried_again_where_the_node_that_failed_in_it_may() {
    for (failing, may_be_retried) in [
        (
            "{ id: no, type: control.fail, input: { message: no } }",
            false,
        ),
        ("{ id: no, type: test.flaky, input: {} }", true),
    ] {
        let text = format!(
            "flow: {{ name: f }}\nnodes:\n- {{ id: all, type: control.foreach, input: {{ list: [1], body: [no] }}, policy: {{ continueOnError: true }} }}\n- {failing}\nedges: []"
        );
        let flaky = NodeType::new("test.flaky", "test", "Fails.");
        let registry = NodeRegistry::standard()
            .with_fn(flaky, async |_: Value, _| Err::<Value, _>("not yet".into()));
        let flow = DocumentFlow::read("f.yaml", &text, &registry).unwrap();
        let done = restored(&flow, json!({})).await.unwrap();
        let error = &done.outputs["all"]["error"];
        assert_eq!(error["retryable"], json!(may_be_retried), "{error}");
    }
}

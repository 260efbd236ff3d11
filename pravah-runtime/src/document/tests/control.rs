//! Edges, merges, regions and failures.

use pravah_document::{Case, Repeat};

use super::*;

fn echo(id: &str, text: &str) -> Node {
    node(id, "echo", json!({ "text": text }))
}

fn skipped(reason: &str) -> Value {
    json!({ "skipped": true, "reason": reason })
}

#[tokio::test]
async fn a_chain_hands_its_outputs_on() {
    let nodes = vec![
        echo("a", "Hello, {{ flow.input.name }}"),
        echo("b", "{{ a.text }}!"),
    ];
    let document = document(graph(nodes, &[("a", "b")]));
    let outputs = outputs(document, json!({ "name": "Ada" })).await;
    assert_eq!(outputs["b"], json!({ "text": "Hello, Ada!" }));
}

#[tokio::test]
async fn a_document_without_nodes_is_done_at_once() {
    assert_eq!(
        outputs(document(Graph::default()), json!({})).await,
        json!({})
    );
}

// B1
#[tokio::test]
async fn a_switch_routes_and_what_it_does_not_choose_is_skipped() {
    let switch = Work::Switch {
        value: Template::parse(&json!("{{ flow.input.kind }}")).unwrap(),
        cases: ["bug", "feature"]
            .map(|case| Case {
                when: when(json!({ "equals": { "var": "value", "value": case } })),
                route: case.to_owned(),
            })
            .into(),
    };
    let nodes = vec![
        work("route", "control.switch", switch),
        echo("bug_flow", "bug"),
        echo("feature_flow", "feature"),
        echo("after", "after"),
    ];
    let mut graph = graph(
        nodes,
        &[
            ("route", "bug_flow"),
            ("route", "feature_flow"),
            ("bug_flow", "after"),
            ("feature_flow", "after"),
        ],
    );
    for (edge, route) in graph.edges.iter_mut().zip(["bug", "feature"]) {
        edge.when = Some(when(
            json!({ "equals": { "var": "route.route", "value": route } }),
        ));
    }
    let outputs = outputs(document(graph), json!({ "kind": "bug" })).await;
    assert_eq!(outputs["route"], json!({ "route": "bug", "value": "bug" }));
    assert_eq!(outputs["bug_flow"], json!({ "text": "bug" }));
    assert_eq!(outputs["feature_flow"], skipped("edge"));
    assert_eq!(outputs["after"], json!({ "text": "after" }));
}

// B2
#[tokio::test]
async fn what_no_edge_fires_for_is_skipped_with_all_behind_it() {
    let mut a = echo("a", "a");
    a.when = Some(when(json!({ "exists": { "var": "flow.input.go" } })));
    let nodes = vec![a, echo("b", "b"), echo("c", "c")];
    let document = document(graph(nodes, &[("a", "b"), ("b", "c")]));
    let outputs = outputs(document, json!({})).await;
    let expected = json!({ "a": skipped("when"), "b": skipped("edge"), "c": skipped("edge") });
    assert_eq!(outputs, expected);
}

// B3
#[tokio::test]
async fn a_merge_takes_the_first_edge_and_the_run_waits_for_the_others() {
    for cancel in [false, true] {
        let nodes = vec![
            echo("fast", "fast"),
            echo("slow", "slow"),
            echo("slower", "slower"),
            merge("first", MergeMode::Any, cancel),
            echo("after", "{{ first.merged }}!"),
        ];
        let edges = [
            ("fast", "first"),
            ("slow", "slower"),
            ("slower", "first"),
            ("first", "after"),
        ];
        let outputs = outputs(document(graph(nodes, &edges)), json!({})).await;
        assert_eq!(outputs["first"], json!({ "merged": true }));
        assert_eq!(outputs["after"], json!({ "text": "true!" }));
        let slower = match cancel {
            true => skipped("edge"),
            false => json!({ "text": "slower" }),
        };
        assert_eq!(outputs["slower"], slower);
    }
}

#[tokio::test]
async fn a_merge_of_skipped_branches_is_skipped() {
    for mode in [MergeMode::Any, MergeMode::All] {
        let mut nodes = vec![echo("a", "a"), echo("b", "b")];
        for node in &mut nodes {
            node.when = Some(when(json!({ "or": [] })));
        }
        nodes.extend([merge("m", mode, false), echo("c", "c")]);
        let edges = [("a", "m"), ("b", "m"), ("m", "c")];
        let outputs = outputs(document(graph(nodes, &edges)), json!({})).await;
        assert_eq!(outputs["m"], skipped("edge"));
        assert_eq!(outputs["c"], skipped("edge"));
    }
}

// B6, B7
#[tokio::test]
async fn a_failure_goes_on_as_its_node_says() {
    let fails = |continues: bool| {
        let mut fails = node("fails", "control.fail", json!({ "message": "no" }));
        fails.policy.continue_on_error = continues;
        fails
    };
    let marker = json!({
        "failed": true,
        "error": { "kind": "error", "message": "no", "retryable": false },
        "attempts": 1,
    });
    let after = || {
        vec![
            echo("after", "{{ fails.error.message }}"),
            echo("beside", "b"),
        ]
    };
    let nodes = |first: Node| [first].into_iter().chain(after()).collect::<Vec<_>>();

    let mut continues = graph(nodes(fails(true)), &[("fails", "after")]);
    continues.edges[0].on = Selector::Any;
    let continued = outputs(document(continues), json!({})).await;
    assert_eq!(continued["fails"], marker);
    assert_eq!(continued["after"], json!({ "text": "no" }));

    let mut handled = graph(nodes(fails(false)), &[("fails", "after")]);
    handled.edges[0].on = Selector::Failure;
    assert_eq!(outputs(document(handled), json!({})).await, continued);

    let mut goes_on = document(graph(nodes(fails(false)), &[("fails", "after")]));
    goes_on.fail_fast = false;
    let flow = flow(goes_on);
    let done = restored(&flow, json!({})).await.unwrap();
    assert_eq!(done.failed, ["fails"]);
    assert_eq!(done.outputs["after"], skipped("upstream_failed"));
    assert_eq!(done.outputs["beside"], json!({ "text": "b" }));

    let stops = super::flow(document(graph(nodes(fails(false)), &[("fails", "after")])));
    let error = restored(&stops, json!({})).await.unwrap_err();
    assert_eq!(error.to_string(), "node `fails` failed: no");
}

// B8
#[tokio::test]
async fn a_body_runs_for_each_item() {
    let body = graph(
        vec![
            echo("show", "{{ item }} {{ index }}/{{ count }}"),
            echo("twice", "{{ show.text }} {{ flow.input.end }}"),
        ],
        &[("show", "twice")],
    );
    let foreach = Work::Foreach {
        list: Template::parse(&json!("{{ flow.input.list }}")).unwrap(),
        item: "item".to_owned(),
        concurrency: 1,
        body,
    };
    let nodes = vec![
        work("each", "control.foreach", foreach),
        echo("n", "{{ each.count }} items"),
    ];
    let document = document(graph(nodes, &[("each", "n")]));
    let outputs = outputs_of(document, json!({ "list": ["a", "b"], "end": "!" })).await;
    assert_eq!(outputs["n"], json!({ "text": "2 items" }));
    let second = &outputs["each"]["iterations"][1];
    assert_eq!(second["item"], "b");
    assert_eq!(second["index"], 1);
    assert_eq!(second["outputs"]["twice"], json!({ "text": "b 1/2 !" }));
    assert!(second["sessionId"].as_str().unwrap().ends_with("/each[1]"));
}

/// Session ids are those of the run.
async fn outputs_of(document: Document, input: Value) -> Value {
    let flow = flow(document);
    Value::Object(restored(&flow, input).await.unwrap().outputs)
}

#[tokio::test]
async fn a_loop_runs_as_long_as_its_condition_holds() {
    let body = graph(
        vec![node("n", "constant", json!({ "value": "{{ iteration }}" }))],
        &[],
    );
    let rounds = |stops_at_cap| Work::Loop {
        condition: condition(json!({ "not": { "gte": { "var": "n.value", "value": 3 } } })),
        max_iterations: if stops_at_cap { 2 } else { 5 },
        stops_at_cap,
        body: body.clone(),
    };
    let all = outputs(
        document(graph(vec![work("l", "control.loop", rounds(false))], &[])),
        json!({}),
    )
    .await;
    assert_eq!(all["l"]["iteration"], 3);
    assert_eq!(
        all["l"]["iterations"][2]["outputs"]["n"],
        json!({ "value": 3 })
    );
    let capped = outputs(
        document(graph(vec![work("l", "control.loop", rounds(true))], &[])),
        json!({}),
    )
    .await;
    assert_eq!(capped["l"]["iteration"], 2);
}

#[tokio::test]
async fn a_loop_edge_repeats_its_region() {
    let region = |max| Repeat {
        id: "first..last".to_owned(),
        graph: graph(
            vec![
                echo("first", "{{ last.text | default: \"\" }}x"),
                echo("last", "{{ first.text }}"),
            ],
            &[("first", "last")],
        ),
        target: 0,
        source: 1,
        max_iterations: max,
        on: Selector::Success,
        when: Some(when(
            json!({ "not": { "equals": { "var": "last.text", "value": "xxx" } } }),
        )),
    };
    let net = |max| Graph {
        members: vec![
            Member::Repeat(Box::new(region(max))),
            Member::Node(Box::new(echo("after", "{{ last.text }}"))),
        ],
        edges: vec![Edge {
            from: 0,
            to: 1,
            on: Selector::Success,
            when: None,
        }],
    };
    let outputs = outputs(document(net(2)), json!({})).await;
    assert_eq!(outputs["after"], json!({ "text": "xxx" }));
    assert_eq!(outputs["first"], json!({ "text": "xxx" }));

    let flow = flow(document(net(1)));
    let error = restored(&flow, json!({})).await.unwrap_err();
    assert!(
        matches!(
            &error,
            FlowError::Limit {
                limit: crate::Limit::Iterations(1),
                ..
            }
        ),
        "{error}"
    );
}

#[tokio::test]
async fn the_condition_of_a_loop_sees_how_many_rounds_are_done() {
    let rounds = Work::Loop {
        condition: condition(json!({ "lt": { "var": "iteration", "value": 3 } })),
        max_iterations: 10,
        stops_at_cap: false,
        body: graph(vec![echo("a", "round {{ iteration }}")], &[]),
    };
    let nodes = vec![work("l", "control.loop", rounds)];
    let outputs = outputs(document(graph(nodes, &[])), json!({})).await;
    assert_eq!(outputs["l"]["iteration"], 3);
    let last = &outputs["l"]["iterations"][2]["outputs"]["a"];
    assert_eq!(*last, json!({ "text": "round 3" }));
}

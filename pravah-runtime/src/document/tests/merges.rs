//! Merges, and the nodes that they cancel.

use super::*;

fn echo(id: &str) -> Node {
    node(id, "echo", json!({ "text": id }))
}

fn fails(id: &str) -> Node {
    node(id, "control.fail", json!({ "message": "no" }))
}

fn gate(id: &str) -> Node {
    let input = Template::parse(&json!({ "prompt": id })).unwrap();
    work(id, "control.gate", Work::Gate { input })
}

fn never() -> When {
    when(json!({ "or": [] }))
}

#[tokio::test]
async fn a_merge_that_is_skipped_cancels_nobody() {
    let mut nodes = vec![
        echo("fast"),
        echo("slow"),
        echo("slower"),
        merge("first", MergeMode::Any, true),
    ];
    nodes[3].when = Some(never());
    let edges = [("fast", "first"), ("slow", "slower"), ("slower", "first")];
    let outputs = outputs(document(graph(nodes, &edges)), json!({})).await;
    assert_eq!(outputs["first"]["reason"], "when");
    assert_eq!(outputs["slower"], json!({ "text": "slower" }));
}

#[tokio::test]
async fn a_merge_of_failed_branches_is_skipped_for_that() {
    for mode in [MergeMode::Any, MergeMode::All] {
        let nodes = vec![fails("a"), fails("b"), merge("m", mode, false), echo("c")];
        let edges = [("a", "m"), ("b", "m"), ("m", "c")];
        let mut document = document(graph(nodes, &edges));
        document.fail_fast = false;
        let outputs = outputs(document, json!({})).await;
        for id in ["m", "c"] {
            assert_eq!(outputs[id]["reason"], "upstream_failed", "{mode:?}");
        }
    }
}

#[tokio::test]
async fn a_merge_that_no_edge_leads_to_runs() {
    for mode in [MergeMode::Any, MergeMode::All] {
        let nodes = vec![merge("m", mode, false), echo("after")];
        let outputs = outputs(document(graph(nodes, &[("m", "after")])), json!({})).await;
        assert_eq!(outputs["m"], json!({ "merged": true }));
        assert_eq!(outputs["after"], json!({ "text": "after" }));
    }
}

#[tokio::test]
async fn a_merge_cancels_its_losers_in_every_round() {
    let nodes = vec![
        node("fast", "constant", json!({ "value": "{{ iteration }}" })),
        echo("slow"),
        echo("slower"),
        merge("first", MergeMode::Any, true),
    ];
    let edges = [("fast", "first"), ("slow", "slower"), ("slower", "first")];
    let rounds = Work::Loop {
        condition: condition(json!({ "not": { "gte": { "var": "fast.value", "value": 2 } } })),
        max_iterations: 5,
        stops_at_cap: false,
        body: graph(nodes, &edges),
    };
    let graph = graph(vec![work("rounds", "control.loop", rounds)], &[]);
    let outputs = outputs(document(graph), json!({})).await;
    assert_eq!(outputs["rounds"]["iteration"], 2);
    for round in 0..2 {
        let round = &outputs["rounds"]["iterations"][round]["outputs"];
        assert_eq!(round["first"], json!({ "merged": true }));
        assert_eq!(round["slower"]["reason"], "edge");
    }
}

#[tokio::test]
async fn a_question_that_is_cancelled_leaves_the_others_to_be_asked() {
    let nodes = vec![
        gate("loser"),
        gate("other"),
        echo("fast"),
        merge("first", MergeMode::Any, true),
    ];
    let edges = [("loser", "first"), ("fast", "first")];
    let flow = flow(document(graph(nodes, &edges)));
    let mut run = flow.start(json!({})).unwrap();
    for _ in 0..2 {
        let out = run.next(Context::default()).await.unwrap();
        assert!(matches!(out, RunOut::Suspend { .. }));
    }
    let mut run = flow.restore(run.snapshot()).unwrap();
    for _ in ["fast", "first"] {
        let out = run.next(Context::default()).await.unwrap();
        assert_eq!(out, RunOut::Continue);
    }
    let RunOut::Suspend { tool_id, .. } = run.next(Context::default()).await.unwrap() else {
        panic!("nobody has heard of it since it was restored")
    };
    assert_eq!(tool_id, "other");
    let RunOut::Done(done) = run
        .answer(Context::default(), &tool_id, "yes")
        .await
        .unwrap()
    else {
        panic!("it is done")
    };
    assert_eq!(done.outputs["loser"]["reason"], "edge");
}

/// What waits at a merge that waits for nothing else in the new version goes on.
#[tokio::test]
async fn a_merge_goes_on_in_a_document_without_its_other_edge() {
    let nodes = || {
        vec![
            echo("fast"),
            gate("slow"),
            merge("first", MergeMode::Any, false),
            gate("after"),
        ]
    };
    let edges = [("fast", "first"), ("slow", "first"), ("first", "after")];
    let old = flow(document(graph(nodes(), &edges)));
    let mut run = old.start(json!({})).unwrap();
    while run.suspensions().len() < 2 {
        run.next(Context::default()).await.unwrap();
    }
    let edges = [("fast", "first"), ("first", "after")];
    let new = flow(document(graph(nodes(), &edges)));
    let mut run = new.restore(run.snapshot()).unwrap();
    let mut out = run.run(Context::default()).await.unwrap();
    while let RunOut::Suspend { tool_id, .. } = out {
        out = run
            .answer(Context::default(), &tool_id, "yes")
            .await
            .unwrap();
        if let RunOut::Continue = out {
            out = run.run(Context::default()).await.unwrap();
        }
    }
    assert!(matches!(out, RunOut::Done(_)), "{out:?}");
}

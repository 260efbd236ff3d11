//! Rows as runs alone, for a profiler that counts instructions: other work on the machine does not change them.

use pravah_runtime::Context;

use crate::{
    agents,
    chain::{self, graph_flow, ours},
    lists, questions, waits,
};

/// Makes the runs of a row: ours, or those of graph-flow.
pub async fn make(row: &str, who: &str) {
    match (row, who) {
        ("stored-step", "ours") => {
            let ctx = Context::default();
            repeat(async || drop(ours::drive_stored(&mut ours::started::<0>(), &ctx).await)).await;
        }
        ("stored-step", "graph-flow") => {
            let (graph, input) = (graph_flow::ten(), chain::state::<0>(16));
            let session = || graph_flow::session(&input);
            repeat(async || graph_flow::drive_stored(&mut session(), &graph).await).await;
        }
        ("fork", "ours") => {
            let ctx = Context::default();
            repeat(async || waits::ours::once(&ctx).await).await;
        }
        ("fork", "graph-flow") => {
            let graph = waits::graph_flow::graph();
            repeat(async || waits::graph_flow::once(&graph).await).await;
        }
        ("agent", "ours") => {
            let ctx = Context::default();
            repeat(async || agents::ours::scripted_once(&ctx).await).await;
        }
        ("list", "ours") => {
            let ctx = Context::default();
            repeat(async || lists::ours::once(100, &ctx).await).await;
        }
        ("list", "graph-flow") => {
            let graph = lists::graph_flow::graph();
            repeat(async || lists::graph_flow::once(100, &graph).await).await;
        }
        ("saved", "ours") => {
            let ctx = Context::default();
            repeat(async || lists::ours::save_once(100, &ctx).await).await;
        }
        ("waiting", "ours") => {
            let json = questions::ours::waiting().await;
            repeat(async || drop(questions::ours::load(&json))).await;
        }
        _ => panic!(
            "`count` takes `stored-step`, `fork` or `list` with `ours` or `graph-flow`, and `agent`, `saved` or `waiting` with `ours`"
        ),
    }
}

async fn repeat(mut run: impl AsyncFnMut()) {
    for _ in 0..1_000 {
        run().await;
    }
}

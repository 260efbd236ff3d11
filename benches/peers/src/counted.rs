//! Two rows as runs alone, for a profiler that counts instructions: other work on the machine does not change them.

use pravah_runtime::Context;

use crate::{chain, graph_flow, ours, waits};

const RUNS: u32 = 1_000;

/// Makes the runs of a row: ours, or those of graph-flow.
pub async fn make(row: &str, who: &str) {
    match (row, who) {
        ("stored-step", "ours") => {
            let ctx = Context::default();
            for _ in 0..RUNS {
                ours::drive_stored(&mut ours::started(), &ctx).await;
            }
        }
        ("stored-step", "graph-flow") => {
            let (graph, input) = (graph_flow::graph(), chain::state::<0>(16));
            for _ in 0..RUNS {
                graph_flow::drive_stored(&mut graph_flow::session(&input), &graph).await;
            }
        }
        ("fork", "ours") => {
            for _ in 0..RUNS {
                waits::ours::once().await;
            }
        }
        ("fork", "graph-flow") => {
            let graph = waits::graph_flow::graph();
            for _ in 0..RUNS {
                waits::graph_flow::once(&graph).await;
            }
        }
        _ => panic!("`count` takes `stored-step` or `fork`, and `ours` or `graph-flow`"),
    }
}

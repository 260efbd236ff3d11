//! Steps of documents beside steps of the builder, and what loading a document costs.
//!
//! `cargo bench -p pravah-runtime --features documents --bench documents`

#![allow(
    missing_docs,
    clippy::unwrap_used,
    reason = "a benchmark fails by panicking"
)]

use std::time::{Duration, Instant};

use pravah_runtime::{
    document::{DocumentFlow, NodeRegistry},
    prelude::*,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// How often each is measured; the fastest counts.
const SAMPLES: usize = 15;

/// States of the chain that the builder makes, each with the next.
macro_rules! states {
    ($($from:ident $to:ident),+) => {
        $(
            #[derive(Clone, Serialize, Deserialize, JsonSchema)]
            struct $from { n: u64 }
        )+

        #[derive(Clone, Serialize, Deserialize, JsonSchema)]
        struct End { n: u64 }

        impl Flow for S0 {
            type Output = End;

            fn build() -> Result<FlowGraph, FlowError> {
                FlowGraph::builder()
                    $(.work::<$from, $to, _, _>(async |it: $from, _: Context| Ok($to { n: it.n + 1 })))+
                    .build()
            }
        }
    };
}

states!(S0 S1, S1 S2, S2 S3, S3 S4, S4 S5, S5 S6, S6 S7, S7 S8, S8 S9, S9 End);

/// A chain of nodes that hand a number on.
fn chain(nodes: usize) -> String {
    let node = |number: usize| {
        let value = match number {
            0 => "{{ flow.input.n }}".to_owned(),
            _ => format!("{{{{ n{}.value }}}}", number - 1),
        };
        json!({ "id": format!("n{number}"), "type": "constant", "input": { "value": value } })
    };
    let edge =
        |number: usize| json!({ "from": format!("n{}", number - 1), "to": format!("n{number}") });
    let document = json!({
        "flow": { "name": "chain" },
        "nodes": (0..nodes).map(node).collect::<Vec<Value>>(),
        "edges": (1..nodes).map(edge).collect::<Vec<Value>>(),
    });
    document.to_string()
}

fn fastest(mut measure: impl FnMut() -> Duration) -> Duration {
    (0..SAMPLES).map(|_| measure()).min().unwrap()
}

/// Nanoseconds a step of runs that `start` makes, each of so many steps.
fn step<F: pravah_runtime::FlowEnds>(
    runtime: &tokio::runtime::Runtime,
    steps: usize,
    start: impl Fn() -> FlowRuntime<F>,
) -> f64 {
    let runs = (20_000 / steps).max(1);
    let took = fastest(|| {
        let mut started: Vec<FlowRuntime<F>> = (0..runs).map(|_| start()).collect();
        let ctx = Context::default();
        let since = Instant::now();
        for run in &mut started {
            runtime.block_on(run.run(ctx.clone())).unwrap();
        }
        since.elapsed()
    });
    took.as_secs_f64() * 1e9 / f64::from(u32::try_from(runs * steps).unwrap())
}

fn main() {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    let registry = NodeRegistry::standard();
    let builder = step(&runtime, 10, || FlowRuntime::new(S0 { n: 0 }).unwrap());
    println!("builder, 10 nodes: {builder:.0} ns a step");
    for nodes in [10, 100, 1_000] {
        let flow = DocumentFlow::read("chain.json", &chain(nodes), &registry).unwrap();
        let step = step(&runtime, nodes, || flow.start(json!({ "n": 0 })).unwrap());
        println!(
            "document, {nodes} nodes: {step:.0} ns a step, {:.2} x builder",
            step / builder
        );
    }
    for nodes in [100, 1_000, 10_000] {
        let text = chain(nodes);
        let took = fastest(|| {
            let since = Instant::now();
            DocumentFlow::read("chain.json", &text, &registry).unwrap();
            since.elapsed()
        });
        println!(
            "loading and checking {nodes} nodes: {:.1} ms",
            took.as_secs_f64() * 1e3
        );
    }
}

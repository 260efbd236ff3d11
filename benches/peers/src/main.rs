//! Pravah beside the published crates: M11 of `docs/benchmarks.md`.
//!
//! Every contestant runs the same chain of ten nodes, which count one up and hand the payload on, on
//! one thread. The times of one round are taken side by side; medians are printed.

mod chain;
mod graph_flow;
mod ours;
mod pravah_02;
mod pravah_04;

use std::{
    hint::black_box,
    time::{Duration, Instant},
};

pub const NODES: f64 = 10.0;

/// The median time of a call, in nanoseconds.
pub async fn median<T>(mut call: impl AsyncFnMut() -> T) -> f64 {
    let once = Instant::now();
    black_box(call().await);
    let once = once.elapsed().max(Duration::from_nanos(100));
    // A round takes about 4 ms.
    let batch = (4_000_000 / once.as_nanos()).clamp(1, 2_000);
    let mut times = Vec::new();
    for _ in 0..15 {
        let start = Instant::now();
        for _ in 0..batch {
            black_box(call().await);
        }
        times.push(start.elapsed());
    }
    times.sort_unstable();
    times[times.len() / 2].as_nanos() as f64 / batch as f64
}

fn row(label: &str, ours: f64, peers: &[(&str, f64)]) {
    print!("| {label} | {ours:.0}");
    for (_, time) in peers {
        print!(" | {time:.0} (×{:.1})", time / ours);
    }
    println!(" |");
}

fn head(what: &str, peers: &[(&str, f64)]) {
    println!("\n{what}, ns (× ours)");
    print!("| | ours");
    for (name, _) in peers {
        print!(" | {name}");
    }
    println!(" |\n|---|---{} |", "|---".repeat(peers.len()));
}

fn main() {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .build()
        .expect("a runtime");
    runtime.block_on(async {
        let named = |times: [f64; 3]| {
            let [two, four, graph] = times;
            [("pravah 0.2.0", two), ("pravah 0.4.25", four), ("graph-flow 0.8.1", graph)]
        };
        for (index, (label, size)) in [("16 B", 16), ("1 KB", 1 << 10), ("100 KB", 100 << 10)]
            .into_iter()
            .enumerate()
        {
            let peers = named([
                pravah_02::step(size).await,
                pravah_04::step(size).await,
                graph_flow::step(size).await,
            ]);
            if index == 0 {
                head("M1, M14: a step of a chain of 10, by value", &peers);
            }
            row(&format!("{label}, `work`"), ours::by_value(size).await, &peers);
            row(&format!("{label}, `work_shared`"), ours::shared(size).await, &peers);
        }
        let clone = chain::state::<0>(100 << 10);
        println!("\na clone of the state of 100 KB: {:.0} ns", median(async || clone.clone()).await);

        let peers = [("pravah 0.2.0", pravah_02::start().await)];
        head("M3: starting a run of 10 nodes", &peers);
        row("start", ours::start().await, &peers);

        let peers = [("pravah 0.2.0", pravah_02::restore().await)];
        head("M4: snapshot, bytes, restore, chain of 10", &peers);
        row("16 B", ours::restore().await, &peers);
    });
}

//! What a soundness check costs: `cargo run -p pravah-graph --example soundness_cost`.
//!
//! In the dev profile this is what a flow costs at compile time, since proc macros are
//! not optimised by default. Each figure is the median of nine checks.

#![expect(clippy::indexing_slicing, reason = "the nets are those of the tests")]

#[path = "../tests/soundness/generate.rs"]
mod generate;
#[path = "../tests/soundness/shapes.rs"]
mod shapes;

use std::time::Instant;

use generate::{Dice, Draft};
use pravah_graph::{Finding, Net};

fn main() {
    println!("{:<32} {:>6} {:>9}  verdict", "net", "nodes", "ms");
    for size in [10, 100, 1_000] {
        for (name, net) in shapes::sound(size).into_iter().chain(shapes::unsound(size)) {
            report(name, &net);
        }
        for seed in 1..=3 {
            let mut dice = Dice::new(seed);
            let mut draft = Draft::sound(&mut dice, size);
            report("random refinement", &draft.net());
            draft.mutate(&mut dice);
            report("random refinement, mutated", &draft.net());
            report("no plan", &Draft::any(&mut dice, size).net());
        }
    }
}

fn report(name: &str, net: &Net) {
    let mut times = Vec::new();
    let mut findings = Vec::new();
    for _ in 0..9 {
        let start = Instant::now();
        findings = net.check();
        times.push(start.elapsed());
    }
    times.sort();
    let milliseconds = times[times.len() / 2].as_secs_f64() * 1e3;
    let verdict = match findings.first() {
        None => "sound".to_owned(),
        Some(Finding::Deadlock { run, .. }) => format!("deadlock after {}", run.len()),
        Some(Finding::LeftBehind { run, .. }) => format!("left behind after {}", run.len()),
        Some(Finding::Overwritten { run, .. }) => format!("overwritten after {}", run.len()),
        Some(Finding::Unsound { left }) => format!("unsound among {}", left.len()),
        Some(other) => format!("{other:?}"),
    };
    println!(
        "{name:<32} {:>6} {milliseconds:>9.2}  {verdict}",
        net.node_count()
    );
}

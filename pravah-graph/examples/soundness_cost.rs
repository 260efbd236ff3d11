//! What a soundness check costs, and the check of two versions: `cargo run -p pravah-graph --example soundness_cost`.
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
use pravah_graph::{Finding, Net, WayOut};

fn main() {
    println!(
        "{:<32} {:>6} {:>9} {:>13}  verdict",
        "net", "nodes", "ms", "versions, ms"
    );
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

/// The median of nine times, in milliseconds, and what is found.
fn timed<T>(mut check: impl FnMut() -> T) -> (f64, T) {
    let mut times = Vec::new();
    loop {
        let start = Instant::now();
        let found = check();
        times.push(start.elapsed());
        if times.len() == 9 {
            times.sort();
            return (times[4].as_secs_f64() * 1e3, found);
        }
    }
}

fn report(name: &str, net: &Net) {
    let (milliseconds, findings) = timed(|| net.check());
    // Whether the runs of one version can go on in another one, which is the same net here.
    let (pair, _) = timed(|| {
        let way_out = WayOut::new(net)?;
        Some(way_out.incompatibilities(net, Some).len())
    });
    let pair = match findings.is_empty() {
        true => format!("{pair:.2}"),
        false => String::new(),
    };
    let verdict = match findings.first() {
        None => "sound".to_owned(),
        Some(Finding::Deadlock { run, .. }) => format!("deadlock after {}", run.len()),
        Some(Finding::LeftBehind { run, .. }) => format!("left behind after {}", run.len()),
        Some(Finding::Overwritten { run, .. }) => format!("overwritten after {}", run.len()),
        Some(Finding::Unsound { left }) => format!("unsound among {}", left.len()),
        Some(other) => format!("{other:?}"),
    };
    println!(
        "{name:<32} {:>6} {milliseconds:>9.2} {pair:>13}  {verdict}",
        net.node_count()
    );
}

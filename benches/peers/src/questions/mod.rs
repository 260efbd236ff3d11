//! M9 and M13: runs that wait for an answer, held in memory and loaded.

mod graph_flow;
pub mod ours;
mod pravah_02;
mod pravah_04;

use crate::table::Table;

/// How long the text of a question is, in bytes.
const TEXT: usize = 16;

fn text() -> String {
    "x".repeat(TEXT)
}

/// Runs are held in a process of their own, where no memory was freed that would be taken again.
pub fn held(table: &mut Table) {
    let peers = ["pravah-0.2.0", "pravah-0.4.25", "graph-flow"];
    let what = "a run among 10,000, half of which wait, bytes over its state";
    table.row(
        9,
        what,
        held_by("ours"),
        peers.map(|who| Some(held_by(who))),
    );
}

fn held_by(who: &str) -> f64 {
    let program = std::env::current_exe().expect("this program");
    let out = std::process::Command::new(program)
        .args(["hold", who])
        .output()
        .expect("a process");
    let bytes = String::from_utf8(out.stdout).expect("a number");
    bytes.trim().parse().expect("a number")
}

/// Holds runs, and prints the bytes that each takes.
pub async fn hold(who: &str) {
    let bytes = match who {
        "ours" => ours::held().await,
        "pravah-0.2.0" => pravah_02::held().await,
        "pravah-0.4.25" => pravah_04::held().await,
        "graph-flow" => graph_flow::held().await,
        _ => panic!("`hold` takes `ours`, `pravah-0.2.0`, `pravah-0.4.25` or `graph-flow`"),
    };
    println!("{bytes:.0}");
}

/// The bytes of memory that a run takes over its text. `run` makes one, with its question asked or not.
async fn bytes_of<T>(mut run: impl AsyncFnMut(bool) -> T) -> f64 {
    const RUNS: usize = 10_000;
    // What every run uses, the code among it, is there before.
    for is_asked in [true, false] {
        drop(run(is_asked).await);
    }
    let mut runs = Vec::with_capacity(RUNS);
    let before = resident();
    for n in 0..RUNS {
        runs.push(run(n % 2 == 0).await);
    }
    let bytes = resident().saturating_sub(before) as f64 / RUNS as f64;
    bytes - TEXT as f64
}

/// How much memory the process has, in bytes.
fn resident() -> usize {
    let pages = std::fs::read_to_string("/proc/self/statm").expect("statm");
    let resident = pages.split(' ').nth(1).and_then(|pages| pages.parse().ok());
    resident.unwrap_or(0) * 4096
}

/// The peers have one question a run.
pub async fn loaded(table: &mut Table) {
    let peers = [
        Some(pravah_02::loaded().await),
        Some(pravah_04::loaded().await),
        Some(graph_flow::loaded().await),
    ];
    table.beside(
        13,
        "loading a run that waits for an answer",
        ours::loaded().await,
        peers,
    );
    for (items, label) in [(100, "100"), (10_000, "10,000"), (100_000, "100,000")] {
        let what = format!("loading a run with {label} open questions");
        let question = ours::loaded_question(items).await;
        table.row(13, format!("{what}, a question"), question, [None; 3]);
        let entry = ours::loaded_entry(items).await;
        table.beside(
            13,
            format!("{what}, from entries, an entry"),
            entry,
            [None; 3],
        );
    }
}

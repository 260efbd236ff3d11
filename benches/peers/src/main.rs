//! Pravah beside the published crates: M1 to M6, M9, M10 and M12 to M15 of `docs/benchmarks.md`, in one table.
//!
//! Each crate runs the same workloads on one thread. A row has the least times in nanoseconds where it names no other unit, and
//! of forks on the clock the medians. Arguments name the parts to run: `held`, `steps`, `starts`, `stored`, `agents`, `lists`,
//! `saved`, `waits`, `loaded`, `timers`. `count ROW WHO` makes 1,000 runs and measures nothing, to be run under a profiler:
//! `stored-step`, `fork` or `list` of `ours` or `graph-flow`; `agent`, `saved` or `waiting` of `ours`. `hold WHO` is for M9's
//! own processes.

mod agents;
mod chain;
mod counted;
mod lists;
mod loops;
mod questions;
mod table;
mod time;
mod waits;

use std::hint::black_box;

use table::Table;
use time::{call_time, step_time};

const PARTS: [&str; 10] = [
    "held", "steps", "starts", "stored", "agents", "lists", "saved", "loaded", "timers", "waits",
];

/// Which parts were asked for.
struct Wanted(Vec<String>);

impl Wanted {
    fn new(parts: Vec<String>) -> Self {
        for part in &parts {
            assert!(PARTS.contains(&&**part), "`{part}` is none of {PARTS:?}");
        }
        Self(parts)
    }

    fn has(&self, part: &str) -> bool {
        self.0.is_empty() || self.0.iter().any(|it| it == part)
    }
}

async fn measure(wanted: &Wanted, table: &mut Table) {
    if wanted.has("held") {
        questions::held(table);
    }
    if wanted.has("steps") {
        chain::steps(table).await;
    }
    if wanted.has("starts") {
        chain::starts(table).await;
    }
    if wanted.has("stored") {
        chain::stored_steps(table).await;
    }
    if wanted.has("agents") {
        agents::turns(table).await;
    }
    if wanted.has("lists") {
        lists::items(table).await;
    }
    if wanted.has("saved") {
        lists::saved_steps(table).await;
    }
    if wanted.has("loaded") {
        questions::loaded(table).await;
    }
    if wanted.has("timers") {
        loops::timers(table).await;
    }
    if wanted.has("waits") {
        waits::forks(table).await;
    }
}

/// What is compared with work by hand, not with a peer.
async fn measure_by_hand(wanted: &Wanted) {
    if wanted.has("steps") {
        chain::clones().await;
    }
    if wanted.has("agents") {
        agents::by_hand().await;
    }
}

fn runtime(is_paused: bool) -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .start_paused(is_paused)
        .on_thread_unpark(waits::note_woken)
        .build()
        .expect("a runtime")
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match &arguments[..] {
        [count, row, who] if count == "count" => {
            return runtime(row == "fork").block_on(counted::make(row, who));
        }
        [hold, who] if hold == "hold" => return runtime(false).block_on(questions::hold(who)),
        _ => {}
    }
    // glibc gives memory back to the system after every large value, and takes it again page by page,
    // until a process has freed something larger: 32 MB at most. That would be most of what is measured,
    // for all alike.
    drop(black_box(vec![1_u8; 31 << 20]));
    let wanted = Wanted::new(arguments);
    let mut table = Table::default();
    runtime(false).block_on(measure(&wanted, &mut table));
    if wanted.has("waits") {
        runtime(true).block_on(waits::beyond_waits(&mut table));
    }
    table.print();
    runtime(false).block_on(measure_by_hand(&wanted));
}

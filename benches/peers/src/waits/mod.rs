//! M6: a fork of eight branches that wait 20 ms each. The two published crates of `pravah` run branches one after another.

pub mod graph_flow;
pub mod ours;
mod pravah_02;
mod pravah_04;

use std::{
    cell::Cell,
    time::{Duration, Instant},
};

use pravah_runtime::Context;

use crate::table::Table;

const WAIT: Duration = Duration::from_millis(20);

pub async fn forks(table: &mut Table) {
    let (ours, theirs) = in_turn().await;
    let (ctx, flow) = (pravah_02::context(), pravah_04::flow());
    let peers = [
        Some(after_another(async || pravah_02::once(&ctx).await).await),
        Some(after_another(async || pravah_04::once(&flow).await).await),
        Some(theirs.whole),
    ];
    let what = "a fork of 8 branches that wait 20 ms";
    table.row(6, format!("{what}, µs"), ours.whole, peers);
    let peers = [None, None, Some(theirs.besides)];
    table.beside(6, format!("{what}, besides the waits"), ours.besides, peers);
}

/// What such a fork costs beyond the wait: with tokio's clock paused, time passes at once where everybody waits for
/// it.
pub async fn beyond_waits(table: &mut Table) {
    let peers = [
        Some(pravah_02::fork().await),
        Some(pravah_04::fork().await),
        Some(graph_flow::fork().await),
    ];
    let what = "the same beyond the waits, the clock paused";
    table.row(6, what, ours::fork().await, peers);
}

/// The medians of forks on the clock.
struct Measured {
    /// In microseconds.
    whole: f64,
    /// What it takes besides its waits, in nanoseconds: until the last branch waits, and once the thread is awake again.
    besides: f64,
}

/// The median of some forks on the clock, in microseconds, where one branch waits after another.
async fn after_another(mut once: impl AsyncFnMut()) -> f64 {
    let mut times = Vec::new();
    for _ in 0..11 {
        let start = Instant::now();
        once().await;
        times.push(start.elapsed());
    }
    times.sort_unstable();
    times[times.len() / 2].as_secs_f64() * 1_000_000.0
}

/// Forks of ours and of graph-flow in turn. Tokio's timer counts whole milliseconds, so that how long a wait takes depends
/// on when within one it starts: both start at as many offsets, evenly spread over it.
async fn in_turn() -> (Measured, Measured) {
    const SAMPLES: u32 = 200;
    let (graph, ctx) = (graph_flow::graph(), Context::default());
    let origin = Instant::now();
    let (mut ours, mut theirs) = (Vec::new(), Vec::new());
    for sample in 0..SAMPLES {
        let start = start_at(origin, sample, SAMPLES);
        graph_flow::once(&graph).await;
        theirs.push(times_since(start));
        let start = start_at(origin, sample, SAMPLES);
        ours::once(&ctx).await;
        ours.push(times_since(start));
    }
    (measured(ours), measured(theirs))
}

fn measured(times: Vec<[Duration; 2]>) -> Measured {
    let median = |which: usize| {
        let mut times: Vec<Duration> = times.iter().map(|times| times[which]).collect();
        times.sort_unstable();
        times[times.len() / 2].as_nanos() as f64
    };
    Measured {
        whole: median(0) / 1_000.0,
        besides: median(1),
    }
}

thread_local! {
    /// Of a fork on the clock, when the last of its branches started to wait, and when the thread last woke.
    static WAITED: Cell<Option<[Instant; 2]>> = const { Cell::new(None) };
}

/// What a branch does.
async fn wait() {
    if let Some([_, woken]) = WAITED.get() {
        WAITED.set(Some([Instant::now(), woken]));
    }
    tokio::time::sleep(WAIT).await;
}

/// Notes that the runtime goes on after it had nothing to do.
pub fn note_woken() {
    if let Some([last, _]) = WAITED.get() {
        WAITED.set(Some([last, Instant::now()]));
    }
}

/// The whole time of a fork that has ended, and that besides its waits.
fn times_since(start: Instant) -> [Duration; 2] {
    let end = Instant::now();
    let [last, woken] = WAITED.take().expect("a fork on the clock");
    [end - start, (last - start) + (end - woken)]
}

/// Spins until offset number `sample` within a millisecond, when a fork on the clock starts.
fn start_at(origin: Instant, sample: u32, samples: u32) -> Instant {
    let offset = 1_000_000 * sample / samples;
    loop {
        let now = Instant::now();
        let within = (now - origin).subsec_nanos() % 1_000_000;
        if within.abs_diff(offset) < 2_000 {
            WAITED.set(Some([now; 2]));
            return now;
        }
    }
}

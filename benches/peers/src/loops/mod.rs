//! M15: a run of a million steps that never await, beside a timer. Of the peers the caller makes the steps, in a loop.

mod graph_flow;
mod ours;
mod pravah_02;
mod pravah_04;

use std::time::{Duration, Instant};

use crate::table::Table;

const STEPS: u64 = 1_000_000;

pub async fn timers(table: &mut Table) {
    let peers = [
        Some(late_beside(pravah_02::run()).await),
        Some(late_beside(pravah_04::run()).await),
        Some(late_beside(graph_flow::run()).await),
    ];
    let what = "how late a timer is beside a million steps that never await, ms";
    table.row(15, what, late_beside(ours::run()).await, peers);
}

/// How late a timer of 10 ms is beside a run on its thread, in milliseconds.
async fn late_beside(run: impl Future<Output = ()>) -> f64 {
    const TIMER: Duration = Duration::from_millis(10);
    let timer = async {
        let start = Instant::now();
        tokio::time::sleep(TIMER).await;
        start.elapsed()
    };
    // First: a run that never awaits would be over before the timer starts.
    let (slept, ()) = tokio::join!(timer, run);
    (slept - TIMER).as_secs_f64() * 1e3
}

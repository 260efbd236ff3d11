//! How long something takes.

use std::{
    hint::black_box,
    time::{Duration, Instant},
};

/// The least time of a call, in nanoseconds: what others do on the machine only adds to it. What the call returns is dropped
/// within that time.
pub async fn call_time<T>(mut call: impl AsyncFnMut() -> T) -> f64 {
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
    least(times) / batch as f64
}

/// The least time of a step, in nanoseconds. `start` makes a run before the clock starts, `drive` makes its
/// `steps` steps, and the run is dropped after the clock has stopped.
pub async fn step_time<S, T>(
    steps: u64,
    mut start: impl FnMut() -> S,
    mut drive: impl AsyncFnMut(&mut S) -> T,
) -> f64 {
    let mut times = Vec::new();
    let started = Instant::now();
    while times.len() < 20 || (times.len() < 4_000 && started.elapsed().as_millis() < 300) {
        let mut run = start();
        let start = Instant::now();
        let out = drive(&mut run).await;
        times.push(start.elapsed());
        black_box((run, out));
        // A list of a peer takes seconds: five of those are enough.
        if times.len() >= 5 && started.elapsed() > Duration::from_secs(10) {
            break;
        }
    }
    least(times) / steps as f64
}

fn least(times: Vec<Duration>) -> f64 {
    times.into_iter().min().unwrap_or_default().as_nanos() as f64
}

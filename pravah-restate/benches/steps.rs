//! What a step costs on Restate: how long it takes from one body to the next, and what is written down for it.
//!
//! `conformance/restate/run bench` fetches the server and runs it.

#![allow(
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    missing_docs,
    reason = "a benchmark fails by panicking"
)]

#[allow(dead_code, reason = "it is that of the tests")]
#[path = "../tests/server/server.rs"]
mod server;

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex},
    time::{Duration, Instant},
};

use pravah_restate::{RestateFlows, RestateRuns};
use pravah_runtime::prelude::*;

use crate::server::Server;

const STEPS: u32 = 100;

// --- A run of a hundred steps, beside a state that stays as it is.

#[state]
struct Start {
    ballast: usize,
}
#[state]
struct Ballast {
    text: String,
}
#[state]
struct Countdown {
    left: u32,
}
#[state]
struct Landed {}
#[state]
struct Finished {}

/// When the bodies of each run ran.
#[derive(Clone, Default)]
struct Times(Arc<Mutex<BTreeMap<String, Vec<Instant>>>>);

#[node]
fn split(start: Start) -> (Ballast, Countdown) {
    let text = "x".repeat(start.ballast);
    (Ballast { text }, Countdown { left: STEPS })
}

#[node]
fn count(countdown: Countdown, times: Dep<Times>, ctx: Context) -> Either<Countdown, Landed> {
    let key = ctx.step_key().unwrap();
    let run = key.split('/').next().unwrap().to_owned();
    times
        .0
        .lock()
        .unwrap()
        .entry(run)
        .or_default()
        .push(Instant::now());
    match countdown.left {
        0 => Either::Right(Landed {}),
        left => Either::Left(Countdown { left: left - 1 }),
    }
}

#[node]
fn finish(_ballast: &Ballast, _landed: &Landed) -> Finished {
    Finished {}
}

#[flow]
fn counting(start: Start) -> Finished {
    flow! { split -> fork(join(finish), count -> either(count, join(finish))) }
}

fn main() {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    runtime.block_on(async {
        let server = Server::start().await;
        println!("runs | at a time | bytes beside | in memory | p50 ms | p99 ms | steps/s | B/step | keys/step");
        for (runs, at_a_time, ballast, live_runs) in [
            (20, 1, 0, 1_000),
            (20, 1, 0, 0),
            (10, 1, 100_000, 1_000),
            (10, 1, 100_000, 0),
            (200, 50, 0, 1_000),
        ] {
            measure(&server, (runs, at_a_time), ballast, live_runs).await;
        }
    });
}

async fn measure(
    server: &Server,
    (runs, at_a_time): (usize, usize),
    ballast: usize,
    live_runs: usize,
) {
    let times = Times::default();
    let serve = |retention| {
        let context = Context::default().with_dep(times.clone());
        let flows = RestateFlows::new().serve::<Start>().with_context(context);
        server.serve(
            flows
                .with_live_runs(live_runs)
                .with_journal_retention(retention),
        )
    };
    let client = server.runs();
    let serving = serve(Duration::ZERO).await;
    let started = Instant::now();
    let all: Vec<_> = (0..at_a_time)
        .map(|_| tokio::spawn(one_by_one(client.clone(), runs / at_a_time, ballast)))
        .collect();
    for one in all {
        one.await.unwrap();
    }
    let elapsed = started.elapsed();
    drop(serving);
    let times: Vec<_> = std::mem::take(&mut *times.0.lock().unwrap())
        .into_values()
        .collect();
    let pairs = times.iter().flat_map(|times| times.windows(2));
    let mut steps: Vec<f64> = pairs
        .map(|pair| (pair[1] - pair[0]).as_secs_f64() * 1_000.0)
        .collect();
    steps.sort_by(f64::total_cmp);
    let rate = steps.len() as f64 / elapsed.as_secs_f64();
    let (p50, p99) = (steps[steps.len() / 2], steps[steps.len() * 99 / 100]);

    // With their journals, which nobody keeps otherwise.
    let _serving = serve(Duration::from_secs(3_600)).await;
    let (bytes, keys) = written(server, one_run(&client, ballast).await).await;
    println!(
        "{runs} | {at_a_time} | {ballast} | {} | {p50:.2} | {p99:.2} | {rate:.0} | {bytes:.0} | {keys:.0}",
        live_runs > 0,
    );
}

async fn one_by_one(client: RestateRuns, runs: usize, ballast: usize) {
    for _ in 0..runs {
        one_run(&client, ballast).await;
    }
}

async fn one_run(client: &RestateRuns, ballast: usize) -> String {
    let id = client.start::<Start>(Start { ballast }).await.unwrap();
    client.result::<Start>(&id).await.unwrap();
    id
}

/// The bytes in the journal of a step of a run, and the keys of state that it sets or clears: the medians.
async fn written(server: &Server, id: String) -> (f64, f64) {
    let ticks = format!("PravahRun/{id}/tick");
    let query = format!(
        "SELECT SUM(j.raw_length) AS bytes, \
         SUM(CASE WHEN j.entry_type IN ('Command: SetState', 'Command: ClearState') THEN 1 ELSE 0 END) AS keys \
         FROM sys_journal j JOIN sys_invocation i ON i.id = j.id WHERE i.target = '{ticks}' GROUP BY j.id"
    );
    let rows = server.query(&query).await;
    let median = |name: &str| {
        let numbers = rows.iter().map(|row| row[name].as_f64().unwrap());
        let mut numbers: Vec<f64> = numbers.collect();
        numbers.sort_by(f64::total_cmp);
        numbers[numbers.len() / 2]
    };
    (median("bytes"), median("keys"))
}

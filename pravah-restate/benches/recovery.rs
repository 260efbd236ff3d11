//! How long runs stand still after the process that serves them was killed, and is started again at once or later.
//!
//! `conformance/restate/run bench recovery` fetches the server and runs it.

#![allow(
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    missing_docs,
    reason = "a benchmark fails by panicking"
)]

#[allow(dead_code, reason = "it is that of the tests")]
#[path = "../../pravah-store/tests/conformance/child.rs"]
mod child;
#[allow(dead_code, reason = "it is that of the tests")]
#[path = "../tests/server/server.rs"]
mod server;

use std::{
    collections::BTreeMap,
    env,
    net::SocketAddr,
    path::{Path, PathBuf},
    time::{Duration, Instant},
};

use pravah_restate::RestateFlows;
use pravah_runtime::prelude::*;

use crate::{
    child::{ChildProcess, EffectLog},
    server::{Server, free_port},
};

/// Where the process that is killed listens. A process without it measures.
const ADDRESS: &str = "PRAVAH_BENCH_ADDRESS";
/// Where it writes its steps down.
const LOG: &str = "PRAVAH_BENCH_LOG";

const RUNS: usize = 20;

#[state]
struct Round {
    number: u64,
}
#[state]
struct Ended {}

/// Runs for ever, up to 20 times a second.
#[node]
async fn tick(round: Round, log: Dep<EffectLog>, ctx: Context) -> Either<Round, Ended> {
    log.write(&ctx.step_key().unwrap());
    tokio::time::sleep(Duration::from_millis(50)).await;
    match round.number {
        u64::MAX => Either::Right(Ended {}),
        number => Either::Left(Round { number: number + 1 }),
    }
}

#[flow]
fn ticking(round: Round) -> Ended {
    flow! { tick -> either(tick, done) }
}

fn main() {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    match (env::var(ADDRESS), env::var_os(LOG)) {
        (Ok(address), Some(log)) => runtime.block_on(serve(&address, log.into())),
        _ => runtime.block_on(measure()),
    }
}

async fn serve(address: &str, log: PathBuf) {
    let context = Context::default().with_dep(EffectLog(log));
    let flows = RestateFlows::new().serve::<Round>().with_context(context);
    let listener = tokio::net::TcpListener::bind(address).await.unwrap();
    flows
        .listen(listener, std::future::pending())
        .await
        .unwrap();
}

async fn start_process(at: SocketAddr, log: &Path) -> ChildProcess {
    let address = at.to_string();
    let variables = [(ADDRESS, address.as_ref()), (LOG, log.as_ref())];
    let process = ChildProcess::start(&["--bench"], &variables);
    while tokio::net::TcpStream::connect(at).await.is_err() {
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
    process
}

async fn measure() {
    for away in [0, 5, 30].map(Duration::from_secs) {
        let mut pauses = pauses(away).await;
        pauses.sort();
        println!(
            "nobody serves for {} s: {RUNS} runs resumed {:.2} s, {:.2} s and {:.2} s after that (first, middle, last)",
            away.as_secs(),
            pauses[0].as_secs_f64(),
            pauses[RUNS / 2].as_secs_f64(),
            pauses[RUNS - 1].as_secs_f64(),
        );
    }
}

/// How long each run executes no step from when its process is started again, which was killed and stayed away.
async fn pauses(away: Duration) -> Vec<Duration> {
    let server = Server::start().await;
    let folder = tempfile::tempdir().unwrap();
    let log = folder.path().join("steps");
    let at = SocketAddr::from(([127, 0, 0, 1], free_port()));
    let killed = start_process(at, &log).await;
    server.register(at).await;
    let runs = server.runs();
    for _ in 0..RUNS {
        runs.start::<Round>(Round { number: 0 }).await.unwrap();
    }
    loop {
        let steps = steps(&log);
        if steps.len() == RUNS && steps.values().all(|steps| *steps > 3) {
            break;
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    drop(killed);
    let before = steps(&log);
    tokio::time::sleep(away).await;

    let started = Instant::now();
    let _process = start_process(at, &log).await;
    let mut pauses = BTreeMap::new();
    while pauses.len() < RUNS {
        tokio::time::sleep(Duration::from_millis(5)).await;
        for (run, steps) in steps(&log) {
            if steps > before[&run] {
                pauses.entry(run).or_insert_with(|| started.elapsed());
            }
        }
    }
    pauses.into_values().collect()
}

/// The steps of each run that were started.
fn steps(log: &Path) -> BTreeMap<String, usize> {
    let mut steps = BTreeMap::new();
    for key in std::fs::read_to_string(log).unwrap_or_default().lines() {
        let run = key.split('/').next().unwrap().to_owned();
        *steps.entry(run).or_default() += 1;
    }
    steps
}

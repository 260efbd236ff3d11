//! How long runs stand still after their worker was killed, while another worker has nothing to do.
//!
//! ```sh
//! cargo bench -p pravah-store --features postgres --bench recovery
//! ```

#![allow(
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    missing_docs
)]

#[allow(dead_code)]
#[path = "../tests/conformance/child.rs"]
mod child;
#[path = "../tests/conformance/named_store.rs"]
mod named_store;
#[allow(dead_code)]
#[path = "../tests/conformance/server.rs"]
mod server;

use std::{
    env,
    sync::Arc,
    time::{Duration, Instant},
};

use pravah_runtime::prelude::*;
use pravah_store::{RunStore, Runs, Worker};

use self::{
    child::ChildProcess,
    named_store::open,
    server::{Server, new_schema},
};

/// Where the worker that is to be killed finds its store. A process without it measures.
const STORE: &str = "PRAVAH_BENCH_STORE";

/// The length of its lease, in milliseconds.
const LEASE: &str = "PRAVAH_BENCH_LEASE";

const RUNS: usize = 20;

#[state]
struct Round {
    number: u64,
}
#[state]
struct Ended {}

/// Runs for ever, 20 times a second.
#[node]
async fn tick(round: Round) -> Either<Round, Ended> {
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

fn worker(store: Arc<dyn RunStore>, lease: Duration) -> Worker {
    Worker::new(store)
        .serve::<Round>()
        .with_slots(RUNS)
        .with_lease(lease)
}

/// Starts a worker in a process of its own.
fn start_worker(store: &str, lease: Duration) -> ChildProcess {
    let lease = lease.as_millis().to_string();
    ChildProcess::start(
        &["--bench"],
        &[(STORE, store.as_ref()), (LEASE, lease.as_ref())],
    )
}

fn main() {
    // `cargo test` runs it as well.
    if !env::args().any(|argument| argument == "--bench") {
        return;
    }
    let runtime = tokio::runtime::Runtime::new().unwrap();
    match (env::var(STORE), env::var(LEASE)) {
        (Ok(store), Ok(lease)) => runtime.block_on(async {
            let lease = Duration::from_millis(lease.parse().unwrap());
            let worker = worker(open(&store).await, lease);
            worker.run(std::future::pending()).await;
        }),
        _ => runtime.block_on(measure()),
    }
}

async fn measure() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::shared();
    for lease in [1, 5, 30].map(Duration::from_secs) {
        let file = folder.path().join(format!("{}.db", lease.as_secs()));
        let schema = format!("{}#{}", server.url(), new_schema());
        for (name, store) in [("SQLite", file.to_str().unwrap()), ("PostgreSQL", &schema)] {
            let mut pauses = pauses(store, lease).await;
            pauses.sort();
            println!(
                "{name}, a lease of {} s: {RUNS} runs resumed after {:.2} s, {:.2} s and {:.2} s (first, middle, last)",
                lease.as_secs(),
                pauses[0].as_secs_f64(),
                pauses[RUNS / 2].as_secs_f64(),
                pauses[RUNS - 1].as_secs_f64(),
            );
        }
    }
}

/// How long each run executes no step from when its worker is killed.
async fn pauses(store: &str, lease: Duration) -> Vec<Duration> {
    let killed = start_worker(store, lease);
    let runs = Runs::new(open(store).await);
    let mut ids = Vec::new();
    for _ in 0..RUNS {
        ids.push(runs.start::<Round>(Round { number: 0 }).await.unwrap());
    }
    while steps(&runs, &ids).await.iter().any(|step| *step < 3) {
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    let other = worker(open(store).await, lease);
    let other = tokio::spawn(other.run(std::future::pending()));
    tokio::time::sleep(Duration::from_secs(2)).await;
    drop(killed);
    let started = Instant::now();
    let before = steps(&runs, &ids).await;
    let mut pauses = vec![None; RUNS];
    while pauses.iter().any(Option::is_none) {
        tokio::time::sleep(Duration::from_millis(10)).await;
        let now = steps(&runs, &ids).await;
        for (pause, (now, before)) in pauses.iter_mut().zip(now.iter().zip(&before)) {
            if now > before {
                pause.get_or_insert(started.elapsed());
            }
        }
    }
    other.abort();
    pauses.into_iter().flatten().collect()
}

async fn steps(runs: &Runs, ids: &[String]) -> Vec<u64> {
    let mut steps = Vec::new();
    for id in ids {
        steps.push(runs.status(id).await.unwrap().step);
    }
    steps
}

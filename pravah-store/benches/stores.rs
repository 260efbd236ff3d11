//! What a stored step costs: in SQLite, and in PostgreSQL over loopback, both with every wait for the disk.
//!
//! ```sh
//! cargo bench -p pravah-store --features postgres --bench stores
//! ```

#![allow(
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    missing_docs
)]

#[allow(dead_code)]
#[path = "../tests/conformance/server.rs"]
mod server;
#[path = "../tests/conformance/wire.rs"]
mod wire;

use std::{
    fmt,
    fs::File,
    io::Write,
    path::Path,
    sync::Arc,
    time::{Duration, Instant},
};

use pravah_runtime::prelude::*;
use pravah_store::{Filter, PostgresOptions, RunStore, Runs, SqliteStore, Status, Worker};
use tokio_postgres::Client;

use self::server::{Server, new_schema, url};

const RUNS: usize = 50;
const STEPS: u32 = 100;

#[state]
struct Countdown {
    left: u32,
}
#[state]
struct Landed {
    steps: u32,
}

#[node]
fn count(countdown: Countdown) -> Either<Countdown, Landed> {
    match countdown.left {
        0 => Either::Right(Landed { steps: STEPS }),
        left => Either::Left(Countdown { left: left - 1 }),
    }
}

#[flow]
fn countdown(countdown: Countdown) -> Landed {
    flow! { count -> either(count, done) }
}

#[state]
struct Link {
    left: u32,
}

#[node]
fn pass_on(link: Link) -> Link {
    Link { left: link.left }
}

#[node]
fn land(_: Link) -> Landed {
    Landed { steps: STEPS }
}

macro_rules! chain {
    ($($link:ident)+) => {
        #[flow]
        fn chain(link: Link) -> Landed {
            flow! { $(pass_on as $link ->)+ land }
        }
    };
}
// Of 100 nodes.
chain! {
    l00 l01 l02 l03 l04 l05 l06 l07 l08 l09 l10 l11 l12 l13 l14 l15 l16
    l17 l18 l19 l20 l21 l22 l23 l24 l25 l26 l27 l28 l29 l30 l31 l32 l33
    l34 l35 l36 l37 l38 l39 l40 l41 l42 l43 l44 l45 l46 l47 l48 l49 l50
    l51 l52 l53 l54 l55 l56 l57 l58 l59 l60 l61 l62 l63 l64 l65 l66 l67
    l68 l69 l70 l71 l72 l73 l74 l75 l76 l77 l78 l79 l80 l81 l82 l83 l84
    l85 l86 l87 l88 l89 l90 l91 l92 l93 l94 l95 l96 l97 l98
}

/// Where runs are kept. Each worker opens it anew, as another process does.
#[derive(Clone)]
enum Place {
    File(Arc<Path>),
    Schema { url: String, name: String },
}

impl Place {
    /// The schema of a database, or a file.
    fn of(name: String) -> Self {
        match name.contains("://") {
            true => Self::Schema {
                url: name,
                name: new_schema(),
            },
            false => Self::File(Path::new(&name).into()),
        }
    }

    async fn open(&self) -> Arc<dyn RunStore> {
        match self {
            Self::File(file) => Arc::new(SqliteStore::open(file).unwrap()),
            Self::Schema { url, name } => {
                let options = PostgresOptions::new().with_schema(name);
                Arc::new(options.connect(url).await.unwrap())
            }
        }
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::File(_) => "SqliteStore",
            Self::Schema { .. } => "PostgresStore",
        })
    }
}

/// How long all steps of runs in a loop take.
async fn time(place: &Place, runs: usize, (workers, slots): (usize, usize)) -> Duration {
    let handle = Runs::new(place.open().await);
    let done = Filter::new().with_status(Status::Done).with_limit(1000);
    let before = handle.list(done.clone()).await.unwrap().runs.len();
    let mut ids = Vec::new();
    for _ in 0..runs {
        let start = handle.start::<Countdown>(Countdown { left: STEPS - 1 });
        ids.push(start.await.unwrap());
    }
    let (stop, stopped) = tokio::sync::watch::channel(false);
    let mut at_work = Vec::new();
    for _ in 0..workers {
        let worker = Worker::new(place.open().await);
        let worker = worker.serve::<Countdown>().with_slots(slots);
        let mut stopped = stopped.clone();
        at_work.push(async move {
            worker
                .run(async { drop(stopped.wait_for(|it| *it).await) })
                .await;
        });
    }
    let started = Instant::now();
    let at_work: Vec<_> = at_work.into_iter().map(tokio::spawn).collect();
    match ids.as_slice() {
        [id] => is_done(&handle, id).await,
        _ => {
            while handle.list(done.clone()).await.unwrap().runs.len() < before + runs {
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
        }
    }
    let passed = started.elapsed();
    stop.send_replace(true);
    for worker in at_work {
        worker.await.unwrap();
    }
    passed
}

/// Waits until a run is done. It asks often, since a run takes little time, and asking for one costs little of it.
async fn is_done(runs: &Runs, id: &str) {
    while runs.status(id).await.unwrap().status != Status::Done {
        tokio::time::sleep(Duration::from_millis(4)).await;
    }
}

/// How often the server has waited for the disk.
async fn server_syncs(client: &Client) -> i64 {
    // What its processes have counted they say once a second.
    tokio::time::sleep(Duration::from_millis(1_500)).await;
    let newer = "SELECT SUM(fsyncs)::bigint FROM pg_stat_io WHERE object = 'wal'";
    let older = "SELECT wal_sync FROM pg_stat_wal";
    match client.query_one(newer, &[]).await {
        Ok(row) => row.get(0),
        Err(_) => client.query_one(older, &[]).await.unwrap().get(0),
    }
}

/// How long this disk takes, in milliseconds.
fn disk_sync(folder: &Path) -> f64 {
    let mut file = File::create(folder.join("probe")).unwrap();
    let started = Instant::now();
    for _ in 0..200 {
        file.write_all(&[1; 8192]).unwrap();
        file.sync_data().unwrap();
    }
    started.elapsed().as_secs_f64() * 1_000.0 / 200.0
}

fn main() {
    // `cargo test` runs it as well.
    if !std::env::args().any(|argument| argument == "--bench") {
        return;
    }
    let runtime = tokio::runtime::Runtime::new().unwrap();
    match std::env::var("PRAVAH_BENCH_STORE") {
        Ok(place) => runtime.block_on(measure_chain(Place::of(place))),
        Err(_) => runtime.block_on(measure()),
    }
}

/// Five runs of a chain of 100 nodes, one after the other, as `benches/durable` compares them with others: from the start
/// until it is known that the run is done, in a process that starts runs and serves them.
async fn measure_chain(place: Place) {
    let store = place.open().await;
    let worker = Worker::new(store.clone()).serve::<Link>().with_slots(1);
    let worker = tokio::spawn(worker.run(std::future::pending()));
    let runs = Runs::new(store);
    let mut times = Vec::new();
    for _ in 0..5 {
        let started = Instant::now();
        let id = runs.start::<Link>(Link { left: 0 }).await.unwrap();
        is_done(&runs, &id).await;
        times.push(started.elapsed().as_secs_f64() * 1_000.0 / f64::from(STEPS));
    }
    worker.abort();
    times.sort_by(f64::total_cmp);
    println!("Pravah, {place}: {:.2} ms a step", times[2]);
}

async fn measure() {
    let folder = tempfile::tempdir().unwrap();
    println!("a wait for the disk: {:.2} ms", disk_sync(folder.path()));
    let server = Server::shared();
    let file = |name: &str| Place::File(folder.path().join(name).into());
    let schema = |port: u16| Place::Schema {
        url: url(port, "postgres"),
        name: new_schema(),
    };
    let client = server.client();
    for (name, workers, runs, slots) in [
        ("1 run, 1 worker", 1, 1, 1),
        ("50 runs, 1 worker", 1, RUNS, 16),
        ("50 runs, 4 workers", 4, RUNS, 16),
    ] {
        let steps = (runs * STEPS as usize) as f64;
        let sqlite = time(&file(&format!("{name}.db")), runs, (workers, slots)).await;
        let before = server_syncs(&client).await;
        let postgres = time(&schema(server.port()), runs, (workers, slots)).await;
        let syncs = (server_syncs(&client).await - before) as f64;
        println!(
            "{name}: SQLite {:.0} steps/s; PostgreSQL {:.0} steps/s, {:.2} waits for the disk a step",
            steps / sqlite.as_secs_f64(),
            steps / postgres.as_secs_f64(),
            syncs / steps,
        );
    }
    let (port, round_trips) = wire::proxy(server.port()).await;
    let place = schema(port);
    // So that all is prepared.
    time(&place, 1, (1, 1)).await;
    let before = round_trips.count();
    let (short, long) = (1, 4);
    time(&place, short, (1, 1)).await;
    let middle = round_trips.count();
    time(&place, long, (1, 1)).await;
    let (first, second) = (middle - before, round_trips.count() - middle);
    let steps = ((long - short) * STEPS as usize) as f64;
    println!(
        "PostgreSQL: {:.2} round trips a step",
        (second as f64 - first as f64) / steps
    );
}

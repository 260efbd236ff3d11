//! Worker processes that are killed at any moment, over one store.
//!
//! `PRAVAH_STORE_TEST_RUNS=10000` makes it as many runs, with more time between two kills and a line for each minute.

use std::{
    collections::BTreeMap,
    env,
    path::Path,
    time::{Duration, Instant},
};

use pravah_runtime::prelude::*;
use pravah_store::{Filter, HistoryRow, RunEvents, Runs, Status, Worker};

use crate::{
    child::{ChildProcess, EffectLog, patience},
    named_store::open,
};

/// Where the child finds the store; without it this process is no child.
const STORE: &str = "PRAVAH_STORE_TEST_STORE";

/// Where it writes its effects down.
const LOG: &str = "PRAVAH_STORE_TEST_LOG";

/// How many runs there are, unless it is given.
const RUNS: usize = 40;
const STEPS: u32 = 12;

/// How long a thousand runs may take together.
const TIME_LIMIT: Duration = Duration::from_secs(300);

/// How many runs there are.
fn run_count() -> usize {
    let given = env::var("PRAVAH_STORE_TEST_RUNS");
    given.map_or(RUNS, |count| count.parse().unwrap())
}

#[state]
struct Countdown {
    left: u32,
}
#[state]
struct Landed {
    steps: u32,
}
#[state]
#[derive(Debug, PartialEq)]
struct Reported {
    steps: u32,
}

#[node]
async fn count(
    countdown: Countdown,
    log: Dep<EffectLog>,
    ctx: Context,
) -> Result<Either<Countdown, Landed>, FlowError> {
    log.write(&ctx.step_key().unwrap());
    tokio::time::sleep(Duration::from_millis(20)).await;
    Ok(match countdown.left {
        0 => Either::Right(Landed { steps: STEPS }),
        left => Either::Left(Countdown { left: left - 1 }),
    })
}

#[gate(prompt = "Report it?")]
fn report(landed: Landed, _yes: bool) -> Reported {
    Reported {
        steps: landed.steps,
    }
}

#[flow]
fn countdown(countdown: Countdown) -> Reported {
    flow! { count -> either(count, report) }
}

/// What the child does: work until it is killed. As a test of the parent it does nothing.
#[test]
fn worker_process() {
    let (Ok(store), Some(log)) = (env::var(STORE), env::var_os(LOG)) else {
        return;
    };
    let runtime = tokio::runtime::Runtime::new().unwrap();
    runtime.block_on(async {
        let log = EffectLog(log.into());
        let worker = Worker::new(open(&store).await)
            .serve::<Countdown>()
            .with_context(Context::default().with_dep(log))
            .with_slots(run_count().div_ceil(10).min(256))
            .with_lease(Duration::from_millis(500))
            .with_poll_interval(Duration::from_millis(20))
            // Each kill may be the end of several claims.
            .with_max_failed_claims(1_000);
        worker.run(std::future::pending()).await;
    });
}

fn start_worker(store: &str, log: &Path) -> ChildProcess {
    let args = ["--exact", "killed_workers::worker_process"];
    ChildProcess::start(&args, &[(STORE, store.as_ref()), (LOG, log.as_ref())])
}

#[cfg(feature = "sqlite")]
#[tokio::test]
async fn no_step_in_a_file_is_committed_twice_whenever_workers_are_killed() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("runs.db");
    no_step_is_committed_twice(file.to_str().unwrap(), &folder.path().join("effects.log")).await;
}

#[cfg(feature = "postgres")]
#[tokio::test]
async fn no_step_in_postgres_is_committed_twice_whenever_workers_are_killed() {
    let folder = tempfile::tempdir().unwrap();
    let server = crate::server::Server::shared();
    let store = format!("{}#{}", server.url(), crate::server::new_schema());
    no_step_is_committed_twice(&store, &folder.path().join("effects.log")).await;
}

async fn no_step_is_committed_twice(store: &str, log: &Path) {
    let runs = Runs::new(open(store).await);
    for run in 0..run_count() {
        let start = runs.start::<Countdown>(Countdown { left: STEPS - 1 });
        let start = start.with_id(format!("run-{run}"));
        if run % 2 == 0 {
            let id = start.await.unwrap();
            runs.answer(&id, "report", true).await.unwrap();
        } else {
            start.with_tag("answer", "late").await.unwrap();
        }
    }
    let followed = tokio::spawn(follow(runs.events("run-0")));
    let answered = tokio::spawn(answer_the_others(runs.clone()));
    let kills = kill_until_done(&runs, (store, log)).await;
    answered.await.unwrap();
    assert!(kills >= 10, "{kills}");
    // Whichever process has committed them.
    assert_eq!(
        followed.await.unwrap(),
        runs.history("run-0").await.unwrap()
    );

    let effects = std::fs::read_to_string(log).unwrap();
    let mut effects_of = BTreeMap::<&str, u32>::new();
    for key in effects.lines() {
        *effects_of.entry(key).or_default() += 1;
    }
    // Some happened again, under the same key.
    assert_eq!(effects_of.len(), run_count() * STEPS as usize);
    for run in 0..run_count() {
        let id = format!("run-{run}");
        let output = runs.output::<Countdown>(&id).await.unwrap();
        assert_eq!(output, Some(Reported { steps: STEPS }));
        let history = runs.history(&id).await.unwrap();
        let steps: Vec<_> = history.iter().map(|row| row.step).collect();
        assert_eq!(steps, (0..history.len() as u64).collect::<Vec<_>>());
        let of = |node: &str| {
            let rows = history.iter();
            rows.filter(|row| row.node.as_ref().is_some_and(|it| it.id == node))
                .count()
        };
        // The gate asks, and is answered.
        assert_eq!((of("count"), of("report")), (STEPS as usize, 2));
        let taken: Vec<_> = history.iter().flat_map(|row| &row.taken).collect();
        assert_eq!(taken, [&1]);
    }
}

/// Answers half of the runs, once all of them wait for it.
async fn answer_the_others(runs: Runs) {
    loop {
        let waiting = suspended(&runs).await;
        if waiting.len() == run_count() / 2 {
            for id in waiting {
                runs.answer(&id, "report", true).await.unwrap();
            }
            return;
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
}

/// The ids of the runs that wait for a late answer.
async fn suspended(runs: &Runs) -> Vec<String> {
    let mut ids = Vec::new();
    let mut filter = Filter::new()
        .with_status(Status::Suspended)
        .with_tag("answer", "late")
        .with_limit(1_000);
    loop {
        let page = runs.list(filter.clone()).await.unwrap();
        ids.extend(page.runs.iter().map(|info| info.key.id().to_owned()));
        match page.next {
            Some(next) => filter = filter.with_after(next),
            None => return ids,
        }
    }
}

/// All that a run commits, until it ends.
async fn follow(mut events: RunEvents) -> Vec<HistoryRow> {
    let mut rows = Vec::new();
    while let Some(row) = events.next().await {
        rows.push(row.unwrap());
    }
    rows
}

/// Starts two workers and kills one of them again and again, until all runs are done. Returns how many were killed.
async fn kill_until_done(runs: &Runs, (store, log): (&str, &Path)) -> usize {
    let factor = u32::try_from(run_count().div_ceil(1_000)).unwrap();
    let (started, mut minutes) = (Instant::now(), 0);
    let mut workers = [start_worker(store, log), start_worker(store, log)];
    let (mut kills, mut random) = (0, 0x9e37_79b9_u32);
    loop {
        random = random.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        let wait = Duration::from_millis(u64::from(random >> 16) % 150 + 20);
        let patience = patience(started.elapsed(), Duration::from_secs(20) * factor);
        tokio::time::sleep(wait * factor * patience).await;
        if is_all_done(runs).await {
            return kills;
        }
        let passed = started.elapsed();
        assert!(passed < TIME_LIMIT * factor, "the runs do not end");
        if passed.as_secs() / 60 > minutes {
            minutes = passed.as_secs() / 60;
            println!("after {minutes} minutes {kills} workers were killed");
        }
        let worker = &mut workers[kills % 2];
        assert!(worker.is_running(), "a worker ended by itself");
        *worker = start_worker(store, log);
        kills += 1;
    }
}

/// Whether no run executes steps or waits any more.
async fn is_all_done(runs: &Runs) -> bool {
    for status in [
        Status::Ready,
        Status::Waiting,
        Status::Suspended,
        Status::Failed,
    ] {
        let left = runs
            .list(Filter::new().with_status(status).with_limit(1))
            .await;
        if !left.unwrap().runs.is_empty() {
            return false;
        }
    }
    true
}

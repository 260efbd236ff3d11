//! Worker processes and servers that are killed at any moment.

use std::{
    collections::BTreeMap,
    env,
    net::SocketAddr,
    path::Path,
    time::{Duration, Instant},
};

use pravah_restate::{RestateError, RestateFlows, RestateRuns};
use pravah_runtime::prelude::*;
use pravah_store::Status;

use crate::{
    child::{ChildProcess, EffectLog, patience},
    server::{Server, free_port},
};

/// Where the child listens; without it this process is no child.
const ADDRESS: &str = "PRAVAH_RESTATE_TEST_ADDRESS";
/// Where the child writes its effects down.
const LOG: &str = "PRAVAH_RESTATE_TEST_LOG";

const RUNS: usize = 60;
/// How long all runs may take together.
const TIME_LIMIT: Duration = Duration::from_secs(300);
pub(crate) const STEPS: u32 = 8;

#[state]
pub(crate) struct Countdown {
    pub(crate) left: u32,
}
#[state]
struct Landed {
    steps: u32,
}
#[state]
#[derive(Debug, PartialEq)]
pub(crate) struct Reported {
    pub(crate) steps: u32,
}

#[node]
async fn count(
    countdown: Countdown,
    log: Dep<EffectLog>,
    ctx: Context,
) -> Result<Either<Countdown, Landed>, FlowError> {
    log.write(&ctx.step_key().unwrap());
    tokio::time::sleep(Duration::from_millis(60)).await;
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

/// What the child does: serve until it is killed. As a test of the parent it does nothing.
#[test]
fn worker_process() {
    let Some(address) = env::var(ADDRESS).ok() else {
        return;
    };
    let log = EffectLog(env::var_os(LOG).unwrap().into());
    let runtime = tokio::runtime::Runtime::new().unwrap();
    runtime.block_on(async {
        let flows = RestateFlows::new()
            .serve::<Countdown>()
            .with_context(Context::default().with_dep(log));
        let listener = tokio::net::TcpListener::bind(address).await.unwrap();
        flows
            .listen(listener, std::future::pending())
            .await
            .unwrap();
    });
}

async fn start_worker(at: SocketAddr, log: &Path) -> ChildProcess {
    let args = ["--exact", "killed::worker_process"];
    let address = at.to_string();
    let variables = [(ADDRESS, address.as_ref()), (LOG, log.as_ref())];
    let mut worker = ChildProcess::start(&args, &variables);
    while tokio::net::TcpStream::connect(at).await.is_err() {
        assert!(worker.is_running(), "a worker ended by itself");
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    worker
}

#[tokio::test]
async fn every_run_ends_and_no_effect_has_two_keys_whatever_is_killed() {
    let mut server = Server::start().await;
    let folder = tempfile::tempdir().unwrap();
    let log = folder.path().join("effects");
    let at = SocketAddr::from(([127, 0, 0, 1], free_port()));
    let mut worker = start_worker(at, &log).await;
    server.register(at).await;

    let runs = server.runs();
    let ids: Vec<String> = (0..RUNS).map(|run| format!("run-{run}")).collect();
    for id in &ids {
        let start = runs.start::<Countdown>(Countdown { left: STEPS - 1 });
        start.with_id(id).await.unwrap();
    }
    let answers = ids
        .iter()
        .map(|id| tokio::spawn(answer(runs.clone(), id.clone())));
    let answers: Vec<_> = answers.collect();

    let started = Instant::now();
    let (mut kills, mut server_kills, mut random) = (0, 0, 0x9e37_79b9_u32);
    while !answers.iter().all(|answer| answer.is_finished()) {
        let passed = started.elapsed();
        assert!(passed < TIME_LIMIT, "the runs do not end");
        random = random.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        let wait = Duration::from_millis(u64::from(random >> 16) % 300 + 20);
        tokio::time::sleep(wait * patience(passed, Duration::from_secs(30))).await;
        match random >> 8 & 7 {
            0 => {
                server.kill_and_restart().await;
                server_kills += 1;
            }
            _ => {
                drop(worker);
                worker = start_worker(at, &log).await;
                kills += 1;
            }
        }
    }
    assert!(kills >= 5 && server_kills >= 1, "{kills} {server_kills}");

    let mut taken = 0;
    for answer in answers {
        taken += answer.await.unwrap();
    }
    // Of one whose answer was lost on its way the next one says that there is one.
    assert!(taken <= RUNS);
    let effects = effects(&log);
    assert_eq!(effects.len(), RUNS * STEPS as usize);
    for id in &ids {
        has_ended(&runs, id).await;
    }
    let again = effects.values().filter(|times| **times > 1).count();
    println!("{kills} workers and {server_kills} servers killed; {again} effects happened again");
}

/// The step keys of the effects, with how often each happened.
pub(crate) fn effects(log: &Path) -> BTreeMap<String, u32> {
    let mut effects = BTreeMap::new();
    for key in std::fs::read_to_string(log).unwrap().lines() {
        *effects.entry(key.to_owned()).or_default() += 1;
    }
    effects
}

/// Checks that a run has counted each step once.
pub(crate) async fn has_ended(runs: &RestateRuns, id: &str) {
    let output = runs.output::<Countdown>(id).await.unwrap();
    assert_eq!(output, Some(Reported { steps: STEPS }));
    // Each `count`, the question, and its answer.
    let info = runs.status(id).await.unwrap();
    assert_eq!(info.step, u64::from(STEPS) + 2, "{info:#?}");
}

/// Answers the question of a run until it has ended, for [`TIME_LIMIT`] at most. Returns how many answers were taken.
pub(crate) async fn answer(runs: RestateRuns, id: String) -> usize {
    let end = Instant::now() + TIME_LIMIT;
    let mut taken = 0;
    loop {
        tokio::time::sleep(Duration::from_millis(100)).await;
        assert!(Instant::now() < end, "the run `{id}` does not end");
        match runs.answer(&id, "report", true).await {
            Ok(_) => taken += 1,
            Err(RestateError::Conflict { .. }) => {
                let info = runs.status(&id).await;
                if info.is_ok_and(|info| info.status == Status::Done) {
                    return taken;
                }
            }
            // The server is not there.
            Err(_) => {}
        }
    }
}

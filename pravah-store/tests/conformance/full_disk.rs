//! A SQLite file that cannot grow: a process whose files may have no more than three megabytes writes until it fails.

use std::{
    collections::BTreeSet,
    env, fs,
    path::Path,
    process::{Command, ExitStatus, Stdio},
    time::Duration,
};

use pravah_runtime::prelude::*;
use pravah_store::{Runs, SqliteStore, Status, StoreError, Worker};

use crate::child::EffectLog;

/// Where the child finds the store, and where it notes the effects of steps and the runs that were started; without them
/// this process is no child.
const VARIABLES: [&str; 3] = [
    "PRAVAH_STORE_TEST_FULL",
    "PRAVAH_STORE_TEST_FULL_EFFECTS",
    "PRAVAH_STORE_TEST_FULL_STARTED",
];

/// Runs a program whose writes beyond the limit of a file fail, as on a full disk, and do not kill it.
const LIMITED: &str = r#"trap "" XFSZ; ulimit -f 6000; exec "$@""#;

#[state]
struct Page {
    text: String,
}
#[state]
#[derive(Debug, PartialEq)]
struct Printed {
    text: String,
}

#[node]
fn print(page: Page, log: Dep<EffectLog>, ctx: Context) -> Printed {
    log.write(&ctx.step_key().unwrap());
    Printed { text: page.text }
}

#[flow]
fn printing(page: Page) -> Printed {
    flow! { print }
}

fn text() -> String {
    "page ".repeat(400)
}

fn worker(store: SqliteStore, log: &Path) -> Worker {
    Worker::new(store)
        .serve::<Page>()
        .with_context(Context::default().with_dep(EffectLog(log.to_owned())))
        .with_lease(Duration::from_millis(500))
        .with_poll_interval(Duration::from_millis(20))
}

/// What the child does: it starts runs, and executes them, until the store fails. As a test of the parent it does nothing.
#[tokio::test]
async fn process_with_small_files() {
    let [Some(store), Some(effects), Some(started)] = VARIABLES.map(env::var_os) else {
        return;
    };
    let store = SqliteStore::open(store).unwrap();
    let working = tokio::spawn(worker(store.clone(), effects.as_ref()).run(std::future::pending()));
    let (runs, started) = (Runs::new(store), EffectLog(started.into()));
    let mut last = None;
    let error = loop {
        match runs.start::<Page>(Page { text: text() }).await {
            Ok(id) => {
                started.write(&id);
                last = Some(id);
            }
            Err(error) => break error,
        }
        tokio::time::sleep(Duration::from_millis(1)).await;
    };
    assert!(matches!(error, StoreError::Database { .. }), "{error}");
    // What was stored can be read, and the worker goes on trying.
    runs.status(&last.unwrap()).await.unwrap();
    tokio::time::sleep(Duration::from_millis(300)).await;
    assert!(!working.is_finished());
}

fn run_until_full(folder: &Path) -> ExitStatus {
    let files = ["runs.db", "effects.log", "started.log"].map(|name| folder.join(name));
    let variables = VARIABLES.iter().zip(&files);
    Command::new("/bin/sh")
        .args(["-c", LIMITED, "sh"])
        .arg(env::current_exe().unwrap())
        .args(["--exact", "full_disk::process_with_small_files"])
        .envs(variables)
        .stdout(Stdio::null())
        .status()
        .unwrap()
}

#[tokio::test]
async fn a_full_disk_costs_no_run_and_no_step_that_was_committed() {
    let folder = tempfile::tempdir().unwrap();
    assert!(run_until_full(folder.path()).success());
    let read = |name: &str| fs::read_to_string(folder.path().join(name)).unwrap();
    let started = read("started.log");
    assert!(started.lines().count() > 5);

    let steps_before = read("effects.log").lines().count();
    let (file, effects) = (
        folder.path().join("runs.db"),
        folder.path().join("effects.log"),
    );
    let store = SqliteStore::open(file).unwrap();
    let runs = Runs::new(store.clone());
    let mut done_before = Vec::new();
    for id in started.lines() {
        if runs.status(id).await.unwrap().status == Status::Done {
            done_before.push(id);
        }
    }
    let working = tokio::spawn(worker(store, &effects).run(std::future::pending()));
    for id in started.lines() {
        while runs.status(id).await.unwrap().status != Status::Done {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        let output = runs.output::<Page>(id).await.unwrap();
        assert_eq!(output, Some(Printed { text: text() }));
    }
    working.abort();
    // No step that was committed happened again.
    let effects = read("effects.log");
    let again: Vec<&str> = effects.lines().skip(steps_before).collect();
    for id in done_before {
        assert!(!again.iter().any(|key| key.starts_with(id)), "{id}");
    }
    let keys: BTreeSet<&str> = effects.lines().collect();
    assert_eq!(keys.len(), started.lines().count());
}

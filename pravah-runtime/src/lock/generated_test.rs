//! The test that `#[flow(lock = "…")]` writes.

use std::env;

use super::{FlowLock, LockError, LockProblem, is_empty, version::LockedVersion};
use crate::{error::FlowError, graph::FlowGraph};

/// The variable with the [`Mode`], which `pravah lock` sets.
const MODE_VAR: &str = "PRAVAH_LOCK";

/// The variable with what the version is called, in place of that of the crate.
const RELEASE_VAR: &str = "PRAVAH_LOCK_RELEASE";

/// What the test does once it has found that runs can go on.
#[derive(Clone, Copy)]
enum Mode {
    /// Nothing more.
    Test,
    /// It adds the version that it is part of to the lock file.
    Write,
    /// It fails where that is missing.
    Check,
}

impl Mode {
    #[expect(clippy::panic, reason = "it is the body of a test")]
    fn from_env() -> Self {
        match env::var(MODE_VAR).as_deref() {
            Err(_) => Self::Test,
            Ok("write") => Self::Write,
            Ok("check") => Self::Check,
            Ok(other) => panic!("{MODE_VAR} is `{other}`, which is neither `write` nor `check`"),
        }
    }
}

/// Fails where runs of a version in the lock file cannot go on. The text is that of the file when it was compiled.
///
/// # Panics
///
/// If they cannot, and if the file can be neither read nor written: it is the body of a test.
#[doc(hidden)]
#[expect(
    clippy::panic,
    clippy::print_stdout,
    reason = "it is the body of a test"
)]
pub fn check_lock_file(
    (path, text): (&str, &str),
    release: &str,
    flow: &str,
    graph: Result<FlowGraph, FlowError>,
) {
    let mode = Mode::from_env();
    let graph = graph.unwrap_or_else(|error| panic!("the flow has no graph: {error}"));
    let mut lock = match is_empty(text) {
        true => FlowLock::new(flow),
        false => FlowLock::from_json(text).unwrap_or_else(|error| failed(path, &error)),
    };
    let mut report = lock.check(&graph);
    if lock.flow() != flow {
        let other = LockProblem::OtherFlow {
            locked: lock.flow().to_owned(),
            flow: flow.to_owned(),
            input: graph.input().to_owned(),
        };
        report.problems.insert(0, other);
    }
    assert!(
        report.is_ok(),
        "runs of earlier versions cannot go on in this one:\n{report}"
    );
    print!("{report}");
    let release = env::var(RELEASE_VAR).unwrap_or_else(|_| release.to_owned());
    let is_taken = lock.versions().iter().any(|it| it.release == release);
    let version = LockedVersion::of(release.clone(), &graph);
    let known = lock.same_as(&version).map(|it| it.release.clone());
    match (mode, known) {
        (Mode::Test, _) => {}
        (Mode::Write, None) if is_taken => panic!(
            "{path}: `{release}` is in the lock file with other nodes or states: raise the version of the crate, or name this one with `pravah lock --release NAME`"
        ),
        (Mode::Write, None) => {
            lock.add(&*release, &graph);
            lock.write(path)
                .unwrap_or_else(|error| failed(path, &error));
            println!("{path}: added version {release}");
        }
        (Mode::Check, None) => panic!(
            "{path}: this version is not in the lock file: run `pravah lock` before it is released"
        ),
        (Mode::Write | Mode::Check, Some(known)) => {
            println!("{path}: this version is there, as {known}");
        }
    }
}

#[expect(clippy::panic, reason = "it is the body of a test")]
fn failed(path: &str, error: &LockError) -> ! {
    let source = std::error::Error::source(error);
    let why = source.map_or_else(String::new, |source| format!(": {source}"));
    panic!("{path}: {error}{why}")
}

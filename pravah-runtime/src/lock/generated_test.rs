//! The test that `#[flow(lock = "…")]` writes.

use std::env;

use super::{FlowLock, LockError, LockProblem, is_empty, version::LockedVersion};
use crate::{error::FlowError, graph::FlowGraph};

/// With `write` the test adds the version that it is part of to the lock file, and with `check` it fails where that is missing.
/// `pravah lock` sets it.
const VARIABLE: &str = "PRAVAH_LOCK";

/// What the version is called, in place of that of the crate.
const RELEASE: &str = "PRAVAH_LOCK_RELEASE";

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
    let graph = graph.unwrap_or_else(|error| panic!("the flow has no graph: {error}"));
    let mut lock = match is_empty(text) {
        true => FlowLock::new(flow),
        false => FlowLock::from_json(text).unwrap_or_else(|error| failed(path, &error)),
    };
    let mut report = lock.check(&graph);
    if lock.flow() != flow {
        let locked = lock.flow().to_owned();
        let flow = flow.to_owned();
        report
            .problems
            .insert(0, LockProblem::OtherFlow { locked, flow });
    }
    assert!(
        report.is_ok(),
        "runs of earlier versions cannot go on in this one:\n{report}"
    );
    print!("{report}");
    let release = env::var(RELEASE).unwrap_or_else(|_| release.to_owned());
    let is_taken = lock.versions().iter().any(|it| it.release == release);
    let version = LockedVersion::of(release.clone(), &graph);
    let known = lock.same_as(&version).map(|it| it.release.clone());
    match (env::var(VARIABLE).as_deref(), known) {
        (Ok("write"), None) if is_taken => panic!(
            "{path}: `{release}` is in the lock file with other nodes or states: raise the version of the crate, or name this one with `pravah lock --release NAME`"
        ),
        (Ok("write"), None) => {
            lock.add(&*release, &graph);
            lock.write(path)
                .unwrap_or_else(|error| failed(path, &error));
            println!("{path}: added version {release}");
        }
        (Ok("check"), None) => panic!(
            "{path}: this version is not in the lock file: run `pravah lock` before it is released"
        ),
        (Ok("write" | "check"), Some(known)) => {
            println!("{path}: this version is there, as {known}");
        }
        (Ok(other), _) => panic!("{VARIABLE} is `{other}`, which is neither `write` nor `check`"),
        (Err(_), _) => {}
    }
}

#[expect(clippy::panic, reason = "it is the body of a test")]
fn failed(path: &str, error: &LockError) -> ! {
    let source = std::error::Error::source(error);
    let why = source.map_or_else(String::new, |source| format!(": {source}"));
    panic!("{path}: {error}{why}")
}

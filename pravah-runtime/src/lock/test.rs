//! The test that `#[flow(lock = "…")]` writes.

use std::path::Path;

use super::{FlowLock, LockProblem};
use crate::{error::FlowError, graph::FlowGraph};

/// Set to `write`, the test adds the version that it is part of to the lock. `pravah lock` does so.
const VARIABLE: &str = "PRAVAH_LOCK";

/// Fails where runs of a version in the lock cannot go on.
///
/// # Panics
///
/// If they cannot, and if the lock can be neither read nor written: it is the body of a test.
#[doc(hidden)]
#[expect(
    clippy::panic,
    clippy::print_stdout,
    reason = "it is the body of a test"
)]
pub fn check_lock_file(
    path: impl AsRef<Path>,
    release: &str,
    flow: &str,
    graph: Result<FlowGraph, FlowError>,
) {
    let path = path.as_ref();
    let failed = |error: &dyn std::error::Error| -> ! {
        panic!(
            "{}",
            crate::error::ErrorText::new("the lock was not checked", error.to_string())
        )
    };
    let graph = graph.unwrap_or_else(|error| failed(&error));
    let lock = FlowLock::read(path).unwrap_or_else(|error| failed(&error));
    let mut lock = lock.unwrap_or_else(|| FlowLock::new(flow));
    let mut report = lock.check(&graph);
    if lock.flow() != flow {
        report.problems.insert(
            0,
            LockProblem::OtherFlow {
                locked: lock.flow().to_owned(),
                flow: flow.to_owned(),
            },
        );
    }
    println!(
        "{}: {} versions\n{report}",
        path.display(),
        lock.versions().len()
    );
    if !report.is_ok() {
        panic!("runs of earlier versions cannot go on in this one:\n{report}");
    }
    if std::env::var(VARIABLE).is_ok_and(|it| it == "write") && lock.add(release, &graph) {
        if let Err(error) = lock.write(path) {
            failed(&error);
        }
        println!("added version {release}");
    }
}

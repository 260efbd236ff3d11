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
    let graph = graph.unwrap_or_else(|error| panic!("the flow has no graph: {error}"));
    let release = env::var(RELEASE_VAR).unwrap_or_else(|_| release.to_owned());
    match check_or_write(Mode::from_env(), (path, text), &release, (flow, &graph)) {
        Ok(said) => print!("{said}"),
        Err(problem) => panic!("{problem}"),
    }
}

/// Checks a lock file, or adds this version to it. Returns what there is to say, or why the test fails.
fn check_or_write(
    mode: Mode,
    (path, text): (&str, &str),
    release: &str,
    (flow, graph): (&str, &FlowGraph),
) -> Result<String, String> {
    let failed = |error: LockError| {
        let source = std::error::Error::source(&error);
        let why = source.map_or_else(String::new, |source| format!(": {source}"));
        format!("{path}: {error}{why}")
    };
    let mut lock = match is_empty(text) {
        true => FlowLock::new(flow),
        false => FlowLock::from_json(text).map_err(failed)?,
    };
    let mut report = lock.check(graph);
    if lock.flow() != flow {
        let other = LockProblem::OtherFlow {
            locked: lock.flow().to_owned(),
            flow: flow.to_owned(),
            input: graph.input().to_owned(),
        };
        report.problems.insert(0, other);
    }
    if !report.is_ok() {
        return Err(format!(
            "runs of earlier versions cannot go on in this one:\n{report}"
        ));
    }
    let is_taken = lock.versions().iter().any(|it| it.release == release);
    let version = LockedVersion::of(release.to_owned(), graph);
    let known = lock.same_as(&version).map(|it| it.release.clone());
    match (mode, known) {
        (Mode::Test, _) => Ok(report.to_string()),
        (Mode::Write, None) if is_taken => Err(format!(
            "{report}{path}: `{release}` is in the lock file with other nodes or states: raise the version of the crate, or name this one with `pravah lock --release NAME`"
        )),
        (Mode::Write, None) => {
            lock.add(release, graph);
            lock.write(path).map_err(failed)?;
            Ok(format!("{report}{path}: added version {release}\n"))
        }
        (Mode::Check, None) => Err(format!(
            "{report}{path}: this version is not in the lock file: run `pravah lock` before it is released"
        )),
        (Mode::Write | Mode::Check, Some(known)) => Ok(format!(
            "{report}{path}: this version is there, as {known}\n"
        )),
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::{Mode::*, *};

    #[derive(serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
    struct Order {
        cups: u32,
    }

    #[derive(serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
    struct Brewed {
        cups: u32,
    }

    #[derive(serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
    struct Served {
        cups: u32,
    }

    fn short() -> FlowGraph {
        let graph = FlowGraph::builder();
        let graph = graph
            .work::<Order, Served, _, _>(|order, _| async move { Ok(Served { cups: order.cups }) });
        graph.build().unwrap()
    }

    fn long() -> FlowGraph {
        let graph = FlowGraph::builder();
        let graph = graph
            .work::<Order, Brewed, _, _>(|order, _| async move { Ok(Brewed { cups: order.cups }) });
        let graph = graph.work::<Brewed, Served, _, _>(|brewed, _| async move {
            Ok(Served { cups: brewed.cups })
        });
        graph.build().unwrap()
    }

    /// What the test does with a file of this text, and the file after it.
    fn after(
        mode: Mode,
        text: &str,
        release: &str,
        graph: &FlowGraph,
    ) -> (Result<String, String>, String) {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("coffee.lock");
        fs::write(&file, text).unwrap();
        let path = file.to_str().unwrap();
        let said = check_or_write(mode, (path, text), release, ("Order", graph));
        let without_folder = |text: String| text.replace(path, "coffee.lock");
        let said = said.map(without_folder).map_err(without_folder);
        (said, fs::read_to_string(&file).unwrap())
    }

    #[test]
    fn a_version_is_written_once_and_then_is_there() {
        let (said, written) = after(Write, "", "1.0.0", &short());
        assert_eq!(said.unwrap(), "coffee.lock: added version 1.0.0\n");
        for mode in [Write, Check] {
            let (said, kept) = after(mode, &written, "1.0.1", &short());
            assert_eq!(
                said.unwrap(),
                "coffee.lock: this version is there, as 1.0.0\n"
            );
            assert_eq!(kept, written);
        }
    }

    const SKIPPED: &str =
        "version 1.0.0: the new nodes at `Brewed` are skipped by runs that are past them\n";

    #[test]
    fn a_check_fails_where_the_version_is_missing() {
        let (_, first) = after(Write, "", "1.0.0", &short());
        let (said, kept) = after(Check, &first, "2.0.0", &long());
        let missing = "coffee.lock: this version is not in the lock file: run `pravah lock` before it is released";
        assert_eq!(said.unwrap_err(), format!("{SKIPPED}{missing}"));
        assert_eq!(kept, first);
    }

    #[test]
    fn a_version_is_written_and_checked_with_the_nodes_that_earlier_runs_skip() {
        let (_, first) = after(Write, "", "1.0.0", &short());
        let (said, both) = after(Write, &first, "2.0.0", &long());
        let added = "coffee.lock: added version 2.0.0\n";
        assert_eq!(said.unwrap(), format!("{SKIPPED}{added}"));
        let (said, _) = after(Check, &both, "2.0.0", &long());
        let known = "coffee.lock: this version is there, as 2.0.0\n";
        assert_eq!(said.unwrap(), format!("{SKIPPED}{known}"));
    }

    #[test]
    fn a_release_that_has_other_nodes_is_not_written_again() {
        let (_, first) = after(Write, "", "1.0.0", &short());
        let (said, kept) = after(Write, &first, "1.0.0", &long());
        let error = said.unwrap_err();
        assert!(error.contains("raise the version of the crate"), "{error}");
        assert_eq!(kept, first);
    }

    #[test]
    fn runs_that_cannot_go_on_fail_in_every_mode_and_nothing_is_written() {
        let (_, first) = after(Write, "", "1.0.0", &long());
        for mode in [Test, Write, Check] {
            let (said, kept) = after(mode, &first, "2.0.0", &short());
            let error = said.unwrap_err();
            let expected = "a `Brewed` waits, and no node of this version takes it";
            assert!(error.contains(expected), "{error}");
            assert_eq!(kept, first);
        }
    }
}

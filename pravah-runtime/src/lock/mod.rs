//! The versions of a flow that runs may still be of, in a file beside the code.

mod check;
mod error;
mod generated_test;
mod json;
mod net;
mod paths;
mod problem;
mod sample;
mod schema;
mod unused;
mod version;

use std::{fs, io::ErrorKind, path::Path};

use serde::{Deserialize, Serialize};

pub use self::{
    error::LockError,
    generated_test::check_lock_file,
    problem::{LockProblem, LockReport, NewNodes, UnusedMigration},
    version::LockedVersion,
};
pub(crate) use self::{net::node_in_words, version::whole_schema};
use crate::{engine::LoadOptions, graph::FlowGraph};

/// The layout of the file that this release writes.
const FORMAT: u32 = 1;

/// The released versions of a flow of which runs may wait somewhere: their nets, and the schemas of their states. It is
/// a JSON file beside the code, which [`#[flow(lock = "…")]`](macro@crate::flow) names, and `pravah lock` writes.
///
/// ```
/// use pravah_runtime::{FlowLock, prelude::*};
///
/// mod v1 {
///     use pravah_runtime::prelude::*;
///
///     #[state] pub struct Order { pub cups: u32 }
///     #[state] pub struct Brewed { pub cups: u32 }
///     #[state] pub struct Served { pub cups: u32 }
///     #[node] fn brew(order: Order) -> Brewed { Brewed { cups: order.cups } }
///     #[node] fn serve(brewed: Brewed) -> Served { Served { cups: brewed.cups } }
///     #[flow] pub fn coffee(order: Order) -> Served { flow! { brew -> serve } }
/// }
///
/// /// Nothing is brewed any more.
/// mod v2 {
///     use pravah_runtime::prelude::*;
///
///     #[state] pub struct Order { pub cups: u32 }
///     #[state] pub struct Served { pub cups: u32 }
///     #[node] fn serve(order: Order) -> Served { Served { cups: order.cups } }
///     #[flow] pub fn coffee(order: Order) -> Served { flow! { serve } }
/// }
///
/// let mut lock = FlowLock::new("Order");
/// lock.add("1.0.0", &v1::coffee::graph()?);
/// assert!(lock.check(&v1::coffee::graph()?).is_ok());
///
/// let report = lock.check(&v2::coffee::graph()?);
/// let problems: Vec<String> = report.problems.iter().map(ToString::to_string).collect();
/// assert_eq!(problems, [
///     "version 1.0.0: after `brew`, a `Brewed` waits, and no node of this version takes it",
/// ]);
/// # Ok::<(), FlowError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FlowLock {
    format: u32,
    flow: String,
    versions: Vec<LockedVersion>,
}

impl FlowLock {
    /// A lock without versions, of the flow with this id: the name of its input, or with `#[flow(named)]` its own.
    pub fn new(flow: impl Into<String>) -> Self {
        Self {
            format: FORMAT,
            flow: flow.into(),
            versions: Vec::new(),
        }
    }

    /// Reads a lock from JSON.
    ///
    /// # Errors
    ///
    /// [`LockError::Invalid`] if it is no such JSON, [`LockError::Malformed`] if it is and yet is no lock,
    /// [`LockError::Conflict`] if it has conflict markers, and [`LockError::NewerFormat`] if a newer release of Pravah has
    /// written it.
    pub fn from_json(json: &str) -> Result<Self, LockError> {
        #[derive(Deserialize)]
        struct Head {
            format: u32,
        }
        let json = without_byte_order_mark(json);
        if has_conflict_markers(json) {
            return Err(LockError::Conflict);
        }
        let head: Head = serde_json::from_str(json)?;
        if head.format == 0 {
            return Err(LockError::Malformed {
                release: None,
                problem: "`format` is not a whole number from 1 on".to_owned(),
            });
        }
        if head.format > FORMAT {
            return Err(LockError::NewerFormat {
                found: head.format,
                known: FORMAT,
            });
        }
        let lock: Self = serde_json::from_str(json)?;
        for version in &lock.versions {
            if let Some(problem) = version.net.problem() {
                return Err(LockError::Malformed {
                    release: Some(version.release.clone()),
                    problem,
                });
            }
        }
        Ok(lock)
    }

    /// The lock as JSON, with a line for each node and each schema, so that changes are easy to review.
    pub fn to_json(&self) -> String {
        // Texts, numbers, lists and maps with texts as keys can always be written.
        json::to_lines(self).unwrap_or_default()
    }

    /// Reads a file. `None` if there is none, or it is empty.
    ///
    /// # Errors
    ///
    /// [`LockError::Io`] if it cannot be read, and those of [`from_json`](Self::from_json).
    pub fn read(path: impl AsRef<Path>) -> Result<Option<Self>, LockError> {
        let path = path.as_ref();
        match fs::read_to_string(path) {
            Ok(text) if is_empty(&text) => Ok(None),
            Ok(text) => Self::from_json(&text).map(Some),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
            Err(error) => Err(LockError::io(path, error)),
        }
    }

    /// Writes a file.
    ///
    /// # Errors
    ///
    /// [`LockError::Io`] if it cannot be written.
    pub fn write(&self, path: impl AsRef<Path>) -> Result<(), LockError> {
        let path = path.as_ref();
        fs::write(path, self.to_json()).map_err(|error| LockError::io(path, error))
    }

    /// The id of the flow.
    pub fn flow(&self) -> &str {
        &self.flow
    }

    /// The versions, in the order in which they were added.
    pub fn versions(&self) -> &[LockedVersion] {
        &self.versions
    }

    /// Adds a version under the name of its release. Returns whether it was missing: nothing changes where a version with
    /// the same net and schemas is there already, whatever its name.
    pub fn add(&mut self, release: impl Into<String>, graph: &FlowGraph) -> bool {
        let version = LockedVersion::of(release.into(), graph);
        let is_new = self.same_as(&version).is_none();
        if is_new {
            self.versions.push(version);
        }
        is_new
    }

    /// The version with the same net and schemas.
    fn same_as(&self, version: &LockedVersion) -> Option<&LockedVersion> {
        self.versions.iter().find(|it| it.is_same(version))
    }

    /// Removes the versions of a release, of which no run waits any more. Returns whether there was one.
    pub fn remove(&mut self, release: &str) -> bool {
        let before = self.versions.len();
        self.versions.retain(|version| version.release != release);
        self.versions.len() < before
    }

    /// Whether runs of all versions can go on in `graph`, wherever they are.
    ///
    /// Each run is checked once more when it is [loaded](crate::FlowRuntime::from_snapshot): what depends on more than the
    /// net and the schemas is found out then, such as the values in a state, tasks of agents, and states that are kept for a
    /// [`Latest<_>`](crate::Latest).
    pub fn check(&self, graph: &FlowGraph) -> LockReport {
        self.check_with(graph, &LoadOptions::new())
    }

    /// The same where runs are loaded with these options: what a migration reads or moves can go on.
    pub fn check_with(&self, graph: &FlowGraph, options: &LoadOptions) -> LockReport {
        check::check(self, graph, options)
    }
}

/// Whether a lock file with this text has no lock yet.
fn is_empty(text: &str) -> bool {
    without_byte_order_mark(text).trim().is_empty()
}

/// Whether `git` has left both sides of a merge in the text.
fn has_conflict_markers(text: &str) -> bool {
    text.lines().any(|line| line.starts_with("<<<<<<< "))
}

/// The text without what some editors put before it, which is no part of JSON.
fn without_byte_order_mark(text: &str) -> &str {
    text.strip_prefix('\u{feff}').unwrap_or(text)
}

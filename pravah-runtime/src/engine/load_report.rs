//! What a caller allows when a run is restored, and what is then said of it.

use std::collections::BTreeSet;

use crate::graph::FlowVersion;

/// How a snapshot may be loaded; see
/// [`FlowRuntime::from_snapshot_with`](crate::FlowRuntime::from_snapshot_with).
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct LoadOptions {
    pub(super) drop_progress: bool,
    pub(super) versions: Vec<FlowVersion>,
}

impl LoadOptions {
    /// As [`FlowRuntime::from_snapshot`](crate::FlowRuntime::from_snapshot) loads.
    pub fn new() -> Self {
        Self::default()
    }

    /// Drops what nodes have done towards the ends of their steps, where the flow has no use for it any more,
    /// instead of refusing the snapshot: the conversation of a node that is no longer an agent, the question
    /// of a gate whose answer is of another type, an item of a list that cannot go on. The node starts over:
    /// calls to models and tools are made again, and people are asked again. [`LoadReport::dropped`] says what
    /// was lost.
    #[must_use]
    pub fn drop_progress(mut self) -> Self {
        self.drop_progress = true;
        self
    }

    /// Makes an earlier version of the flow known. If the snapshot is of that one, its [`LoadReport`] says
    /// which nodes were added and which were removed. There may be several.
    #[must_use]
    pub fn with_version(mut self, version: FlowVersion) -> Self {
        self.versions.push(version);
        self
    }
}

/// What became of a run whose snapshot was of another version of its flow; see
/// [`FlowRuntime::load_report`](crate::FlowRuntime::load_report).
///
/// Nodes appear as in [`FlowVersion::nodes`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct LoadReport {
    /// The fingerprint of the version that the snapshot is of.
    pub fingerprint: String,
    /// Whether [`LoadOptions::with_version`] was called with that version. Otherwise `added`, `skipped` and
    /// `removed` are empty.
    pub is_version_known: bool,
    /// The nodes that the version of the snapshot did not have.
    pub added: BTreeSet<String>,
    /// Those of them that the run, or an item of a list in it, can no longer reach.
    pub skipped: BTreeSet<String>,
    /// The nodes that the flow does not have any more.
    pub removed: BTreeSet<String>,
    /// What of the snapshot the run did not take over.
    pub dropped: Vec<Dropped>,
}

/// What of a snapshot a run did not take over.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Dropped {
    /// The key that it has among the snapshot's [entries](crate::FlowSnapshot::entries).
    pub entry: String,
    /// Why there is no use for it.
    pub why: String,
}

//! What this process remembers of a run.

use std::{collections::BTreeMap, sync::Arc};

use serde_json::Value;

use super::{
    load_report::LoadReport,
    remote::cancelling::RemoteCancelling,
    state::{RunState, path::NodePath, rare::empty},
};
use crate::{agent::ClientHistory, error::FlowError, events::EventKind, sorted_map::SortedMap};

/// What this process remembers of a run; not part of its snapshot.
pub(super) struct Memory {
    pub(super) history: ClientHistory,
    /// The numbers of the questions that this process has not yet returned to the caller.
    pub(super) unannounced: SortedMap<u64, ()>,
    /// Where the questions are that were answered in this process.
    pub(super) answered: BTreeMap<String, NodePath>,
    /// The errors of the nodes that failed, with nothing left to try, in this process.
    pub(super) errors: BTreeMap<NodePath, FlowError>,
    /// The last failed node that was given another try.
    pub(super) tried_again: Option<NodePath>,
    /// What became of the run when it was restored from a snapshot of another version of its flow.
    pub(super) load_report: Option<Box<LoadReport>>,
    /// The state at the last `take_changes`.
    pub(super) changes_base: Option<Box<RunState>>,
    /// What the last step returned, in a document that somebody observes.
    pub(super) result: Option<Value>,
    /// The regions of a document that ended with the last step, from the inside out.
    pub(super) ended: Vec<EndedRegion>,
    /// The error that a dropped future was to return.
    pub(super) untold_error: Option<FlowError>,
    /// Whether the run is done, and the future that was to say so was dropped.
    pub(super) is_end_untold: bool,
    /// The remote tasks that are being cancelled.
    pub(super) cancelling: Option<Box<RemoteCancelling>>,
}

/// A region of a document, once it has ended: where it was, and what it is called.
pub(super) struct EndedRegion {
    pub(super) path: NodePath,
    pub(super) id: Arc<str>,
    /// The event that says so.
    pub(super) ended: EventKind,
}

empty!(Memory {
    history: ClientHistory::EMPTY,
    unannounced: SortedMap::new(),
    answered: BTreeMap::new(),
    errors: BTreeMap::new(),
    tried_again: None,
    load_report: None,
    changes_base: None,
    result: None,
    ended: Vec::new(),
    untold_error: None,
    is_end_untold: false,
    cancelling: None,
});

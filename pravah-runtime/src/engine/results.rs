//! What observers learn of the nodes of a document: their outputs, and when its regions start and end.

use std::sync::Arc;

use serde_json::Value;

use super::{
    memory::EndedRegion,
    run::Run,
    state::{frame::Frame, path::NodePath},
};
use crate::{
    events::EventKind,
    node::{Emission, Emitted},
};

impl Run {
    /// Whether somebody observes the run of a document.
    fn is_observed_document(&self) -> bool {
        !self.options.observers.is_empty() && self.known.phase.is_some()
    }

    /// Keeps what a node has returned, for its event.
    pub(super) fn note_result(&mut self, path: &NodePath, emitted: &Emitted) {
        if !self.is_observed_document() {
            return;
        }
        let rules = self
            .state
            .frame(&path.frame)
            .table
            .node(path.node)
            .rules
            .as_ref();
        let (said, result) = match (rules, &emitted.0) {
            (Some(rules), Emission::Branch(_, live)) => {
                (rules.rules.says(live), rules.rules.shown(live))
            }
            _ => (None, None),
        };
        self.memory.result = result;
        if let Some(said) = said {
            self.notify(path, || said);
        }
    }

    /// Notifies observers that a region starts, which is none that has started.
    pub(super) fn notify_region_start(&self, path: &NodePath) {
        if self.is_observed_document() {
            self.notify(path, || EventKind::NodeStarted);
        }
    }

    /// Notes which regions around the node at `path` have ended with its step.
    pub(super) fn note_ended_regions(&mut self, path: &NodePath) {
        if !self.is_observed_document() {
            return;
        }
        let mut ended = Vec::new();
        let mut table = Arc::clone(&self.state.root.table);
        for (depth, item) in path.frame.iter().enumerate() {
            let around = path.frame.get(..depth).unwrap_or_default();
            let frame = self.state.root.at(around);
            let has_ended = |frame: &Frame| !frame.progress.lists.contains(&item.list);
            let entry = table.node(item.list);
            if self.state.end.is_some() || frame.is_none_or(has_ended) {
                ended.push(EndedRegion {
                    path: NodePath::new(around, item.list),
                    id: Arc::clone(&entry.id),
                    result: frame.and_then(|frame| result_of(frame, item.list)),
                });
            }
            let Some(chain) = table.chain(item.list).cloned() else {
                break;
            };
            table = chain;
        }
        ended.reverse();
        self.memory.ended = ended;
    }
}

/// What is kept of a region.
fn result_of(frame: &Frame, region: crate::graph::NodeIx) -> Option<Value> {
    let entry = frame.table.node(region);
    let kept = entry.outputs.first()?.kept_as.first()?;
    let kept = frame.latest.get(kept)?;
    entry.rules.as_ref()?.rules.shown(&kept.live)
}

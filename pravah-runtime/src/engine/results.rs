//! What observers learn of the nodes of a document: their outputs, and when its regions start and end.

use std::sync::Arc;

use serde_json::Value;

use super::{
    memory::EndedRegion,
    notify::is_shown,
    run::Run,
    state::{End, frame::Frame, path::NodePath},
};
use crate::{
    events::{DocumentQuestion, EventKind, FailureOutcome},
    node::{Emission, Emitted, FailureKind},
};

impl Run {
    /// Whether somebody observes the run of a document.
    fn is_observed_document(&self) -> bool {
        !self.options.observers.is_empty() && self.known.phase.is_some()
    }

    /// Keeps what a node has returned, for its event.
    pub(super) fn note_result(&mut self, path: &NodePath, emitted: &Emitted) {
        if self.is_observed_document() {
            self.note_result_slow(path, emitted);
        }
    }

    #[cold]
    fn note_result_slow(&mut self, path: &NodePath, emitted: &Emitted) {
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

    /// The event of a question: of a document it says what is asked.
    pub(super) fn asked(&self, id: &str, number: u64, question: &Value) -> EventKind {
        let metadata = question.get("metadata");
        let allow_text = metadata.and_then(|it| it.get("allowText")?.as_bool());
        let prompt = question.get("prompt").and_then(Value::as_str);
        let (true, Some(allow_text), Some(prompt)) =
            (self.known.phase.is_some(), allow_text, prompt)
        else {
            return EventKind::question_asked(id, number);
        };
        let choices = metadata.and_then(|it| it.get("choices")?.as_array());
        let choices = choices.map(|all| all.iter().filter_map(Value::as_str).map(str::to_owned));
        let gate = DocumentQuestion {
            prompt: prompt.to_owned(),
            choices: choices.map(Iterator::collect),
            allow_text,
        };
        EventKind::gate_question_asked(id, number, gate)
    }

    /// Notifies observers that a region starts, which is none that has started.
    pub(super) fn notify_region_start(&self, path: &NodePath) {
        if self.is_observed_document() && is_shown(&self.node_id(path)) {
            self.notify(path, || EventKind::NodeStarted);
        }
    }

    /// Notes which regions around the node at `path` have ended with its step.
    pub(super) fn note_ended_regions(&mut self, path: &NodePath) {
        if self.is_observed_document() {
            self.memory.ended = self.ended_regions(path);
        }
    }

    #[cold]
    fn ended_regions(&self, path: &NodePath) -> Vec<EndedRegion> {
        let mut ended = Vec::new();
        let mut table = Arc::clone(&self.state.root.table);
        for (depth, item) in path.frame.iter().enumerate() {
            let around = path.frame.get(..depth).unwrap_or_default();
            let frame = self.state.root.at(around);
            let has_ended = |frame: &Frame| !frame.progress.lists.contains(&item.list);
            let entry = table.node(item.list);
            let is_over = self.state.end.is_some() || frame.is_none_or(has_ended);
            if is_over && is_shown(&entry.id) {
                let result = frame.and_then(|frame| result_of(frame, item.list));
                let result = result.or_else(|| self.output_of(&entry.id));
                ended.push(EndedRegion {
                    path: NodePath::new(around, item.list),
                    id: Arc::clone(&entry.id),
                    ended: end_of(result),
                });
            }
            let Some(chain) = table.inner(item.list).cloned() else {
                break;
            };
            table = chain;
        }
        ended.reverse();
        ended
    }

    /// What a run that is done returns of a node.
    fn output_of(&self, node: &str) -> Option<Value> {
        let Some(End::Done(output)) = &self.state.end else {
            return None;
        };
        let output = output.to_value().ok()?;
        output.get("outputs")?.get(node).cloned()
    }

    /// Notifies observers that the regions have failed around nodes that have.
    #[cfg(feature = "documents")]
    pub(super) fn notify_failed_regions(&self) {
        for path in self.state.waits.failed() {
            let frame = self.state.root.at(&path.frame);
            let failed = frame.and_then(|frame| frame.progress.failed.get(&path.node));
            let Some(failed) = failed else { continue };
            for (depth, item) in path.frame.iter().enumerate().rev() {
                let around = path.frame.get(..depth).unwrap_or_default();
                let region = NodePath::new(around, item.list);
                if is_shown(&self.node_id(&region)) {
                    let outcome = FailureOutcome::Unhandled;
                    self.notify(&region, || {
                        EventKind::node_failed(failed.kind, &*failed.message, outcome)
                    });
                }
            }
        }
    }
}

/// The event of a region that has ended with this, which may be the marker of a failure.
fn end_of(result: Option<Value>) -> EventKind {
    let error = result.as_ref().and_then(|result| {
        let has_failed = result.get("failed")? == true;
        result.get("error").filter(|_| has_failed)
    });
    let Some(error) = error else {
        return EventKind::NodeEnded { result };
    };
    let kind = error.get("kind").cloned().unwrap_or_default();
    let kind = serde_json::from_value(kind).unwrap_or(FailureKind::Error);
    let message = error.get("message").and_then(Value::as_str);
    EventKind::node_failed(kind, message.unwrap_or_default(), FailureOutcome::Caught)
}

/// What is kept of a region.
fn result_of(frame: &Frame, region: crate::graph::NodeIx) -> Option<Value> {
    let entry = frame.table.node(region);
    let kept = entry.outputs.first()?.kept_as.first()?;
    let kept = frame.latest.get(kept)?;
    entry.rules.as_ref()?.rules.shown(&kept.live)
}

//! The runs that are shown, each by a channel of it.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use serde::Serialize;

use crate::{
    error::BoxError,
    events::{EventKind, FlowEvent},
    hub::{Channel, Hub},
};

/// The runs that are shown, by their ids.
#[derive(Default)]
pub(super) struct Runs(Mutex<BTreeMap<Arc<str>, ShownRun>>);

/// A run that is shown.
#[derive(Clone)]
pub(super) struct ShownRun {
    pub(super) hub: Hub,
    /// What each node that has started did last, since the run was shown.
    pub(super) nodes: BTreeMap<String, NodeState>,
}

/// What a node does.
#[derive(Clone, Copy, Serialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum NodeState {
    Running,
    Asking,
    Failed,
    Done,
}

impl NodeState {
    /// What a node does once this has happened to it.
    fn after(event: &EventKind) -> Option<Self> {
        Some(match event {
            EventKind::NodeStarted | EventKind::Replied { .. } => Self::Running,
            EventKind::Asked { .. } => Self::Asking,
            EventKind::Failed { .. } => Self::Failed,
            EventKind::NodeEnded => Self::Done,
            _ => return None,
        })
    }
}

impl Runs {
    pub(super) fn shown(&self) -> MutexGuard<'_, BTreeMap<Arc<str>, ShownRun>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Shows one run. Its events go to each connection from the hub, so that a slow one holds no other.
pub(super) struct WebChannel {
    runs: Arc<Runs>,
    run_id: Option<Arc<str>>,
}

impl WebChannel {
    pub(super) fn new(runs: Arc<Runs>) -> Self {
        let run_id = None;
        Self { runs, run_id }
    }

    fn hide(&mut self) {
        if let Some(id) = self.run_id.take() {
            self.runs.shown().remove(&id);
        }
    }
}

impl Channel for WebChannel {
    fn name(&self) -> &str {
        "web"
    }

    async fn on_start(&mut self, hub: Hub) -> Result<(), BoxError> {
        let id = hub.run_id();
        let mut shown = self.runs.shown();
        if shown.contains_key(&id) {
            return Err(format!("a run `{id}` is shown already").into());
        }
        let nodes = BTreeMap::new();
        shown.insert(Arc::clone(&id), ShownRun { hub, nodes });
        self.run_id = Some(id);
        Ok(())
    }

    async fn on_event(&mut self, event: FlowEvent) -> Result<(), BoxError> {
        let mut shown = self.runs.shown();
        let Some(run) = self.run_id.as_ref().and_then(|id| shown.get_mut(id)) else {
            return Ok(());
        };
        if let EventKind::Missed { .. } = event.kind {
            // Any of them may have done something else since.
            run.nodes.clear();
        }
        if let (Some(node), Some(state)) = (event.node, NodeState::after(&event.kind)) {
            run.nodes.insert(node, state);
        }
        Ok(())
    }

    async fn on_complete(&mut self) -> Result<(), BoxError> {
        self.hide();
        Ok(())
    }
}

impl Drop for WebChannel {
    fn drop(&mut self) {
        self.hide();
    }
}

//! The runs that are shown, each by a channel of it.

use std::{
    collections::{BTreeMap, VecDeque},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use serde::Serialize;

use crate::{
    cancel::CancelToken,
    error::BoxError,
    events::{EventKind, FlowEvent},
    hub::{Channel, Hub},
};

/// How many of the runs that were shown are known to have been.
const MAX_HIDDEN: usize = 1024;

/// The runs that are shown, by their ids.
#[derive(Default)]
pub(super) struct Runs(Mutex<Known>);

#[derive(Default)]
pub(super) struct Known {
    pub(super) shown: BTreeMap<Arc<str>, ShownRun>,
    /// Those that were shown, the last one last.
    hidden: VecDeque<Arc<str>>,
}

/// A run that is shown.
#[derive(Clone)]
pub(super) struct ShownRun {
    pub(super) hub: Hub,
    /// Set once it is not shown any more: whoever has its events or may command it learns that.
    pub(super) is_hidden: CancelToken,
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
            EventKind::NodeStarted | EventKind::QuestionAnswered { .. } => Self::Running,
            EventKind::QuestionAsked { .. } => Self::Asking,
            EventKind::NodeFailed { .. } => Self::Failed,
            EventKind::NodeEnded { .. } => Self::Done,
            _ => return None,
        })
    }
}

impl Runs {
    pub(super) fn known(&self) -> MutexGuard<'_, Known> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Known {
    /// Whether the run of this id is not shown any more.
    pub(super) fn was_shown(&self, id: &str) -> bool {
        self.hidden.iter().any(|hidden| &**hidden == id)
    }

    fn hide(&mut self, id: Arc<str>) {
        if let Some(run) = self.shown.remove(&id) {
            run.is_hidden.cancel();
        }
        self.hidden.retain(|hidden| *hidden != id);
        if self.hidden.len() >= MAX_HIDDEN {
            self.hidden.pop_front();
        }
        self.hidden.push_back(id);
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
            self.runs.known().hide(id);
        }
    }
}

impl Channel for WebChannel {
    fn name(&self) -> &str {
        "web"
    }

    async fn on_start(&mut self, hub: Hub) -> Result<(), BoxError> {
        let id = hub.run_id();
        let shown = &mut self.runs.known().shown;
        if shown.contains_key(&id) {
            return Err(format!("a run `{id}` is shown already").into());
        }
        let run = ShownRun {
            hub,
            is_hidden: CancelToken::default(),
            nodes: BTreeMap::new(),
        };
        shown.insert(Arc::clone(&id), run);
        self.run_id = Some(id);
        Ok(())
    }

    async fn on_event(&mut self, event: FlowEvent) -> Result<(), BoxError> {
        let shown = &mut self.runs.known().shown;
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

//! Agents that run elsewhere: what the run knows of their tasks, and which of these are to be cancelled.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{RunState, path::NodePath, rare::empty, waits::WaitIndex};
use crate::{invocation::RemoteHandle, json, numbers::is_zero, sorted_map::SortedMap};

/// How far a node has come whose work is done elsewhere.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct RemoteProgress {
    /// The task, once it has started.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) handle: Option<Arc<RemoteHandle>>,
    /// From where it is followed on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) cursor: Option<Arc<str>>,
    /// What its questions were answered with, as far as the runner has not taken it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) answers: Vec<RemoteAnswer>,
    /// Whether it has ended where it ran.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(crate) has_ended: bool,
    /// How often in a row the runner could not be reached.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub(crate) tries: u32,
}

/// An answer to a question of a task that runs elsewhere.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct RemoteAnswer {
    /// What the run calls the question.
    pub(crate) id: Arc<str>,
    /// What the runner knows it by.
    pub(crate) question_id: Arc<str>,
    /// What was asked, if the answer does not fit.
    #[serde(deserialize_with = "json::value")]
    pub(crate) question: Arc<Value>,
    #[serde(deserialize_with = "json::value")]
    pub(crate) payload: Arc<Value>,
}

impl RemoteProgress {
    /// The task, if it may still go on.
    pub(super) fn open(&self) -> Option<&Arc<RemoteHandle>> {
        self.handle.as_ref().filter(|_| !self.has_ended)
    }
}

/// The tasks to be cancelled that nobody waits for any more, by their ids.
#[derive(Clone)]
pub(crate) struct RemoteCancels {
    pub(crate) tasks: SortedMap<Arc<str>, Arc<RemoteHandle>>,
}

empty!(RemoteCancels {
    tasks: SortedMap::new(),
});

impl RunState {
    /// What the node at `path` knows of its task.
    pub(crate) fn remote(&self, path: &NodePath) -> Option<&Arc<RemoteProgress>> {
        let frame = self.root.at(&path.frame)?;
        frame.progress.remotes.get(&path.node)
    }

    /// Changes what the node at `path` knows of its task.
    pub(crate) fn change_remote(
        &mut self,
        path: &NodePath,
        change: impl FnOnce(&mut RemoteProgress),
    ) {
        let before = self.remote(path).cloned().unwrap_or_default();
        let mut progress = Arc::clone(&before);
        change(Arc::make_mut(&mut progress));
        match (before.open(), progress.open()) {
            (None, Some(handle)) => self.waits.add_remote(path.clone(), Arc::clone(handle)),
            (Some(_), None) => self.waits.remove_remote(path),
            _ => {}
        }
        let frame = self.frame_mut(&path.frame);
        frame.progress.remotes.insert(path.node, progress);
    }

    /// Forgets the task of the node at `path`, which starts over: the task is cancelled if it may still go on.
    pub(crate) fn drop_remote(&mut self, path: &NodePath) {
        let frame = self.frame_mut(&path.frame);
        let remotes = frame.progress.get_mut();
        let dropped = remotes.and_then(|progress| progress.remotes.remove(&path.node));
        if let Some(handle) = dropped.as_ref().and_then(|progress| progress.open()) {
            self.waits.remove_remote(path);
            self.cancel_remote(handle);
        }
    }

    /// Takes what is about to go out of the index. Tasks elsewhere are cancelled with what has waited for them.
    pub(crate) fn forget_waits(&mut self, gone: &WaitIndex) {
        self.waits.remove_all(gone);
        for handle in gone.remotes() {
            self.cancel_remote(handle);
        }
    }

    /// Cancels all tasks elsewhere: the run has ended.
    pub(crate) fn cancel_remotes(&mut self) {
        let open: Vec<_> = self.waits.remotes().cloned().collect();
        for handle in &open {
            self.cancel_remote(handle);
        }
    }

    fn cancel_remote(&mut self, handle: &Arc<RemoteHandle>) {
        let task_id = handle.task_id.as_str().into();
        self.remote_cancels
            .tasks
            .insert(task_id, Arc::clone(handle));
    }
}

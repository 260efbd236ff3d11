//! Remote agents: what the run knows of their tasks, and which of these are to be cancelled.

use std::sync::Arc;

use super::{
    RunState,
    path::NodePath,
    remote_task::{KnownTask, RemoteProgress},
    waits::WaitIndex,
};

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
        if let Some(before) = self.remote(path) {
            let mut progress = (**before).clone();
            change(&mut progress);
            self.set_remote(path, progress);
        }
    }

    /// Notes what the node at `path` knows of its task.
    pub(crate) fn set_remote(&mut self, path: &NodePath, progress: RemoteProgress) {
        match progress.running_task() {
            Some(task) => self.waits.add_remote(path.clone(), Arc::clone(task)),
            None => self.waits.remove_remote(path),
        }
        let frame = self.frame_mut(&path.frame);
        frame.progress.remotes.insert(path.node, progress.into());
    }

    /// Forgets the task of the node at `path`, which starts over: the task is cancelled if it may still go on.
    pub(crate) fn drop_remote(&mut self, path: &NodePath) {
        let frame = self.frame_mut(&path.frame);
        let remotes = frame.progress.get_mut();
        let dropped = remotes.and_then(|progress| progress.remotes.remove(&path.node));
        if let Some(task) = dropped
            .as_ref()
            .and_then(|progress| progress.running_task())
        {
            self.waits.remove_remote(path);
            self.cancel_remote(task);
        }
    }

    /// Takes what is about to go out of the index. Remote tasks are cancelled with what has waited for them.
    pub(crate) fn forget_waits(&mut self, gone: &WaitIndex) {
        self.waits.remove_all(gone);
        for task in gone.remotes() {
            self.cancel_remote(task);
        }
    }

    /// Cancels all remote tasks: the run has ended.
    pub(crate) fn cancel_remotes(&mut self) {
        let open: Vec<_> = self.waits.remotes().cloned().collect();
        for task in &open {
            self.cancel_remote(task);
        }
    }

    pub(crate) fn cancel_remote(&mut self, task: &Arc<KnownTask>) {
        let tasks = &mut self.remote_cancels.tasks;
        tasks.insert(task.task_id().into(), Arc::clone(task));
    }
}

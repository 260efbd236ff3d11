//! Cancelling remote tasks that nobody waits for any more. It goes on beside the steps of the run, and a run that has
//! ended waits for it.

use std::{
    sync::Arc,
    task::{Context as Task, Poll},
};

use crate::{
    engine::run::Run,
    events::{EventKind, RemoteEvent},
    invocation::{RunnerError, RunnerErrorKind},
};

impl Run {
    /// Whether there are tasks to be cancelled.
    #[inline]
    pub(in crate::engine) fn has_remote_cancels(&self) -> bool {
        !self.state.remote_cancels.is_unchanged() && !self.state.remote_cancels.tasks.is_empty()
    }

    /// Goes on with cancelling tasks, as far as that is possible now. Ready when there are none left.
    #[inline]
    pub(in crate::engine) fn poll_remote_cancels(&mut self, task: &mut Task<'_>) -> Poll<()> {
        match self.has_remote_cancels() {
            true => self.cancel_remote_tasks(task),
            false => Poll::Ready(()),
        }
    }

    #[cold]
    fn cancel_remote_tasks(&mut self, task: &mut Task<'_>) -> Poll<()> {
        loop {
            let cancelling = self.memory.cancelling.get_or_insert_default();
            for known in self.state.remote_cancels.tasks.values() {
                cancelling.start(known, &self.options.runners, &self.clock);
            }
            match cancelling.poll_next(task) {
                Poll::Pending => return Poll::Pending,
                Poll::Ready(None) => return Poll::Ready(()),
                Poll::Ready(Some((task_id, outcome))) => {
                    self.note_cancelled(&task_id, outcome);
                }
            }
        }
    }

    /// Notes the outcome. What has no runner in this process stays to be cancelled in another one.
    fn note_cancelled(&mut self, task_id: &Arc<str>, outcome: Result<(), RunnerError>) {
        let is_unknown = |error: &RunnerError| error.kind() == RunnerErrorKind::UnknownRunner;
        if !outcome.as_ref().is_err_and(is_unknown) {
            self.state.remote_cancels.tasks.remove(task_id);
            if let Some(cancelling) = &mut self.memory.cancelling {
                cancelling.forget(task_id);
            }
        }
        if let Err(error) = outcome {
            let why = error.to_string();
            tracing::warn!(task_id = &**task_id, error = why, "a remote task may go on");
            self.notify_run(|| EventKind::Remote(RemoteEvent::cancel_failed(&**task_id, why)));
        }
    }
}

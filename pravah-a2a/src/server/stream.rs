//! A task as a stream.

use std::{future::ready, sync::Arc};

use a2a::{Message, StreamResponse, TaskState};
use futures_util::{
    Stream, StreamExt as _,
    stream::{once, unfold},
};
use tokio::sync::watch;

use super::task::{Task, View, is_settled, status};

/// A task at some time.
pub(super) struct TaskSnapshot {
    task: a2a::Task,
    /// How many updates it had then.
    seen: usize,
}

impl TaskSnapshot {
    /// The same once the task has accepted a message.
    pub(super) fn with_answer(mut self, message: &Message, view: View) -> Self {
        self.task.status = status(TaskState::Working, None);
        let history = self.task.history.get_or_insert_default();
        history.push(message.clone());
        let length = view.history_length.unwrap_or(usize::MAX);
        history.drain(..history.len().saturating_sub(length));
        self
    }
}

impl Task {
    /// The task as it is now, for a stream of what happens from now on.
    pub(super) fn snapshot(&self, view: View) -> TaskSnapshot {
        let (task, seen) = self.view_with_updates(view);
        TaskSnapshot { task, seen }
    }

    /// The task as it was at `snapshot`, and what has happened and happens in it from then on, to its end. With
    /// `until_question` also to a question.
    pub(super) fn stream(
        self: Arc<Self>,
        snapshot: TaskSnapshot,
        until_question: bool,
    ) -> impl Stream<Item = StreamResponse> + Send + use<> {
        let TaskSnapshot { task: first, seen } = snapshot;
        let start = Following {
            has_ended: is_last(&first.status.state, until_question),
            updates: self.update_count(),
            task: self,
            seen,
        };
        let rest = unfold(start, move |mut it| async move {
            let update = it.next(until_question).await?;
            Some((update, it))
        });
        once(ready(StreamResponse::Task(first))).chain(rest)
    }
}

struct Following {
    task: Arc<Task>,
    updates: watch::Receiver<usize>,
    seen: usize,
    has_ended: bool,
}

impl Following {
    async fn next(&mut self, until_question: bool) -> Option<StreamResponse> {
        while !self.has_ended {
            self.updates.mark_unchanged();
            if let Some(update) = self.task.update(self.seen) {
                self.seen = self.seen.saturating_add(1);
                if let StreamResponse::StatusUpdate(update) = &update {
                    self.has_ended = is_last(&update.status.state, until_question);
                }
                return Some(update);
            }
            self.updates.changed().await.ok()?;
        }
        None
    }
}

fn is_last(state: &TaskState, until_question: bool) -> bool {
    match until_question {
        true => is_settled(state),
        false => state.is_terminal(),
    }
}

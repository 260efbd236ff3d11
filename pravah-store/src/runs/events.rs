//! The history of a run as a stream.

use std::{
    collections::VecDeque,
    fmt,
    pin::Pin,
    sync::Arc,
    task::{Context, Poll},
    time::Duration,
};

use futures_util::{Stream, StreamExt as _, stream};
use tokio::time::sleep;

use crate::{HistoryRow, Notifications, RunKey, RunStore, StoreError, time};

/// How many rows are read at once.
const PAGE: usize = 256;

type Row = Result<HistoryRow, StoreError>;

/// What the history of a run says, as it grows; see [`Runs::events`](super::Runs::events).
///
/// It ends when the run has ended, and after an error: [`StoreError::NotFound`] if there is no such run, also where it
/// was pruned meanwhile. After an error of the database another stream continues, from the step that would have come next.
///
/// It is a [`Stream`] for all that takes one; [`next`](Self::next) needs no other crate. Whoever reads it slowly misses
/// nothing: rows are read from the store.
#[must_use = "streams do nothing unless polled"]
pub struct RunEvents(Pin<Box<dyn Stream<Item = Row> + Send>>);

impl RunEvents {
    pub(super) fn follow(store: Arc<dyn RunStore>, key: RunKey, step: u64, poll: Duration) -> Self {
        let follower = Follower {
            notifications: store.commit_notifications(),
            store,
            key,
            next: step,
            rows: VecDeque::new(),
            is_over: false,
            poll,
        };
        let rows = stream::unfold(follower, |mut follower| async move {
            let row = follower.next().await?;
            Some((row, follower))
        });
        // It may be asked again after its end.
        Self(Box::pin(rows.fuse()))
    }

    pub(super) fn failed(error: StoreError) -> Self {
        Self(Box::pin(stream::iter([Err(error)])))
    }

    /// The next row; `None` once the run has ended and all was read, or after an error. Dropping the future loses none.
    pub async fn next(&mut self) -> Option<Row> {
        self.0.next().await
    }
}

impl Stream for RunEvents {
    type Item = Row;

    fn poll_next(mut self: Pin<&mut Self>, task: &mut Context<'_>) -> Poll<Option<Row>> {
        self.0.poll_next_unpin(task)
    }
}

impl fmt::Debug for RunEvents {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RunEvents").finish_non_exhaustive()
    }
}

struct Follower {
    store: Arc<dyn RunStore>,
    key: RunKey,
    notifications: Notifications,
    /// The step whose row is read next.
    next: u64,
    rows: VecDeque<HistoryRow>,
    is_over: bool,
    poll: Duration,
}

impl Follower {
    async fn next(&mut self) -> Option<Row> {
        loop {
            if let Some(row) = self.rows.pop_front() {
                return Some(Ok(row));
            }
            if self.is_over {
                return None;
            }
            // All that was said before is read now.
            self.notifications.clear();
            if let Err(error) = self.read().await {
                self.is_over = true;
                return Some(Err(error));
            }
            if self.rows.is_empty() && !self.is_over {
                self.wait().await;
            }
        }
    }

    /// Reads the rows that have come. Where there are none it costs no look at the history.
    async fn read(&mut self) -> Result<(), StoreError> {
        let info = self.store.get(&self.key).await?;
        if info.step < self.next {
            self.is_over = info.status.has_ended();
            return Ok(());
        }
        let rows = self.store.history(&self.key, self.next, PAGE).await?;
        if let Some(last) = rows.last() {
            self.next = last.step.saturating_add(1);
        }
        self.rows = rows.into();
        Ok(())
    }

    /// Waits until there may be a row.
    async fn wait(&mut self) {
        tokio::select! {
            () = self.notifications.of(&self.key) => {}
            () = sleep(time::jittered(self.poll)) => {}
        }
    }
}

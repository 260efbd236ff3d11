//! Stopping a run from outside: for good, or for a while.

use std::{
    future::{Future, poll_fn},
    mem::replace,
    pin::Pin,
    sync::Arc,
    task::{Context as Task, Poll},
    time::Duration,
};

use super::{
    clock::Sleep,
    run::{Run, node_id},
    runtime::FlowRuntime,
    state::End,
};
use crate::{error::FlowError, events::EventKind, node::FailureKind, numbers::millis};

impl<F> FlowRuntime<F> {
    /// Ends the run: bodies in flight are notified ([`Context::cancelled`](crate::Context::cancelled)) and, once
    /// the [grace](Self::with_cancel_grace) has passed, dropped. What they return is not committed. The
    /// states stay where they wait, for whoever wants to see them, and the snapshot says that the run was
    /// cancelled.
    ///
    /// Remote tasks are cancelled too: the future ends once each of their [runners](crate::invocation::Runner) has done so
    /// or given up, which takes 35 seconds at most. If it is dropped before, [`next`](Self::next) goes on with that, also
    /// in a run that is restored.
    ///
    /// Dropping the future ends the grace: the run is cancelled all the same.
    ///
    /// # Errors
    ///
    /// [`FlowError::Finished`] or [`FlowError::Cancelled`] if the run has ended before.
    pub async fn cancel(&mut self, reason: impl Into<String>) -> Result<(), FlowError> {
        self.inner.check_not_ended()?;
        let grace = self.inner.start_cancel(reason.into().into());
        let run = &mut self.inner;
        Cancelling { run, grace }.await;
        let run = &mut self.inner;
        poll_fn(move |task| run.poll_remote_cancels(task)).await;
        Ok(())
    }

    /// Lets the run make no further step: from now on [`next`](Self::next) is
    /// [`RunOut::Waiting`](crate::RunOut::Waiting), once what is in flight is committed. That a run is
    /// paused is in its snapshot.
    pub fn pause(&mut self) {
        self.inner.set_paused(true);
    }

    /// Lets a run go on that was [paused](Self::pause).
    pub fn unpause(&mut self) {
        self.inner.set_paused(false);
    }

    /// How long bodies in flight have to end when the run is [cancelled](Self::cancel): no time unless set.
    #[must_use]
    pub fn with_cancel_grace(mut self, grace: Duration) -> Self {
        self.inner.options.cancel_grace = grace;
        self
    }
}

/// A run that was cancelled, until its last bodies have ended or nobody waits for them any more.
struct Cancelling<'a> {
    run: &'a mut Run,
    grace: Option<Sleep>,
}

impl Future for Cancelling<'_> {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, task: &mut Task<'_>) -> Poll<()> {
        let Self { run, grace } = &mut *self;
        run.poll_grace(grace, task)
    }
}

impl Drop for Cancelling<'_> {
    fn drop(&mut self) {
        self.run.end_cancel();
    }
}

impl Run {
    /// Cancels the run. Returns the time that what is in flight has to end.
    pub(super) fn start_cancel(&mut self, reason: Arc<str>) -> Option<Sleep> {
        let grace = self.grace();
        self.view.cancel();
        self.state.end = Some(End::Cancelled(Arc::clone(&reason)));
        self.state.cancel_remotes();
        self.publish_status();
        self.notify_run(|| EventKind::run_cancelled(&*reason));
        grace
    }

    /// Polls what is in flight until all of it has ended, or its time is over.
    pub(super) fn poll_grace(
        &mut self,
        grace: &mut Option<Sleep>,
        task: &mut Task<'_>,
    ) -> Poll<()> {
        let Some(grace) = grace else {
            return Poll::Ready(());
        };
        let Self { flights, state, .. } = self;
        flights.poll(task, |path| {
            node_id(state, &path.frame, path.node).to_string()
        });
        match flights.is_landed() {
            true => Poll::Ready(()),
            false => grace.as_mut().poll(task),
        }
    }

    /// Drops what is still in flight. The run has ended then, also where nobody waited for its last bodies.
    pub(super) fn end_cancel(&mut self) {
        self.flights.clear();
        self.notify_cancelled();
        self.cancel_all_tasks();
        self.end_span(Some(FailureKind::Cancelled));
    }

    pub(super) fn set_paused(&mut self, is_paused: bool) {
        let was_paused = replace(&mut self.state.is_paused, is_paused);
        if was_paused != is_paused && self.state.end.is_none() {
            self.publish_status();
            self.notify_run(|| match is_paused {
                true => EventKind::RunPaused,
                false => EventKind::RunUnpaused,
            });
        }
    }

    /// The time that what is in flight has to end.
    fn grace(&self) -> Option<Sleep> {
        let grace = self.options.cancel_grace;
        if grace.is_zero() || self.flights.is_empty() {
            return None;
        }
        let until = self.now().saturating_add(millis(grace));
        Some(self.clock.sleep_until(until))
    }
}

//! Stopping a run from outside: for good, or for a while.

use std::{
    future::poll_fn,
    mem::{replace, take},
    sync::Arc,
    task::Poll,
    time::Duration,
};

use super::{
    clock::Sleep,
    run::Run,
    runtime::FlowRuntime,
    state::{End, path::NodePath},
};
use crate::{error::FlowError, events::EventKind, numbers::millis};

impl<F> FlowRuntime<F> {
    /// Ends the run: bodies in flight are notified ([`Context::cancelled`](crate::Context::cancelled)) and, once
    /// the [grace](Self::with_cancel_grace) has passed, dropped. What they return is not committed. The
    /// states stay where they wait, for whoever wants to see them, and the snapshot says that the run was
    /// cancelled.
    ///
    /// Dropping the future ends the grace: the run is cancelled all the same.
    ///
    /// # Errors
    ///
    /// [`FlowError::Finished`] or [`FlowError::Cancelled`] if the run has ended before.
    pub async fn cancel(&mut self, reason: impl Into<String>) -> Result<(), FlowError> {
        self.run.check_not_ended()?;
        let grace = self.run.grace();
        self.run.view.cancel();
        let reason: Arc<str> = reason.into().into();
        self.run.state.end = Some(End::Cancelled(Arc::clone(&reason)));
        self.run.notify_run(|| EventKind::cancelled(&*reason));
        let taken = take(&mut self.run.flights);
        // Whoever does not wait for them drops them, and then the run has ended.
        let _ending = Ending(&self.run);
        let mut flights = taken;
        if let Some(mut grace) = grace {
            let id = |path: &NodePath| self.run.node_id(path).to_string();
            poll_fn(|task| {
                flights.poll(task, id);
                match flights.is_landed() {
                    true => Poll::Ready(()),
                    false => grace.as_mut().poll(task),
                }
            })
            .await;
        }
        flights.clear();
        Ok(())
    }

    /// Lets the run make no further step: from now on [`next`](Self::next) is
    /// [`RunOut::Waiting`](crate::RunOut::Waiting), once what is in flight is committed. That a run is
    /// paused is in its snapshot.
    pub fn pause(&mut self) {
        self.run.set_paused(true);
    }

    /// Lets a run go on that was [paused](Self::pause).
    pub fn unpause(&mut self) {
        self.run.set_paused(false);
    }

    /// How long bodies in flight have to end when the run is [cancelled](Self::cancel): no time unless set.
    #[must_use]
    pub fn with_cancel_grace(mut self, grace: Duration) -> Self {
        self.run.options.cancel_grace = grace;
        self
    }
}

/// Tells observers that a cancelled run has ended, also where nobody waits for its last bodies.
struct Ending<'a>(&'a Run);

impl Drop for Ending<'_> {
    fn drop(&mut self) {
        self.0.notify_cancelled();
    }
}

impl Run {
    fn set_paused(&mut self, is_paused: bool) {
        let was_paused = replace(&mut self.state.is_paused, is_paused);
        if was_paused != is_paused && self.state.end.is_none() {
            self.notify_run(|| match is_paused {
                true => EventKind::Paused,
                false => EventKind::Unpaused,
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

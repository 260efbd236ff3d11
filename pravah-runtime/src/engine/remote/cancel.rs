//! Cancelling tasks elsewhere that nobody waits for any more. It goes on beside the steps of the run, and a run that has
//! ended waits for it.

use std::{
    pin::Pin,
    sync::{Arc, Mutex},
    task::{Context as Task, Poll, ready},
};

use futures_util::future::join_all;

use crate::{
    agent::backoff,
    engine::{clock::RunClock, run::Run},
    events::{EventKind, RemoteEvent},
    invocation::{RemoteHandle, Runner, RunnerError},
    numbers::millis,
};

/// How often a task is tried to be cancelled whose runner cannot be reached.
const TRIES: u32 = 3;

/// Tasks that are being cancelled, until it is known of each whether that was possible. The lock is never taken: it makes
/// a run that holds this one that threads can share.
pub(in crate::engine) struct RemoteCancelling(Mutex<CancelFuture>);

type CancelFuture = Pin<Box<dyn Future<Output = Vec<Cancelled>> + Send>>;

type Cancelled = (Arc<RemoteHandle>, Result<(), RunnerError>);

impl Run {
    /// Whether there are tasks to be cancelled.
    #[inline]
    pub(in crate::engine) fn has_remote_cancels(&self) -> bool {
        !self.state.remote_cancels.is_unchanged() && !self.state.remote_cancels.tasks.is_empty()
    }

    /// Goes on with cancelling tasks. Ready when there are none left.
    pub(in crate::engine) fn poll_remote_cancels(&mut self, task: &mut Task<'_>) -> Poll<()> {
        while self.has_remote_cancels() {
            let mut cancelling = match self.memory.cancelling.take() {
                Some(cancelling) => cancelling,
                None => self.start_remote_cancels(),
            };
            let polled = cancelling.poll(task);
            if polled.is_pending() {
                self.memory.cancelling = Some(cancelling);
            }
            for (handle, outcome) in ready!(polled) {
                self.state
                    .remote_cancels
                    .tasks
                    .remove(&Arc::from(&*handle.task_id));
                if let Err(error) = outcome {
                    let (task_id, why) = (&*handle.task_id, error.to_string());
                    self.notify_run(|| EventKind::Remote(RemoteEvent::cancel_failed(task_id, why)));
                }
            }
        }
        Poll::Ready(())
    }

    fn start_remote_cancels(&self) -> RemoteCancelling {
        let runners = &self.options.runners;
        let tasks = self.state.remote_cancels.tasks.values();
        let cancelled = tasks.map(|handle| {
            let runner = runners.get(&handle.runner.kind);
            cancel(runner, Arc::clone(handle), self.clock.clone())
        });
        RemoteCancelling(Mutex::new(Box::pin(join_all(cancelled))))
    }
}

impl RemoteCancelling {
    fn poll(&mut self, task: &mut Task<'_>) -> Poll<Vec<Cancelled>> {
        let future = self.0.get_mut();
        let future = future.unwrap_or_else(std::sync::PoisonError::into_inner);
        future.as_mut().poll(task)
    }
}

async fn cancel(
    runner: Result<Arc<dyn Runner>, RunnerError>,
    handle: Arc<RemoteHandle>,
    clock: RunClock,
) -> Cancelled {
    let runner = match runner {
        Ok(runner) => runner,
        Err(error) => return (handle, Err(error)),
    };
    let mut tries = 1;
    loop {
        let outcome = runner.cancel(&handle).await;
        match &outcome {
            Err(error) if error.is_retryable() && tries < TRIES => {
                let wait = backoff(tries, &handle.task_id, error.retry_after());
                let until = clock.now().saturating_add(millis(wait));
                clock.sleep_until(until).await;
                tries += 1;
            }
            _ => return (handle, outcome),
        }
    }
}

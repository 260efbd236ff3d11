//! Cancelling remote tasks that nobody waits for any more. It goes on beside the steps of the run, and a run that has
//! ended waits for it.

use std::{
    collections::BTreeSet,
    panic::AssertUnwindSafe,
    sync::{Arc, Mutex, PoisonError},
    task::{Context as Task, Poll},
    time::Duration,
};

use futures_util::{
    FutureExt as _, StreamExt as _,
    future::{BoxFuture, Either, select},
    stream::FuturesUnordered,
};

use super::calls;
use crate::{
    agent::backoff,
    engine::{clock::RunClock, run::Run, state::remote::KnownTask},
    error::panic_message,
    events::{EventKind, RemoteEvent},
    invocation::{RunnerError, RunnerErrorKind, Runners},
    numbers::millis,
};

/// How often it is tried to cancel a task before giving up.
const TRIES: u32 = 3;

/// How long a runner has for each try.
const TIMEOUT: Duration = Duration::from_secs(10);

/// The tasks that are being cancelled.
#[derive(Default)]
pub(in crate::engine) struct RemoteCancelling {
    task_ids: BTreeSet<Arc<str>>,
    /// Never locked: it is `Sync`, which `Memory` has to be and a future is not.
    running: Mutex<FuturesUnordered<BoxFuture<'static, Cancelled>>>,
}

type Cancelled = (Arc<str>, Result<(), RunnerError>);

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
            let running = cancelling.running.get_mut();
            let running = running.unwrap_or_else(PoisonError::into_inner);
            for (task_id, known) in self.state.remote_cancels.tasks.iter() {
                if cancelling.task_ids.insert(Arc::clone(task_id)) {
                    let (runners, clock) = (self.options.runners.clone(), self.clock.clone());
                    running.push(cancel(runners, Arc::clone(known), clock).boxed());
                }
            }
            match running.poll_next_unpin(task) {
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
                cancelling.task_ids.remove(task_id);
            }
        }
        if let Err(error) = outcome {
            let why = error.to_string();
            tracing::warn!(task_id = &**task_id, error = why, "a remote task may go on");
            self.notify_run(|| EventKind::Remote(RemoteEvent::cancel_failed(&**task_id, why)));
        }
    }
}

/// Cancels a task, if its runner can be reached in time.
async fn cancel(runners: Runners, task: Arc<KnownTask>, clock: RunClock) -> Cancelled {
    let task_id: Arc<str> = task.task_id().into();
    let mut tries = 1;
    loop {
        let outcome = within_time(&clock, try_to_cancel(&runners, &task)).await;
        match &outcome {
            Err(error) if error.is_retryable() && tries < TRIES => {
                let wait = backoff(tries, &task_id, None);
                sleep(&clock, wait).await;
                tries += 1;
            }
            _ => return (task_id, outcome),
        }
    }
}

/// One try. What may have been started, and is not known to be, is started to learn what its runner calls it: that starts
/// nothing twice.
async fn try_to_cancel(runners: &Runners, task: &KnownTask) -> Result<(), RunnerError> {
    let runner = runners.get(task.runner())?;
    match task {
        KnownTask::Started(handle) => runner.cancel(handle).await,
        KnownTask::ToStart(task) => {
            let handle = calls::start(&*runner, task).await?;
            runner.cancel(&handle).await
        }
    }
}

/// What came of a try, which has so much time and may panic.
async fn within_time(
    clock: &RunClock,
    trying: impl Future<Output = Result<(), RunnerError>> + Send,
) -> Result<(), RunnerError> {
    let trying = AssertUnwindSafe(trying).catch_unwind().boxed();
    let failed = |why: String| Err(RunnerError::new(RunnerErrorKind::Unavailable, why));
    match select(trying, sleep(clock, TIMEOUT)).await {
        Either::Left((Ok(outcome), _)) => outcome,
        Either::Left((Err(panic), _)) => {
            failed(format!("the runner panicked: {}", panic_message(panic)))
        }
        Either::Right(_) => failed(format!("the runner took longer than {TIMEOUT:?}")),
    }
}

fn sleep(clock: &RunClock, wait: Duration) -> crate::engine::Sleep {
    clock.sleep_until(clock.now().saturating_add(millis(wait)))
}

//! Remote tasks that are being cancelled. They hold nothing of the run.

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
    engine::{
        clock::{RunClock, Sleep},
        state::remote_task::KnownTask,
    },
    error::panic_message,
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

impl RemoteCancelling {
    /// Starts to cancel a task, unless that was started before.
    pub(super) fn start(&mut self, task: &Arc<KnownTask>, runners: &Runners, clock: &RunClock) {
        if self.task_ids.insert(task.task_id().into()) {
            let cancelled = cancel(runners.clone(), Arc::clone(task), clock.clone());
            self.running().push(cancelled.boxed());
        }
    }

    /// The next task of which it is known whether it was cancelled, if any is left.
    pub(super) fn poll_next(&mut self, task: &mut Task<'_>) -> Poll<Option<Cancelled>> {
        self.running().poll_next_unpin(task)
    }

    /// Lets a task be cancelled again.
    pub(super) fn forget(&mut self, task_id: &Arc<str>) {
        self.task_ids.remove(task_id);
    }

    fn running(&mut self) -> &mut FuturesUnordered<BoxFuture<'static, Cancelled>> {
        let running = self.running.get_mut();
        running.unwrap_or_else(PoisonError::into_inner)
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

fn sleep(clock: &RunClock, wait: Duration) -> Sleep {
    clock.sleep_until(clock.now().saturating_add(millis(wait)))
}

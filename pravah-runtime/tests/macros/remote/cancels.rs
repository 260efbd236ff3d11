//! Cancelling tasks elsewhere.

use std::{
    sync::{
        Mutex,
        atomic::{AtomicU32, Ordering},
    },
    time::Duration,
};

use pravah_runtime::{
    FlowEvent,
    invocation::{
        RemoteHandle, RemoteTask, RemoteUpdate, Runner, RunnerError, RunnerErrorKind, RunnerFuture,
    },
};
use tokio::time::Instant;

use super::*;

/// Tasks that never end, and runners that cannot be reached so many times when one is to be cancelled.
#[derive(Default)]
pub(super) struct Endless {
    failing_cancels: u32,
    cancels: AtomicU32,
    started: Mutex<Vec<String>>,
    cancelled: Mutex<Vec<String>>,
}

impl Endless {
    /// The ids of the tasks.
    pub(super) fn started(&self) -> Vec<String> {
        self.started.lock().unwrap().clone()
    }

    /// The ids of those that were cancelled.
    pub(super) fn cancelled(&self) -> Vec<String> {
        self.cancelled.lock().unwrap().clone()
    }
}

impl Runner for Endless {
    fn kind(&self) -> &str {
        "loopback"
    }

    fn start<'a>(&'a self, task: &'a RemoteTask) -> RunnerFuture<'a, String> {
        Box::pin(async {
            self.started.lock().unwrap().push(task.task_id.clone());
            Ok(task.task_id.clone())
        })
    }

    fn follow<'a>(
        &'a self,
        _: &'a RemoteHandle,
        _: Option<&'a str>,
    ) -> RunnerFuture<'a, RemoteUpdate> {
        Box::pin(async {
            tokio::time::sleep(Duration::from_secs(60)).await;
            Ok(RemoteUpdate::new(TaskStatus::Running))
        })
    }

    fn answer<'a>(&'a self, _: &'a RemoteHandle, _: &'a str, _: &'a Value) -> RunnerFuture<'a, ()> {
        Box::pin(async { Ok(()) })
    }

    fn cancel<'a>(&'a self, task: &'a RemoteHandle) -> RunnerFuture<'a, ()> {
        Box::pin(async {
            self.cancelled.lock().unwrap().push(task.task_id.clone());
            match self.cancels.fetch_add(1, Ordering::Relaxed) < self.failing_cancels {
                true => Err(RunnerError::new(RunnerErrorKind::Unavailable, "it is away")),
                false => Ok(()),
            }
        })
    }
}

pub(super) fn endless(failing_cancels: u32) -> (Arc<Endless>, AgentRegistry) {
    let runner = Arc::new(Endless {
        failing_cancels,
        ..Endless::default()
    });
    let registry = AgentRegistry::new()
        .with_runner(Arc::clone(&runner))
        .with_remote_agent("researcher", loopback());
    (runner, registry)
}

/// A run whose task has started.
async fn started(registry: &AgentRegistry) -> FlowRuntime<AgentRegistry> {
    let mut run = registry.invoke(look_up_trains()).unwrap();
    run.next(ctx()).await.unwrap();
    run.next(ctx()).await.unwrap();
    run
}

// S2.13
#[tokio::test]
async fn a_cancelled_run_cancels_its_tasks_elsewhere() {
    let model = Recorder::new(script());
    let runner = elsewhere(&model);
    let targets = ["a", "b"].map(|topic| Target::named("researcher", topic));
    let run = here(&runner).invoke(Invocation::all(targets)).unwrap();
    let mut run = run.with_concurrency(8);
    for _ in 0..5 {
        run.next(ctx()).await.unwrap();
    }
    let asked = model.asked().len();
    run.cancel("enough").await.unwrap();
    for task in runner.tasks() {
        let handle = RemoteHandle::new(&*task.task_id, &*task.task_id, loopback());
        let update = runner.follow(&handle, None).await.unwrap();
        assert_eq!(update.status, TaskStatus::Cancelled);
    }
    assert_eq!(model.asked().len(), asked);
}

#[tokio::test(start_paused = true)]
async fn a_runner_that_cannot_be_reached_is_tried_again_and_not_for_ever() {
    for (failing, tries, expected) in [(0, 1, 0), (2, 3, 0), (9, 3, 1)] {
        let (runner, registry) = endless(failing);
        let failures = Arc::new(AtomicU32::new(0));
        let observed = Arc::clone(&failures);
        let run = started(&registry).await;
        let mut run = run.with_observer(move |event: FlowEvent| {
            let is_failure = matches!(
                event.kind,
                EventKind::Remote(RemoteEvent::CancelFailed { .. })
            );
            observed.fetch_add(u32::from(is_failure), Ordering::Relaxed);
        });
        let start = Instant::now();
        run.cancel("enough").await.unwrap();
        assert_eq!(runner.cancels.load(Ordering::Relaxed), tries);
        assert_eq!(start.elapsed() >= Duration::from_secs(3), tries > 1);
        let error = run.next(ctx()).await.unwrap_err();
        assert!(matches!(error, FlowError::Cancelled { .. }));
        assert_eq!(runner.cancels.load(Ordering::Relaxed), tries);
        assert_eq!(failures.load(Ordering::Relaxed), expected);
    }
}

#[tokio::test(start_paused = true)]
async fn what_was_not_cancelled_before_a_crash_is_cancelled_after_it() {
    let (runner, registry) = endless(1);
    let mut run = started(&registry).await;
    // Nobody waits for the second try.
    let cancel = run.cancel("enough");
    drop(tokio::time::timeout(Duration::from_millis(10), cancel).await);
    assert_eq!(runner.cancels.load(Ordering::Relaxed), 1);
    let mut run = restored(&registry, &run);
    let error = run.next(ctx()).await.unwrap_err();
    assert!(matches!(error, FlowError::Cancelled { .. }));
    assert_eq!(runner.cancels.load(Ordering::Relaxed), 2);
    // There is nothing left to do.
    let mut run = restored(&registry, &run);
    assert!(run.next(ctx()).await.is_err());
    assert_eq!(runner.cancels.load(Ordering::Relaxed), 2);
}

#[tokio::test(start_paused = true)]
async fn a_hub_that_cancels_the_run_cancels_its_tasks_elsewhere() {
    let (runner, registry) = endless(1);
    let mut run = started(&registry).await;
    let hub = run.hub();
    let (sent, out) = tokio::join!(hub.cancel("enough"), run.run(ctx()));
    sent.unwrap();
    assert!(matches!(out.unwrap_err(), FlowError::Cancelled { .. }));
    assert_eq!(runner.cancels.load(Ordering::Relaxed), 2);
}

#[tokio::test]
async fn a_task_that_has_ended_is_not_cancelled() {
    let runner = elsewhere(&Recorder::new(script()));
    let mut run = here(&runner).invoke(look_up_trains()).unwrap();
    output(run.run(ctx()).await);
    let [task] = &runner.tasks()[..] else {
        panic!("one task")
    };
    let handle = RemoteHandle::new(&*task.task_id, &*task.task_id, loopback());
    runner.cancel(&handle).await.unwrap();
    let update = runner.follow(&handle, None).await.unwrap();
    assert_eq!(update.status, TaskStatus::Completed);
}

//! Cancelling remote tasks.

use std::{
    sync::{
        Mutex,
        atomic::{AtomicU32, Ordering},
    },
    time::Duration,
};

use pravah_runtime::{
    FlowEvent,
    invocation::{RemoteTaskHandle, RemoteUpdate, Runner as _, RunnerError, RunnerErrorKind},
};
use tokio::time::Instant;

use super::*;

/// What a runner was asked about tasks that never end.
#[derive(Default)]
pub(super) struct Endless {
    cancels: AtomicU32,
    started: Mutex<Vec<String>>,
    cancelled: Mutex<Vec<String>>,
}

impl Endless {
    /// The ids of the tasks.
    pub(super) fn started(&self) -> Vec<String> {
        self.started.lock().unwrap().clone()
    }

    /// The ids of those that were to be cancelled.
    pub(super) fn cancelled(&self) -> Vec<String> {
        self.cancelled.lock().unwrap().clone()
    }
}

/// A runner of tasks that never end, which cannot be reached for so many cancels.
pub(super) fn endless(failing_cancels: u32) -> (Arc<Endless>, Arc<Stub>) {
    let asked = Arc::new(Endless::default());
    let (starting, cancelling) = (Arc::clone(&asked), Arc::clone(&asked));
    let stub = Stub::new(|_| async {
        tokio::time::sleep(Duration::from_secs(60)).await;
        Ok(RemoteUpdate::new(TaskStatus::Running))
    });
    let stub = stub.on_start(move |task_id| {
        starting.started.lock().unwrap().push(task_id.clone());
        async { Ok(task_id) }
    });
    let stub = stub.on_cancel(move |task_id| {
        cancelling.cancelled.lock().unwrap().push(task_id);
        let fails = cancelling.cancels.fetch_add(1, Ordering::Relaxed) < failing_cancels;
        async move {
            match fails {
                true => Err(RunnerError::new(
                    RunnerErrorKind::Unavailable,
                    "it is unreachable",
                )),
                false => Ok(()),
            }
        }
    });
    (asked, Arc::new(stub))
}

/// The same with a registry.
fn endless_registry(failing_cancels: u32) -> (Arc<Endless>, AgentRegistry) {
    let (asked, runner) = endless(failing_cancels);
    let registry = AgentRegistry::new().with_runner(runner);
    (asked, registry.with_remote_agent("researcher", "loopback"))
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
async fn a_cancelled_run_cancels_its_remote_tasks() {
    let model = Recorder::new(script());
    let runner = other_process(&model);
    let targets = ["a", "b"].map(|topic| Target::named("researcher", topic));
    let run = here(&runner).invoke(Invocation::all(targets)).unwrap();
    let mut run = run.with_concurrency(8);
    for _ in 0..5 {
        run.next(ctx()).await.unwrap();
    }
    let asked = model.asked().len();
    run.cancel("enough").await.unwrap();
    for task in runner.tasks() {
        let handle = RemoteTaskHandle::new(&*task.task_id, &*task.task_id, loopback());
        let update = runner.next_update(&handle, None).await.unwrap();
        assert_eq!(update.status, TaskStatus::Cancelled);
    }
    assert_eq!(model.asked().len(), asked);
}

#[tokio::test(start_paused = true)]
async fn cancelling_is_tried_three_times() {
    for (failing, tries, expected) in [(0, 1, 0), (2, 3, 0), (9, 3, 1)] {
        let (runner, registry) = endless_registry(failing);
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
    let (runner, registry) = endless_registry(1);
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
async fn a_hub_that_cancels_the_run_cancels_its_remote_tasks() {
    let (runner, registry) = endless_registry(1);
    let mut run = started(&registry).await;
    let hub = run.hub();
    let (sent, out) = tokio::join!(hub.cancel("enough"), run.run(ctx()));
    sent.unwrap();
    assert!(matches!(out.unwrap_err(), FlowError::Cancelled { .. }));
    assert_eq!(runner.cancels.load(Ordering::Relaxed), 2);
}

#[tokio::test]
async fn a_task_that_has_ended_is_not_cancelled() {
    let runner = other_process(&Recorder::new(script()));
    let mut run = here(&runner).invoke(look_up_trains()).unwrap();
    output(run.run(ctx()).await);
    let [task] = &runner.tasks()[..] else {
        panic!("one task")
    };
    let handle = RemoteTaskHandle::new(&*task.task_id, &*task.task_id, loopback());
    runner.cancel(&handle).await.unwrap();
    let update = runner.next_update(&handle, None).await.unwrap();
    assert_eq!(update.status, TaskStatus::Completed);
}

#[tokio::test]
async fn a_task_whose_start_was_not_stored_is_cancelled_too() {
    let (runner, registry) = endless_registry(0);
    let mut run = registry.invoke(look_up_trains()).unwrap();
    run.next(ctx()).await.unwrap();
    run.next(ctx()).await.unwrap();
    let mut lost = restored(&registry, &run);
    lost.next(ctx()).await.unwrap();
    assert_eq!(runner.started().len(), 1);
    let mut run = restored(&registry, &run);
    run.cancel("enough").await.unwrap();
    assert_eq!(runner.cancelled(), [runner.started()[0].clone()]);
}

#[tokio::test]
async fn what_no_runner_of_this_process_can_cancel_another_one_cancels() {
    let (runner, registry) = endless_registry(0);
    let run = started(&registry).await;
    let mut alone = restored(&AgentRegistry::new(), &run);
    alone.cancel("enough").await.unwrap();
    let mut run = restored(&registry, &alone);
    assert!(run.next(ctx()).await.is_err());
    assert_eq!(runner.cancelled(), runner.started());
}

/// What a runner does that is to cancel a task.
#[derive(Clone, Copy)]
enum Cancelling {
    Panics,
    NeverEnds,
    TakesASecond,
}

/// A registry whose tasks fail at once, as far as this process knows, and how often one was to be cancelled.
fn broken(cancelling: Cancelling) -> (Arc<AtomicU32>, AgentRegistry) {
    let asked = Arc::new(AtomicU32::new(0));
    let counted = Arc::clone(&asked);
    let unreadable = || RunnerError::new(RunnerErrorKind::Malformed, "it cannot be read");
    let stub = Stub::new(move |_| async move { Err(unreadable()) });
    let stub = stub.on_cancel(move |_| {
        counted.fetch_add(1, Ordering::Relaxed);
        async move {
            match cancelling {
                Cancelling::Panics => panic!("it cannot be cancelled"),
                Cancelling::NeverEnds => std::future::pending().await,
                Cancelling::TakesASecond => tokio::time::sleep(Duration::from_secs(1)).await,
            }
            Ok(())
        }
    });
    (asked, run_by(stub))
}

#[tokio::test(start_paused = true)]
async fn a_runner_that_cannot_cancel_holds_up_the_end_of_a_run_for_half_a_minute_at_most() {
    for cancelling in [Cancelling::Panics, Cancelling::NeverEnds] {
        let (asked, registry) = broken(cancelling);
        let mut run = registry.invoke(look_up_trains()).unwrap();
        let start = Instant::now();
        let result = scalar(output(run.run(ctx()).await));
        assert!(
            result
                .content
                .as_str()
                .unwrap()
                .ends_with("it cannot be read")
        );
        assert!(
            start.elapsed() < Duration::from_secs(35),
            "{:?}",
            start.elapsed()
        );
        assert_eq!(asked.load(Ordering::Relaxed), 3);
    }
}

#[tokio::test(start_paused = true)]
async fn a_dropped_future_that_waits_for_cancels_loses_no_output() {
    let (_, registry) = broken(Cancelling::NeverEnds);
    let mut run = registry.invoke(look_up_trains()).unwrap();
    while run.output().unwrap().is_none() {
        drop(tokio::time::timeout(Duration::from_secs(1), run.next(ctx())).await);
    }
    let result = scalar(output(run.run(ctx()).await));
    assert_eq!(result.status, TaskStatus::Failed);
    assert!(matches!(run.next(ctx()).await, Err(FlowError::Finished)));
}

#[tokio::test(start_paused = true)]
async fn tasks_are_cancelled_beside_each_other() {
    let (asked, registry) = broken(Cancelling::TakesASecond);
    let targets = ["a", "b", "c"].map(|topic| Target::named("researcher", topic));
    let mut run = registry.invoke(Invocation::all(targets)).unwrap();
    let start = Instant::now();
    output(run.run(ctx()).await);
    assert_eq!(asked.load(Ordering::Relaxed), 3);
    assert!(
        start.elapsed() < Duration::from_millis(1100),
        "{:?}",
        start.elapsed()
    );
}

#[tokio::test]
async fn a_snapshot_that_names_a_task_to_be_cancelled_by_another_id_is_refused() {
    let (_, registry) = endless_registry(0);
    let mut stored = serde_json::to_value(&started(&registry).await).unwrap();
    let task = stored["lists"]["Invocation"]["items"]["0"]["remotes"]["(remote)"]["task"].clone();
    assert!(task.is_object(), "{stored}");
    stored["remote_cancels"] = json!({ "other": task });
    let snapshot = serde_json::from_value(stored).unwrap();
    let error = registry.restore(snapshot).map(|_| ()).unwrap_err();
    assert!(matches!(error, FlowError::SnapLoadError(_)), "{error}");
}

//! Runners that cannot be reached, say nothing new, or say what cannot be read.

use std::{
    sync::{
        Mutex,
        atomic::{AtomicU32, Ordering},
    },
    time::Duration,
};

use pravah_runtime::{
    WaitReason,
    invocation::{
        RemoteHandle, RemoteTask, RemoteUpdate, Runner, RunnerError, RunnerErrorKind, RunnerFuture,
    },
};
use tokio::time::Instant;

use super::*;

/// Says what a test tells it to, one after the other.
#[derive(Default)]
struct Told {
    starts: AtomicU32,
    failing_starts: u32,
    updates: Mutex<Vec<Result<RemoteUpdate, RunnerError>>>,
    cursors: Mutex<Vec<Option<String>>>,
}

impl Told {
    fn new(updates: impl IntoIterator<Item = Result<RemoteUpdate, RunnerError>>) -> Arc<Self> {
        let mut updates: Vec<_> = updates.into_iter().collect();
        updates.reverse();
        Arc::new(Self {
            updates: Mutex::new(updates),
            ..Self::default()
        })
    }
}

impl Runner for Told {
    fn kind(&self) -> &str {
        "loopback"
    }

    fn start<'a>(&'a self, task: &'a RemoteTask) -> RunnerFuture<'a, String> {
        Box::pin(async move {
            match self.starts.fetch_add(1, Ordering::Relaxed) < self.failing_starts {
                true => Err(away()),
                false => Ok(format!("there/{}", task.task_id)),
            }
        })
    }

    fn follow<'a>(
        &'a self,
        task: &'a RemoteHandle,
        cursor: Option<&'a str>,
    ) -> RunnerFuture<'a, RemoteUpdate> {
        Box::pin(async move {
            assert!(task.id.starts_with("there/"));
            self.cursors.lock().unwrap().push(cursor.map(str::to_owned));
            let update = self.updates.lock().unwrap().pop();
            update.unwrap_or_else(|| panic!("it was asked too often"))
        })
    }

    fn answer<'a>(&'a self, _: &'a RemoteHandle, _: &'a str, _: &'a Value) -> RunnerFuture<'a, ()> {
        Box::pin(async { Ok(()) })
    }

    fn cancel<'a>(&'a self, _: &'a RemoteHandle) -> RunnerFuture<'a, ()> {
        Box::pin(async { Ok(()) })
    }
}

fn away() -> RunnerError {
    RunnerError::new(RunnerErrorKind::Unavailable, "the connection broke")
}

fn working() -> RemoteUpdate {
    RemoteUpdate::new(TaskStatus::Running)
}

fn run_on(runner: &Arc<Told>) -> FlowRuntime<AgentRegistry> {
    let registry = AgentRegistry::new()
        .with_runner(Arc::clone(runner))
        .with_remote_agent("researcher", loopback());
    registry.invoke(look_up_trains()).unwrap()
}

#[tokio::test(start_paused = true)]
async fn a_lost_connection_is_tried_again_later_from_the_same_cursor() {
    let runner = Told::new([
        Ok(working().with_cursor("one").with_events([json!("a")])),
        Err(away()),
        Err(away()),
        Ok(RemoteUpdate::completed("done")),
    ]);
    let mut run = run_on(&runner);
    let (start, mut waits) = (Instant::now(), Vec::new());
    let result = loop {
        match run.next(ctx()).await.unwrap() {
            RunOut::Done(result) => break result,
            RunOut::Waiting { why, .. } => {
                assert_eq!(why, WaitReason::Runner);
                waits.push(run.last_step().unwrap().to_string());
                run.wait().await;
            }
            _ => {}
        }
    };
    assert_eq!(scalar(result).content, "done");
    assert_eq!(waits.len(), 2, "{waits:?}");
    assert!(waits[0].ends_with("remote[0] (waits)"), "{waits:?}");
    assert!(
        start.elapsed() >= Duration::from_secs(3),
        "one second, then two"
    );
    let one = || Some("one".to_owned());
    assert_eq!(*runner.cursors.lock().unwrap(), [None, one(), one(), one()]);
}

#[tokio::test(start_paused = true)]
async fn a_start_is_tried_again_too() {
    let mut runner = Told::new([Ok(RemoteUpdate::completed("done"))]);
    Arc::get_mut(&mut runner).unwrap().failing_starts = 2;
    let mut run = run_on(&runner);
    assert_eq!(scalar(output(run.run(ctx()).await)).content, "done");
    assert_eq!(runner.starts.load(Ordering::Relaxed), 3);
}

#[tokio::test(start_paused = true)]
async fn a_runner_that_stays_away_fails_the_task() {
    let runner = Told::new((0..5).map(|_| Err(away())));
    let mut run = run_on(&runner);
    let mut events = run.events();
    let result = scalar(output(run.run(ctx()).await));
    assert_eq!(result.status, TaskStatus::Failed);
    let expected = "the runner of agent `remote` failed: the connection broke";
    assert_eq!(result.content, expected);
    let mut waits = 0;
    while let Some(event) = events.next().await {
        waits += u32::from(matches!(
            event.kind,
            EventKind::Remote(RemoteEvent::Waits { .. })
        ));
    }
    assert_eq!(waits, 4);
}

#[tokio::test(start_paused = true)]
async fn an_update_without_news_is_followed_by_a_second_of_waiting() {
    let mut updates: Vec<_> = (0..5).map(|_| Ok(working())).collect();
    updates.push(Ok(RemoteUpdate::completed("done")));
    let mut run = run_on(&Told::new(updates));
    let start = Instant::now();
    assert_eq!(scalar(output(run.run(ctx()).await)).content, "done");
    assert_eq!(start.elapsed().as_secs(), 5);
}

#[tokio::test]
async fn what_no_snapshot_can_carry_fails_the_task() {
    let mut deep = json!(1);
    for _ in 0..200 {
        deep = json!([deep]);
    }
    for update in [
        RemoteUpdate::completed(deep.clone()),
        working().with_events([deep.clone()]),
        working().with_question("q", deep),
    ] {
        let mut run = run_on(&Told::new([Ok(update)]));
        let result = scalar(output(run.run(ctx()).await));
        assert_eq!(result.status, TaskStatus::Failed);
        let why = result.content.as_str().unwrap();
        assert!(why.contains("what it says is nested"), "{why}");
    }
}

#[tokio::test]
async fn a_task_that_was_cancelled_there_has_failed_here() {
    let cancelled = RemoteUpdate::new(TaskStatus::Cancelled).with_content("the operator did it");
    let mut run = run_on(&Told::new([Ok(cancelled)]));
    let result = scalar(output(run.run(ctx()).await));
    assert_eq!(result.status, TaskStatus::Failed);
    assert!(
        result
            .content
            .as_str()
            .unwrap()
            .ends_with("the operator did it")
    );
}

#[tokio::test]
async fn a_question_that_closes_there_closes_here() {
    let runner = Told::new([
        Ok(working().with_cursor("1").with_question("q", "What?")),
        Ok(working().with_cursor("2")),
        Ok(RemoteUpdate::completed("done")),
    ]);
    let mut run = run_on(&runner);
    let mut open = Vec::new();
    loop {
        let out = run.next(ctx()).await.unwrap();
        open.push(run.suspensions().len());
        if let RunOut::Done(_) = out {
            break;
        }
    }
    assert_eq!(open, [0, 0, 1, 0, 0, 0]);
}

#[tokio::test]
async fn a_runner_that_panics_fails_the_task() {
    let mut run = run_on(&Told::new([]));
    let result = scalar(output(run.run(ctx()).await));
    let why = result.content.as_str().unwrap();
    assert!(why.contains("panicked: it was asked too often"), "{why}");
}

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
    invocation::{RemoteUpdate, RunnerError, RunnerErrorKind},
};
use tokio::time::Instant;

use super::*;

/// What a runner was asked.
#[derive(Default)]
struct Asked {
    starts: AtomicU32,
    cursors: Mutex<Vec<Option<String>>>,
}

type Update = Result<RemoteUpdate, RunnerError>;

/// A run whose runner cannot be reached for so many starts, and says these things of the task then.
fn run_after(
    failing_starts: u32,
    updates: impl IntoIterator<Item = Update>,
) -> (Arc<Asked>, FlowRuntime<AgentRegistry>) {
    let asked = Arc::new(Asked::default());
    let mut updates: Vec<_> = updates.into_iter().collect();
    updates.reverse();
    let updates = Mutex::new(updates);
    let (starting, following) = (Arc::clone(&asked), Arc::clone(&asked));
    let stub = Stub::new(move |cursor| {
        following.cursors.lock().unwrap().push(cursor);
        let update = updates.lock().unwrap().pop();
        async move { update.unwrap_or_else(|| panic!("it was asked too often")) }
    });
    let stub = stub.on_start(move |task_id| {
        let fails = starting.starts.fetch_add(1, Ordering::Relaxed) < failing_starts;
        async move {
            match fails {
                true => Err(unreachable()),
                false => Ok(task_id),
            }
        }
    });
    (asked, run_by(stub).invoke(look_up_trains()).unwrap())
}

fn run_on(updates: impl IntoIterator<Item = Update>) -> FlowRuntime<AgentRegistry> {
    run_after(0, updates).1
}

fn unreachable() -> RunnerError {
    RunnerError::new(RunnerErrorKind::Unavailable, "the connection broke")
}

fn working() -> RemoteUpdate {
    RemoteUpdate::new(TaskStatus::Running)
}

#[tokio::test(start_paused = true)]
async fn a_lost_connection_is_tried_again_later_from_the_same_cursor() {
    let (asked, mut run) = run_after(
        0,
        [
            Ok(working().with_cursor("one").with_events([json!("a")])),
            Err(unreachable()),
            Err(unreachable()),
            Ok(RemoteUpdate::completed("done")),
        ],
    );
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
    assert_eq!(*asked.cursors.lock().unwrap(), [None, one(), one(), one()]);
}

#[tokio::test(start_paused = true)]
async fn a_start_is_tried_again_too() {
    let (asked, mut run) = run_after(2, [Ok(RemoteUpdate::completed("done"))]);
    assert_eq!(scalar(output(run.run(ctx()).await)).content, "done");
    assert_eq!(asked.starts.load(Ordering::Relaxed), 3);
}

#[tokio::test(start_paused = true)]
async fn a_runner_that_stays_unreachable_fails_the_task() {
    let mut run = run_on((0..11).map(|_| Err(unreachable())));
    let mut events = run.events();
    let result = scalar(output(run.run(ctx()).await));
    assert_eq!(result.status, TaskStatus::Failed);
    let expected =
        "runner `loopback` could not run agent `researcher`: after 11 tries: the connection broke";
    assert_eq!(result.content, expected);
    let mut waits = 0;
    while let Some(event) = events.next().await {
        waits += u32::from(matches!(
            event.kind,
            EventKind::Remote(RemoteEvent::Retrying { .. })
        ));
    }
    assert_eq!(waits, 10);
}

#[tokio::test(start_paused = true)]
async fn an_update_without_news_is_followed_by_a_second_of_waiting() {
    let mut updates: Vec<_> = (0..5).map(|_| Ok(working())).collect();
    updates.push(Ok(RemoteUpdate::completed("done")));
    let mut run = run_on(updates);
    let start = Instant::now();
    assert_eq!(scalar(output(run.run(ctx()).await)).content, "done");
    assert_eq!(start.elapsed().as_secs(), 5);
}

#[tokio::test]
async fn what_no_snapshot_can_carry_fails_the_task() {
    let deep = too_deep();
    for update in [
        RemoteUpdate::completed(deep.clone()),
        working().with_events([deep.clone()]),
        working().with_question("q", deep),
    ] {
        let mut run = run_on([Ok(update)]);
        let result = scalar(output(run.run(ctx()).await));
        assert_eq!(result.status, TaskStatus::Failed);
        let why = result.content.as_str().unwrap();
        assert!(
            why.contains("the update has a value that is nested"),
            "{why}"
        );
    }
}

#[tokio::test]
async fn questions_that_cannot_be_told_apart_or_are_not_there_fail_the_task() {
    let suspended = || RemoteUpdate::new(TaskStatus::Suspended);
    for (update, expected) in [
        (suspended(), "the task is suspended, and asks nothing"),
        (
            suspended()
                .with_question("q", "One?")
                .with_question("q", "Two?"),
            "two of its questions have the id `q`",
        ),
    ] {
        let mut run = run_on([Ok(update)]);
        let result = scalar(output(run.run(ctx()).await));
        let why = result.content.as_str().unwrap();
        assert!(why.ends_with(expected), "{why}");
    }
}

#[tokio::test]
async fn a_task_that_was_cancelled_there_has_failed_here() {
    let cancelled = RemoteUpdate::new(TaskStatus::Cancelled).with_content("the operator did it");
    let mut run = run_on([Ok(cancelled)]);
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
    let mut run = run_on([
        Ok(working().with_cursor("1").with_question("q", "What?")),
        Ok(working().with_cursor("2")),
        Ok(RemoteUpdate::completed("done")),
    ]);
    let mut open = Vec::new();
    loop {
        let out = run.next(ctx()).await.unwrap();
        open.push(run.suspensions().len());
        if let RunOut::Done(_) = out {
            break;
        }
    }
    assert_eq!(open, [0, 0, 0, 1, 0, 0, 0]);
}

#[tokio::test]
async fn a_runner_that_panics_fails_the_task() {
    let mut run = run_on([]);
    let result = scalar(output(run.run(ctx()).await));
    let why = result.content.as_str().unwrap();
    assert!(why.contains("panicked: it was asked too often"), "{why}");
}

#[tokio::test(start_paused = true)]
async fn a_deadline_that_has_passed_here_and_not_there_is_waited_for_in_steps_of_a_second() {
    let past = std::time::UNIX_EPOCH;
    let asking = || {
        let suspended = RemoteUpdate::new(TaskStatus::Suspended);
        Ok(suspended.with_question("q", "What?").with_until(past))
    };
    let mut run = run_on([asking(), asking(), Ok(RemoteUpdate::completed("done"))]);
    let start = Instant::now();
    while run.output().unwrap().is_none() {
        drop(run.next(ctx()).await);
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    assert!(
        start.elapsed() >= Duration::from_secs(2),
        "{:?}",
        start.elapsed()
    );
}

#[tokio::test(start_paused = true)]
async fn a_runner_without_a_cursor_is_asked_once_a_second_whatever_it_tells() {
    let mut updates: Vec<_> = (0..3)
        .map(|_| Ok(working().with_events([json!("again")])))
        .collect();
    updates.push(Ok(RemoteUpdate::completed("done")));
    let mut run = run_on(updates);
    let start = Instant::now();
    assert_eq!(scalar(output(run.run(ctx()).await)).content, "done");
    assert_eq!(start.elapsed().as_secs(), 3);
}

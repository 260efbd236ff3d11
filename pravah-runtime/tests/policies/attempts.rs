//! A node that fails is tried again, as often as its policy says.

use std::{
    sync::atomic::{AtomicI32, Ordering},
    time::{Duration, UNIX_EPOCH},
};

use pravah_runtime::{
    Clock, ManualClock, RunStatus, StepKind, SystemClock, WaitReason, prelude::*,
};
use serde_json::json;

use crate::support::{Act::*, Play, body, job, json, ms, restart, states, taking, waits};

states!(Report);

job! {
    #[node(
        retry(
            max_attempts = 3,
            backoff = "100ms",
            factor = 3.0,
            max_backoff = "200ms"
        ),
        timeout = "50ms"
    )]
}

#[node]
fn close(done: Done) -> Report {
    Report { n: done.n }
}

#[node]
fn rescue(failure: Failure<Job>) -> Report {
    Report {
        n: 1000 + failure.input.n + u64::from(failure.attempts) * 10,
    }
}

#[flow(named)]
fn caught(job: Job) -> Report {
    flow! { work -> close; catch(work) -> rescue }
}

#[tokio::test(start_paused = true)]
async fn a_failed_attempt_is_a_commit_and_the_next_one_waits() {
    let play = Play::default().with("work", [Fails, Fails]);
    let clock = SystemClock::new();
    let mut run = bare::start(Job { n: 1 }).unwrap().with_clock(clock);
    for (attempt, wait) in [(1, 100), (2, 200)] {
        assert_eq!(run.next(play.ctx()).await.unwrap(), RunOut::Continue);
        assert_eq!(run.last_step().unwrap().kind, StepKind::FailedAttempt);
        assert_eq!(json(&run)["attempts"]["Job"]["failed"], attempt);
        let out = run.next(play.ctx()).await.unwrap();
        assert_eq!(waits(&out, &clock), (wait, WaitReason::Retry));
        assert!(matches!(run.status(), RunStatus::Waiting { .. }));
        run.wait().await;
    }
    assert_eq!(
        run.next(play.ctx()).await.unwrap(),
        RunOut::Done(Done { n: 1 })
    );
    assert_eq!(play.count("work"), 3);
}

#[tokio::test(start_paused = true)]
async fn a_restored_run_goes_on_with_the_count() {
    let play = Play::default().with("work", [Fails, Fails, Fails]);
    let clock = SystemClock::new();
    let mut run = bare::start(Job { n: 1 }).unwrap().with_clock(clock);
    let error = loop {
        run = restart(&run, clock);
        match run.next(play.ctx()).await {
            Ok(RunOut::Waiting { .. }) => {
                run = restart(&run, clock);
                run.wait().await;
            }
            Ok(_) => {}
            Err(error) => break error,
        }
    };
    assert_eq!(error.to_string(), "node `work` failed: work failed");
    assert_eq!(play.count("work"), 3);
}

#[tokio::test(start_paused = true)]
async fn all_attempts_have_one_step_key() {
    let play = Play::default().with("work", [Fails, Panics]);
    let mut run = bare::start(Job { n: 1 }).unwrap();
    run.run(play.ctx()).await.unwrap();
    let keys = play.keys();
    assert_eq!(keys.len(), 3);
    assert!(keys.iter().all(|key| *key == keys[0]));
}

#[tokio::test(start_paused = true)]
async fn panics_and_timeouts_are_tried_again() {
    let play = Play::default().with("work", [Panics, Hangs]);
    let mut run = bare::start(Job { n: 1 }).unwrap();
    let (out, took) = taking(run.run(play.ctx())).await;
    assert_eq!(out.unwrap(), RunOut::Done(Done { n: 1 }));
    assert_eq!(took, 100 + 50 + 200);
    assert_eq!(play.count("work dropped"), 2);
}

#[tokio::test(start_paused = true)]
async fn what_was_dropped_or_crashed_does_not_count() {
    let play = Play::default().with("work", [Hangs, Hangs, Hangs, Fails, Fails, Takes(49)]);
    let clock = SystemClock::new();
    let mut run = bare::start(Job { n: 1 }).unwrap().with_clock(clock);
    let before = json(&run);
    for _ in 0..2 {
        let step = run.next(play.ctx());
        tokio::time::timeout(ms(30), step).await.unwrap_err();
        assert_eq!(json(&run), before);
    }
    let restored = restart(&run, clock);
    let step = run.next(play.ctx());
    tokio::time::timeout(ms(30), step).await.unwrap_err();
    let mut run = restored;
    let out = run.run(play.ctx()).await.unwrap();
    assert_eq!(out, RunOut::Done(Done { n: 1 }));
    assert_eq!(play.count("work"), 6);
}

#[tokio::test(start_paused = true)]
async fn after_the_last_attempt_a_catch_takes_the_failure_with_their_number() {
    let play = Play::default().with("work", [Fails, Hangs, Panics]);
    let mut run = caught::start(Job { n: 1 }).unwrap();
    let out = run.run(play.ctx()).await.unwrap();
    assert_eq!(out, RunOut::Done(Report { n: 1031 }));
}

#[tokio::test(start_paused = true)]
async fn after_the_last_attempt_the_run_has_failed_and_another_step_starts_anew() {
    let play = Play::default().with("work", [Fails, Fails, Panics, Fails, Fails]);
    let clock = SystemClock::new();
    let mut run = bare::start(Job { n: 1 }).unwrap().with_clock(clock);
    run.run(play.ctx()).await.unwrap_err();
    let failed = |run: &FlowRuntime<bare>| match run.status() {
        RunStatus::Failed {
            node,
            kind,
            attempts,
            ..
        } => (node, kind, attempts),
        status => panic!("{status:?}"),
    };
    let expected = ("work".to_owned(), FailureKind::Panic, 3);
    assert_eq!(failed(&run), expected);
    let mut run = restart(&run, clock);
    assert_eq!(failed(&run), expected);
    let said = &json(&run)["failed"]["Job"];
    assert_eq!(
        (&said["kind"], &said["attempts"]),
        (&json!("panic"), &json!(3))
    );
    assert_eq!(json(&run)["states"]["Job"]["n"], 1);
    // Attempts 1 and 2 fail, and the third one does not.
    let out = run.run(play.ctx()).await.unwrap();
    assert_eq!(out, RunOut::Done(Done { n: 1 }));
    assert_eq!(play.count("work"), 6);
    assert_eq!(json(&run).get("failed"), None);
}

mod jitter {
    use super::*;

    states!(Start, Seen);

    #[node(retry(max_attempts = 4, backoff = "10s", jitter))]
    async fn see(start: Start, ctx: Context) -> Result<Seen, String> {
        body(&ctx, "see").await?;
        Ok(Seen { n: start.n })
    }

    #[flow(named)]
    fn eyes(start: Start) -> Seen {
        flow! { see }
    }

    #[tokio::test(start_paused = true)]
    async fn is_drawn_by_step_key_and_attempt() {
        let mut all = Vec::new();
        for id in ["one", "one", "two"] {
            let play = Play::default().with("see", [Fails, Fails, Fails]);
            let clock = SystemClock::new();
            let run = eyes::start(Start { n: 1 }).unwrap();
            let mut run = run.with_run_id(id).with_clock(clock);
            let mut found = Vec::new();
            loop {
                match run.next(play.ctx()).await.unwrap() {
                    RunOut::Done(_) => break,
                    RunOut::Continue => run = restart(&run, clock),
                    out => {
                        found.push(waits(&out, &clock).0);
                        run.wait().await;
                    }
                }
            }
            let retry = Retry::attempts(4).backoff(ms(10_000)).jitter();
            let key = &play.keys()[0];
            let expected = (1..4).map(|n| retry.wait_after(n, key).as_millis());
            assert_eq!(found, expected.collect::<Vec<_>>());
            all.push(found);
        }
        assert_eq!(all[0], all[1]);
        assert_ne!(all[0], all[2]);
    }
}

mod limits {
    use super::*;

    states!(Draft, Notes, Over);

    #[node(max_visits = 3, retry(max_attempts = 5))]
    async fn review(draft: Draft, ctx: Context) -> Result<Either<Over, Notes>, String> {
        body(&ctx, "review").await?;
        Ok(match draft.n {
            0 => Either::Left(Over { n: 0 }),
            n => Either::Right(Notes { n: n - 1 }),
        })
    }

    #[node]
    fn revise(notes: Notes) -> Draft {
        Draft { n: notes.n }
    }

    #[node]
    fn begin(job: Job) -> Draft {
        Draft { n: job.n }
    }

    #[flow(named)]
    fn looped(job: Job) -> Over {
        flow! { begin -> review -> either(done, revise); revise -> review }
    }

    #[tokio::test(start_paused = true)]
    async fn attempts_at_one_visit_count_once_and_the_limit_is_not_tried_again() {
        let play = Play::default().with("review", [Fails, Fails, Fails, Takes(0), Fails]);
        let mut run = looped::start(Job { n: 5 }).unwrap();
        let error = run.run(play.ctx()).await.unwrap_err();
        assert!(
            matches!(error, FlowError::MaxVisits { limit: 3, .. }),
            "{error}"
        );
        assert_eq!(play.count("review"), 3 + 4);
        assert!(matches!(
            run.status(),
            RunStatus::Failed { attempts: 1, .. }
        ));
        let done = looped::start(Job { n: 2 })
            .unwrap()
            .run(play.ctx())
            .await
            .unwrap();
        assert_eq!(done, RunOut::Done(Over { n: 0 }));
    }
}

#[tokio::test(start_paused = true)]
async fn a_manual_clock_says_when_the_next_attempt_is_due() {
    let play = Play::default().with("work", [Fails]);
    let clock = ManualClock::new(UNIX_EPOCH + Duration::from_secs(1_000));
    let mut run = bare::start(Job { n: 1 }).unwrap().with_clock(clock.clone());
    run.next(play.ctx()).await.unwrap();
    clock.advance(ms(99));
    let out = run.next(play.ctx()).await.unwrap();
    assert_eq!(waits(&out, &clock).0, 1);
    clock.advance(ms(1));
    let out = run.next(play.ctx()).await.unwrap();
    assert_eq!(out, RunOut::Done(Done { n: 1 }));
    assert_eq!(clock.now(), UNIX_EPOCH + ms(1_000_100));
}

/// A function that is not `async`, which is tried again at once.
#[node(retry(max_attempts = 3))]
fn hasty(job: Job, ctx: Context) -> Result<Done, String> {
    let failing = ctx.dep::<Failing>().unwrap();
    match failing.0.fetch_sub(1, Ordering::Relaxed) {
        ..=0 => Ok(Done { n: job.n }),
        _ => Err("too early".into()),
    }
}

#[flow(named)]
fn in_haste(job: Job) -> Report {
    flow! { hasty -> close }
}

/// How often it still fails.
struct Failing(AtomicI32);

#[tokio::test]
async fn attempts_without_a_wait_are_forgotten_once_the_node_returns() {
    let ctx = Context::default().with_dep(Failing(AtomicI32::new(2)));
    let clock = SystemClock::new();
    let mut run = in_haste::start(Job { n: 1 }).unwrap();
    for failed in [1, 2] {
        assert_eq!(run.next(ctx.clone()).await.unwrap(), RunOut::Continue);
        assert_eq!(json(&run)["attempts"]["Job"]["failed"], failed);
    }
    assert_eq!(run.next(ctx.clone()).await.unwrap(), RunOut::Continue);
    assert!(json(&run).get("attempts").is_none());
    let mut run = restart(&run, clock);
    assert_eq!(run.run(ctx).await.unwrap(), RunOut::Done(Report { n: 1 }));
}

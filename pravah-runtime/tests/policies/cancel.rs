//! Runs that are stopped from outside, for good or for a while.

use pravah_runtime::{RunStatus, SystemClock, WaitReason, prelude::*};

use crate::support::{Act::*, Play, body, job, json, ms, restart, states, taking};

states!(Start, One, Two, OneDone, TwoDone, Both, End);

#[node]
fn open(start: Start) -> (One, Two) {
    (One { n: start.n }, Two { n: start.n })
}

#[node]
async fn one(one: One, ctx: Context) -> Result<OneDone, String> {
    body(&ctx, "one").await?;
    Ok(OneDone { n: one.n })
}

/// Cleans up when it is told.
#[node]
async fn two(two: Two, ctx: Context) -> Result<TwoDone, String> {
    tokio::select! {
        ended = body(&ctx, "two") => ended?,
        () = ctx.cancelled() => body(&ctx, "clean up").await?,
    }
    Ok(TwoDone { n: two.n })
}

#[node]
fn meet(one: OneDone, two: TwoDone) -> Both {
    Both { n: one.n + two.n }
}

#[gate(prompt = "Well?", timeout = "1h")]
fn ask(both: Both, yes: u64) -> End {
    End { n: both.n + yes }
}

#[flow(named)]
fn whole(start: Start) -> End {
    flow! { open -> fork(one, two) -> join(meet) -> ask }
}

fn play() -> Play {
    Play::default()
        .with("one", [Takes(10)])
        .with("two", [Takes(100)])
}

/// Makes so many steps, and starts the next one with its bodies in flight.
async fn after(steps: usize, concurrency: usize, play: &Play) -> FlowRuntime<whole> {
    let run = whole::start(Start { n: 1 }).unwrap();
    let mut run = run.with_concurrency(concurrency);
    for _ in 0..steps {
        run.next(play.ctx()).await.unwrap();
    }
    run
}

#[tokio::test(start_paused = true)]
async fn a_run_can_be_cancelled_at_every_point() {
    for concurrency in [1, 2] {
        for steps in 0..6 {
            for grace in [0, 1_000] {
                let play = play();
                let run = after(steps.min(5), concurrency, &play).await;
                let mut run = run.with_cancel_grace(ms(grace));
                run.cancel("enough").await.unwrap();
                let clock = SystemClock::new();
                for mut run in [restart(&run, clock), run] {
                    let status = run.status();
                    assert!(
                        matches!(&status, RunStatus::Cancelled { reason, .. } if reason == "enough"),
                        "{status:?}"
                    );
                    assert_eq!(json(&run)["cancelled"], "enough");
                    assert_eq!(run.output().unwrap(), None);
                    let before = json(&run);
                    for error in [
                        run.next(play.ctx()).await.unwrap_err(),
                        run.run(play.ctx()).await.unwrap_err(),
                        run.answer(play.ctx(), "ask", 1).await.unwrap_err(),
                        run.cancel("again").await.unwrap_err(),
                    ] {
                        assert!(
                            matches!(&error, FlowError::Cancelled { reason, .. } if reason == "enough"),
                            "{error}"
                        );
                    }
                    assert_eq!(json(&run), before);
                }
                let starts = play.log().len();
                let over = |entry: &&String| entry.contains(' ') && *entry != "clean up";
                let ends = play.log().iter().filter(over).count();
                assert_eq!(starts, 2 * ends, "{:?}", play.log());
            }
        }
    }
}

mod line {
    use super::*;

    states!(First, Second, Third);

    #[node]
    fn first(first: First) -> Second {
        Second { n: first.n }
    }

    #[node]
    fn second(second: Second) -> Third {
        Third { n: second.n }
    }

    #[flow(named)]
    fn line(first: First) -> Third {
        flow! { first -> second }
    }

    #[tokio::test(start_paused = true)]
    async fn nodes_one_after_another_are_stopped_as_well() {
        for steps in 0..2 {
            let mut run = line::start(First { n: 1 }).unwrap();
            for _ in 0..steps {
                run.next(Context::default()).await.unwrap();
            }
            run.cancel("enough").await.unwrap();
            let error = run.next(Context::default()).await.unwrap_err();
            assert!(matches!(error, FlowError::Cancelled { .. }), "{error}");
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_run_that_is_done_cannot_be_cancelled() {
    let play = Play::default();
    let mut run = after(5, 1, &play).await;
    run.answer(play.ctx(), "ask", 1).await.unwrap();
    let error = run.cancel("too late").await.unwrap_err();
    assert!(matches!(error, FlowError::Finished));
    assert_eq!(run.status(), RunStatus::Done);
}

#[tokio::test(start_paused = true)]
async fn bodies_in_flight_are_dropped_at_once() {
    let play = play();
    // `one` is committed and `two` is in flight.
    let mut run = after(2, 2, &play).await;
    assert_eq!(play.log(), ["one", "two", "one ends"]);
    let (out, took) = taking(run.cancel("enough")).await;
    out.unwrap();
    assert_eq!(took, 0);
    assert_eq!(play.log()[3..], ["two dropped"]);
}

#[tokio::test(start_paused = true)]
async fn those_that_watch_have_a_grace_and_what_they_return_is_not_committed() {
    for (cleaning, time, end) in [(30, 30, "clean up ends"), (80, 50, "clean up dropped")] {
        let play = play().with("clean up", [Takes(cleaning)]);
        let run = after(2, 2, &play).await;
        let mut run = run.with_cancel_grace(ms(50));
        let before = json(&run);
        let (out, took) = taking(run.cancel("enough")).await;
        out.unwrap();
        assert_eq!(took, time);
        assert_eq!(play.log()[3..], ["two dropped", "clean up", end]);
        let after = json(&run);
        for key in ["steps", "states"] {
            assert_eq!(after[key], before[key]);
        }
    }
}

#[tokio::test(start_paused = true)]
async fn whoever_does_not_wait_for_the_grace_has_cancelled_all_the_same() {
    let play = play().with("clean up", [Takes(30)]);
    let run = after(2, 2, &play).await;
    let mut run = run.with_cancel_grace(ms(50));
    let cancel = run.cancel("enough");
    tokio::time::timeout(ms(10), cancel).await.unwrap_err();
    assert!(matches!(run.status(), RunStatus::Cancelled { .. }));
    assert_eq!(
        play.log()[3..],
        ["two dropped", "clean up", "clean up dropped"]
    );
    assert!(matches!(
        run.next(play.ctx()).await.unwrap_err(),
        FlowError::Cancelled { .. }
    ));
}

#[tokio::test(start_paused = true)]
async fn a_paused_run_commits_what_is_in_flight_and_makes_no_other_step() {
    let play = play();
    let clock = SystemClock::new();
    let mut run = after(2, 2, &play).await.with_clock(clock);
    run.pause();
    assert_eq!(run.status(), RunStatus::Paused);
    let (out, took) = taking(run.next(play.ctx())).await;
    assert_eq!((out.unwrap(), took), (RunOut::Continue, 90));
    let paused = RunOut::waiting(None, WaitReason::Paused);
    for mut run in [restart(&run, clock), run] {
        for _ in 0..2 {
            assert_eq!(run.next(play.ctx()).await.unwrap(), paused);
            assert_eq!(run.run(play.ctx()).await.unwrap(), paused);
        }
        let ((), took) = taking(run.wait()).await;
        assert_eq!(took, 0);
        assert_eq!(json(&run)["paused"], true);
        run.unpause();
        assert_eq!(run.status(), RunStatus::Ready);
        let out = run.run(play.ctx()).await.unwrap();
        assert!(matches!(out, RunOut::Suspend { .. }));
        assert_eq!(json(&run).get("paused"), None);
    }
}

mod again {
    use super::*;

    job! {
        #[node(retry(max_attempts = 2, backoff = "1h"))]
    }

    #[tokio::test(start_paused = true)]
    async fn no_time_is_waited_for_in_a_run_that_is_paused_or_cancelled() {
        let play = Play::default().with("work", [Fails]);
        let mut run = bare::start(Job { n: 1 }).unwrap();
        run.next(play.ctx()).await.unwrap();
        run.pause();
        assert_eq!(taking(run.wait()).await.1, 0);
        run.unpause();
        assert_eq!(taking(run.wait()).await.1, 3_600_000);
        let play = Play::default().with("work", [Fails]);
        let mut run = bare::start(Job { n: 1 }).unwrap();
        run.next(play.ctx()).await.unwrap();
        run.cancel("enough").await.unwrap();
        assert_eq!(taking(run.wait()).await.1, 0);
    }
}

#[tokio::test(start_paused = true)]
async fn a_run_can_be_paused_at_every_point() {
    for steps in 0..5 {
        let play = play();
        let clock = SystemClock::new();
        let mut run = after(steps, 1, &play).await;
        run.pause();
        let before = json(&run);
        let out = run.next(play.ctx()).await.unwrap();
        assert_eq!(out, RunOut::waiting(None, WaitReason::Paused));
        assert_eq!(json(&run), before);
        run = restart(&run, clock);
        run.cancel("enough").await.unwrap();
        assert!(matches!(run.status(), RunStatus::Cancelled { .. }));
    }
}

#[tokio::test(start_paused = true)]
async fn an_answer_to_a_run_that_is_paused_is_kept_until_it_goes_on() {
    let play = play();
    let mut run = after(4, 1, &play).await;
    let out = run.run(play.ctx()).await.unwrap();
    assert!(matches!(out, RunOut::Suspend { .. }));
    run.pause();
    let steps = json(&run)["steps"].clone();
    let out = run.answer(play.ctx(), "ask", 7).await.unwrap();
    assert_eq!(out, RunOut::waiting(None, WaitReason::Paused));
    let mut run = restart(&run, SystemClock::new());
    assert_eq!(json(&run)["steps"], steps);
    assert!(run.suspensions().is_empty());
    run.unpause();
    let out = run.run(play.ctx()).await.unwrap();
    assert_eq!(out, RunOut::Done(End { n: 2 + 7 }));
}

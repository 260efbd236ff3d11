//! Gates that wait for a limited time.

use pravah_runtime::{RunStatus, StepKind, SystemClock, prelude::*};

use crate::support::{Act::*, Play, body, json, ms, restart, states, taking};

states!(Draft, Decided, Job, Right, RightDone, Shut);

#[gate(prompt = "Well?", timeout = "1h")]
async fn ask(draft: Draft, yes: u64, ctx: Context) -> Result<Decided, String> {
    body(&ctx, "ask").await?;
    Ok(Decided { n: draft.n + yes })
}

#[node]
fn close(decided: Decided) -> Shut {
    Shut { n: decided.n }
}

#[node]
fn overdue(failure: Failure<Draft>) -> Shut {
    assert_eq!(failure.kind, FailureKind::Timeout);
    Shut {
        n: 1_000 * u64::from(failure.attempts) + failure.input.n,
    }
}

#[flow(named)]
fn bare(draft: Draft) -> Decided {
    flow! { ask }
}

#[flow(named)]
fn caught(draft: Draft) -> Shut {
    flow! { ask -> close; catch(ask) -> overdue }
}

const HOUR: u64 = 3_600_000;

#[tokio::test(start_paused = true)]
async fn nobody_waits_for_the_time_of_a_question() {
    let play = Play::default();
    let mut run = caught::start(Draft { n: 1 }).unwrap();
    for _ in 0..2 {
        let (out, took) = taking(run.run(play.ctx())).await;
        assert!(matches!(out.unwrap(), RunOut::Suspend { .. }));
        assert_eq!(took, 0);
    }
    let ((), took) = taking(run.wait()).await;
    assert_eq!(took, 0);
    tokio::time::sleep(ms(HOUR - 2)).await;
    let error = run.next(play.ctx()).await.unwrap_err();
    assert!(matches!(error, FlowError::ResumeRequired(id) if id == "ask"));
    assert!(matches!(run.status(), RunStatus::Suspended { .. }));
}

#[tokio::test(start_paused = true)]
async fn a_catch_takes_the_failure_of_a_gate_that_nobody_answers() {
    for restarts in [false, true] {
        let play = Play::default();
        let clock = SystemClock::new();
        let run = caught::start(Draft { n: 1 }).unwrap();
        let mut run = run.with_clock(clock);
        run.run(play.ctx()).await.unwrap();
        tokio::time::sleep(ms(HOUR + 1)).await;
        if restarts {
            run = restart(&run, clock);
        }
        assert_eq!(run.status(), RunStatus::Ready);
        assert_eq!(run.next(play.ctx()).await.unwrap(), RunOut::Continue);
        assert_eq!(run.last_step().unwrap().kind, StepKind::Failure);
        assert!(run.suspensions().is_empty());
        let error = run.answer(play.ctx(), "ask", 1).await.unwrap_err();
        assert!(
            matches!(error, FlowError::UnexpectedResumption(_)),
            "{error}"
        );
        let out = run.run(play.ctx()).await.unwrap();
        assert_eq!(out, RunOut::Done(Shut { n: 1_001 }));
        assert_eq!(play.count("ask"), 0);
    }
}

#[tokio::test(start_paused = true)]
async fn without_a_catch_the_run_has_failed_and_another_step_asks_anew() {
    let play = Play::default();
    let clock = SystemClock::new();
    let run = bare::start(Draft { n: 1 }).unwrap();
    let mut run = run.with_clock(clock);
    run.run(play.ctx()).await.unwrap();
    tokio::time::sleep(ms(HOUR + 1)).await;
    let error = run.run(play.ctx()).await.unwrap_err();
    assert!(matches!(error, FlowError::TimedOut { limit, .. } if limit == ms(HOUR)));
    run = restart(&run, clock);
    assert!(matches!(
        run.status(),
        RunStatus::Failed {
            kind: FailureKind::Timeout,
            attempts: 1,
            ..
        }
    ));
    assert!(matches!(
        run.run(play.ctx()).await.unwrap(),
        RunOut::Suspend { .. }
    ));
    // A whole hour again.
    tokio::time::sleep(ms(HOUR - 2)).await;
    let out = run.answer(play.ctx(), "ask", 1).await.unwrap();
    assert_eq!(out, RunOut::Done(Decided { n: 2 }));
}

#[tokio::test(start_paused = true)]
async fn an_answer_just_before_is_taken() {
    let play = Play::default();
    let mut run = caught::start(Draft { n: 1 }).unwrap();
    run.run(play.ctx()).await.unwrap();
    tokio::time::sleep(ms(HOUR - 2)).await;
    run.answer(play.ctx(), "ask", 1).await.unwrap();
    tokio::time::sleep(ms(HOUR)).await;
    assert_eq!(
        run.run(play.ctx()).await.unwrap(),
        RunOut::Done(Shut { n: 2 })
    );
}

#[tokio::test(start_paused = true)]
async fn an_answer_after_it_is_taken_as_long_as_nobody_made_a_step() {
    let play = Play::default();
    let mut run = caught::start(Draft { n: 1 }).unwrap();
    run.run(play.ctx()).await.unwrap();
    tokio::time::sleep(ms(HOUR * 2)).await;
    run.answer(play.ctx(), "ask", 1).await.unwrap();
    assert_eq!(
        run.run(play.ctx()).await.unwrap(),
        RunOut::Done(Shut { n: 2 })
    );
}

#[tokio::test(start_paused = true)]
async fn the_body_of_a_gate_takes_the_time_it_needs() {
    let play = Play::default().with("ask", [Takes(HOUR * 2)]);
    let mut run = bare::start(Draft { n: 1 }).unwrap();
    run.run(play.ctx()).await.unwrap();
    let out = run.answer(play.ctx(), "ask", 1).await.unwrap();
    assert_eq!(out, RunOut::Done(Decided { n: 2 }));
}

#[tokio::test(start_paused = true)]
async fn an_answer_is_kept_where_the_body_fails_or_is_dropped() {
    let play = Play::default().with("ask", [Hangs, FailsAfter(10)]);
    let clock = SystemClock::new();
    let run = bare::start(Draft { n: 1 }).unwrap();
    let mut run = run.with_clock(clock);
    run.run(play.ctx()).await.unwrap();
    let answer = run.answer(play.ctx(), "ask", 1);
    tokio::time::timeout(ms(10), answer).await.unwrap_err();
    run = restart(&run, clock);
    run.next(play.ctx()).await.unwrap_err();
    run = restart(&run, clock);
    tokio::time::sleep(ms(HOUR * 2)).await;
    let out = run.run(play.ctx()).await.unwrap();
    assert_eq!(out, RunOut::Done(Decided { n: 2 }));
}

#[node]
fn open(job: Job) -> (Draft, Right) {
    (Draft { n: job.n }, Right { n: job.n })
}

#[node]
async fn right(right: Right, ctx: Context) -> Result<RightDone, String> {
    body(&ctx, "right").await?;
    Ok(RightDone { n: right.n })
}

#[node]
fn meet(decided: Decided, right: RightDone) -> Shut {
    Shut {
        n: decided.n + right.n,
    }
}

#[node]
fn nobody(failure: Failure<Draft>) -> Decided {
    Decided {
        n: 100 + failure.input.n,
    }
}

#[flow(named)]
fn beside(job: Job) -> Shut {
    flow! { open -> fork(ask, right) -> join(meet); catch(ask) -> nobody -> join(meet) }
}

#[tokio::test(start_paused = true)]
async fn a_gate_fails_in_time_while_another_body_is_in_flight() {
    let play = Play::default().with("right", [Takes(HOUR * 3)]);
    let run = beside::start(Job { n: 1 }).unwrap();
    let mut run = run.with_concurrency(2);
    let steps = async {
        while !json(&run)["states"]
            .as_object()
            .unwrap()
            .contains_key("Decided")
        {
            run.next(play.ctx()).await.unwrap();
        }
    };
    let ((), took) = taking(steps).await;
    assert_eq!(took, u128::from(HOUR));
    let (out, took) = taking(run.run(play.ctx())).await;
    assert_eq!(out.unwrap(), RunOut::Done(Shut { n: 102 }));
    assert_eq!(took, u128::from(HOUR * 2));
}

#[tokio::test(start_paused = true)]
async fn an_answer_is_what_its_own_step_came_to_while_another_body_is_in_flight() {
    let play = Play::default()
        .with("right", [Takes(10)])
        .with("ask", [Takes(50)]);
    let run = beside::start(Job { n: 1 }).unwrap();
    let mut run = run.with_concurrency(2);
    while run.suspensions().is_empty() {
        run.next(play.ctx()).await.unwrap();
    }
    let (out, took) = taking(async {
        let step = run.next(play.ctx());
        // It stays in flight, as `next` has returned before it is started.
        let mut step = std::pin::pin!(step);
        assert!(futures_util::poll!(step.as_mut()).is_pending());
        step.await
    })
    .await;
    assert_eq!((out.unwrap(), took), (RunOut::Continue, 10));
    let (out, took) = taking(run.answer(play.ctx(), "ask", 5)).await;
    assert_eq!((out.unwrap(), took), (RunOut::Continue, 50));
    assert_eq!(run.last_step().unwrap().node, "ask");
    let out = run.run(play.ctx()).await.unwrap();
    assert_eq!(out, RunOut::Done(Shut { n: 7 }));
}

//! Bodies that are in flight together.

use pravah_runtime::{RunStatus, SystemClock, prelude::*};

use crate::support::{Act::*, Play, body, json, ms, restart, states, taking};

states!(
    Start, A0, A1, A2, A3, A4, A5, A6, A7, B0, B1, B2, B3, B4, B5, B6, B7, End
);

macro_rules! works {
    ($($name:ident($from:ident) -> $to:ident;)+) => {$(
        #[node]
        async fn $name(from: $from, ctx: Context) -> Result<$to, String> {
            body(&ctx, stringify!($name)).await?;
            Ok($to { n: from.n + 1 })
        }
    )+};
}

works! {
    w0(A0) -> B0;
    w1(A1) -> B1;
    w2(A2) -> B2;
    w3(A3) -> B3;
    w4(A4) -> B4;
    w5(A5) -> B5;
    w6(A6) -> B6;
    w7(A7) -> B7;
}

#[node]
#[rustfmt::skip]
fn open(start: Start) -> (A0, A1, A2, A3, A4, A5, A6, A7) {
    let n = start.n;
    (A0 { n }, A1 { n }, A2 { n }, A3 { n }, A4 { n }, A5 { n }, A6 { n }, A7 { n })
}

#[node]
#[expect(clippy::too_many_arguments, reason = "eight branches meet")]
fn close(b0: B0, b1: B1, b2: B2, b3: B3, b4: B4, b5: B5, b6: B6, b7: B7) -> End {
    End {
        n: [b0.n, b1.n, b2.n, b3.n, b4.n, b5.n, b6.n, b7.n]
            .iter()
            .sum(),
    }
}

#[flow(named)]
fn wide(start: Start) -> End {
    flow! { open -> fork(w0, w1, w2, w3, w4, w5, w6, w7) -> join(close) }
}

const NAMES: [&str; 8] = ["w0", "w1", "w2", "w3", "w4", "w5", "w6", "w7"];

fn each_takes(time: impl Fn(u64) -> u64) -> Play {
    (0..8).zip(NAMES).fold(Play::default(), |play, (n, name)| {
        play.with(name, [Takes(time(n))])
    })
}

#[tokio::test(start_paused = true)]
async fn eight_bodies_take_as_long_as_one_at_eight() {
    for (concurrency, time) in [(0, 160), (1, 160), (2, 80), (3, 60), (8, 20), (99, 20)] {
        let play = each_takes(|_| 20);
        let run = wide::start(Start { n: 0 }).unwrap();
        let mut run = run.with_concurrency(concurrency);
        let (out, took) = taking(run.run(play.ctx())).await;
        assert_eq!(out.unwrap(), RunOut::Done(End { n: 8 }));
        assert_eq!((took, play.most()), (time, concurrency.clamp(1, 8)));
    }
}

#[tokio::test(start_paused = true)]
async fn results_are_committed_one_per_step_in_the_order_in_which_they_come() {
    let play = each_takes(|n| 80 - n * 10);
    let run = wide::start(Start { n: 0 }).unwrap();
    let mut run = run.with_concurrency(8);
    let clock = SystemClock::new();
    run.next(play.ctx()).await.unwrap();
    let before = json(&run);
    for (n, name) in (0..).zip(NAMES.iter().rev()) {
        let step = run.next(play.ctx());
        let (out, took) = taking(step).await;
        assert_eq!((out.unwrap(), took), (RunOut::Continue, 10));
        assert_eq!(run.last_step().unwrap().node, *name);
        // What is in flight has its input in the snapshot.
        let states = &json(&run)["states"];
        for other in 0..8 - n - 1 {
            let key = format!("A{other}");
            assert_eq!(states[&key], before["states"][&key]);
        }
        assert_eq!(states.as_object().unwrap().len(), 8);
        // It starts again in another process.
        let play = Play::default();
        let mut other = restart(&run, clock).with_concurrency(8);
        let out = other.run(play.ctx()).await.unwrap();
        assert_eq!(out, RunOut::Done(End { n: 8 }));
        assert_eq!(play.log().len(), 2 * (8 - n - 1));
    }
    assert_eq!(play.log().len(), 16);
}

#[tokio::test(start_paused = true)]
async fn what_a_step_returns_does_not_stop_the_others_and_dropping_it_drops_all() {
    let play = each_takes(|n| 10 + n);
    let run = wide::start(Start { n: 0 }).unwrap();
    let mut run = run.with_concurrency(8);
    run.next(play.ctx()).await.unwrap();
    run.next(play.ctx()).await.unwrap();
    // They go on when they are polled, and time passes all the same.
    tokio::time::sleep(ms(5)).await;
    let before = json(&run);
    let (_, took) = taking(run.next(play.ctx())).await;
    assert_eq!((took, play.count("w1")), (0, 1));
    let before_drop = json(&run);
    assert_ne!(before, before_drop);
    for name in NAMES {
        play.add(name, [Takes(30)]);
    }
    while let Ok(out) = tokio::time::timeout(ms(0), run.next(play.ctx())).await {
        assert_eq!(out.unwrap(), RunOut::Continue);
    }
    let started = |play: &Play| NAMES.map(|name| play.count(name)).iter().sum::<usize>();
    assert_eq!(started(&play), 8);
    let at_drop = json(&run);
    assert_eq!(run.status(), RunStatus::Ready);
    let out = run.run(play.ctx()).await.unwrap();
    assert_eq!(out, RunOut::Done(End { n: 8 }));
    let open = at_drop["states"].as_object().unwrap();
    let open = open.keys().filter(|key| key.starts_with('A')).count();
    assert_eq!(started(&play), 8 + open);
}

#[tokio::test(start_paused = true)]
async fn a_dropped_step_drops_the_bodies_at_once() {
    let play = each_takes(|_| 100);
    let run = wide::start(Start { n: 0 }).unwrap();
    let mut run = run.with_concurrency(8);
    run.next(play.ctx()).await.unwrap();
    let before = json(&run);
    tokio::time::timeout(ms(50), run.next(play.ctx()))
        .await
        .unwrap_err();
    for name in NAMES {
        assert_eq!(play.count(&format!("{name} dropped")), 1);
    }
    assert_eq!(json(&run), before);
}

#[tokio::test(start_paused = true)]
async fn max_steps_is_not_passed_by_what_is_in_flight() {
    let play = each_takes(|n| 10 + n);
    let run = wide::start(Start { n: 0 }).unwrap();
    let mut run = run.with_concurrency(8).with_max_steps(4);
    let error = run.run(play.ctx()).await.unwrap_err();
    assert!(
        matches!(error, FlowError::MaxSteps { limit: 4, .. }),
        "{error}"
    );
    assert_eq!(json(&run)["steps"], 4);
    assert_eq!(play.most(), 3);
}

#[tokio::test(start_paused = true)]
async fn a_body_that_fails_does_not_stop_those_in_flight() {
    let play = Play::default().with("w0", [FailsAfter(5)]);
    for name in &NAMES[1..] {
        play.add(name, [Takes(50)]);
    }
    let run = wide::start(Start { n: 0 }).unwrap();
    let mut run = run.with_concurrency(8);
    let error = run.run(play.ctx()).await.unwrap_err();
    assert!(error.to_string().contains("w0"), "{error}");
    assert_eq!(
        play.log()
            .iter()
            .filter(|it| it.ends_with("dropped"))
            .count(),
        0
    );
    let (out, took) = taking(run.run(play.ctx())).await;
    assert_eq!(out.unwrap(), RunOut::Done(End { n: 8 }));
    assert_eq!(took, 45);
    assert_eq!(play.count("w1"), 1);
}

mod due {
    use super::*;

    states!(Open, Slow, Fast, SlowDone, FastDone, Shut);

    #[node]
    fn begin(open: Open) -> (Slow, Fast) {
        (Slow { n: open.n }, Fast { n: open.n })
    }

    #[node]
    async fn slow(slow: Slow, ctx: Context) -> Result<SlowDone, String> {
        body(&ctx, "slow").await?;
        Ok(SlowDone { n: slow.n })
    }

    #[node(retry(max_attempts = 3, backoff = "10ms"))]
    async fn fast(fast: Fast, ctx: Context) -> Result<FastDone, String> {
        body(&ctx, "fast").await?;
        Ok(FastDone { n: fast.n })
    }

    #[node]
    fn end(slow: SlowDone, fast: FastDone) -> Shut {
        Shut { n: slow.n + fast.n }
    }

    #[flow(named)]
    fn two(open: Open) -> Shut {
        flow! { begin -> fork(slow, fast) -> join(end) }
    }

    #[tokio::test(start_paused = true)]
    async fn an_attempt_that_is_due_starts_while_another_body_is_in_flight() {
        let play = Play::default()
            .with("slow", [Takes(100)])
            .with("fast", [Fails, FailsAfter(10), Takes(60)]);
        let run = two::start(Open { n: 1 }).unwrap();
        let mut run = run.with_concurrency(2);
        let (out, took) = taking(run.run(play.ctx())).await;
        assert_eq!(out.unwrap(), RunOut::Done(Shut { n: 2 }));
        assert_eq!(took, 100);
    }

    #[tokio::test(start_paused = true)]
    async fn it_does_not_at_one() {
        let play = Play::default()
            .with("slow", [Takes(100)])
            .with("fast", [Fails]);
        let mut run = two::start(Open { n: 1 }).unwrap();
        let (_, took) = taking(run.run(play.ctx())).await;
        assert_eq!((took, play.most()), (110, 1));
    }
}

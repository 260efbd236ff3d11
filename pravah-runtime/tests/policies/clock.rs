//! What time it is for a run.

use std::time::{Duration, UNIX_EPOCH};

use pravah_runtime::{Clock, ManualClock, RunStatus, SystemClock, WaitReason, prelude::*};

use crate::support::{Act::*, Play, is_failed, job, ms, taking, waits};

job! {
    #[node(retry(max_attempts = 2, backoff = "1h"), timeout = "10m")]
}

fn manual() -> ManualClock {
    ManualClock::new(UNIX_EPOCH + Duration::from_secs(1_000_000))
}

#[tokio::test(start_paused = true)]
async fn the_default_clock_goes_with_tokios() {
    let clock = SystemClock::default();
    let before = clock.now();
    let ((), took) = taking(clock.sleep_until(before + ms(5_000))).await;
    assert_eq!(took, 5_000);
    assert_eq!(clock.now(), before + ms(5_000));
    let ((), took) = taking(clock.sleep_until(before)).await;
    assert_eq!(took, 0);
}

#[tokio::test(start_paused = true)]
async fn nothing_but_its_own_clock_moves_a_run() {
    let play = Play::default().with("work", [Fails]);
    let clock = manual();
    let mut run = bare::start(Job { n: 1 }).unwrap().with_clock(clock.clone());
    run.next(play.ctx()).await.unwrap();
    tokio::time::sleep(Duration::from_secs(100_000)).await;
    let out = run.next(play.ctx()).await.unwrap();
    assert_eq!(waits(&out, &clock), (3_600_000, WaitReason::Retry));
    let ((), ()) = tokio::join!(run.wait(), async {
        tokio::task::yield_now().await;
        clock.advance(ms(3_600_000));
    });
    let out = run.next(play.ctx()).await.unwrap();
    assert_eq!(out, RunOut::Done(Done { n: 1 }));
}

#[tokio::test(start_paused = true)]
async fn a_timeout_goes_by_the_clock_of_the_run() {
    let play = Play::default().with("work", [Hangs]);
    let clock = manual();
    let mut run = bare::start(Job { n: 1 }).unwrap().with_clock(clock.clone());
    let (out, ()) = tokio::join!(run.next(play.ctx()), async {
        tokio::time::sleep(Duration::from_secs(100_000)).await;
        assert_eq!(play.count("work dropped"), 0);
        clock.advance(ms(600_000));
    });
    assert_eq!(out.unwrap(), RunOut::Continue);
    assert_eq!(play.count("work dropped"), 1);
}

#[tokio::test(start_paused = true)]
async fn a_clock_that_is_set_back_makes_waits_longer_and_breaks_nothing() {
    let play = Play::default().with("work", [Fails, Takes(5)]);
    let clock = manual();
    let mut run = bare::start(Job { n: 1 }).unwrap().with_clock(clock.clone());
    run.next(play.ctx()).await.unwrap();
    clock.set(UNIX_EPOCH);
    let out = run.next(play.ctx()).await.unwrap();
    assert_eq!(
        waits(&out, &clock),
        (1_000_000_000 + 3_600_000, WaitReason::Retry)
    );
    assert!(matches!(run.status(), RunStatus::Waiting { .. }));
    clock.set(UNIX_EPOCH + Duration::from_secs(u64::from(u32::MAX)));
    let out = run.next(play.ctx()).await.unwrap();
    assert_eq!(out, RunOut::Done(Done { n: 1 }));
    assert!(!is_failed(&run));
}

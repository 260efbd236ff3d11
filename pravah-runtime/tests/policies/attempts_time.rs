//! The time that all attempts at a node may take together.

use pravah_runtime::{SystemClock, prelude::*};

use crate::support::{Act::*, Play, body, is_failed, ms, restart, states, taking};

states!(Start, Ready, Seen, Done);

#[node(
    retry(max_attempts = 100, backoff = "30ms"),
    timeout = "1s",
    total_timeout = "10s"
)]
async fn see(ready: Ready, ctx: Context) -> Result<Seen, String> {
    body(&ctx, "see").await?;
    Ok(Seen { n: ready.n })
}

#[node]
fn open(start: Start) -> Ready {
    Ready { n: start.n }
}

#[flow(named)]
fn first(ready: Ready) -> Seen {
    flow! { see }
}

#[flow(named)]
fn later(start: Start) -> Seen {
    flow! { open -> see }
}

#[node]
fn items(start: Start) -> Each<Ready> {
    vec![Ready { n: start.n }].into()
}

#[node]
fn sum(all: Each<Seen>) -> Done {
    Done {
        n: all.len() as u64,
    }
}

#[flow(named)]
fn listed(start: Start) -> Done {
    flow! { items -> each(see) -> sum }
}

/// Fails after 970 ms every time, so that an attempt and its wait take a second.
fn slow() -> Play {
    Play::default().with("see", [FailsAfter(970); 200])
}

async fn failing<F: pravah_runtime::FlowDef>(
    mut run: FlowRuntime<F>,
    restarts: bool,
) -> (Play, u128) {
    let (play, clock) = (slow(), SystemClock::new());
    run = run.with_clock(clock);
    let steps = async {
        loop {
            match run.next(play.ctx()).await {
                Ok(RunOut::Waiting { .. }) => run.wait().await,
                Ok(_) => {}
                Err(_) => break,
            }
            if restarts {
                run = restart(&run, clock);
            }
        }
    };
    let ((), took) = taking(steps).await;
    assert!(is_failed(&run));
    assert!(is_failed(&restart(&run, clock)));
    (play, took)
}

#[tokio::test(start_paused = true)]
async fn counts_all_attempts_and_waits_of_a_node_that_became_ready_later() {
    for restarts in [false, true] {
        let run = later::start(Start { n: 1 }).unwrap();
        let (play, took) = failing(run, restarts).await;
        assert_eq!((play.count("see"), took), (10, 9_970));
    }
}

#[tokio::test(start_paused = true)]
async fn counts_those_of_the_first_node() {
    for restarts in [false, true] {
        let run = first::start(Ready { n: 1 }).unwrap();
        let (play, took) = failing(run, restarts).await;
        assert_eq!((play.count("see"), took), (10, 9_970));
    }
}

#[tokio::test(start_paused = true)]
async fn counts_those_of_the_first_node_of_an_item() {
    for restarts in [false, true] {
        let run = listed::start(Start { n: 1 }).unwrap();
        let (play, took) = failing(run, restarts).await;
        assert_eq!((play.count("see"), took), (10, 9_970));
    }
}

#[tokio::test(start_paused = true)]
async fn starts_anew_for_whoever_tries_a_failed_node_again() {
    let mut run = later::start(Start { n: 1 }).unwrap();
    let play = slow();
    for _ in 0..3 {
        let (out, took) = taking(run.run(play.ctx())).await;
        out.unwrap_err();
        assert_eq!(took, 9_970);
    }
}

#[tokio::test(start_paused = true)]
async fn cuts_the_last_attempt_short() {
    let play = Play::default().with("see", [FailsAfter(800); 13]);
    let mut run = later::start(Start { n: 1 }).unwrap();
    let (out, took) = taking(run.run(play.ctx())).await;
    // Twelve attempts and their waits take 9,960.
    let error = out.unwrap_err();
    assert!(matches!(error, FlowError::TimedOut { limit, .. } if limit == ms(10_000)));
    assert_eq!((play.count("see"), took), (13, 10_000));
}

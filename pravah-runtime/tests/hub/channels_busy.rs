//! Channels of runs that leave them no time, or that have ended, and channels that do not start in time.

use std::{future::pending, pin::pin, time::Duration};

use futures_util::FutureExt as _;
use pravah_runtime::{BoxError, Channel, Channels, EventKind, FlowEvent, Hub, prelude::*};
use tokio::{
    sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel},
    time::{Instant, timeout},
};

use super::{Draft, Page};

#[state]
struct Round {
    n: u32,
}

#[node(max_visits = 10_000)]
fn turn(draft: &Draft) -> Either<Round, Page> {
    match draft.n {
        0 => Either::Right(Page { n: 0 }),
        n => Either::Left(Round { n }),
    }
}

#[node(max_visits = 10_000)]
fn again(round: &Round) -> Draft {
    Draft { n: round.n - 1 }
}

#[flow(named)]
pub(super) fn rounds(draft: Draft) -> Page {
    flow! { turn -> either(again -> turn, done) }
}

/// Sends on the names of its events.
struct Names(UnboundedSender<String>);

impl Names {
    fn new() -> (Self, UnboundedReceiver<String>) {
        let (names, received) = unbounded_channel();
        (Self(names), received)
    }
}

impl Channel for Names {
    fn name(&self) -> &str {
        "names"
    }

    async fn on_event(&mut self, event: FlowEvent) -> Result<(), BoxError> {
        Ok(self.0.send(event.kind.name().to_owned())?)
    }
}

fn received(mut names: UnboundedReceiver<String>) -> Vec<String> {
    std::iter::from_fn(|| names.try_recv().ok()).collect()
}

async fn seen_of_rounds(n: u32) -> Vec<String> {
    let (channel, names) = Names::new();
    let mut run = rounds::start(Draft { n }).unwrap();
    let channels = Channels::new().with(channel);
    let out = run.serve_with(Context::default(), channels).await;
    assert_eq!(out.unwrap(), RunOut::Done(Page { n: 0 }));
    received(names)
}

/// Each step has three events, and the run two.
fn of_rounds(n: usize) -> usize {
    (2 * n + 1) * 3 + 2
}

#[tokio::test]
async fn a_channel_has_the_last_events_of_a_run_that_used_up_what_tokio_lets_its_task_do() {
    let seen = seen_of_rounds(30).await;
    assert_eq!(seen.len(), of_rounds(30));
    assert_eq!(seen.last().unwrap(), "harness:complete");
}

#[tokio::test]
async fn a_channel_misses_nothing_of_a_long_run_that_never_awaits() {
    let seen = seen_of_rounds(1_000).await;
    assert!(!seen.contains(&"missed".to_owned()));
    assert_eq!(seen.len(), of_rounds(1_000));
}

#[tokio::test(start_paused = true)]
async fn a_channel_that_is_attached_to_a_run_that_has_ended_ends() {
    let mut run = rounds::start(Draft { n: 1 }).unwrap();
    let hub = run.hub();
    run.run(Context::default()).await.unwrap();
    let (channel, names) = Names::new();
    let attached = timeout(Duration::from_secs(60), hub.attach(channel)).await;
    attached.unwrap().unwrap();
    assert!(received(names).is_empty());
    // The run is still there.
    assert!(run.output().unwrap().is_some());
}

/// Never starts.
struct Stuck;

impl Channel for Stuck {
    fn name(&self) -> &str {
        "stuck"
    }

    async fn on_start(&mut self, _: Hub) -> Result<(), BoxError> {
        pending().await
    }

    async fn on_event(&mut self, _: FlowEvent) -> Result<(), BoxError> {
        panic!("it has not started");
    }
}

#[tokio::test(start_paused = true)]
async fn a_channel_that_hangs_at_its_start_is_an_event_and_the_run_goes_on_without_it() {
    let (channel, names) = Names::new();
    let channels = Channels::new()
        .with(channel)
        .with(Stuck)
        .with_timeout(Duration::from_secs(7));
    let mut run = rounds::start(Draft { n: 0 }).unwrap();
    let mut events = run.events();
    let started = Instant::now();
    let served = run.serve_with(Context::default(), channels);
    let out = timeout(Duration::from_secs(60), served).await.unwrap();
    assert_eq!(out.unwrap(), RunOut::Done(Page { n: 0 }));
    assert_eq!(started.elapsed(), Duration::from_secs(7));
    let failed = EventKind::channel_failed("stuck", "it took longer than 7s");
    assert_eq!(events.next().await.unwrap().kind, failed);
    assert_eq!(received(names).len(), of_rounds(0) + 1);
}

#[tokio::test(start_paused = true)]
async fn a_required_channel_that_hangs_at_its_start_is_an_error_as_is_one_that_is_attached() {
    let mut run = rounds::start(Draft { n: 0 }).unwrap();
    let hub = run.hub();
    let channels = Channels::new().with_required(Stuck);
    let expected = "channel `stuck` could not start: it took longer than 5s";
    let served = run.serve_with(Context::default(), channels);
    let out = timeout(Duration::from_secs(60), served).await.unwrap();
    assert_eq!(out.unwrap_err().to_string(), expected);
    assert_eq!(run.last_step(), None);
    let attached = timeout(Duration::from_secs(60), hub.attach(Stuck)).await;
    assert_eq!(attached.unwrap().unwrap_err().to_string(), expected);
}

#[tokio::test(start_paused = true)]
async fn a_channel_whose_start_waits_for_a_command_holds_the_run_no_longer_than_its_timeout() {
    struct Impatient;
    impl Channel for Impatient {
        fn name(&self) -> &str {
            "impatient"
        }

        async fn on_start(&mut self, hub: Hub) -> Result<(), BoxError> {
            hub.pause().await?;
            Ok(())
        }

        async fn on_event(&mut self, _: FlowEvent) -> Result<(), BoxError> {
            Ok(())
        }
    }
    let mut run = rounds::start(Draft { n: 0 }).unwrap();
    let channels = Channels::new().with(Impatient);
    let mut served = pin!(run.serve_with(Context::default(), channels));
    assert!(served.as_mut().now_or_never().is_none());
    let out = timeout(Duration::from_secs(60), served).await.unwrap();
    // The command was sent.
    assert!(matches!(out, Ok(RunOut::Waiting { .. })), "{out:?}");
}

//! Channels, which are attached to a run.

use std::{
    future::pending,
    sync::{Arc, Mutex},
    time::Duration,
};

use pravah_runtime::{BoxError, Channel, Channels, EventKind, FlowEvent, Hub, prelude::*};
use tokio::time::{Instant, sleep, timeout};

use super::{Draft, Page};

/// What channels have seen, in the order in which they saw it.
type Log = Arc<Mutex<Vec<String>>>;

/// Notes what it is called with, and may behave badly.
struct Noted {
    name: &'static str,
    log: Log,
    bad: Bad,
}

#[derive(Clone, Copy, PartialEq)]
enum Bad {
    No,
    Start,
    Error,
    Panic,
    Hangs,
    HangsAtTheEnd,
}

impl Noted {
    fn new(name: &'static str, log: &Log) -> Self {
        Self::bad(name, log, Bad::No)
    }

    fn bad(name: &'static str, log: &Log, bad: Bad) -> Self {
        let log = Arc::clone(log);
        Self { name, log, bad }
    }

    fn note(&self, what: &str) {
        let line = format!("{} {what}", self.name);
        self.log.lock().unwrap().push(line);
    }
}

impl Channel for Noted {
    fn name(&self) -> &str {
        self.name
    }

    async fn on_start(&mut self, hub: Hub) -> Result<(), BoxError> {
        sleep(Duration::from_secs(1)).await;
        assert_eq!(&*hub.run_id(), "r");
        match self.bad {
            Bad::Start => Err("no terminal".into()),
            _ => {
                self.note("starts");
                Ok(())
            }
        }
    }

    async fn on_event(&mut self, event: FlowEvent) -> Result<(), BoxError> {
        self.note(event.kind.name());
        match self.bad {
            Bad::Error => Err("no paper".into()),
            Bad::Panic => panic!("no ink"),
            Bad::Hangs => pending().await,
            _ => Ok(()),
        }
    }

    async fn on_complete(&mut self) -> Result<(), BoxError> {
        self.note("ends");
        match self.bad {
            Bad::HangsAtTheEnd => pending().await,
            Bad::Panic => panic!("no ink"),
            _ => Ok(()),
        }
    }
}

#[node]
async fn copy(draft: Draft) -> Page {
    Page { n: draft.n }
}

#[flow(named)]
fn copying(draft: Draft) -> Page {
    flow! { copy }
}

#[node]
async fn tear(_: &Draft) -> Result<Page, std::io::Error> {
    Err(std::io::Error::other("torn"))
}

#[flow(named)]
fn tearing(draft: Draft) -> Page {
    flow! { tear }
}

const EVENTS: [&str; 5] = [
    "harness:start",
    "task:start",
    "step",
    "task:complete",
    "harness:complete",
];

fn run() -> FlowRuntime<copying> {
    copying::start(Draft { n: 1 }).unwrap().with_run_id("r")
}

fn lines_of(log: &Log, name: &str) -> Vec<String> {
    let log = log.lock().unwrap();
    let lines = log.iter().filter_map(|line| line.strip_prefix(name));
    lines.map(|line| line.trim().to_owned()).collect()
}

fn whole() -> Vec<String> {
    let all = ["starts"].into_iter().chain(EVENTS).chain(["ends"]);
    all.map(str::to_owned).collect()
}

#[tokio::test(start_paused = true)]
async fn channels_start_in_order_before_the_run_and_end_in_reverse_after_its_last_event() {
    let log = Log::default();
    let channels = Channels::new()
        .with(Noted::new("a", &log))
        .with_required(Noted::new("b", &log));
    let out = run().serve_with(Context::default(), channels).await;
    assert_eq!(out.unwrap(), RunOut::Done(Page { n: 1 }));
    assert_eq!(lines_of(&log, "a"), whole());
    assert_eq!(lines_of(&log, "b"), whole());
    let log = log.lock().unwrap();
    assert_eq!(log[..2], ["a starts", "b starts"]);
    assert_eq!(log[log.len() - 2..], ["b ends", "a ends"]);
}

#[tokio::test(start_paused = true)]
async fn a_channel_that_cannot_start_is_an_event_and_the_run_goes_on_without_it() {
    let log = Log::default();
    let channels = Channels::new()
        .with(Noted::bad("a", &log, Bad::Start))
        .with(Noted::new("b", &log));
    let mut run = run();
    let mut events = run.events();
    let out = run.serve_with(Context::default(), channels).await.unwrap();
    assert_eq!(out, RunOut::Done(Page { n: 1 }));
    assert_eq!(lines_of(&log, "a"), [""; 0]);
    assert_eq!(lines_of(&log, "b"), whole());
    let first = events.next().await.unwrap().kind;
    assert_eq!(first, EventKind::channel_failed("a", "no terminal"));
}

#[tokio::test(start_paused = true)]
async fn without_a_required_channel_no_step_is_made_and_those_before_it_end() {
    let log = Log::default();
    let channels = Channels::new()
        .with(Noted::new("a", &log))
        .with_required(Noted::bad("b", &log, Bad::Start))
        .with(Noted::new("c", &log));
    let mut run = run();
    let error = run
        .serve_with(Context::default(), channels)
        .await
        .unwrap_err();
    assert_eq!(
        error.to_string(),
        "channel `b` could not start: no terminal"
    );
    assert!(matches!(error, FlowError::Channel { channel, .. } if channel == "b"));
    assert_eq!(*log.lock().unwrap(), ["a starts", "a ends"]);
    assert_eq!(run.last_step(), None);
    let out = run.run(Context::default()).await.unwrap();
    assert_eq!(out, RunOut::Done(Page { n: 1 }));
}

#[tokio::test(start_paused = true)]
async fn a_channel_that_fails_or_panics_gets_every_event_and_disturbs_nobody() {
    let log = Log::default();
    let channels = Channels::new()
        .with(Noted::bad("a", &log, Bad::Error))
        .with(Noted::bad("b", &log, Bad::Panic))
        .with(Noted::new("c", &log));
    let out = run().serve_with(Context::default(), channels).await;
    assert_eq!(out.unwrap(), RunOut::Done(Page { n: 1 }));
    for name in ["a", "b", "c"] {
        assert_eq!(lines_of(&log, name), whole());
    }
}

#[tokio::test(start_paused = true)]
async fn a_channel_that_hangs_holds_the_run_no_longer_than_its_timeout() {
    let log = Log::default();
    let channels = Channels::new()
        .with(Noted::bad("a", &log, Bad::Hangs))
        .with(Noted::bad("b", &log, Bad::HangsAtTheEnd))
        .with(Noted::new("c", &log))
        .with_timeout(Duration::from_secs(7));
    let started = Instant::now();
    let out = run().serve_with(Context::default(), channels).await;
    assert_eq!(out.unwrap(), RunOut::Done(Page { n: 1 }));
    assert_eq!(lines_of(&log, "a"), ["starts", "harness:start", "ends"]);
    assert_eq!(lines_of(&log, "c"), whole());
    // Three starts of a second, the last events, and the end of one channel.
    assert_eq!(started.elapsed(), Duration::from_secs(3 + 7 + 7));
}

#[tokio::test(start_paused = true)]
async fn a_run_that_fails_ends_its_channels_and_may_go_on_with_others() {
    let log = Log::default();
    let mut run = tearing::start(Draft { n: 1 }).unwrap().with_run_id("r");
    for _ in 0..2 {
        log.lock().unwrap().clear();
        let channels = Channels::new().with(Noted::new("a", &log));
        let error = run.serve_with(Context::default(), channels).await;
        assert!(matches!(error, Err(FlowError::Node { .. })));
        let seen = lines_of(&log, "a");
        assert_eq!(seen.first().unwrap(), "starts");
        assert!(seen.contains(&"task:failed".to_owned()), "{seen:?}");
        assert_eq!(seen.last().unwrap(), "ends");
    }
}

// S4.52
#[tokio::test(start_paused = true)]
async fn a_channel_that_is_attached_late_starts_at_once_and_gets_what_follows() {
    let log = Log::default();
    let mut run = run();
    let hub = run.hub();
    let mut events = run.events();
    run.pause();
    let late = Noted::new("late", &log);
    let attached = tokio::spawn({
        let hub = hub.clone();
        async move { hub.attach(late).await }
    });
    let unpausing = async {
        sleep(Duration::from_secs(5)).await;
        assert_eq!(lines_of(&log, "late"), ["starts"]);
        hub.unpause().await.unwrap();
    };
    let (out, ()) = tokio::join!(run.serve(Context::default()), unpausing);
    assert_eq!(out.unwrap(), RunOut::Done(Page { n: 1 }));
    attached.await.unwrap().unwrap();
    let seen = lines_of(&log, "late");
    assert_eq!(seen[..2], ["starts", "session:unpause"]);
    assert_eq!(seen[seen.len() - 2..], ["harness:complete", "ends"]);
    assert_eq!(events.next().await.unwrap().kind, EventKind::RunPaused);
}

#[tokio::test(start_paused = true)]
async fn a_channel_that_is_attached_to_a_run_that_is_dropped_ends() {
    let log = Log::default();
    let run = {
        let mut run = run();
        let hub = run.hub();
        let attached = tokio::spawn({
            let late = Noted::new("late", &log);
            async move { hub.attach(late).await }
        });
        sleep(Duration::from_secs(5)).await;
        drop(run);
        attached.await.unwrap()
    };
    run.unwrap();
    assert_eq!(*log.lock().unwrap(), ["late starts", "late ends"]);
}

/// Keeps its hub, so that the run waits for what it may say, and hangs at the first event and at the end.
struct Keeps {
    hub: Option<Hub>,
    _held: Arc<()>,
}

impl Channel for Keeps {
    fn name(&self) -> &str {
        "keeps"
    }

    async fn on_start(&mut self, hub: Hub) -> Result<(), BoxError> {
        self.hub = Some(hub);
        Ok(())
    }

    async fn on_event(&mut self, _: FlowEvent) -> Result<(), BoxError> {
        pending().await
    }

    async fn on_complete(&mut self) -> Result<(), BoxError> {
        pending().await
    }
}

#[tokio::test(start_paused = true)]
async fn whoever_stops_serving_a_run_drops_its_channels() {
    let held = Arc::new(());
    let mut run = super::start(1);
    let channels = Channels::new().with(Keeps {
        hub: None,
        _held: Arc::clone(&held),
    });
    let serving = run.serve_with(Context::default(), channels);
    let stopped = timeout(Duration::from_secs(1), serving).await;
    assert!(stopped.is_err(), "nobody answers");
    sleep(Duration::from_secs(1)).await;
    assert_eq!(Arc::strong_count(&held), 1);
    // Without it nobody can answer any more.
    let out = run.serve(Context::default()).await.unwrap();
    assert!(matches!(out, RunOut::Suspend { tool_id, .. } if tool_id == "approve"));
}

//! Channels that block their thread, or panic where nobody expects it.

use std::{
    fmt,
    io::Write,
    pin::pin,
    sync::{
        Mutex,
        mpsc::{Receiver, Sender, channel},
    },
    time::Duration,
};

use futures_util::FutureExt as _;
use pravah_runtime::{BoxError, Channel, Channels, Console, EventKind, FlowEvent, Hub, prelude::*};
use tokio::{sync::oneshot, time::timeout};

use super::{Draft, Page, channels_busy::rounds, console::Screen, start};

const LONG: Duration = Duration::from_secs(10);

/// Blocks whoever waits, until the other end is dropped.
struct Block(Mutex<Receiver<()>>);

impl Block {
    fn new() -> (Self, Sender<()>) {
        let (sender, receiver) = channel();
        (Self(Mutex::new(receiver)), sender)
    }

    fn wait(&self) {
        let _ = self.0.lock().unwrap().recv_timeout(3 * LONG);
    }
}

impl Channel for Block {
    fn name(&self) -> &str {
        "block"
    }

    async fn on_event(&mut self, _: FlowEvent) -> Result<(), BoxError> {
        self.wait();
        Ok(())
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_channel_that_blocks_its_thread_holds_neither_the_run_nor_those_who_cancel_it() {
    let (block, unblock) = Block::new();
    let mut run = start(1);
    let hub = run.hub();
    let mut questions = hub.events().only(["session:prompt"]);
    let channels = Channels::new()
        .with(block)
        .with_timeout(Duration::from_millis(20));
    let served = tokio::spawn(async move { run.serve_with(Context::default(), channels).await });
    timeout(LONG, questions.next()).await.unwrap().unwrap();
    timeout(LONG, hub.cancel("enough")).await.unwrap().unwrap();
    let out = timeout(LONG, served).await.unwrap().unwrap();
    assert!(matches!(out, Err(FlowError::Cancelled { .. })));
    drop(unblock);
}

/// A terminal that takes nothing as long as it is stuck.
struct Stuck(Block, Screen);

impl Write for Stuck {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.wait();
        self.1.write(bytes)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

#[tokio::test]
async fn a_run_goes_on_whose_console_is_stuck_and_lines_that_were_lost_are_counted() {
    let (block, unblock) = Block::new();
    let screen = Screen::default();
    let console = Console::with_io(std::io::empty(), Stuck(block, screen.clone()));
    // Some hundred lines more than wait for the terminal.
    let mut run = rounds::start(Draft { n: 700 }).unwrap();
    let channels = Channels::new()
        .with(console)
        .with_timeout(Duration::from_millis(20));
    let served = run.serve_with(Context::default(), channels);
    let out = timeout(LONG, served).await.unwrap();
    assert_eq!(out.unwrap(), RunOut::Done(Page { n: 0 }));
    assert_eq!(screen.text(), "");
    drop(unblock);
    screen.shows("texts were not shown)").await;
    assert!(screen.text().starts_with("rounds started\n1. turn"));
}

/// Panics where it is told to.
struct Bad {
    at: &'static str,
    dropped: Option<oneshot::Sender<()>>,
}

impl Bad {
    fn at(at: &'static str) -> Self {
        Self { at, dropped: None }
    }
}

#[derive(Debug)]
struct NoWords;

impl fmt::Display for NoWords {
    fn fmt(&self, _: &mut fmt::Formatter<'_>) -> fmt::Result {
        panic!("no words")
    }
}

impl std::error::Error for NoWords {}

impl Channel for Bad {
    fn name(&self) -> &str {
        "bad"
    }

    async fn on_start(&mut self, _: Hub) -> Result<(), BoxError> {
        match self.at {
            "start" => Err(NoWords.into()),
            _ => Ok(()),
        }
    }

    async fn on_event(&mut self, _: FlowEvent) -> Result<(), BoxError> {
        match self.at {
            "event" => Err(NoWords.into()),
            _ => Ok(()),
        }
    }
}

impl Drop for Bad {
    fn drop(&mut self) {
        drop(self.dropped.take());
        assert_ne!(self.at, "drop", "it does not go quietly");
    }
}

#[tokio::test(start_paused = true)]
async fn what_panics_in_an_error_of_a_channel_or_where_it_is_dropped_does_not_escape() {
    for at in ["start", "event", "drop"] {
        let mut run = rounds::start(Draft { n: 1 }).unwrap();
        let mut events = run.events();
        let channels = Channels::new().with(Bad::at(at));
        let out = run.serve_with(Context::default(), channels).await;
        assert_eq!(out.unwrap(), RunOut::Done(Page { n: 0 }), "{at}");
        let first = events.next().await.unwrap().kind;
        if at == "start" {
            let why = "an error whose `Display` panics: no words";
            assert_eq!(first, EventKind::channel_failed("bad", why));
        }

        let mut run = rounds::start(Draft { n: 1 }).unwrap();
        let hub = run.hub();
        let mut attached = pin!(hub.attach(Bad::at(at)));
        let early = attached.as_mut().now_or_never();
        run.run(Context::default()).await.unwrap();
        let ended = match early {
            Some(ended) => ended,
            None => attached.await,
        };
        assert_eq!(ended.is_err(), at == "start", "{at}");
    }
}

#[tokio::test(start_paused = true)]
async fn the_channels_of_a_run_are_dropped_with_the_future_that_serves_it() {
    for at in ["nothing", "drop"] {
        let (dropping, dropped) = oneshot::channel();
        let mut run = start(1);
        let mut events = run.events();
        let channels = Channels::new().with(Bad {
            at,
            dropped: Some(dropping),
        });
        let mut served = Box::pin(run.serve_with(Context::default(), channels));
        let started = async {
            tokio::select! {
                _ = &mut served => panic!("it waits for an answer"),
                event = events.next() => event,
            }
        };
        timeout(LONG, started).await.unwrap().unwrap();
        drop(served);
        assert!(timeout(LONG, dropped).await.unwrap().is_err());
    }
}

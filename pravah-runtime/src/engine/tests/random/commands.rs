//! Commands that a hub sends to a random flow while it makes a step.

use std::{
    collections::BTreeSet,
    sync::{Arc, Mutex},
    time::Duration,
};

use proptest::prelude::*;
use serde_json::Value;

use crate::{EventKind, FlowEvent, Hub};

/// What the gates of random flows wait for, if nobody answers them.
pub(super) const ANSWER: &str = "answer";
/// What nobody waits for.
const TICK: &str = "tick";

/// What a hub sends.
#[derive(Clone, Copy, Debug)]
pub(super) enum Sending {
    /// The answer to the first open question.
    Reply,
    /// The answer to whichever gate is open, or will be.
    Answer,
    /// An event that nobody waits for: it stays where it is.
    Tick,
    Pause,
}

pub(super) fn sending() -> impl Strategy<Value = Sending> {
    prop_oneof![
        3 => Just(Sending::Reply),
        1 => Just(Sending::Answer),
        3 => Just(Sending::Tick),
        1 => Just(Sending::Pause),
    ]
}

impl Sending {
    /// Sends it after so many milliseconds.
    pub(super) async fn send(self, after: u64, hub: Hub, open: Option<String>, ticks: Ticks) {
        tokio::time::sleep(Duration::from_millis(after)).await;
        drop(match (self, open) {
            (Self::Reply, Some(id)) => hub.reply(id, 7),
            (Self::Reply, None) => return,
            (Self::Answer, _) => hub.emit(ANSWER, 7),
            (Self::Tick, _) => hub.emit(TICK, ticks.next()),
            (Self::Pause, _) => hub.pause(),
        });
    }
}

/// Whether an answer to this question waits to be taken.
pub(super) fn is_replied(run: &Value, id: &str) -> bool {
    queued(run).any(|command| command["type"] == "reply" && command["id"] == id)
}

fn queued(run: &Value) -> impl Iterator<Item = &Value> {
    let commands = run["inbox"].as_object().into_iter();
    commands.flat_map(|commands| commands.values())
}

/// The events that nobody waits for: those that were sent, and those that were seen.
#[derive(Clone, Default)]
pub(super) struct Ticks(Arc<Mutex<(u64, BTreeSet<u64>)>>);

impl Ticks {
    fn next(&self) -> u64 {
        let (sent, _) = &mut *self.0.lock().unwrap();
        *sent += 1;
        *sent
    }

    /// Notes an event. None is seen twice, whichever process sees it.
    pub(super) fn see(&self, event: &FlowEvent) {
        if let EventKind::Emitted { name, value } = &event.kind
            && name == TICK
        {
            let (_, seen) = &mut *self.0.lock().unwrap();
            assert!(seen.insert(value.as_u64().unwrap()), "twice: {event:?}");
        }
    }

    pub(super) fn seen(&self) -> BTreeSet<u64> {
        self.0.lock().unwrap().1.clone()
    }

    /// Goes back to when these were seen.
    pub(super) fn forget_since(&self, seen: BTreeSet<u64>) {
        self.0.lock().unwrap().1 = seen;
    }

    /// Each that was sent is in the snapshot once, as long as the run goes on.
    pub(super) fn assert_kept(&self, run: &Value) {
        let (sent, _) = *self.0.lock().unwrap();
        let kept = queued(run).filter(|command| command["name"] == TICK);
        let mut kept: Vec<u64> = kept
            .map(|command| command["value"].as_u64().unwrap())
            .collect();
        kept.sort_unstable();
        let has_ended = run.get("output").is_some() || run.get("cancelled").is_some();
        let expected: Vec<u64> = if has_ended {
            Vec::new()
        } else {
            (1..=sent).collect()
        };
        assert_eq!(kept, expected, "{run}");
    }
}

//! What an observer of a random flow sees holds together.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::{Arc, Mutex},
};

use super::commands::Ticks;
use crate::{EventKind, FlowEvent, FlowObserver};

/// The events of a run in one process.
#[derive(Clone)]
pub(super) struct Watcher {
    events: Arc<Mutex<Vec<FlowEvent>>>,
    /// Whether the run started in this process.
    saw_start: bool,
    ticks: Ticks,
}

impl FlowObserver for Watcher {
    fn on_event(&self, event: &FlowEvent) {
        self.ticks.see(event);
        self.events.lock().unwrap().push(event.clone());
    }
}

impl Watcher {
    pub(super) fn new(saw_start: bool, ticks: Ticks) -> Self {
        Self {
            events: Arc::default(),
            saw_start,
            ticks,
        }
    }

    /// Checks what was seen; returns how many events that were.
    pub(super) fn check(&self) -> usize {
        let events = self.events.lock().unwrap();
        let mut seen = Seen::default();
        for (event, number) in events.iter().zip(1..) {
            assert_eq!(event.sequence, number, "{events:#?}");
            let json = serde_json::to_string(event).unwrap();
            assert_eq!(serde_json::from_str::<FlowEvent>(&json).unwrap(), *event);
            seen.take(event, self.saw_start);
        }
        events.len()
    }
}

/// What has happened so far.
#[derive(Default)]
struct Seen {
    /// How often: nodes of two lists may have one name.
    started: BTreeMap<(String, Vec<usize>), usize>,
    agents: BTreeSet<String>,
    ended_agents: BTreeSet<String>,
    open: BTreeSet<String>,
    tools: BTreeSet<String>,
    last_step: Option<u64>,
    has_ended: bool,
}

impl Seen {
    fn take(&mut self, event: &FlowEvent, saw_start: bool) {
        assert!(!self.has_ended, "after the end: {event:?}");
        let place = || (event.node.clone().unwrap(), event.items.clone());
        match &event.kind {
            EventKind::Step(step) => {
                let is_next = |last| step.step == last + 1;
                assert!(self.last_step.is_none_or(is_next), "{event:?}");
                self.last_step = Some(step.step);
            }
            EventKind::RunEnded { .. } => self.has_ended = true,
            EventKind::NodeStarted => {
                *self.started.entry(place()).or_default() += 1;
            }
            EventKind::NodeEnded { .. } => {
                let started = self.started.entry(place()).or_default();
                assert!(*started > 0 || !saw_start, "{event:?}");
                *started = started.saturating_sub(1);
            }
            EventKind::NodeFailed { .. } => {
                let started = self.started.get(&place()).copied().unwrap_or_default();
                assert!(started > 0 || !saw_start, "{event:?}");
            }
            EventKind::AgentStarted { id, .. } => {
                assert!(self.agents.insert(id.clone()), "twice: {event:?}");
                self.ended_agents.remove(id);
            }
            EventKind::AgentEnded { id, .. } => {
                assert!(self.agents.remove(id) || !saw_start, "{event:?}");
                assert!(self.ended_agents.insert(id.clone()), "twice: {event:?}");
            }
            EventKind::QuestionAsked { id, .. } => {
                assert!(self.open.insert(id.clone()), "{event:?}");
            }
            EventKind::QuestionAnswered { id } => {
                assert!(self.open.remove(id) || !saw_start, "{event:?}");
            }
            EventKind::ToolStarted { call_id, .. } => {
                self.tools.insert(call_id.clone());
            }
            EventKind::ToolEnded { call_id, .. } => {
                let was_started = self.tools.remove(call_id);
                assert!(was_started || !saw_start, "{event:?}");
            }
            _ => {}
        }
    }
}

//! Those who watch a run, and the events that they receive.

use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
};

use super::{
    EventKind, FlowEvent, FlowObserver,
    stream::{EventSource, Events, Sender},
};
use crate::{
    engine::{Clock, whole_millis},
    error::panic_message,
};

/// Those who watch a run. Most runs have none.
#[derive(Clone, Default)]
pub(crate) struct Observers(Option<Box<Watched>>);

#[derive(Clone, Default)]
struct Watched {
    observers: Vec<Arc<dyn FlowObserver>>,
    streams: Sender,
    /// The number of the last event.
    sequence: Arc<AtomicU64>,
}

impl Observers {
    pub(crate) const NOBODY: Self = Self(None);

    pub(crate) fn add(&mut self, observer: Arc<dyn FlowObserver>) {
        self.0.get_or_insert_default().observers.push(observer);
    }

    /// A stream of what happens from now on.
    pub(crate) fn stream(&mut self, with_text: bool) -> Events {
        self.0.get_or_insert_default().streams.subscribe(with_text)
    }

    /// Where those who hold no run get streams from.
    pub(crate) fn source(&mut self) -> EventSource {
        self.0.get_or_insert_default().streams.source()
    }

    /// Makes all streams to come empty: the run had ended before anybody watched it.
    pub(crate) fn end_streams(&mut self) {
        self.0.get_or_insert_default().streams.end();
    }

    #[inline]
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_none()
    }

    fn want_text(&self) -> bool {
        self.0.as_ref().is_some_and(|watched| {
            watched.streams.wants_text() || watched.observers.iter().any(wants_text)
        })
    }

    /// Tells all of them. The event gets the next number.
    pub(crate) fn notify(&self, mut event: FlowEvent) {
        let Some(watched) = &self.0 else { return };
        let before = watched.sequence.fetch_add(1, Ordering::Relaxed);
        event.sequence = before.saturating_add(1);
        for observer in &watched.observers {
            if event.kind.is_text() && !wants_text(observer) {
                continue;
            }
            caught(|| observer.on_event(&event));
        }
        watched.streams.send(event);
    }
}

/// Whether an observer asks for the text of models. One that panics does not.
fn wants_text(observer: &Arc<dyn FlowObserver>) -> bool {
    caught(|| observer.wants_text())
}

/// What a function of an observer returned. If it panicked, that has been printed; the run is not its affair.
fn caught<T: Default>(call: impl FnOnce() -> T) -> T {
    catch_unwind(AssertUnwindSafe(call)).unwrap_or_else(|panic| {
        // What was panicked with may panic once more.
        panic_message(panic);
        T::default()
    })
}

/// Where in a run an event comes from.
#[derive(Clone)]
pub(crate) struct Origin {
    pub(crate) run_id: Arc<str>,
    /// How many steps were committed before.
    pub(crate) step: u64,
    pub(crate) items: Vec<usize>,
    pub(crate) attempt: u32,
    pub(crate) clock: Arc<dyn Clock>,
}

impl Origin {
    pub(crate) fn event(&self, node: Option<&str>, kind: EventKind) -> FlowEvent {
        FlowEvent {
            run_id: Arc::clone(&self.run_id),
            sequence: 0,
            time: whole_millis(self.clock.now()),
            step: self.step,
            node: node.map(str::to_owned),
            items: self.items.clone(),
            attempt: self.attempt,
            kind,
        }
    }
}

/// An agent's step, for whoever observes it.
#[derive(Clone)]
pub(crate) struct Watch {
    pub(crate) node: Arc<str>,
    /// In most runs nobody does.
    observed: Option<(Observers, Origin)>,
}

impl Watch {
    /// A step of `node`.
    pub(crate) fn new(
        node: Arc<str>,
        observers: &Observers,
        origin: impl FnOnce() -> Origin,
    ) -> Self {
        let observed = (!observers.is_empty()).then(|| (observers.clone(), origin()));
        Self { node, observed }
    }

    /// A step that nobody observes.
    #[cfg(test)]
    pub(crate) fn nobody(node: Arc<str>) -> Self {
        let observed = None;
        Self { node, observed }
    }

    /// Whether anybody observes the run.
    pub(crate) fn is_observed(&self) -> bool {
        self.observed.is_some()
    }

    pub(crate) fn wants_text(&self) -> bool {
        let observed = self.observed.as_ref();
        observed.is_some_and(|(observers, _)| observers.want_text())
    }

    pub(crate) fn notify(&self, kind: EventKind) {
        if let Some((observers, origin)) = &self.observed {
            observers.notify(origin.event(Some(&self.node), kind));
        }
    }
}

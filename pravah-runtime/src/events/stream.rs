//! The events of a run as a stream.

use std::{
    fmt,
    future::ready,
    mem::replace,
    pin::{Pin, pin},
    sync::{Arc, Mutex, MutexGuard, PoisonError, Weak},
    task::{Context, Poll},
};

use futures_util::{
    FutureExt as _, Stream, StreamExt as _,
    future::{Either, select},
    stream,
};
use tokio::{
    sync::broadcast::{self, error::RecvError},
    task::unconstrained,
};

use super::{EventKind, EventNames, FlowEvent, names::matches};
use crate::cancel::CancelToken;

/// How many events wait for a stream that nobody reads, before it loses the oldest.
const CAPACITY: usize = 1024;

/// The events of a run, in their order; see [`FlowRuntime::events`](crate::FlowRuntime::events).
///
/// It ends after [`EventKind::RunEnded`], or when the run is dropped; one that is taken later is empty. A run that
/// waits or has failed may go on, and so may its streams.
///
/// A stream that is read more slowly than the run goes on never slows it: it loses the oldest of more than 1,024
/// events, and has an [`EventKind::Missed`] in their place.
///
/// It is a [`Stream`] for all that takes one; [`next`](Self::next) needs no other crate.
#[must_use = "streams do nothing unless polled"]
pub struct Events(Pin<Box<dyn Stream<Item = FlowEvent> + Send>>);

impl Events {
    /// Only the events whose [names](EventKind::name) are among these; with a `*` at its end one stands for all that
    /// start so. An [`EventKind::Missed`] is never left out. A name that no event has is no error: a later version may
    /// have it.
    ///
    /// ```
    /// # use pravah_runtime::prelude::*;
    /// # #[state] struct Order { cups: u32 }
    /// # #[state] struct Served { cups: u32 }
    /// # #[node] fn serve(order: Order) -> Served { Served { cups: order.cups } }
    /// # #[flow] fn coffee(order: Order) -> Served { flow! { serve } }
    /// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), FlowError> {
    /// let mut run = FlowRuntime::new(Order { cups: 2 })?;
    /// let mut events = run.events().only(["task:*", "harness:complete"]);
    /// run.run(Context::default()).await?;
    /// let mut names = Vec::new();
    /// while let Some(event) = events.next().await {
    ///     names.push(event.kind.name().to_owned());
    /// }
    /// assert_eq!(names, ["task:start", "task:complete", "harness:complete"]);
    /// # Ok(()) }
    /// ```
    pub fn only(self, names: impl EventNames) -> Self {
        let names = names.into_names();
        self.filtered(move |event| {
            let is_named = names.iter().any(|name| matches(name, event.kind.name()));
            is_named || matches!(event.kind, EventKind::Missed { .. })
        })
    }

    fn empty() -> Self {
        Self(Box::pin(stream::empty()))
    }

    fn filtered(self, is_wanted: impl Fn(&FlowEvent) -> bool + Send + 'static) -> Self {
        Self(Box::pin(
            self.0.filter(move |event| ready(is_wanted(event))),
        ))
    }

    /// The next event; nothing once the run has ended or was dropped and everything was read. Dropping the future
    /// loses none.
    pub async fn next(&mut self) -> Option<FlowEvent> {
        self.0.next().await
    }

    /// The same, to the end of those that have come once `is_over` is set.
    #[cfg(feature = "channels")]
    pub(crate) fn until(self, is_over: CancelToken) -> impl Stream<Item = FlowEvent> {
        stream::unfold((self, is_over), |(mut events, is_over)| async move {
            let event = events.next_until(&is_over).await?;
            Some((event, (events, is_over)))
        })
    }

    /// The next event; once `is_over` is set, only of those that have come.
    pub(crate) async fn next_until(&mut self, is_over: &CancelToken) -> Option<FlowEvent> {
        // A run that never awaits has more events in one go than tokio lets another task take.
        let mut next = pin!(unconstrained(self.next()));
        match select(next.as_mut(), pin!(is_over.cancelled())).await {
            Either::Left((event, _)) => event,
            Either::Right(_) => next.now_or_never().flatten(),
        }
    }
}

impl Stream for Events {
    type Item = FlowEvent;

    fn poll_next(mut self: Pin<&mut Self>, task: &mut Context<'_>) -> Poll<Option<FlowEvent>> {
        self.0.poll_next_unpin(task)
    }
}

impl fmt::Debug for Events {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Events").finish_non_exhaustive()
    }
}

/// Where the events of a run go to its streams.
#[derive(Clone, Default)]
pub(super) struct Sender(Arc<Streams>);

/// Streams with the text of models have a queue of their own: much text would push the events of others out of theirs.
#[derive(Default)]
struct Streams {
    without_text: Broadcast,
    with_text: Broadcast,
}

/// A queue of events, with those who read it.
#[derive(Default)]
struct Broadcast(Mutex<Queue>);

type Queued = broadcast::Sender<Arc<FlowEvent>>;

#[derive(Clone, Default)]
enum Queue {
    /// Nobody has taken a stream: a sender has room for all events that may wait, and is made for the first one.
    #[default]
    Unused,
    Open(Queued),
    /// The run has ended, and nothing follows.
    Ended,
}

impl Broadcast {
    fn lock(&self) -> MutexGuard<'_, Queue> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn subscribe(&self) -> Option<broadcast::Receiver<Arc<FlowEvent>>> {
        let mut queue = self.lock();
        if let Queue::Unused = *queue {
            *queue = Queue::Open(broadcast::Sender::new(CAPACITY));
        }
        match &*queue {
            Queue::Open(events) => Some(events.subscribe()),
            Queue::Unused | Queue::Ended => None,
        }
    }

    fn has_readers(&self) -> bool {
        matches!(&*self.lock(), Queue::Open(events) if events.receiver_count() > 0)
    }

    /// Sends an event to those who read, and nothing more after the last one of the run.
    fn send(&self, event: &Arc<FlowEvent>) {
        let queue = match event.kind {
            EventKind::RunEnded { .. } => replace(&mut *self.lock(), Queue::Ended),
            _ => self.lock().clone(),
        };
        // Those who wait for it are woken without the lock.
        if let Queue::Open(events) = queue {
            // Nobody may listen any more.
            let _ = events.send(Arc::clone(event));
        }
    }

    fn end(&self) {
        *self.lock() = Queue::Ended;
    }
}

/// Where streams come from as long as there is the run.
pub(crate) struct EventSource(Weak<Streams>);

impl EventSource {
    /// A stream of what happens from now on; an empty one, if the run has ended or was dropped.
    pub(crate) fn stream(&self, with_text: bool) -> Events {
        match self.0.upgrade() {
            Some(streams) => Sender(streams).subscribe(with_text),
            None => Events::empty(),
        }
    }
}

impl Sender {
    pub(super) fn source(&self) -> EventSource {
        EventSource(Arc::downgrade(&self.0))
    }

    pub(super) fn subscribe(&self, with_text: bool) -> Events {
        let broadcast = match with_text {
            true => &self.0.with_text,
            false => &self.0.without_text,
        };
        let Some(events) = broadcast.subscribe() else {
            return Events::empty();
        };
        let reader = Reader { events, next: None };
        Events(Box::pin(stream::unfold(reader, Reader::next).fuse()))
    }

    pub(super) fn wants_text(&self) -> bool {
        self.0.with_text.has_readers()
    }

    /// Sends an event to all streams, and ends them after the last one of the run.
    pub(super) fn send(&self, event: FlowEvent) {
        let event = Arc::new(event);
        if !event.kind.is_text() {
            self.0.without_text.send(&event);
        }
        self.0.with_text.send(&event);
    }

    /// Makes all streams to come empty.
    pub(super) fn end(&self) {
        self.0.without_text.end();
        self.0.with_text.end();
    }
}

struct Reader {
    events: broadcast::Receiver<Arc<FlowEvent>>,
    /// The event after those that were missed.
    next: Option<FlowEvent>,
}

impl Reader {
    async fn next(mut self) -> Option<(FlowEvent, Self)> {
        if let Some(next) = self.next.take() {
            return Some((next, self));
        }
        let mut missed: u64 = 0;
        loop {
            match self.events.recv().await {
                Ok(event) => {
                    let event = Arc::unwrap_or_clone(event);
                    if missed == 0 {
                        return Some((event, self));
                    }
                    let lost = event.missed(missed);
                    self.next = Some(event);
                    return Some((lost, self));
                }
                Err(RecvError::Lagged(more)) => missed = missed.saturating_add(more),
                Err(RecvError::Closed) => return None,
            }
        }
    }
}

impl FlowEvent {
    /// That the events before this one are lost to a stream.
    fn missed(&self, count: u64) -> Self {
        Self {
            sequence: self.sequence.saturating_sub(1),
            node: None,
            items: Vec::new(),
            attempt: 0,
            kind: EventKind::Missed { count },
            ..self.clone()
        }
    }
}

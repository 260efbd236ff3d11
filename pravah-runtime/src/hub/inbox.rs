//! The commands that were sent to a run, shared by it and its hubs.

use std::{
    collections::BTreeMap,
    fmt,
    ops::Bound,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicUsize, Ordering},
    },
    task::Waker,
};

use futures_util::task::AtomicWaker;
use tokio::sync::oneshot;

use super::{Command, Published, Sent};
use crate::{
    engine::{ListeningAgent, Suspension},
    error::FlowError,
    events::EventSource,
    sorted_map::SortedMap,
};

/// How many events may wait, and how many other commands.
pub(crate) const MAX_COMMANDS: usize = 1024;

/// The commands that wait, by their numbers, as a snapshot has them.
pub(crate) type Queue = SortedMap<u64, Arc<Command>>;

/// Whether more commands wait than may.
pub(crate) fn is_overfull(queue: &Queue) -> bool {
    if queue.len() <= MAX_COMMANDS {
        // Not even if all are of one kind.
        return false;
    }
    let events = queue.values().filter(|it| it.is_event()).count();
    // The last one may be to cancel the run.
    events > MAX_COMMANDS || queue.len() - events > MAX_COMMANDS + 1
}

/// What is shared by a run and its hubs.
pub(crate) struct Inbox {
    commands: Mutex<Commands>,
    /// Who awaits a step of the run, or a change.
    waker: AtomicWaker,
    /// How many hubs there are.
    hubs: AtomicUsize,
    published: Mutex<Arc<Published>>,
    pub(super) events: EventSource,
}

struct Commands {
    waiting: BTreeMap<u64, Waiting>,
    /// The number of the last one.
    last: u64,
    /// Whether there is one that the run has not looked at.
    is_new: bool,
    closed: Option<Closed>,
}

struct Waiting {
    command: Arc<Command>,
    /// Nobody waits for that of one that was restored.
    reply: Option<Reply>,
}

/// Where to say what became of a command.
pub(crate) type Reply = oneshot::Sender<Result<u64, FlowError>>;

/// Why no command is taken any more.
#[derive(Clone)]
pub(crate) enum Closed {
    Finished,
    Cancelled(Arc<str>),
    Dropped,
}

impl Closed {
    fn error(&self) -> FlowError {
        match self {
            Self::Finished => FlowError::Finished,
            Self::Cancelled(reason) => FlowError::Cancelled {
                reason: reason.to_string(),
            },
            Self::Dropped => FlowError::RunDropped,
        }
    }
}

impl Inbox {
    /// An inbox with what was queued before.
    pub(crate) fn new(queue: &Queue, published: Published, events: EventSource) -> Arc<Self> {
        let restored = |(number, command): (&u64, &Arc<Command>)| {
            let waiting = Waiting {
                command: Arc::clone(command),
                reply: None,
            };
            (*number, waiting)
        };
        let commands = Commands {
            waiting: queue.iter().map(restored).collect(),
            last: queue.last().map_or(0, |(number, _)| *number),
            is_new: !queue.is_empty(),
            closed: None,
        };
        Arc::new(Self {
            commands: Mutex::new(commands),
            waker: AtomicWaker::new(),
            hubs: AtomicUsize::new(0),
            published: Mutex::new(published.into()),
            events,
        })
    }

    fn commands(&self) -> MutexGuard<'_, Commands> {
        let commands = self.commands.lock();
        commands.unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn send(&self, command: Command) -> Sent {
        let sent = self.commands().add(command);
        self.waker.wake();
        sent
    }

    pub(super) fn add_hub(&self) {
        self.hubs.fetch_add(1, Ordering::Relaxed);
    }

    pub(super) fn remove_hub(&self) {
        if self.hubs.fetch_sub(1, Ordering::Release) == 1 {
            // Whoever waits for a command waits in vain now.
            self.waker.wake();
        }
    }

    /// Whether anybody could send something.
    pub(crate) fn has_hubs(&self) -> bool {
        self.hubs.load(Ordering::Acquire) > 0
    }

    /// Whether there is a command that the run has not looked at. Wakes `waker` at the next one.
    pub(crate) fn has_new(&self, waker: &Waker) -> bool {
        self.waker.register(waker);
        self.commands().is_new
    }

    /// Notes that the run looks at everything that waits, and wakes `waker` at the next command.
    pub(crate) fn mark_seen(&self, waker: &Waker) {
        self.waker.register(waker);
        self.commands().is_new = false;
    }

    /// The first command, or the first after number `last`.
    pub(crate) fn after(&self, last: Option<u64>) -> Option<(u64, Arc<Command>)> {
        let commands = self.commands();
        let start = last.map_or(Bound::Unbounded, Bound::Excluded);
        let (number, waiting) = commands.waiting.range((start, Bound::Unbounded)).next()?;
        Some((*number, Arc::clone(&waiting.command)))
    }

    /// Puts another command in place of one that still waits.
    pub(crate) fn replace(&self, number: u64, command: Command) {
        if let Some(waiting) = self.commands().waiting.get_mut(&number) {
            waiting.command = Arc::new(command);
        }
    }

    /// Takes a command out. Returns where to say what became of it, if anybody waits for that.
    pub(crate) fn remove(&self, number: u64) -> Option<Reply> {
        self.commands().waiting.remove(&number)?.reply
    }

    /// Says what became of a command that was taken out.
    pub(crate) fn reply(reply: Option<Reply>, result: Result<u64, FlowError>) {
        if let Some(reply) = reply {
            // Nobody may wait for it.
            let _ = reply.send(result);
        }
    }

    /// What a snapshot has of it.
    pub(crate) fn queue(&self) -> Queue {
        let commands = self.commands();
        let waiting = commands.waiting.iter();
        waiting
            .map(|(number, waiting)| (*number, Arc::clone(&waiting.command)))
            .collect()
    }

    pub(crate) fn publish(&self, published: Published) {
        let before = std::mem::replace(&mut *self.lock_published(), published.into());
        // It may be the last to hold a state. Not under the lock: dropping one runs what its user wrote.
        drop(before);
    }

    pub(super) fn published(&self) -> Arc<Published> {
        Arc::clone(&self.lock_published())
    }

    fn lock_published(&self) -> MutexGuard<'_, Arc<Published>> {
        let published = self.published.lock();
        published.unwrap_or_else(PoisonError::into_inner)
    }

    /// The questions that are open.
    pub(super) fn suspensions(&self) -> Vec<Suspension> {
        self.published().suspensions()
    }

    /// The agents that wait for a message.
    pub(super) fn listening_agents(&self) -> Vec<ListeningAgent> {
        self.published().listening_agents()
    }

    /// Takes no command any more.
    pub(crate) fn close(&self, why: &Closed) {
        let mut commands = self.commands();
        if commands.closed.is_some() {
            return;
        }
        commands.closed = Some(why.clone());
        let waiting = std::mem::take(&mut commands.waiting);
        drop(commands);
        for waiting in waiting.into_values() {
            Self::reply(waiting.reply, Err(why.error()));
        }
    }
}

impl Commands {
    /// Whether another command may wait. Events have a limit of their own: many that no gate takes keep no answer
    /// out. A full inbox does not keep a run from being cancelled.
    fn has_room(&self, command: &Command) -> bool {
        let waiting = || self.waiting.values().map(|waiting| &*waiting.command);
        let is_first_cancel = command.is_cancel() && !waiting().any(Command::is_cancel);
        let alike = waiting().filter(|it| it.is_event() == command.is_event());
        alike.count() < MAX_COMMANDS || is_first_cancel
    }

    fn add(&mut self, command: Command) -> Sent {
        if let Some(closed) = &self.closed {
            return Sent::refused(closed.error());
        }
        let Some(next) = self.last.checked_add(1).filter(|_| self.has_room(&command)) else {
            let limit = MAX_COMMANDS;
            return Sent::refused(FlowError::InboxFull { limit });
        };
        let (sender, receiver) = oneshot::channel();
        self.last = next;
        let waiting = Waiting {
            command: Arc::new(command),
            reply: Some(sender),
        };
        self.waiting.insert(self.last, waiting);
        self.is_new = true;
        Sent::waiting(receiver)
    }
}

impl fmt::Debug for Inbox {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Payloads are not for logs.
        f.debug_struct("Inbox").finish_non_exhaustive()
    }
}

/// The run's own inbox, which is closed with it.
pub(crate) struct RunInbox(pub(crate) Arc<Inbox>);

impl Drop for RunInbox {
    fn drop(&mut self) {
        self.0.close(&Closed::Dropped);
    }
}

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
    time::SystemTime,
};

use futures_util::task::AtomicWaker;
use serde_json::Value;
use tokio::sync::oneshot;

use super::{Command, Sent};
use crate::{
    engine::{Listening, RunStatus, Suspension},
    error::FlowError,
    events::EventSource,
    sorted_map::SortedMap,
};

/// How many commands may wait.
pub(crate) const MAX_COMMANDS: usize = 1024;

/// The commands that wait, by their numbers, as a snapshot has them.
pub(crate) type Queue = SortedMap<u64, Arc<Command>>;

/// What is shared by a run and its hubs.
pub(crate) struct Inbox {
    commands: Mutex<Commands>,
    /// Who awaits a step of the run, or a change.
    waker: AtomicWaker,
    /// How many hubs there are.
    hubs: AtomicUsize,
    /// Where the run is, for those who hold a hub.
    published: Mutex<Published>,
    pub(super) events: EventSource,
}

/// What everybody who holds a hub may see.
pub(crate) struct Published {
    pub(crate) run_id: Arc<str>,
    pub(crate) status: RunStatus,
    pub(crate) open: Vec<OpenQuestion>,
    pub(crate) listening: Vec<Listening>,
}

/// A question that is open, as the run has it.
#[derive(Clone)]
pub(crate) struct OpenQuestion {
    pub(crate) id: Arc<str>,
    pub(crate) value: Arc<Value>,
    /// By when it has to be answered.
    pub(crate) until: Option<SystemTime>,
}

impl OpenQuestion {
    pub(crate) fn suspension(&self) -> Suspension {
        Suspension {
            tool_id: self.id.to_string(),
            value: (*self.value).clone(),
            until: self.until,
        }
    }
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
    /// Where to say what became of it; nobody waits for that of one that was restored.
    sender: Option<oneshot::Sender<Result<u64, FlowError>>>,
}

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
                sender: None,
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
            published: Mutex::new(published),
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

    /// Wakes `waker` at the next command. Returns whether there is one that the run has not looked at.
    pub(crate) fn listen(&self, waker: &Waker) -> bool {
        self.waker.register(waker);
        self.commands().is_new
    }

    /// Notes that the run looks at everything that waits, and wakes `waker` at the next command.
    pub(crate) fn look(&self, waker: &Waker) {
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

    /// Takes a command out, and says what became of it.
    pub(crate) fn take(&self, number: u64, result: Result<u64, FlowError>) {
        let waiting = self.commands().waiting.remove(&number);
        if let Some(sender) = waiting.and_then(|waiting| waiting.sender) {
            // Nobody may wait for it.
            let _ = sender.send(result);
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
        *self.published() = published;
    }

    pub(super) fn published(&self) -> MutexGuard<'_, Published> {
        let published = self.published.lock();
        published.unwrap_or_else(PoisonError::into_inner)
    }

    /// The questions that are open.
    pub(super) fn suspensions(&self) -> Vec<Suspension> {
        let open = self.published().open.clone();
        open.iter().map(OpenQuestion::suspension).collect()
    }

    /// The agents that wait for a message.
    pub(super) fn listening(&self) -> Vec<Listening> {
        self.published().listening.clone()
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
        for sender in waiting.into_values().filter_map(|waiting| waiting.sender) {
            let _ = sender.send(Err(why.error()));
        }
    }
}

impl Commands {
    fn add(&mut self, command: Command) -> Sent {
        if let Some(closed) = &self.closed {
            return Sent::refused(closed.error());
        }
        // A run that nobody can reach any more can still be ended.
        let limit = match command {
            Command::Cancel { .. } => MAX_COMMANDS + 1,
            _ => MAX_COMMANDS,
        };
        let next = self.last.checked_add(1);
        let Some(next) = next.filter(|_| self.waiting.len() < limit) else {
            let limit = MAX_COMMANDS;
            return Sent::refused(FlowError::InboxFull { limit });
        };
        let (sender, receiver) = oneshot::channel();
        self.last = next;
        let waiting = Waiting {
            command: Arc::new(command),
            sender: Some(sender),
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

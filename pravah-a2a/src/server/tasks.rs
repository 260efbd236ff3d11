//! The tasks of a server, in memory.

use std::{
    collections::{HashMap, VecDeque},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use super::{caller::Caller, task::Task};

/// All tasks that are known.
#[derive(Default)]
pub(super) struct Tasks(Mutex<Known>);

#[derive(Default)]
struct Known {
    by_id: HashMap<String, Arc<Task>>,
    /// By the messages that have started them.
    by_message: HashMap<MessageKey, String>,
    /// Those that have ended, the oldest first.
    ended: VecDeque<MessageKey>,
}

/// A message, which another caller may have given the same id.
#[derive(Clone, PartialEq, Eq, Hash)]
pub(super) struct MessageKey {
    pub(super) agent: Arc<str>,
    pub(super) caller: Caller,
    pub(super) message_id: String,
}

/// What comes of a message that starts a task.
pub(super) enum Started {
    New(Arc<Task>),
    /// The message has come before.
    Known(Arc<Task>),
    /// There are as many open tasks as there may be.
    Full,
}

impl Tasks {
    fn lock(&self) -> MutexGuard<'_, Known> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The task that a message has started.
    pub(super) fn started_by(&self, key: &MessageKey) -> Option<Arc<Task>> {
        let known = self.lock();
        let id = known.by_message.get(key)?;
        known.by_id.get(id).cloned()
    }

    /// Adds the task that a message starts, unless there is one or there are too many.
    pub(super) fn add(&self, key: MessageKey, task: Task, max_open: usize) -> Started {
        let mut known = self.lock();
        let id = known.by_message.get(&key);
        if let Some(task) = id.and_then(|id| known.by_id.get(id)) {
            return Started::Known(Arc::clone(task));
        }
        if known.by_id.len().saturating_sub(known.ended.len()) >= max_open {
            return Started::Full;
        }
        let task = Arc::new(task);
        known.by_message.insert(key, task.id.clone());
        known.by_id.insert(task.id.clone(), Arc::clone(&task));
        Started::New(task)
    }

    /// Notes that the task of a message has ended, and forgets the oldest of too many.
    pub(super) fn note_ended(&self, key: MessageKey, max_ended: usize) {
        let mut known = self.lock();
        known.ended.push_back(key);
        while known.ended.len() > max_ended
            && let Some(oldest) = known.ended.pop_front()
            && let Some(id) = known.by_message.remove(&oldest)
        {
            known.by_id.remove(&id);
        }
    }

    /// The task of this id, if it is of this caller and agent. Others learn nothing of it.
    pub(super) fn get(&self, id: &str, agent: &str, caller: &Caller) -> Option<Arc<Task>> {
        let task = self.lock().by_id.get(id).cloned();
        task.filter(|it| &*it.agent == agent && it.caller == *caller)
    }

    /// All tasks of this caller and agent, the one that changed last first.
    pub(super) fn list(&self, agent: &str, caller: &Caller) -> Vec<Arc<Task>> {
        let known = self.lock();
        let tasks = known.by_id.values();
        let tasks = tasks.filter(|it| &*it.agent == agent && it.caller == *caller);
        let mut tasks: Vec<_> = tasks.map(|it| (it.updated_at(), Arc::clone(it))).collect();
        drop(known);
        tasks.sort_by(|(a, task), (b, other)| b.cmp(a).then_with(|| task.id.cmp(&other.id)));
        tasks.into_iter().map(|(_, task)| task).collect()
    }
}

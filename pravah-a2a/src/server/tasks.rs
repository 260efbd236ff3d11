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

impl Known {
    /// Forgets the oldest tasks that have ended, as far as there are too many, or they say too much.
    fn forget(&mut self, max_ended: usize, max_bytes: usize) {
        let mut size = self.size();
        while (self.ended.len() > max_ended || size > max_bytes)
            && let Some(oldest) = self.ended.pop_front()
        {
            let id = self.by_message.remove(&oldest);
            let task = id.and_then(|id| self.by_id.remove(&id));
            size = size.saturating_sub(task.map_or(0, |task| task.size()));
        }
    }

    /// How much all tasks say.
    fn size(&self) -> usize {
        self.by_id.values().map(|task| task.size()).sum()
    }
}

/// How much a server keeps.
pub(super) struct Limits {
    pub(super) open_tasks: usize,
    /// Of one caller.
    pub(super) open_tasks_of_caller: usize,
    pub(super) ended_tasks: usize,
    /// Of JSON, in all messages and results.
    pub(super) bytes: usize,
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
    pub(super) fn add(&self, key: MessageKey, task: Task, limits: &Limits) -> Started {
        let mut known = self.lock();
        let id = known.by_message.get(&key);
        if let Some(task) = id.and_then(|id| known.by_id.get(id)) {
            return Started::Known(Arc::clone(task));
        }
        let open = known.by_id.len().saturating_sub(known.ended.len());
        known.forget(limits.ended_tasks, limits.bytes.saturating_sub(task.size()));
        let is_own = |task: &&Arc<Task>| task.caller == key.caller && !task.has_ended();
        let own = known.by_id.values().filter(is_own).count();
        let has_room = open < limits.open_tasks && own < limits.open_tasks_of_caller;
        if !has_room || known.size().saturating_add(task.size()) > limits.bytes {
            return Started::Full;
        }
        let task = Arc::new(task);
        known.by_message.insert(key, task.id.clone());
        known.by_id.insert(task.id.clone(), Arc::clone(&task));
        Started::New(task)
    }

    /// Notes that the task of a message has ended, and forgets the oldest of too many.
    pub(super) fn note_ended(&self, key: MessageKey, limits: &Limits) {
        let mut known = self.lock();
        known.ended.push_back(key);
        known.forget(limits.ended_tasks, limits.bytes);
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

//! What a run knows of its detached tasks, besides the frames in which they run.

use std::{collections::BTreeSet, sync::Arc};

use serde::{Deserialize, Serialize};

use super::{
    path::{ItemId, NodePath},
    rare::empty,
};
use crate::{
    agent::TaskEnd,
    invocation::{ContextScope, RunnerConfig, ToolPolicy},
    sorted_map::SortedMap,
    state::Live,
};

/// The detached tasks of a run.
#[derive(Clone)]
pub(crate) struct Detached {
    /// By their numbers, from 1.
    pub(crate) tasks: SortedMap<usize, Arc<DetachedTask>>,
    /// How many agents were called by each of those that have started detached tasks, and below it: by the keys of
    /// owners.
    pub(crate) child_counts: SortedMap<Arc<str>, ChildCount>,
    /// What the flow has returned, while the run waits for tasks.
    pub(crate) returned: Option<Live>,
    /// Where those run that have not ended.
    running_in: SortedMap<usize, ItemId>,
    /// By task the agents and nodes that wait for it.
    pub(super) waiting: SortedMap<usize, Arc<Vec<NodePath>>>,
}

empty!(Detached {
    tasks: SortedMap::new(),
    child_counts: SortedMap::new(),
    returned: None,
    running_in: SortedMap::new(),
    waiting: SortedMap::new(),
});

/// A detached task, as the run keeps it. Times are milliseconds since 1970.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct DetachedTask {
    pub(crate) agent: Arc<str>,
    /// What it knows of the conversation of its caller.
    #[serde(default, skip_serializing_if = "ContextScope::is_independent")]
    pub(crate) context: ContextScope,
    /// Which tools of its caller it may have besides its own.
    #[serde(
        default = "ToolPolicy::none",
        skip_serializing_if = "ToolPolicy::is_none"
    )]
    pub(crate) tools: ToolPolicy,
    /// Its runner, if it is a remote agent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) runner: Option<RunnerConfig>,
    /// What the agent is called there, if the call says so: `agent` is one name for all of those.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) remote_id: Option<String>,
    /// The keys of the agents that may manage it: of the one that has started it, and of its callers.
    pub(crate) owners: Vec<Arc<str>>,
    /// The detached task in which it was started, if it was in one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) parent: Option<usize>,
    /// Whether the run ends only after it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(crate) delays_end: bool,
    pub(crate) started_at: u64,
    pub(crate) last_event_at: u64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) ended_at: Option<u64>,
    /// How it has ended, if it has.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) end: Option<TaskEnd>,
}

/// How many agents an agent has called, and how many it may.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ChildCount {
    pub(crate) count: u32,
    pub(crate) limit: u32,
}

impl Detached {
    pub(crate) fn has_open(&self) -> bool {
        !self.running_in.is_empty()
    }

    /// Where a task runs, if it has not ended.
    pub(crate) fn place(&self, task: usize) -> Option<ItemId> {
        self.running_in.get(&task).copied()
    }

    pub(crate) fn places(&self) -> Vec<ItemId> {
        self.running_in.values().copied().collect()
    }

    /// Notes where a task runs.
    pub(crate) fn add_open(&mut self, item: ItemId) {
        self.running_in.insert(item.index, item);
    }

    /// The tasks in which this one was started, innermost first.
    fn tasks_around(&self, task: usize) -> impl Iterator<Item = usize> {
        let around = |task: &usize| self.tasks.get(task)?.parent;
        std::iter::successors(around(&task), move |task| around(task))
    }

    fn delays_end(&self, task: usize) -> bool {
        self.tasks.get(&task).is_some_and(|task| task.delays_end)
    }

    /// The open tasks that are cancelled when the flow is done: those for which the run does not wait, and all that were
    /// started below one of them. All of them, where the run waits for none.
    pub(crate) fn cancelled_with_flow(&self) -> Vec<usize> {
        // A task has a smaller number than those below it.
        let mut cancelled = BTreeSet::new();
        for task in self.running_in.keys().copied() {
            let mut around = self.tasks_around(task);
            if !self.delays_end(task) || around.any(|task| cancelled.contains(&task)) {
                cancelled.insert(task);
            }
        }
        cancelled.into_iter().collect()
    }

    /// A task, if it is open, and the open ones that were started below it.
    pub(crate) fn cancelled_with(&self, task: usize) -> Vec<usize> {
        let open = self.running_in.keys().copied();
        let is_below = |other: usize| self.tasks_around(other).any(|around| around == task);
        open.filter(|other| *other == task || is_below(*other))
            .collect()
    }

    /// Whether the run waits for any task.
    pub(crate) fn delay_end(&self) -> bool {
        let mut open = self.running_in.keys().copied();
        open.any(|task| self.delays_end(task))
    }

    /// Notes that something has happened in a task.
    pub(crate) fn note_event(&mut self, task: usize, now: u64) {
        if let Some(task) = self.tasks.get_mut(&task) {
            Arc::make_mut(task).last_event_at = now;
        }
    }

    /// Notes how a task has ended. Returns those that wait for it.
    pub(crate) fn note_end(&mut self, task: usize, end: TaskEnd, now: u64) -> Vec<NodePath> {
        self.running_in.remove(&task);
        if let Some(task) = self.tasks.get_mut(&task) {
            let task = Arc::make_mut(task);
            task.last_event_at = now;
            task.ended_at = Some(now);
            task.end = Some(end);
        }
        let waiting = self.waiting.remove(&task);
        waiting.map_or_else(Vec::new, Arc::unwrap_or_clone)
    }

    /// Notes that what is at `path` waits for a task; it may stop before that has ended.
    pub(crate) fn add_waiting(&mut self, task: usize, path: &NodePath) {
        let waiting = self.waiting.get_or_insert_with(task, Arc::default);
        if !waiting.contains(path) {
            Arc::make_mut(waiting).push(path.clone());
        }
    }

    pub(super) fn next_number(&self) -> usize {
        let last = self.tasks.last().map_or(0, |(last, _)| *last);
        last.saturating_add(1)
    }
}

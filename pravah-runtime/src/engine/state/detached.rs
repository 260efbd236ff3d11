//! Detached tasks: agents and flows that run in the background of the agent or node that has started them, also when
//! that is done.
//!
//! Each runs in a frame of its own, as an item of the node that the flow's table has for the tasks of its starter. What
//! is known of it besides that is a `detached_task`, and stays when it has ended.

mod child_counts;
mod start;

use std::{collections::BTreeSet, sync::Arc};

use super::{
    RunState,
    frame::Frame,
    path::{FramePath, ItemId, NodePath},
    tasks::TaskStart,
    waits::WaitIndex,
};
use crate::{agent::TaskEnd, graph::NodeIx, invocation::ContextScope};

/// What a detached task starts with.
pub(crate) struct DetachedStart {
    /// What is called.
    pub(crate) agent: Arc<str>,
    pub(crate) context: ContextScope,
    pub(crate) start: TaskStart,
}

impl Frame {
    /// Takes a detached task out.
    pub(crate) fn remove_detached(&mut self, item: ItemId) {
        let Some(list) = self.list_mut(item.list) else {
            return;
        };
        list.items.remove(&item.index);
        list.movable.remove(&item.index);
        list.done.remove(&item.index);
        let is_empty = list.items.is_empty() && list.done.is_empty();
        self.update_queue(item.list);
        if is_empty {
            self.progress.lists.remove(&item.list);
        }
    }

    /// Answers a call of the agent at `node` that waits for a task that is gone.
    pub(crate) fn answer_lost_task(&mut self, node: NodeIx, call: usize) {
        let progress = self.progress.get_mut();
        if let Some(progress) = progress
            && let Some(agent) = progress.agents.get_mut(&node)
        {
            Arc::make_mut(agent).answer(call, "the task was lost when the run was restored", true);
            if !agent.waits_for_detached() {
                progress.timers.remove(&node);
            }
        }
    }
}

impl RunState {
    /// The detached task that a place is in.
    pub(crate) fn detached_at(&self, frame: &FramePath) -> Option<ItemId> {
        let item = frame.first().copied();
        item.filter(|item| self.root.table.node(item.list).kind.is_detached())
    }

    /// Whether the task `task` is `other`, or nodes in it wait for that, through whichever other tasks. Agents wait for a
    /// limited time.
    pub(crate) fn waits_for(&self, task: usize, other: usize) -> bool {
        let (mut next, mut seen) = (vec![task], BTreeSet::new());
        while let Some(task) = next.pop() {
            if task == other {
                return true;
            }
            if seen.insert(task) {
                let waiting = self.detached.waiting.iter();
                let awaited = waiting.filter(|(awaited, paths)| {
                    paths
                        .iter()
                        .any(|path| self.is_awaiting(path, task, **awaited))
                });
                next.extend(awaited.map(|(awaited, _)| *awaited));
            }
        }
        false
    }

    /// Whether a node at `path`, which is in the task `task`, waits for the task `awaited`.
    fn is_awaiting(&self, path: &NodePath, task: usize, awaited: usize) -> bool {
        let is_in_task = self
            .detached_at(&path.frame)
            .is_some_and(|it| it.index == task);
        let frame = self.root.at(&path.frame).filter(|_| is_in_task);
        frame.is_some_and(|frame| {
            frame.table.node(path.node).kind.is_await_task()
                && frame.awaited_task(path.node) == Some(awaited)
        })
    }

    /// What stands for the visit of the agent at `path` among the owners of tasks, also in a run of another id.
    pub(crate) fn owner_key(&self, path: &NodePath) -> Arc<str> {
        let key = self.step_key(path);
        let without_run = key.strip_prefix(&**self.id.get());
        without_run.unwrap_or(&key).trim_start_matches('/').into()
    }

    /// The owners of what the agent at `path` starts: itself, its callers, and the owners of the detached task around
    /// it.
    fn owners(&self, path: &NodePath) -> Vec<Arc<str>> {
        let around = self.detached_at(&path.frame);
        let around = around.and_then(|item| self.detached.tasks.get(&item.index));
        let around = around.into_iter().flat_map(|task| task.owners.iter());
        let calling = self.calling_agents(path);
        let calling = calling.iter().map(|path| self.owner_key(path));
        calling.chain(around.cloned()).collect()
    }

    /// How the task of this item has ended, if it has with the step that was just committed.
    pub(crate) fn take_detached_end(&mut self, item: ItemId) -> Option<TaskEnd> {
        let end = self.root.end_of_task(item.list, item.index)?;
        self.root.remove_detached(item);
        Some(end)
    }

    /// Drops a detached task, with all that waits in it.
    pub(crate) fn drop_detached(&mut self, item: ItemId) {
        let gone = WaitIndex::of_item(&self.root, &[], item);
        self.forget_waits(&gone);
        self.root.remove_detached(item);
    }
}

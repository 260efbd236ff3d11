//! Detached tasks: agents and flows that go on beside the agent that has started them, also when that is done.
//!
//! Each runs in a frame of its own, as an item of the node that the flow's table has for the tasks of its starter. What
//! is known of it besides that is here, and stays when it has ended.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::{
    RunState,
    frame::{Fed, Frame},
    path::{FramePath, ItemId, NodePath},
    rare::empty,
    waits::WaitIndex,
};
use crate::{
    agent::{CallTarget, OnDone, TaskEnd},
    graph::{NodeIx, NodeKind, TEAM_START},
    sorted_map::SortedMap,
    state::Live,
};

/// The detached tasks of a run.
#[derive(Clone)]
pub(crate) struct Detached {
    /// By their numbers, from 1.
    pub(crate) tasks: SortedMap<usize, Arc<DetachedTask>>,
    /// How many agents were called by each of those that have started detached tasks, and below it.
    pub(crate) called: SortedMap<Arc<str>, Called>,
    /// What the flow has returned, while tasks go on that the run waits for.
    pub(crate) returned: Option<Live>,
    /// Where those run that have not ended.
    pub(super) open: SortedMap<usize, ItemId>,
    /// The agents that wait for one of them.
    pub(super) waiting: SortedMap<(usize, NodePath), ()>,
}

empty!(Detached {
    tasks: SortedMap::new(),
    called: SortedMap::new(),
    returned: None,
    open: SortedMap::new(),
    waiting: SortedMap::new(),
});

/// A detached task, as the run keeps it. Times are milliseconds since 1970.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct DetachedTask {
    pub(crate) agent: Arc<str>,
    /// The visits of the agents that may look after it: of the one that has started it, and of those that have called
    /// that.
    pub(crate) owners: Vec<Arc<str>>,
    /// The detached task in which it was started, if it was in one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) parent: Option<usize>,
    /// Whether the run waits for it once the flow is done.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(crate) outlives_flow: bool,
    pub(crate) started_at: u64,
    pub(crate) last_event_at: u64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) ended_at: Option<u64>,
    /// How it has ended, if it has.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) end: Option<TaskEnd>,
}

/// How many agents an agent has called, of how many.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Called {
    pub(crate) count: u32,
    pub(crate) most: u32,
}

impl Called {
    fn left(self) -> u32 {
        self.most.saturating_sub(self.count)
    }
}

impl Detached {
    /// Where the tasks run that have not ended.
    pub(crate) fn open(&self) -> impl Iterator<Item = (usize, ItemId)> {
        self.open.iter().map(|(task, item)| (*task, *item))
    }

    /// Notes where a task goes on.
    pub(crate) fn add_open(&mut self, item: ItemId) {
        self.open.insert(item.index, item);
    }

    pub(crate) fn is_open(&self, task: usize) -> bool {
        self.open.contains(&task)
    }

    /// Whether a task goes on there.
    pub(crate) fn is_at(&self, item: ItemId) -> bool {
        self.open.get(&item.index) == Some(&item)
    }

    /// The tasks that have not ended and were started in this one, or in one of those.
    fn open_below(&self, task: usize) -> Vec<usize> {
        let is_below = |mut parent: Option<usize>| {
            while let Some(number) = parent.filter(|number| *number != task) {
                parent = self.tasks.get(&number).and_then(|around| around.parent);
            }
            parent.is_some()
        };
        let open = self.open.keys().copied();
        open.filter(|other| is_below(self.tasks.get(other).and_then(|other| other.parent)))
            .collect()
    }

    /// The tasks that end when the flow is done: those for which the run does not wait, and all that were started in
    /// one of them.
    pub(crate) fn ending_with_flow(&self) -> Vec<usize> {
        let ends = self.open.keys().copied().filter(|task| {
            let task = self.tasks.get(task);
            task.is_none_or(|task| !task.outlives_flow)
        });
        let mut ending: Vec<usize> = ends.collect();
        let below = ending.iter().flat_map(|task| self.open_below(*task));
        ending.extend(below.collect::<Vec<_>>());
        ending.sort_unstable();
        ending.dedup();
        ending
    }

    /// A task that has not ended, and those below it.
    pub(crate) fn ending_with(&self, task: usize) -> Vec<usize> {
        match self.open.contains(&task) {
            true => [task].into_iter().chain(self.open_below(task)).collect(),
            false => self.open_below(task),
        }
    }

    /// Notes that something has happened in a task.
    pub(crate) fn note_event(&mut self, task: usize, now: u64) {
        if let Some(task) = self.tasks.get_mut(&task) {
            Arc::make_mut(task).last_event_at = now;
        }
    }

    /// Notes how a task has ended. Returns the agents that wait for it.
    pub(crate) fn note_end(&mut self, task: usize, end: TaskEnd, now: u64) -> Vec<NodePath> {
        self.open.remove(&task);
        if let Some(task) = self.tasks.get_mut(&task) {
            let task = Arc::make_mut(task);
            task.last_event_at = now;
            task.ended_at = Some(now);
            task.end = Some(end);
        }
        let waiting = self.waiting.keys().filter(|(number, _)| *number == task);
        let waiting: Vec<NodePath> = waiting.map(|(_, path)| path.clone()).collect();
        for path in &waiting {
            self.waiting.remove(&(task, path.clone()));
        }
        waiting
    }

    /// Notes that the agent at `path` waits for a task.
    pub(crate) fn add_waiting(&mut self, task: usize, path: &NodePath) {
        self.waiting.insert((task, path.clone()), ());
    }

    fn next_number(&self) -> usize {
        let last = self.tasks.last().map_or(0, |(last, _)| *last);
        last.saturating_add(1)
    }
}

impl Frame {
    /// Puts the node of detached tasks in the ready queue, behind all that became ready before, if any of them can move.
    pub(super) fn requeue_detached(&mut self, node: NodeIx, step: u64) {
        self.dequeue(node);
        let Some(list) = self.list_mut(node).filter(|list| !list.movable.is_empty()) else {
            return;
        };
        list.ready_since = step;
        self.ready.insert((step, node), ());
    }

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
}

impl Frame {
    /// Answers a call of the agent at `node` that waits for a task that is gone.
    pub(crate) fn answer_lost_task(&mut self, node: NodeIx, call: usize) {
        let progress = self.progress.get_mut();
        if let Some(progress) = progress
            && let Some(agent) = progress.agents.get_mut(&node)
        {
            Arc::make_mut(agent).answer(call, "the task is not there any more", true);
            if !agent.waits_for_detached() {
                progress.timers.remove(&node);
            }
        }
    }

    /// Brings the ready queue at `path` up to date, and those around it.
    pub(crate) fn update_queues(&mut self, path: &NodePath) {
        let Some(frame) = self.at_mut(&path.frame) else {
            return;
        };
        frame.update_queue(path.node);
        let mut path = path.frame.as_slice();
        while let Some((item, around)) = path.split_last() {
            let can_move = self.at(path).is_some_and(|frame| !frame.ready.is_empty());
            if let Some(frame) = self.at_mut(around)
                && let Some(list) = frame.list_mut(item.list)
            {
                match can_move {
                    true => list.movable.insert(item.index, ()),
                    false => list.movable.remove(&item.index),
                };
                frame.update_queue(item.list);
            }
            path = around;
        }
    }
}

impl RunState {
    /// The detached task that a place is in.
    pub(crate) fn detached_at(&self, frame: &FramePath) -> Option<ItemId> {
        let item = frame.first().copied();
        item.filter(|item| self.root.table.node(item.list).kind.is_detached())
    }

    /// The node in which detached tasks of the agent at `path` run, if it may start any.
    fn node_for_detached(&self, path: &NodePath) -> Option<NodeIx> {
        let around = path.frame.iter().enumerate().map(|(depth, item)| {
            let frame = self.frame(path.frame.get(..depth).unwrap_or_default());
            frame.table.node(item.list)
        });
        let own = self.frame(&path.frame).table.node(path.node);
        self.root.table.detached_node(around.chain([own]))
    }

    /// Starts detached tasks of the agent at `path`, which is being committed. Returns their numbers.
    pub(crate) fn start_detached(
        &mut self,
        path: &NodePath,
        targets: Vec<CallTarget>,
        now: u64,
    ) -> Vec<usize> {
        let Some(node) = self.node_for_detached(path) else {
            return Vec::new();
        };
        self.count_called(path, targets.len());
        let owners = self.owners(path);
        let NodeKind::Agent(agent) = &self.frame(&path.frame).table.node(path.node).kind else {
            return Vec::new();
        };
        let outlives_flow = agent.spec.config.delegation.on_done == OnDone::Wait;
        let parent = self.detached_at(&path.frame).map(|item| item.index);
        let mut numbers = Vec::with_capacity(targets.len());
        for target in targets {
            let task = DetachedTask {
                agent: target.agent.into(),
                owners: owners.clone(),
                parent,
                outlives_flow,
                started_at: now,
                last_event_at: now,
                ended_at: None,
                end: None,
            };
            let item = ItemId {
                list: node,
                index: self.detached.next_number(),
            };
            self.detached.tasks.insert(item.index, Arc::new(task));
            self.detached.add_open(item);
            self.start_in_detached(item, target.callee, target.start.into_live());
            numbers.push(item.index);
        }
        numbers
    }

    fn start_in_detached(&mut self, item: ItemId, callee: usize, input: Live) {
        let step = self.this_step();
        let Some(team) = self.root.table.inner(item.list).cloned() else {
            return;
        };
        let Some(arc) = team.node(TEAM_START).outputs.get(callee) else {
            return;
        };
        let mut frame = Frame::new(Arc::clone(&team));
        frame.is_started = true;
        frame.put(arc, input, step, &mut Fed::new());
        let lists = &mut self.root.progress.lists;
        let list = Arc::make_mut(lists.get_or_insert_with(item.list, Arc::default));
        list.items.insert(item.index, frame.into());
        list.movable.insert(item.index, ());
        self.root.requeue_detached(item.list, step);
    }

    /// The visits of agents to which a detached task of the agent at `path` belongs.
    fn owners(&self, path: &NodePath) -> Vec<Arc<str>> {
        let around = self.detached_at(&path.frame);
        let around = around.and_then(|item| self.detached.tasks.get(&item.index));
        let around = around.into_iter().flat_map(|task| task.owners.iter());
        let calling = self.calling_agents(path);
        let calling = calling.iter().map(|path| Arc::from(self.step_key(path)));
        calling.chain(around.cloned()).collect()
    }

    /// Counts agents that the agent at `path` starts beside itself, from now on also where those who have called it have
    /// ended.
    fn count_called(&mut self, path: &NodePath, count: usize) {
        self.count_children(path, u32::try_from(count).unwrap_or(u32::MAX));
        for path in self.calling_agents(path) {
            let key: Arc<str> = self.step_key(&path).into();
            let frame = self.frame(&path.frame);
            let NodeKind::Agent(agent) = &frame.table.node(path.node).kind else {
                continue;
            };
            let most = agent.spec.config.delegation.max_children;
            let left = frame.progress.agents.get(&path.node);
            let left = left.map_or(most, |progress| progress.children_left(most));
            let count = most.saturating_sub(left);
            self.detached
                .called
                .get_or_insert_with(key, || Called { count, most });
        }
    }

    /// Counts agents that were called at `path` for those to whom what runs there belongs, as far as these have started
    /// detached tasks.
    pub(super) fn count_for_owners(&mut self, path: &NodePath, children: u32) {
        if self.detached.called.is_empty() {
            return;
        }
        for owner in self.owners(path) {
            if let Some(called) = self.detached.called.get_mut(&owner) {
                called.count = called.count.saturating_add(children);
            }
        }
    }

    /// How many more agents may be called at `path`, as far as those say to whom what runs there belongs.
    pub(super) fn left_by_owners(&self, path: &NodePath) -> Option<u32> {
        if self.detached.called.is_empty() {
            return None;
        }
        let owners = self.owners(path);
        let left = owners
            .iter()
            .filter_map(|owner| self.detached.called.get(owner));
        left.map(|called| called.left()).min()
    }

    /// How the task of this item has ended, if it has with the step that was just committed.
    pub(crate) fn take_detached_end(&mut self, item: ItemId) -> Option<TaskEnd> {
        let list = self.root.progress.lists.get(&item.list)?;
        let end = list.done.get(&item.index)?.get::<TaskEnd>();
        let end = end.map_or_else(
            |error| TaskEnd::failed(error.to_string()),
            |end| (*end).clone(),
        );
        self.root.remove_detached(item);
        Some(end)
    }

    /// Drops a detached task, with all that waits in it.
    pub(crate) fn drop_detached(&mut self, item: ItemId) {
        let gone = WaitIndex::of_item(&self.root, &[], item);
        self.waits.remove_all(&gone);
        self.root.remove_detached(item);
    }
}

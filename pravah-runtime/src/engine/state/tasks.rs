//! Tasks: the agents and flows that an agent or a node has called, each of which runs in a frame of its own.

use std::sync::Arc;

use super::{
    RunState,
    frame::{Fed, Frame},
    path::{FramePath, FramePathBuf, ItemId, NodePath},
    waits::WaitIndex,
};
use crate::{
    agent::TaskEnd,
    graph::{NodeIx, NodeKind, TEAM_START},
    state::Live,
};

/// What a task starts with.
pub(crate) struct TaskStart {
    /// Which of those that its caller may call.
    pub(crate) callee: usize,
    /// Its input, or its end if it cannot take what it was to take.
    pub(crate) input: Result<Live, TaskEnd>,
}

impl Frame {
    /// Whether `node` has called agents or flows.
    #[inline]
    pub(crate) fn has_tasks(&self, node: NodeIx) -> bool {
        self.table.node(node).kind.is_caller() && self.has_tasks_slow(node)
    }

    #[inline(never)]
    fn has_tasks_slow(&self, node: NodeIx) -> bool {
        self.progress.lists.contains(&node)
    }

    /// Starts the task of this number of the caller at `node`.
    fn start_task(&mut self, node: NodeIx, task: usize, start: TaskStart, step: u64) {
        let Some(team) = self.table.inner(node) else {
            return;
        };
        let mut frame = Self::new(Arc::clone(team));
        frame.is_started = true;
        let list = self.progress.lists.get_or_insert_with(node, Arc::default);
        let list = Arc::make_mut(list);
        match (start.input, team.node(TEAM_START).outputs.get(start.callee)) {
            (Ok(input), Some(arc)) => {
                frame.put(arc, input, step, &mut Fed::new());
                list.items.insert(task, frame.into());
                list.movable.insert(task, ());
            }
            (Err(end), _) => drop(list.done.insert(task, Live::new(end))),
            // The number is that of one of them. A task that is not there would be waited for in vain.
            (Ok(_), None) => drop(
                list.done
                    .insert(task, Live::new(TaskEnd::failed("nobody is called"))),
            ),
        }
    }

    /// Notes the outcome of a step in a task: what it has returned, if it is done.
    pub(super) fn note_task_step(&mut self, item: ItemId, done: Option<Live>, step: u64) {
        let kind = &self.table.node(item.list).kind;
        let (is_invoke, is_detached) = (kind.is_invoke(), kind.is_detached());
        // A model reads JSON, and a node what was returned.
        let end = done.map(|output| match is_invoke {
            true => TaskEnd::completed(output.in_cell()),
            false => match output.to_value() {
                Ok(output) => TaskEnd::completed(Live::new(output)),
                Err(error) => TaskEnd::failed(error.to_string()),
            },
        });
        if let Some(list) = self.list_mut(item.list) {
            list.note_step(item.index, end.map(Live::new));
        }
        match is_detached {
            true => self.requeue_detached(item.list, step),
            false => self.update_queue(item.list),
        }
    }

    /// Puts a list, or a caller that has tasks, in the ready queue if anything in it can move, and takes it out
    /// otherwise.
    pub(crate) fn update_queue(&mut self, node: NodeIx) {
        let can_move = self.can_move_in(node);
        match (can_move, self.is_ready(node)) {
            (true, false) => self.move_to_front(node),
            (false, true) => self.dequeue(node),
            _ => {}
        }
    }

    /// Whether anything can move without an answer from outside in a list, or in a caller that has tasks.
    pub(crate) fn can_move_in(&self, node: NodeIx) -> bool {
        let list = self.progress.lists.get(&node);
        match &self.table.node(node).kind {
            NodeKind::Detached(_) => list.is_some_and(|list| !list.movable.is_empty()),
            NodeKind::Agent(_) | NodeKind::Invoke(_) => {
                list.is_some_and(|list| !list.movable.is_empty()) || self.caller_can_go_on(node)
            }
            _ => list.is_some_and(|list| list.can_move()),
        }
    }

    /// Whether a caller itself can make a step, and not only its tasks.
    pub(crate) fn caller_can_go_on(&self, node: NodeIx) -> bool {
        let agent = self.progress.agents.get(&node);
        let list = self.progress.lists.get(&node);
        let has_ended = |task: usize| list.is_some_and(|list| list.done.contains(&task));
        match (self.progress.failed.get(&node), &self.table.node(node).kind) {
            (Some(failed), _) => !failed.is_tried_last,
            (None, NodeKind::Invoke(_)) => list.is_some_and(|list| list.is_complete()),
            (None, _) => agent.is_some_and(|agent| agent.can_go_on(has_ended)),
        }
    }

    /// How all tasks of the node at `node` have ended, if it has called any and they have.
    pub(crate) fn ends_of_tasks(&self, node: NodeIx) -> Option<Vec<TaskEnd>> {
        let list = self.progress.lists.get(&node)?;
        if !list.is_complete() {
            return None;
        }
        let tasks = list.done.keys();
        Some(
            tasks
                .filter_map(|task| self.end_of_task(node, *task))
                .collect(),
        )
    }

    /// Whether a task of the agent at `node` is where the agent or the flow of this name runs.
    pub(crate) fn is_task_of(&self, node: NodeIx, task: &Self, called: &str) -> bool {
        let NodeKind::Agent(agent) = &self.table.node(node).kind else {
            return false;
        };
        let team = &task.table;
        let arc = agent.spec.callee(called);
        let Some(arc) = arc.and_then(|callee| team.node(TEAM_START).outputs.get(callee)) else {
            return false;
        };
        let mut nodes = task.tokens.keys().map(|slot| team.slot(*slot).node);
        nodes.all(|node| match arc.starts.first() {
            Some(scope) => team.is_within(node, *scope),
            None => arc
                .to
                .iter()
                .any(|place| team.slot(place.slot).node == node),
        })
    }

    /// How the task of this number has ended, if it has.
    pub(crate) fn end_of_task(&self, node: NodeIx, task: usize) -> Option<TaskEnd> {
        let end = self.progress.lists.get(&node)?.done.get(&task)?;
        let end = end.get::<TaskEnd>();
        Some(end.map_or_else(
            |error| TaskEnd::failed(error.to_string()),
            |end| (*end).clone(),
        ))
    }

    /// Forgets the tasks that an agent at `node` does not wait for any more.
    fn forget_taken_tasks(&mut self, node: NodeIx) {
        if let NodeKind::Invoke(_) = self.table.node(node).kind {
            // It waits for all of them.
            return;
        }
        let agent = self.progress.agents.get(&node);
        let open: Vec<usize> = agent.map_or_else(Vec::new, |agent| agent.open_tasks().collect());
        let Some(list) = self.list_mut(node) else {
            return;
        };
        let taken = list.done.keys().filter(|task| !open.contains(task));
        for task in taken.copied().collect::<Vec<_>>() {
            list.done.remove(&task);
        }
        if list.done.is_empty() && list.items.is_empty() {
            self.progress.lists.remove(&node);
        }
    }
}

impl RunState {
    /// Forgets the tasks whose results the agent at `path` has taken.
    pub(crate) fn forget_taken_tasks(&mut self, path: &NodePath) {
        let frame = self.frame_mut(&path.frame);
        frame.forget_taken_tasks(path.node);
        frame.update_queue(path.node);
        self.settle(&path.frame, None);
    }

    /// Starts the tasks of these numbers of the caller at `path`, which is being committed.
    pub(crate) fn start_tasks(&mut self, path: &NodePath, starts: Vec<(usize, TaskStart)>) {
        let step = self.this_step();
        let frame = self.frame_mut(&path.frame);
        let count = starts.len();
        // What waits for a detached task calls nobody.
        let await_task = match &frame.table.node(path.node).kind {
            NodeKind::Invoke(invoke) => Some(invoke.await_task_callee()),
            _ => None,
        };
        let waits = starts
            .iter()
            .filter(|(_, start)| Some(start.callee) == await_task)
            .count();
        for (task, start) in starts {
            frame.start_task(path.node, task, start, step);
        }
        if frame.table.node(path.node).kind.is_invoke()
            && let Some(list) = frame.list_mut(path.node)
        {
            list.len = count;
        }
        let count = u32::try_from(count.saturating_sub(waits)).unwrap_or(u32::MAX);
        self.count_children(path, count);
        self.forget_taken_tasks(path);
    }

    /// Counts tasks of the caller at `path` for it, and for those around it that have called it.
    pub(super) fn count_children(&mut self, path: &NodePath, children: u32) {
        for (frame, node) in self.callers(path) {
            let frame = self.frame_mut(&frame);
            if let Some(agent) = frame.progress.agents.get_mut(&node) {
                Arc::make_mut(agent).add_children(children);
            }
        }
        self.count_for_owners(path, children);
    }

    /// How many more agents the caller at `path` may call: as many as it and each of the agents may that have called it.
    /// A node that no agent has called may call any number.
    pub(crate) fn children_left(&self, path: &NodePath) -> u32 {
        let left = self.callers(path).into_iter().filter_map(|(frame, node)| {
            let frame = self.frame(&frame);
            let NodeKind::Agent(agent) = &frame.table.node(node).kind else {
                return None;
            };
            let most = agent.spec.config.delegation.max_children;
            let progress = frame.progress.agents.get(&node);
            Some(progress.map_or(most, |progress| progress.children_left(most)))
        });
        let left = left.chain(self.left_by_owners(path));
        left.min().unwrap_or(u32::MAX)
    }

    /// The caller at `path`, and those around it that have called it, each with its frame.
    fn callers(&self, path: &NodePath) -> Vec<(FramePathBuf, NodeIx)> {
        let around = path.frame.iter().enumerate().map(|(depth, item)| {
            let frame = path.frame.get(..depth).unwrap_or_default();
            (FramePathBuf::from(frame), item.list)
        });
        let callers = around.filter(|(frame, node)| self.frame(frame).has_tasks(*node));
        callers.chain([(path.frame.clone(), path.node)]).collect()
    }

    /// The agents among them.
    pub(super) fn calling_agents(&self, path: &NodePath) -> Vec<NodePath> {
        let is_agent = |(frame, node): &(FramePathBuf, NodeIx)| {
            matches!(self.frame(frame).table.node(*node).kind, NodeKind::Agent(_))
        };
        let agents = self.callers(path).into_iter().filter(is_agent);
        agents
            .map(|(frame, node)| NodePath { frame, node })
            .collect()
    }

    /// Ends a task in the frame at `path` that has failed, with all that waits in it.
    pub(crate) fn fail_task(&mut self, path: &FramePath, item: ItemId, end: TaskEnd) {
        let gone = WaitIndex::of_item(self.frame(path), path, item);
        self.forget_waits(&gone);
        let frame = self.frame_mut(path);
        if let Some(list) = frame.list_mut(item.list) {
            list.note_step(item.index, Some(Live::new(end)));
        }
        frame.update_queue(item.list);
        self.settle(path, None);
    }

    /// Drops the tasks of the caller at `path`, which starts over.
    pub(crate) fn drop_tasks(&mut self, path: &NodePath) {
        self.unindex(&path.frame, path.node);
        let frame = self.frame_mut(&path.frame);
        frame.progress.lists.remove(&path.node);
    }
}

//! The ready queue of a frame: the order in which its nodes move.

use super::{
    frame::{AT_ONCE, Frame, QueueKey},
    path::{ItemId, NodePath},
};
use crate::graph::NodeIx;

impl Frame {
    /// Takes `node` out of the ready queue: what it waits for must come from outside.
    pub(crate) fn dequeue(&mut self, node: NodeIx) {
        let since = self.ready_since(node);
        self.remove_ready(node, since);
    }

    pub(super) fn remove_ready(&mut self, node: NodeIx, since: u64) {
        if self.ready.remove(&(since, node)).is_none() {
            self.ready.remove(&(AT_ONCE, node));
        }
    }

    /// Puts a node whose states are all there in the ready queue, as one that became ready at step `since`.
    pub(crate) fn set_ready(&mut self, node: NodeIx, since: u64) {
        let Self { table, tokens, .. } = self;
        for slot in &table.node(node).slots {
            if let Some(token) = tokens.get_mut(slot) {
                token.since = since;
            }
        }
        if table.node(node).kind.is_detached()
            && let Some(list) = self.list_mut(node)
        {
            list.ready_since = since;
        }
        self.ready.insert((since, node), ());
    }

    /// Makes `node` the next to move.
    pub(crate) fn move_to_front(&mut self, node: NodeIx) {
        self.dequeue(node);
        self.ready.insert((AT_ONCE, node), ());
    }

    /// Puts `node` back where it was in the ready queue of `before`, or takes it out.
    pub(super) fn restore_queue_position(&mut self, node: NodeIx, before: &Self) {
        let keys = [before.ready_since(node), AT_ONCE].map(|since| (since, node));
        let key = keys.into_iter().find(|key| before.ready.contains(key));
        self.dequeue(node);
        if let Some(key) = key {
            self.ready.insert(key, ());
        }
    }

    pub(crate) fn is_ready(&self, node: NodeIx) -> bool {
        let since = self.ready_since(node);
        self.ready.contains(&(since, node)) || self.ready.contains(&(AT_ONCE, node))
    }

    /// The node that takes every state that waits, if none of its states is missing and it has not
    /// started. Snapshots leave out `ready` where it is just this node, since its last state came.
    pub(crate) fn sole_ready(&self) -> Option<QueueKey> {
        if !self.progress.is_unchanged() && self.started_nodes().next().is_some() {
            return None;
        }
        let (slot, token) = self.tokens.first()?;
        let node = self.table.slot(*slot).node;
        if self.table.node(node).kind.is_await_task() {
            // It keeps its state while it waits, which does not mean that it is ready.
            return None;
        }
        let slots = &self.table.node(node).slots;
        if self.tokens.len() == 1 {
            return (slots.len() == 1).then_some((token.since, node));
        }
        let is_fed = self.tokens.keys().eq(slots.iter());
        is_fed.then(|| (self.ready_since(node), node))
    }

    /// The step at which the last of the states came that `node` takes.
    pub(super) fn ready_since(&self, node: NodeIx) -> u64 {
        let slots = &self.table.node(node).slots;
        let since = |slot| Some(self.tokens.get(slot)?.since);
        let last = slots.iter().map(since).max().flatten();
        last.unwrap_or_else(|| self.detached_since(node))
    }

    /// The step after which the detached tasks at `node`, which takes no states, could last move.
    pub(super) fn detached_since(&self, node: NodeIx) -> u64 {
        let tasks = self.progress.lists.get(&node);
        tasks.map_or(AT_ONCE, |tasks| tasks.ready_since)
    }

    /// Puts a node that is ready behind all that have become so before: it has made a step, and others have their turns.
    pub(crate) fn move_to_back(&mut self, node: NodeIx, step: u64) {
        if self.is_ready(node) {
            self.dequeue(node);
            self.set_ready(node, step);
        }
    }

    /// Puts the node of detached tasks in the ready queue, behind all that became ready before, if any of them can move.
    pub(super) fn requeue_detached(&mut self, node: NodeIx, step: u64) {
        self.dequeue(node);
        let Some(list) = self.list_mut(node).filter(|list| !list.movable.is_empty()) else {
            return;
        };
        list.ready_since = step;
        self.ready.insert((step, node), ());
    }

    /// Brings the ready queue at `path` up to date, and those around it.
    pub(crate) fn update_queues(&mut self, path: &NodePath) {
        let Some(frame) = self.at_mut(&path.frame) else {
            return;
        };
        if !frame.table.node(path.node).kind.is_await_task() {
            frame.update_queue(path.node);
        }
        self.update_queues_around(&path.frame);
    }

    /// The same of the lists around the frame at `path`.
    pub(super) fn update_queues_around(&mut self, path: &[ItemId]) {
        let mut path = path;
        while let Some((item, around)) = path.split_last() {
            let can_move = self.at(path).is_some_and(|frame| !frame.ready.is_empty());
            if let Some(frame) = self.at_mut(around)
                && let Some(list) = frame.list_mut(item.list)
            {
                list.set_movable(item.index, can_move);
                frame.update_queue(item.list);
            }
            path = around;
        }
    }
}

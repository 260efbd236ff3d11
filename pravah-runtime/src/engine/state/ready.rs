//! The ready queue of a frame: the order in which its nodes move.

use std::sync::Arc;

use super::frame::{AT_ONCE, Frame, QueueKey};
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
        let table = Arc::clone(&self.table);
        let tokens = &mut self.tokens;
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
        let tokens = slots.iter().filter_map(|slot| self.tokens.get(slot));
        let last = tokens.map(|token| token.since).max();
        // Detached tasks take no states.
        last.or_else(|| Some(self.progress.lists.get(&node)?.ready_since))
            .unwrap_or_default()
    }
}

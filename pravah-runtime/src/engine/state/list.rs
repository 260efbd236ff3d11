//! Lists: each item runs through a chain of its own.

use std::sync::Arc;

use super::{
    frame::{Frame, List},
    path::ItemId,
};
use crate::{
    error::{FlowError, guard},
    graph::{EachNode, NodeIx, NodeKind, Place},
    node::Emitted,
    state::Live,
};

impl List {
    /// Whether anything in the list can move without an answer from outside.
    pub(crate) fn can_move(&self) -> bool {
        !self.movable.is_empty() || self.next < self.len || self.is_complete()
    }

    pub(crate) fn is_complete(&self) -> bool {
        self.done.len() == self.len
    }

    /// Whether a step of any item was committed.
    pub(crate) fn is_started(&self) -> bool {
        !self.done.is_empty() || self.items.values().any(|frame| frame.is_started)
    }

    /// Looks for the next item to start. One that is done may be behind one that is not started: several
    /// are worked on at the same time.
    pub(crate) fn find_next(&mut self) {
        while self.items.contains(&self.next) || self.done.contains(&self.next) {
            self.next = self.next.saturating_add(1);
        }
    }

    /// Notes the outcome of a step in an item: its output, if it is done.
    fn note_step(&mut self, item: usize, done: Option<Live>) {
        if let Some(output) = done {
            self.items.remove(&item);
            self.movable.remove(&item);
            self.done.insert(item, output.in_cell());
        } else if let Some(frame) = self.items.get_mut(&item) {
            let frame = Arc::make_mut(frame);
            frame.share_tokens();
            match frame.ready.is_empty() {
                true => self.movable.remove(&item),
                false => self.movable.insert(item, ()),
            };
        }
    }
}

impl Frame {
    /// Lets the values be moved out whoever holds the frame: while a snapshot does, the run goes on with a
    /// copy.
    fn share_tokens(&mut self) {
        let slots: Vec<_> = self.tokens.keys().copied().collect();
        for slot in slots {
            if let Some(token) = self.tokens.get_mut(&slot) {
                token.live.share();
            }
        }
    }

    /// Starts the first item of the list at `node` that was not started. Until a step of it is committed
    /// nobody sees it. Returns `None` where all were.
    pub(crate) fn start_item(
        &mut self,
        node: NodeIx,
        each: &EachNode,
    ) -> Result<Option<ItemId>, FlowError> {
        let items = self.list_items(node, each)?;
        let latest = self.latest_for_item(node);
        let list = self.progress.lists.get_or_insert_with(node, || {
            Arc::new(List {
                len: items.len(),
                ..List::default()
            })
        });
        let list = Arc::make_mut(list);
        let index = list.next;
        let Some(item) = items.get(index) else {
            return Ok(None);
        };
        let frame = Frame::start(&each.chain.table, item.clone(), latest);
        list.items.insert(index, frame.into());
        list.movable.insert(index, ());
        list.find_next();
        Ok(Some(ItemId { list: node, index }))
    }

    /// The items of the list that waits for `node`.
    fn list_items(&self, node: NodeIx, each: &EachNode) -> Result<Arc<[Live]>, FlowError> {
        let entry = self.table.node(node);
        let waiting = entry.slots.first();
        let waiting = waiting.and_then(|slot| Some((*slot, self.tokens.get(slot)?)));
        let Some((slot, token)) = waiting else {
            return Ok(Arc::default());
        };
        let items = guard(&entry.id, || (each.list.items)(&token.live))?;
        items.map_err(|source| {
            let branch = token.branch;
            FlowError::State {
                state: self.table.place_key(Place { slot, branch }).to_owned(),
                source,
            }
        })
    }

    /// Notes the outcome of a step in an item. Where that was the last of a list, its node fires, and
    /// what this frame returned, if that was its end, is returned.
    pub(crate) fn note_item_step(
        &mut self,
        item: ItemId,
        done: Option<Live>,
        step: u64,
    ) -> Option<Live> {
        let node = item.list;
        let list = self.list_mut(node)?;
        list.note_step(item.index, done);
        let (is_complete, can_move) = (list.is_complete(), list.can_move());
        // A list that cannot be put together is complete all the same: its next step says why.
        if is_complete && let Ok(list) = self.gather(node) {
            return self.fire(node, Emitted::only(list), step);
        }
        match (can_move, self.is_ready(node)) {
            (true, false) => self.move_to_front(node),
            (false, true) => self.dequeue(node),
            _ => {}
        }
        None
    }

    /// The list of what the items returned, in input order.
    pub(crate) fn gather(&mut self, node: NodeIx) -> Result<Live, FlowError> {
        let table = Arc::clone(&self.table);
        let entry = table.node(node);
        let NodeKind::Each(each) = &entry.kind else {
            return Err(FlowError::BuildError(
                format!("`{}` is no list", entry.id).into(),
            ));
        };
        // Values can be moved out through any clone of what holds them.
        let mut done: Vec<Live> = match self.progress.lists.get(&node) {
            Some(list) => list.done.values().cloned().collect(),
            None => Vec::new(),
        };
        let list = guard(&entry.id, || (each.list.collect)(&mut done.iter_mut()))?;
        list.map_err(|source| FlowError::State {
            state: entry
                .outputs
                .first()
                .map_or_else(String::new, |arc| table.state_key(arc.state).to_string()),
            source,
        })
    }
}

//! Lists: each item runs through a chain of its own.

use std::{mem, sync::Arc};

use super::{
    frame::{Frame, List},
    path::ItemId,
};
use crate::{
    error::{FlowError, guard},
    graph::{EachNode, ListInput, NodeIx, NodeKind, Place},
    node::{Emitted, Token},
    sorted_map::SortedMap,
    state::Live,
};

impl List {
    /// Whether anything in the list can move without an answer from outside.
    pub(crate) fn can_move(&self) -> bool {
        !self.movable.is_empty() || self.can_start() || self.is_complete()
    }

    /// Whether another item may start.
    pub(crate) fn can_start(&self) -> bool {
        let has_room = self.most_open.is_none_or(|most| self.items.len() < most);
        self.next < self.len && has_room
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
    pub(super) fn note_step(&mut self, item: usize, done: Option<Live>) {
        if let Some(output) = done {
            self.items.remove(&item);
            self.movable.remove(&item);
            self.done.insert(item, output.in_cell());
        } else if let Some(frame) = self.items.get_mut(&item) {
            let frame = Arc::make_mut(frame);
            frame.share_tokens();
            let can_move = !frame.ready.is_empty();
            self.set_movable(item, can_move);
        }
    }

    /// Notes whether anything can move in an item.
    pub(super) fn set_movable(&mut self, item: usize, can_move: bool) {
        match can_move {
            true => self.movable.insert(item, ()),
            false => self.movable.remove(&item),
        };
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
    /// nobody sees it. Returns `None` where all were. `place` names the run, and the items around the list.
    pub(crate) fn start_item(
        &mut self,
        node: NodeIx,
        each: &EachNode,
        place: &dyn Fn() -> String,
    ) -> Result<Option<ItemId>, FlowError> {
        let known = self.progress.lists.get(&node);
        let source = match known.and_then(|list| list.source.clone()) {
            Some(source) => source,
            None => self.open_list(node, each)?,
        };
        let latest = self.latest_for_item(node);
        let list = self.progress.lists.get_or_insert_with(node, || {
            Arc::new(List {
                len: source.len(),
                most_open: each.most_open,
                ..List::default()
            })
        });
        let list = Arc::make_mut(list);
        let source = list.source.insert(source);
        let index = list.next;
        let item = (index < list.len).then(|| each.body.item(source, index, place));
        let Some(item) = item.flatten() else {
            return Ok(None);
        };
        let frame = Frame::start(&each.chain.table, item, latest);
        list.items.insert(index, frame.into());
        list.movable.insert(index, ());
        list.find_next();
        Ok(Some(ItemId { list: node, index }))
    }

    /// What the items of the list that waits for `node` are made of.
    pub(crate) fn open_list(
        &self,
        node: NodeIx,
        each: &EachNode,
    ) -> Result<Arc<[Live]>, FlowError> {
        let id = &self.table.node(node).id;
        guard(id, || each.body.open(&self.list_input(node)))?
    }

    /// What the list at `node` can look at.
    pub(crate) fn list_input(&self, node: NodeIx) -> ListInput<'_> {
        let entry = self.table.node(node);
        let waiting = entry.slots.first();
        let waiting = waiting.and_then(|slot| {
            let Token { branch, live, .. } = self.tokens.get(slot)?;
            let (slot, branch) = (*slot, *branch);
            Some((live, self.table.place_key(Place { slot, branch })))
        });
        let output = entry.outputs.first();
        ListInput {
            waiting,
            output: output.map_or("", |arc| self.table.state_key(arc.state)),
            latest: &self.latest,
        }
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
        if self.has_tasks(node) {
            self.note_task_step(item, done, step);
            return None;
        }
        if let (Some(output), NodeKind::Each(each)) = (&done, &self.table.node(node).kind) {
            let leaves = each.body.leaves(output);
            self.leave(&leaves);
        }
        self.list_mut(node)?.note_step(item.index, done);
        self.grow(node);
        let is_complete = self.progress.lists.get(&node)?.is_complete();
        // A list that cannot be put together is complete all the same: its next step says why.
        if is_complete && let Ok(list) = self.gather(node) {
            return self.fire(node, Emitted::only(list), step);
        }
        self.update_queue(node);
        None
    }

    /// Adds an item to a list that goes on by itself, if its last one is done and that says so.
    pub(crate) fn grow(&mut self, node: NodeIx) {
        if self.goes_on(node).unwrap_or(false)
            && let Some(list) = self.list_mut(node)
        {
            list.len = list.len.saturating_add(1);
        }
    }

    fn goes_on(&self, node: NodeIx) -> Result<bool, FlowError> {
        let (NodeKind::Each(each), Some(list)) =
            (&self.table.node(node).kind, self.progress.lists.get(&node))
        else {
            return Ok(false);
        };
        if !list.is_complete() {
            return Ok(false);
        }
        let last = list.done.last().map(|(_, last)| last);
        let input = self.list_input(node);
        each.body.goes_on(list.done.len(), last, &input)
    }

    /// Builds what the list returns from what its items returned, in their order. That is taken out of the list; on an
    /// error it is put back.
    pub(crate) fn gather(&mut self, node: NodeIx) -> Result<Live, FlowError> {
        let table = Arc::clone(&self.table);
        let entry = table.node(node);
        let NodeKind::Each(each) = &entry.kind else {
            return Err(FlowError::BuildError(
                format!("`{}` is no list", entry.id).into(),
            ));
        };
        self.goes_on(node)?;
        let done = self.list_mut(node).map(|list| mem::take(&mut list.done));
        let mut done = done.map(SortedMap::into_values).unwrap_or_default();
        let input = self.list_input(node);
        let output = guard(&entry.id, || each.body.collect(&mut done, &input)).flatten();
        if output.is_err()
            && let Some(list) = self.list_mut(node)
        {
            // Of a complete list: their indices have no gaps.
            list.done = done.into_iter().enumerate().collect();
        }
        output
    }
}

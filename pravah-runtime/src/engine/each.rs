//! Lists: each item runs through a chain of its own.

use std::{
    collections::{BTreeMap, VecDeque},
    sync::Arc,
};

use super::marking::{Marking, Progress};
use crate::{
    error::FlowError,
    graph::{NodeIx, Table},
    node::{EachNode, NodeKind},
    state::Live,
};

/// How far a list has come.
#[derive(Clone, Default)]
pub(crate) struct EachProgress {
    pub(super) len: usize,
    /// The first item that was not started.
    pub(super) next: usize,
    /// The items started that can move, in the order in which they take their turns.
    pub(super) active: VecDeque<usize>,
    /// The items started and not done.
    pub(super) items: BTreeMap<usize, Marking>,
    pub(super) done: BTreeMap<usize, Live>,
}

/// The step from a list into one of its items.
#[derive(Clone)]
pub(super) struct ItemStep {
    pub(super) each: NodeIx,
    pub(super) item: usize,
    /// Its marking, if this step is to be its first.
    pub(super) new_item: Option<Box<NewItem>>,
}

impl ItemStep {
    /// The error where the item is not there.
    pub(super) fn lost(&self, table: &Table) -> FlowError {
        FlowError::NotFound(format!("item {} of `{}`", self.item, table.node_id(self.each)).into())
    }
}

/// What the first step of an item commits along with its result.
#[derive(Clone)]
pub(super) struct NewItem {
    len: usize,
    pub(super) marking: Marking,
}

/// What a list does next.
pub(super) enum NextItem {
    /// The next step of an item.
    Item(ItemStep),
    /// All items are done: put the list together.
    Gather,
}

impl EachProgress {
    /// Whether anything in the list can move without an answer from outside.
    pub(super) fn can_move(&self) -> bool {
        !self.active.is_empty() || self.next < self.len || self.is_complete()
    }

    pub(super) fn is_complete(&self) -> bool {
        self.done.len() == self.len
    }

    /// Starts the item, if it is the next one.
    pub(super) fn start(&mut self, item_step: &ItemStep) {
        let Some(new_item) = &item_step.new_item else {
            return;
        };
        self.len = new_item.len;
        self.next = item_step.item.saturating_add(1);
        self.items.insert(item_step.item, new_item.marking.clone());
        self.active.push_back(item_step.item);
    }

    /// Notes that an item is done.
    pub(super) fn finish(&mut self, item: usize, output: Live) {
        self.items.remove(&item);
        self.active.retain(|other| *other != item);
        self.done.insert(item, output.in_cell());
    }

    /// Puts an item among those that can move, or takes it out, after a step of it.
    pub(super) fn requeue(&mut self, item: usize) {
        let mut ready = false;
        if let Some(marking) = self.items.get_mut(&item) {
            // While a snapshot is held the run goes on with a copy of the list's progress.
            marking
                .waiting
                .iter_mut()
                .for_each(|token| token.live.share());
            ready = !marking.ready.is_empty();
        }
        if !ready {
            self.active.retain(|other| *other != item);
        } else if !self.active.contains(&item) {
            self.active.push_front(item);
        }
    }
}

/// What the list at `node` does next: the first of its items that can move, in input order.
pub(super) fn next_item(
    table: &Table,
    marking: &Marking,
    node: NodeIx,
    each: &EachNode,
) -> Result<NextItem, FlowError> {
    let progress = match marking.progress(node) {
        Some(Progress::Each(progress)) => Some(&**progress),
        _ => None,
    };
    if let Some(&item) = progress.and_then(|progress| progress.active.front()) {
        return Ok(NextItem::Item(ItemStep {
            each: node,
            item,
            new_item: None,
        }));
    }
    let missing = || FlowError::NotFound(format!("the list of `{}`", table.node_id(node)).into());
    let slot = table.node(node)?.slots.first();
    let token = slot.and_then(|slot| marking.token(*slot));
    let token = token.ok_or_else(missing)?;
    let items = (each.list.items)(&token.live).map_err(|source| FlowError::State {
        state: table.state_key(token.state).to_owned(),
        source,
    })?;
    let item = progress.map_or(0, |progress| progress.next);
    let Some(first) = items.get(item) else {
        return Ok(NextItem::Gather);
    };
    let marking = Marking::start(&each.chain.table, first.clone());
    let new_item = Box::new(NewItem {
        len: items.len(),
        marking,
    });
    Ok(NextItem::Item(ItemStep {
        each: node,
        item,
        new_item: Some(new_item),
    }))
}

/// The list of what the items returned, in input order.
pub(super) fn gather(
    marking: &mut Marking,
    node: NodeIx,
    each: &EachNode,
) -> Result<Live, serde_json::Error> {
    let mut none = BTreeMap::new();
    let done = match marking.started_each_mut(node) {
        Some(progress) => &mut progress.done,
        None => &mut none,
    };
    (each.list.collect)(&mut done.values_mut())
}

/// The chain that the list at `node` runs its items through.
pub(super) fn chain(table: &Table, node: NodeIx) -> Result<&Arc<Table>, FlowError> {
    match &table.node(node)?.kind {
        NodeKind::Each(each) => Ok(&each.chain.table),
        _ => Err(FlowError::NotFound(
            format!("a list at `{}`", table.node_id(node)).into(),
        )),
    }
}

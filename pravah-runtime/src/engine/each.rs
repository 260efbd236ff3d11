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
    /// The first item that was not begun.
    pub(super) next: usize,
    /// The items begun that can move, in the order in which they take their turns.
    pub(super) active: VecDeque<usize>,
    /// The items begun and not done.
    pub(super) items: BTreeMap<usize, Marking>,
    pub(super) done: BTreeMap<usize, Live>,
}

/// The way from a list into one of its items.
#[derive(Clone)]
pub(super) struct Hop {
    pub(super) each: NodeIx,
    pub(super) item: usize,
    /// Its marking, if this step is to be its first.
    pub(super) fresh: Option<Box<Fresh>>,
}

impl Hop {
    /// The error where the item is not there.
    pub(super) fn lost(&self, table: &Table) -> FlowError {
        FlowError::NotFound(format!("item {} of `{}`", self.item, table.node_id(self.each)).into())
    }
}

/// What the first step of an item commits along with its result.
#[derive(Clone)]
pub(super) struct Fresh {
    len: usize,
    pub(super) marking: Marking,
}

/// What a list does next.
pub(super) enum Turn {
    /// The next step of an item.
    Item(Hop),
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

    /// Begins the item, which is the next one.
    pub(super) fn begin(&mut self, hop: &Hop) {
        let Some(fresh) = &hop.fresh else { return };
        self.len = fresh.len;
        self.next = hop.item.saturating_add(1);
        self.items.insert(hop.item, fresh.marking.clone());
        self.active.push_back(hop.item);
    }

    /// Notes that an item is done.
    pub(super) fn finish(&mut self, item: usize, output: Live) {
        self.items.remove(&item);
        self.active.retain(|other| *other != item);
        self.done.insert(item, output.in_cell());
    }

    /// Notes whether an item can go on; one that cannot gives up its turn.
    pub(super) fn settle(&mut self, item: usize) {
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
pub(super) fn turn(
    table: &Table,
    marking: &Marking,
    node: NodeIx,
    each: &EachNode,
) -> Result<Turn, FlowError> {
    let progress = match marking.progress(node) {
        Some(Progress::Each(progress)) => Some(&**progress),
        _ => None,
    };
    if let Some(&item) = progress.and_then(|progress| progress.active.front()) {
        return Ok(Turn::Item(Hop {
            each: node,
            item,
            fresh: None,
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
        return Ok(Turn::Gather);
    };
    let marking = Marking::start(&each.chain.table, first.clone());
    let fresh = Box::new(Fresh {
        len: items.len(),
        marking,
    });
    Ok(Turn::Item(Hop {
        each: node,
        item,
        fresh: Some(fresh),
    }))
}

/// The list of what the items gave, in input order.
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

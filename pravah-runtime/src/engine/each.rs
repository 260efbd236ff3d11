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
    /// The list as a typed value, so that an item can be taken without reading the others.
    pub(super) list: Option<Live>,
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
        FlowError::NotFound(format!(
            "item {} of `{}`",
            self.item,
            table.node_id(self.each)
        ))
    }
}

/// What the first step of an item commits along with its result.
#[derive(Clone)]
pub(super) struct Fresh {
    list: Live,
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
        self.list = Some(fresh.list.clone());
        self.len = fresh.len;
        self.next = hop.item.saturating_add(1);
        self.items.insert(hop.item, fresh.marking.clone());
        self.active.push_back(hop.item);
    }

    /// Notes that an item is done.
    pub(super) fn finish(&mut self, item: usize, output: Live) {
        self.items.remove(&item);
        self.active.retain(|other| *other != item);
        self.done.insert(item, output);
    }

    /// Notes whether an item can go on; one that cannot gives up its turn.
    pub(super) fn settle(&mut self, item: usize) {
        let ready = self
            .items
            .get(&item)
            .is_some_and(|marking| !marking.ready.is_empty());
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
    let entry = table.node(node)?;
    let inputs = marking.inputs_of(entry, table);
    let token = inputs.token(0)?;
    let unreadable = |source| FlowError::State {
        state: table.state_key(token.state).to_owned(),
        source,
    };
    let (list, len) = match progress.and_then(|progress| progress.list.clone()) {
        Some(list) => (list, progress.map_or(0, |progress| progress.len)),
        None => {
            let list = (each.list.typed)(&token.live).map_err(unreadable)?;
            let len = (each.list.len)(&list).map_err(unreadable)?;
            (list, len)
        }
    };
    let item = progress.map_or(0, |progress| progress.next);
    if item >= len {
        return Ok(Turn::Gather);
    }
    let missing = || FlowError::NotFound(format!("item {item} of `{}`", table.node_id(node)));
    let first = (each.list.item)(&list, item)
        .map_err(unreadable)?
        .ok_or_else(missing)?;
    let marking = Marking::start(&each.chain.table, first);
    let fresh = Box::new(Fresh { list, len, marking });
    Ok(Turn::Item(Hop {
        each: node,
        item,
        fresh: Some(fresh),
    }))
}

/// The list of what the items gave, in input order.
pub(super) fn gather(
    marking: &Marking,
    node: NodeIx,
    each: &EachNode,
) -> Result<Live, serde_json::Error> {
    let done: Vec<Live> = match marking.progress(node) {
        Some(Progress::Each(progress)) => progress.done.values().cloned().collect(),
        _ => Vec::new(),
    };
    (each.list.collect)(&done)
}

/// The chain that the list at `node` runs its items through.
pub(super) fn chain(table: &Table, node: NodeIx) -> Result<&Arc<Table>, FlowError> {
    match &table.node(node)?.kind {
        NodeKind::Each(each) => Ok(&each.chain.table),
        _ => Err(FlowError::NotFound(format!(
            "a list at `{}`",
            table.node_id(node)
        ))),
    }
}

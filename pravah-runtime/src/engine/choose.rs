//! Which node is next.

use std::{fmt::Write as _, sync::Arc};

use super::{
    flight::Flights,
    outcome::StepOutcome,
    run::Run,
    state::{
        End, RunState,
        frame::{Frame, List},
        path::{FramePath, FramePathBuf, ItemId, NodePath},
    },
};
use crate::{
    error::FlowError,
    graph::{NodeIx, NodeKind},
};

/// What comes next.
pub(super) enum Choice {
    Node(NodePath),
    /// A list that no item can be taken from.
    Unreadable(NodePath, StepOutcome),
    Nothing,
}

/// What a frame has to do.
enum Found {
    Node(NodeIx),
    /// The next item of this list.
    NewItem(NodeIx),
}

impl Run {
    /// The node whose time has come, or that became ready first; where it is a list, the node of the item
    /// whose turn it is.
    pub(super) fn choose(&mut self) -> Result<Choice, FlowError> {
        self.check_not_ended()?;
        if self.state.is_paused {
            return Ok(Choice::Nothing);
        }
        if let Some(path) = self.next_due() {
            self.check_max_steps()?;
            return Ok(Choice::Node(path));
        }
        let mut path = FramePathBuf::new();
        loop {
            let frame = self.state.frame(&path);
            let Some(found) = find(frame, &mut path, &self.busy()) else {
                return Ok(Choice::Nothing);
            };
            self.check_max_steps()?;
            match found {
                Found::Node(node) => return Ok(Choice::Node(NodePath { frame: path, node })),
                Found::NewItem(node) => match self.start_new_item(&path, node) {
                    Ok(Some(item)) => path.push(item),
                    // The list is empty: it is put together at once.
                    Ok(None) => return Ok(Choice::Node(NodePath { frame: path, node })),
                    Err(error) => {
                        let path = NodePath { frame: path, node };
                        return Ok(Choice::Unreadable(path, StepOutcome::failed(error)));
                    }
                },
            }
        }
    }

    pub(super) fn check_not_ended(&self) -> Result<(), FlowError> {
        match &self.state.end {
            None => Ok(()),
            Some(End::Done(_)) => Err(FlowError::Finished),
            Some(End::Cancelled(reason)) => Err(FlowError::Cancelled {
                reason: reason.to_string(),
            }),
        }
    }

    /// Whether a step can be made, or is being made.
    pub(super) fn can_move(&self) -> bool {
        !self.flights.is_empty()
            || self.next_due().is_some()
            || find(&self.state.root, &mut FramePathBuf::new(), &self.busy()).is_some()
    }

    /// The node that is next, if it is one that failed with nothing left to try.
    pub(super) fn failed_next(&self) -> Option<NodePath> {
        let mut path = FramePathBuf::new();
        match find(&self.state.root, &mut path, &self.busy()) {
            Some(Found::Node(node)) if self.state.frame(&path).progress.failed.contains(&node) => {
                Some(NodePath { frame: path, node })
            }
            _ => None,
        }
    }

    pub(super) fn busy(&self) -> Busy<'_> {
        Busy {
            flights: &self.flights,
            models_wait: self.is_budget_reserved(),
        }
    }

    fn start_new_item(
        &mut self,
        path: &FramePath,
        node: NodeIx,
    ) -> Result<Option<ItemId>, FlowError> {
        let has_started = self.state.frame(path).progress.lists.contains(&node);
        let item = self.start_item(path, node)?;
        if item.is_some() && !has_started {
            self.notify_region_start(&NodePath::new(path, node));
        }
        Ok(item)
    }

    fn start_item(&mut self, path: &FramePath, node: NodeIx) -> Result<Option<ItemId>, FlowError> {
        let is_document = self.known.phase.is_some();
        let items = is_document.then(|| self.items_around(path));
        let items = items.unwrap_or_default();
        let RunState { root, id, .. } = &mut *self.state;
        let Some(frame) = root.at_mut(path) else {
            return Ok(None);
        };
        let table = Arc::clone(&frame.table);
        match &table.node(node).kind {
            NodeKind::Each(each) => {
                frame.start_item(node, each, &|| format!("{}{items}", id.get()))
            }
            _ => Ok(None),
        }
    }

    /// The items that a frame is in: `/chapter[3]/page[0]`.
    fn items_around(&self, path: &FramePath) -> String {
        let mut items = String::new();
        for (depth, item) in path.iter().enumerate() {
            let around = path.get(..depth).unwrap_or_default();
            if let Some(frame) = self.state.root.at(around) {
                let list = frame.table.node_id(item.list);
                // Writing to a string does not fail.
                let _ = write!(items, "/{list}[{}]", item.index);
            }
        }
        items
    }
}

/// What cannot be started now.
pub(super) struct Busy<'a> {
    flights: &'a Flights,
    /// Whether what is left of the budget is reserved for models that are being asked.
    models_wait: bool,
}

impl Busy<'_> {
    fn holds(&self, frame: &Frame, path: &FramePath, node: NodeIx) -> bool {
        self.flights.holds(path, node) || (self.models_wait && asks_model(frame, node))
    }

    /// Whether the node at `path` can be started, and each list around it has room for it.
    pub(super) fn has_room(&self, root: &Frame, path: &NodePath) -> bool {
        let mut frame = root;
        for (depth, item) in path.frame.iter().enumerate() {
            let around = path.frame.get(..depth).unwrap_or_default();
            let limit = match &frame.table.node(item.list).kind {
                NodeKind::Each(each) => each.limit,
                _ => None,
            };
            let Some(within) = frame.item(*item) else {
                return false;
            };
            if !self.flights.has_room(around, item.list, limit) {
                return false;
            }
            frame = within;
        }
        !self.holds(frame, &path.frame, path.node)
    }
}

/// Whether the next step of a node asks a model.
fn asks_model(frame: &Frame, node: NodeIx) -> bool {
    let NodeKind::Agent(_) = &frame.table.node(node).kind else {
        return false;
    };
    let agent = frame.progress.agents.get(&node);
    agent.is_none_or(|agent| agent.is_models_turn())
}

/// The first thing to do in the frame at `path`, which goes on to the frame where that is.
fn find(frame: &Frame, path: &mut FramePathBuf, busy: &Busy<'_>) -> Option<Found> {
    frame.ready.keys().find_map(|(_, node)| {
        let node = *node;
        match &frame.table.node(node).kind {
            NodeKind::Each(each) if busy.flights.has_room(path, node, each.limit) => {
                find_in_list(frame, node, path, busy)
            }
            NodeKind::Each(_) => None,
            NodeKind::Detached(_) => {
                find_in_items(frame.progress.lists.get(&node)?, node, path, busy)
            }
            NodeKind::Agent(_) | NodeKind::Invoke(_) if frame.progress.lists.contains(&node) => {
                find_in_tasks(frame, node, path, busy)
            }
            _ => (!busy.holds(frame, path, node)).then_some(Found::Node(node)),
        }
    })
}

/// The next step of the first item that can move.
fn find_in_list(
    frame: &Frame,
    node: NodeIx,
    path: &mut FramePathBuf,
    busy: &Busy<'_>,
) -> Option<Found> {
    let Some(list) = frame.progress.lists.get(&node) else {
        return Some(Found::NewItem(node));
    };
    if let Some(found) = find_in_items(list, node, path, busy) {
        return Some(found);
    }
    if list.can_start() {
        return Some(Found::NewItem(node));
    }
    // It could not be put together, which is tried again.
    let again = list.is_complete() && !busy.flights.holds(path, node);
    again.then_some(Found::Node(node))
}

/// The next step of the first item that can move, of those that have started.
fn find_in_items(
    list: &List,
    node: NodeIx,
    path: &mut FramePathBuf,
    busy: &Busy<'_>,
) -> Option<Found> {
    for index in list.movable.keys() {
        path.push(ItemId {
            list: node,
            index: *index,
        });
        if let Some(found) = find(list.items.get(index)?, path, busy) {
            return Some(found);
        }
        path.pop();
    }
    None
}

/// The next step of the first task that can move, or else of the caller that has them.
fn find_in_tasks(
    frame: &Frame,
    node: NodeIx,
    path: &mut FramePathBuf,
    busy: &Busy<'_>,
) -> Option<Found> {
    let list = frame.progress.lists.get(&node)?;
    if let Some(found) = find_in_items(list, node, path, busy) {
        return Some(found);
    }
    let can_go_on = frame.caller_can_go_on(node) && !busy.holds(frame, path, node);
    can_go_on.then_some(Found::Node(node))
}

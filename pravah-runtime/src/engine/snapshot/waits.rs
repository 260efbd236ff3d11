//! What waits in a snapshot, for an answer or for a time: it has to be what the flow can wait for, and
//! nothing else may stand still.

use std::sync::Arc;

use super::{
    super::{
        marking::{Marking, Progress},
        suspension::Open,
        timers::Timer,
    },
    load::{Loaded, is_fed, kind, node},
    stored::{StoredSuspension, StoredTimer},
};
use crate::{
    graph::{NodeIx, Table},
    node::NodeKind,
};

pub(super) fn suspensions(
    table: &Arc<Table>,
    marking: &Marking,
    stored: &[StoredSuspension],
) -> Loaded<Vec<Open>> {
    let mut suspensions: Vec<Open> = Vec::with_capacity(stored.len());
    for open in stored {
        if suspensions.iter().any(|other| other.id == open.id) {
            return Err(format!("the suspension `{}` is there twice", open.id).into());
        }
        let open = suspension(table, marking, open)?;
        if let Some(other) = suspensions
            .iter()
            .find(|other| other.is_for_the_same_as(&open))
        {
            return Err(format!("the suspensions `{}` and `{}` are one", other.id, open.id).into());
        }
        suspensions.push(open);
    }
    Ok(suspensions)
}

fn suspension(table: &Arc<Table>, marking: &Marking, stored: &StoredSuspension) -> Loaded<Open> {
    let lost = || format!("nothing waits for the suspension `{}`", stored.id).into();
    let (table, marking, items) = within(table, marking, &stored.items)?.ok_or_else(lost)?;
    let node = node(table, &stored.node)?;
    let waits = match (marking.progress(node), &stored.call) {
        (Some(Progress::Gate(None)), None) => true,
        (Some(Progress::Agent(agent)), None) => agent.is_in_review(),
        (Some(Progress::Agent(agent)), Some(call)) => {
            agent.open().iter().any(|open| open.call_id == *call)
        }
        _ => false,
    };
    // An agent may go on with one call while another is open; a gate and a review are one question.
    let may_move = stored.call.is_some();
    if !waits || (!may_move && marking.ready.contains(&node)) {
        return Err(lost());
    }
    Ok(Open {
        id: stored.id.clone(),
        value: Arc::clone(&stored.value),
        items,
        node,
        call: stored.call.clone(),
        announced: stored.announced,
    })
}

pub(super) fn timers(
    table: &Arc<Table>,
    marking: &Marking,
    stored: &[StoredTimer],
) -> Loaded<Vec<Timer>> {
    let mut timers: Vec<Timer> = Vec::with_capacity(stored.len());
    for stored in stored {
        let lost = || format!("`{}` does not wait for a time", stored.node).into();
        let (table, marking, items) = within(table, marking, &stored.items)?.ok_or_else(lost)?;
        let node = node(table, &stored.node)?;
        let waits = matches!(marking.progress(node), Some(Progress::Agent(agent)) if agent.is_models_turn());
        let twice = |timer: &Timer| timer.node == node && timer.items == items;
        if !waits || marking.ready.contains(&node) || timers.iter().any(twice) {
            return Err(lost());
        }
        timers.push(Timer {
            until: stored.until,
            items,
            node,
        });
    }
    if !timers.is_sorted_by_key(|timer| timer.until) {
        return Err("the times that are waited for are not in order".into());
    }
    Ok(timers)
}

type Within<'a> = (&'a Arc<Table>, &'a Marking, Vec<(NodeIx, usize)>);

/// The chain and the marking that lists and items lead to; nothing if one is not there.
fn within<'a>(
    table: &'a Arc<Table>,
    marking: &'a Marking,
    path: &[(String, usize)],
) -> Loaded<Option<Within<'a>>> {
    let (mut table, mut marking) = (table, marking);
    let mut items = Vec::with_capacity(path.len());
    for (id, item) in path {
        let each = node(table, id)?;
        let (Some(Progress::Each(progress)), Some(NodeKind::Each(list))) =
            (marking.progress(each), kind(table, each))
        else {
            return Ok(None);
        };
        let Some(inner) = progress.items.get(item) else {
            return Ok(None);
        };
        (marking, table) = (inner, &list.chain.table);
        items.push((each, *item));
    }
    Ok(Some((table, marking, items)))
}

/// What need not be ready.
#[derive(Clone, Copy)]
pub(super) struct Waits<'a> {
    pub(super) suspensions: &'a [Open],
    pub(super) timers: &'a [Timer],
}

impl Waits<'_> {
    /// Whether `node`, within these items, or an item of it, waits for an answer or a time.
    fn holds(self, path: &[(NodeIx, usize)], node: NodeIx) -> bool {
        let is_it = |items: &[(NodeIx, usize)], last: NodeIx| {
            items.starts_with(path) && items.get(path.len()).map_or(last, |(each, _)| *each) == node
        };
        self.suspensions
            .iter()
            .any(|open| is_it(&open.items, open.node))
            || self
                .timers
                .iter()
                .any(|timer| is_it(&timer.items, timer.node))
    }

    /// Every node that has all of its states is ready, or suspended, or holds items that are.
    pub(super) fn nothing_forgotten(
        self,
        table: &Table,
        marking: &Marking,
        path: &mut Vec<(NodeIx, usize)>,
    ) -> Loaded<()> {
        for token in marking.tokens() {
            let Some(node) = table.node_of(token.slot) else {
                continue;
            };
            let waits = self.holds(path, node);
            if is_fed(table, marking, node) && !waits && !marking.ready.contains(&node) {
                return Err(format!(
                    "`{}` has all of its states, and yet it is neither ready nor suspended",
                    table.node_id(node)
                )
                .into());
            }
        }
        for (node, progress) in marking.all_progress() {
            if matches!(progress, Progress::Agent(agent) if agent.is_in_review())
                && marking.ready.contains(node)
            {
                return Err(format!(
                    "the answer of `{}` waits for a review, and yet it is its turn",
                    table.node_id(*node)
                )
                .into());
            }
            let (Progress::Each(each), Some(NodeKind::Each(list))) = (progress, kind(table, *node))
            else {
                continue;
            };
            let can_move = each.can_move();
            if can_move != marking.ready.contains(node) {
                return Err(format!(
                    "whether `{}` is ready does not agree with its items",
                    table.node_id(*node)
                )
                .into());
            }
            for (item, marking) in &each.items {
                if each.active.contains(item) == marking.ready.is_empty() {
                    return Err(format!(
                        "item {item} of `{}` has lost its turn",
                        table.node_id(*node)
                    )
                    .into());
                }
                path.push((*node, *item));
                self.nothing_forgotten(&list.chain.table, marking, path)?;
                path.pop();
            }
        }
        Ok(())
    }
}

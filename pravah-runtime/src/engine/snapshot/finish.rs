//! Whether the states of a snapshot can finish, and in words why they cannot.

use std::fmt::Write as _;

use pravah_graph::{CannotFinish, Cause, NodeId, Place, Repair};

use super::{super::state::frame::Frame, stored::Loaded};
use crate::{
    graph::{NodeIx, Table},
    quoted::quoted,
};

/// How many repairs a message names.
const MAX_REPAIRS: usize = 3;

/// Fails unless what waits in a frame, if anything does, can go on to its end.
pub(super) fn check_can_finish(frame: &Frame) -> Loaded<()> {
    if frame.tokens.is_empty() {
        return Ok(());
    }
    let table = &frame.table;
    // Most runs are in one place.
    let first = frame.tokens.first().filter(|_| frame.tokens.len() == 1);
    if first.is_some_and(|(only, _)| table.finishes_alone(*only)) {
        return Ok(());
    }
    let Some(way_out) = table.way_out() else {
        return Err("the flow is not sound".into());
    };
    let places = frame.tokens.keys().map(|slot| table.net_place(*slot));
    way_out
        .check(places)
        .map_err(|why| explained(table, &why).into())
}

fn explained(table: &Table, why: &CannotFinish) -> String {
    let names = |places: &[Place]| {
        let places = places.iter().filter(|place| table.is_place(**place));
        quoted(places.map(|place| table.net_place_name(*place)))
    };
    let mut text = match &why.cause {
        Cause::Incomplete {
            node,
            filled,
            missing,
            ..
        } => format!(
            "`{}` has {} and would wait forever for {}",
            node_id(table, *node),
            names(filled),
            names(missing)
        ),
        Cause::Surplus { marked, one_of } if marked.len() > 1 => format!(
            "{} wait together, and a run has only one of {} at a time",
            names(marked),
            names(one_of)
        ),
        Cause::Surplus { marked, .. } => format!("{} waits too often", names(marked)),
        _ => "no state waits".to_owned(),
    };
    let repairs: Vec<String> = why
        .repairs
        .iter()
        .filter_map(|it| repaired(table, it))
        .take(MAX_REPAIRS)
        .collect();
    if !repairs.is_empty() {
        // Writing to a string does not fail.
        let _ = write!(text, "; it could finish {}", repairs.join(", or "));
    }
    text
}

/// What would be different after a repair, in words; nothing where the repair concerns the net alone, or its end.
fn repaired(table: &Table, repair: &Repair) -> Option<String> {
    let name = |place: &Place| {
        let name = || format!("`{}`", table.net_place_name(*place));
        table.is_place(*place).then(name)
    };
    Some(match repair {
        Repair::Mark(Place::Done)
        | Repair::Move {
            to: Place::Done, ..
        } => return None,
        Repair::Mark(place) => format!("with {}", name(place)?),
        Repair::Unmark(place) => format!("without {}", name(place)?),
        Repair::Move { from, to } => format!("with {} instead of {}", name(to)?, name(from)?),
        _ => return None,
    })
}

fn node_id(table: &Table, node: NodeId) -> &str {
    let index = u32::try_from(node.0).unwrap_or(u32::MAX);
    table.node_id(NodeIx(index))
}

//! What the structure alone shows: malformed nets, unreachable nodes, dead ends.

use super::{Finding, Malformed};
use crate::{
    Firing, Net, NodeId, Place,
    paths::{flood, reversed, successors},
};

/// Everything that keeps the net from being one.
pub(super) fn malformed(net: &Net) -> Vec<Finding> {
    let mut found = Vec::new();
    match net.entry() {
        None => found.push(Malformed::NoEntry),
        Some(place) if !net.contains(place) => found.push(Malformed::UnknownEntry { place }),
        Some(_) => {}
    }
    let strays = net.strays().iter();
    found.extend(strays.map(|&node| Malformed::UnknownNode { node }));
    for node in net.ids() {
        if net.slots(node) == 0 {
            found.push(Malformed::NoSlots { node });
        }
        if net.outcomes(node).is_empty() {
            found.push(Malformed::NoOutcomes { node });
        }
        for (outcome, outputs) in net.outcomes(node).iter().enumerate() {
            let at = Firing { node, outcome };
            if outputs.is_empty() {
                found.push(Malformed::NoOutputs { at });
            }
            let unknown = outputs.iter().filter(|&&place| !net.contains(place));
            found.extend(unknown.map(|&place| Malformed::UnknownOutput { at, place }));
        }
    }
    found.into_iter().map(Finding::Malformed).collect()
}

/// Nodes that no path from the entry leads to, and loops that no path leads out of.
///
/// Where no path leads from the entry to done and some part is detached, one missing arc
/// explains both, so only the detached part is reported.
pub(super) fn misplaced(net: &Net) -> Vec<Finding> {
    let next = successors(net);
    let entry = match net.entry() {
        Some(Place::Slot { node, .. }) => Some(node.0),
        _ => None,
    };
    let reached = flood(&next, entry);
    let unreachable: Vec<usize> = reached.unmarked().collect();
    let ends_here = |&node: &usize| {
        let mut outputs = net.outcomes(NodeId(node)).iter().flatten();
        outputs.any(|&place| place == Place::Done)
    };
    let finishing = flood(&reversed(&next), (0..next.len()).filter(ends_here));
    let lost: Vec<usize> = finishing
        .unmarked()
        .filter(|&node| reached.has(node))
        .collect();

    let mut found = Vec::new();
    for node in first_of(&reversed(&next), &unreachable) {
        found.push(Finding::Unreachable { node });
    }
    if unreachable.is_empty() || entry.is_none_or(|node| finishing.has(node)) {
        for node in first_of(&next, &lost) {
            found.push(Finding::NoWayToDone { node });
        }
    }
    found
}

/// Of the part of the graph that consists of `nodes`: the first node of each strongly
/// connected component that leads to no other one, in order.
fn first_of(next: &[Vec<usize>], nodes: &[usize]) -> Vec<NodeId> {
    let position = |node: &usize| nodes.binary_search(node).ok();
    let inner: Vec<Vec<usize>> = nodes
        .iter()
        .map(|&node| {
            next.get(node)
                .into_iter()
                .flatten()
                .filter_map(position)
                .collect()
        })
        .collect();
    let is_last = |component: &Vec<usize>| {
        let mut targets = component.iter().filter_map(|&at| inner.get(at)).flatten();
        targets.all(|target| component.binary_search(target).is_ok())
    };
    let mut first: Vec<NodeId> = crate::strong_components(&inner)
        .iter()
        .filter(|component| is_last(component))
        .filter_map(|component| component.first().and_then(|&at| nodes.get(at)))
        .map(|&node| NodeId(node))
        .collect();
    first.sort_unstable();
    first
}

//! What the structure alone shows: malformed nets, unreachable nodes, dead ends.

use super::{Finding, Malformed};
use crate::{Firing, Net, NodeId, Place};

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

fn successors(net: &Net) -> Vec<Vec<usize>> {
    let targets = |node| {
        let outputs = net.outcomes(node).iter().flatten();
        let nodes = outputs.filter_map(|place| match place {
            Place::Slot { node, .. } => Some(node.0),
            Place::Done => None,
        });
        nodes.collect()
    };
    net.ids().map(targets).collect()
}

fn reversed(next: &[Vec<usize>]) -> Vec<Vec<usize>> {
    let mut previous = vec![Vec::new(); next.len()];
    for (node, targets) in next.iter().enumerate() {
        for &target in targets {
            if let Some(sources) = previous.get_mut(target) {
                sources.push(node);
            }
        }
    }
    previous
}

/// A set of nodes.
struct Marked(Vec<bool>);

impl Marked {
    fn has(&self, node: usize) -> bool {
        self.0.get(node).copied().unwrap_or_default()
    }

    /// Answers whether the node was new.
    fn mark(&mut self, node: usize) -> bool {
        self.0
            .get_mut(node)
            .is_some_and(|marked| !std::mem::replace(marked, true))
    }

    fn unmarked(&self) -> impl Iterator<Item = usize> {
        (0..self.0.len()).filter(|&node| !self.has(node))
    }
}

/// All nodes that can be reached from `roots`, themselves included.
fn flood(next: &[Vec<usize>], roots: impl IntoIterator<Item = usize>) -> Marked {
    let mut marked = Marked(vec![false; next.len()]);
    let mut open: Vec<usize> = roots
        .into_iter()
        .filter(|&root| marked.mark(root))
        .collect();
    while let Some(node) = open.pop() {
        for &target in next.get(node).into_iter().flatten() {
            if marked.mark(target) {
                open.push(target);
            }
        }
    }
    marked
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

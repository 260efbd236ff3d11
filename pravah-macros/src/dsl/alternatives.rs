//! Which of the arcs into a node take the place of each other.

mod assignment;

use std::collections::BTreeMap;

use self::assignment::Alike;
use super::parallel::{Order, Parallel};

/// The slots of `arcs`, each with those of which one comes, in the order of the branches. Arcs
/// that no chain of parallel arcs connects, such as those of two forks in the branches of a choice, each start again at
/// the first slot.
pub(super) fn alternatives(arcs: &[usize], parallel: &Parallel) -> Vec<Vec<usize>> {
    let mut slots: Vec<Vec<usize>> = Vec::new();
    for part in connected(alike(arcs, parallel), parallel) {
        let classes = assignment::classes(&in_order(part, parallel), parallel);
        slots.resize_with(slots.len().max(classes.len()), Vec::new);
        for (slot, class) in slots.iter_mut().zip(in_order(classes, parallel)) {
            slot.extend(class);
        }
    }
    slots.iter_mut().for_each(|slot| slot.sort_unstable());
    slots
}

/// How many of `arcs` are parallel to each other.
pub(super) fn most_together(arcs: &[usize], parallel: &Parallel) -> usize {
    assignment::most_together(&assignment::orders(&alike(arcs, parallel), parallel))
}

fn alike(arcs: &[usize], parallel: &Parallel) -> Vec<Alike> {
    let mut sets: BTreeMap<Vec<Order>, Alike> = BTreeMap::new();
    for arc in arcs {
        let others = arcs.iter();
        let orders = others.map(|other| parallel.order(&[*arc], &[*other]));
        sets.entry(orders.collect()).or_default().push(*arc);
    }
    let mut sets: Vec<Alike> = sets.into_values().collect();
    sets.sort_unstable();
    sets
}

/// Splits the sets into parts that no chain of parallel sets connects.
fn connected(mut rest: Vec<Alike>, parallel: &Parallel) -> Vec<Vec<Alike>> {
    let mut parts = Vec::new();
    while let Some(first) = rest.pop() {
        let mut part = vec![first];
        let mut at = 0;
        while let Some(set) = part.get(at) {
            let is_connected = |other: &mut Alike| parallel.order(set, other) != Order::None;
            let found: Vec<Alike> = rest.extract_if(.., is_connected).collect();
            part.extend(found);
            at += 1;
        }
        part.sort_unstable();
        parts.push(part);
    }
    parts
}

/// What is in an earlier branch of each fork comes first; what is so in some forks alone stays where it is.
fn in_order(mut rest: Vec<Alike>, parallel: &Parallel) -> Vec<Alike> {
    let mut sorted = Vec::new();
    while !rest.is_empty() {
        let is_before = |one: &Alike, other: &Alike| parallel.order(one, other) == Order::Before;
        let is_first = |set: &Alike| !rest.iter().any(|other| is_before(other, set));
        let first = rest.iter().position(is_first);
        sorted.push(rest.remove(first.unwrap_or_default()));
    }
    sorted
}

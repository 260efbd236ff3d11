//! Branches that stand in one order in one fork, and in another in another fork.

use std::{
    cmp::Ordering,
    collections::{BTreeMap, BTreeSet},
};

use super::graph::{Arc, From, Graph, To};

/// The nodes to which such branches lead: what they bring to a `join` has no order.
pub(crate) fn unclear_nodes(graph: &Graph) -> BTreeSet<usize> {
    let mut unclear = swapped_nodes(graph);
    let mut open: Vec<usize> = unclear.iter().copied().collect();
    while let Some(node) = open.pop() {
        let next = graph.arcs.iter().filter(|arc| is_from(arc, node));
        for arc in next {
            if let To::Node(next) = arc.to
                && unclear.insert(next)
            {
                open.push(next);
            }
        }
    }
    unclear
}

fn is_from(arc: &Arc, node: usize) -> bool {
    matches!(arc.from, From::Way(from, _) | From::Failure(from) if from == node)
}

/// The nodes that stand in branches of two forks in different orders.
fn swapped_nodes(graph: &Graph) -> BTreeSet<usize> {
    let mut arrivals: BTreeMap<usize, BTreeSet<(usize, usize)>> = BTreeMap::new();
    for arc in &graph.arcs {
        if let To::Node(node) = arc.to {
            arrivals
                .entry(node)
                .or_default()
                .extend(arc.position.branches());
        }
    }
    // Most nodes stand in one place.
    arrivals.retain(|_, branches| {
        let forks: BTreeSet<usize> = branches.iter().map(|(fork, _)| *fork).collect();
        forks.len() > 1
    });
    let mut in_fork: BTreeMap<usize, Vec<(usize, usize)>> = BTreeMap::new();
    for (node, branches) in arrivals {
        for (fork, branch) in branches {
            in_fork.entry(fork).or_default().push((node, branch));
        }
    }
    let mut swapped = BTreeSet::new();
    let mut orders: BTreeMap<(usize, usize), Ordering> = BTreeMap::new();
    for nodes in in_fork.values() {
        for (at, (node, branch)) in nodes.iter().enumerate() {
            for (other, its_branch) in nodes.iter().skip(at + 1) {
                let order = branch.cmp(its_branch);
                let known = *orders.entry((*node, *other)).or_insert(order);
                if order.is_ne() && known.is_ne() && order != known {
                    swapped.extend([*node, *other]);
                }
            }
        }
    }
    swapped
}

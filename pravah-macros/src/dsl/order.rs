//! Branches that stand in one order in one fork, and in another in another fork.

use std::{
    cmp::Ordering,
    collections::{BTreeMap, BTreeSet},
};

use super::graph::{Graph, To};

/// Whether two nodes stand in branches of two forks in different orders. What they bring to a `join` has no order
/// then.
pub(crate) fn is_unclear(graph: &Graph) -> bool {
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
    let mut orders: BTreeMap<(usize, usize), Ordering> = BTreeMap::new();
    for nodes in in_fork.values() {
        for (at, (node, branch)) in nodes.iter().enumerate() {
            for (other, its_branch) in nodes.iter().skip(at + 1) {
                let order = branch.cmp(its_branch);
                let known = *orders.entry((*node, *other)).or_insert(order);
                if order.is_ne() && known.is_ne() && order != known {
                    return true;
                }
            }
        }
    }
    false
}

//! Slots whose branches have one order in one fork, and another order in another fork.

use super::{graph::Graph, parallel::Fork};

/// Two slots of a node, with two forks of which one brings the first in the earlier branch, and the other the second.
#[derive(Clone, Copy, Debug)]
pub(crate) struct UnclearOrder {
    pub(crate) slots: [usize; 2],
    pub(crate) orders: [Ordered; 2],
}

/// A fork, and two arcs of which the first is in an earlier branch of it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ordered {
    pub(crate) fork: Fork,
    pub(crate) arcs: [usize; 2],
}

/// The slots of node number `node` that have no order.
pub(crate) fn unclear_orders(graph: &Graph, node: usize) -> Vec<UnclearOrder> {
    let slots = graph.nodes.get(node).map(|node| node.slots.as_slice());
    let slots: Vec<(usize, &Vec<usize>)> = slots.unwrap_or_default().iter().enumerate().collect();
    let pairs = slots.iter().flat_map(|(at, one)| {
        let after = slots.iter().skip(at + 1);
        after.map(move |(other_at, other)| ([*at, *other_at], [*one, *other]))
    });
    let unclear = pairs.filter_map(|(slots, [one, other])| {
        let orders = [ordered(graph, one, other)?, ordered(graph, other, one)?];
        Some(UnclearOrder { slots, orders })
    });
    unclear.collect()
}

fn ordered(graph: &Graph, one: &[usize], other: &[usize]) -> Option<Ordered> {
    let pairs = one
        .iter()
        .flat_map(|one| other.iter().map(|it| [*one, *it]));
    pairs.into_iter().find_map(|arcs| {
        let fork = graph.parallel.fork_before(arcs[0], arcs[1])?;
        Some(Ordered { fork, arcs })
    })
}

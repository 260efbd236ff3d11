//! Which nodes every path from a node to the end comes through.

use super::super::graph::{Graph, To};

/// For each node the nearest that every path from it to the end comes through, if there is one. It is after K. D.
/// Cooper, T. J. Harvey, K. Kennedy: *A Simple, Fast Dominance Algorithm*, 2001.
pub(super) fn post_dominators(graph: &Graph) -> Vec<Option<usize>> {
    let end = graph.nodes.len();
    let (mut after, mut before) = (vec![Vec::new(); end + 1], vec![Vec::new(); end + 1]);
    for arc in &graph.arcs {
        let Some(from) = arc.from.node() else {
            continue;
        };
        let to = match arc.to {
            To::Node(node) => node,
            To::Done => end,
        };
        if let (Some(after), Some(before)) = (after.get_mut(from), before.get_mut(to)) {
            after.push(to);
            before.push(from);
        }
    }
    let order = from_the_end(&before, end);
    let mut ranks = vec![None; end + 1];
    for (rank, node) in order.iter().enumerate() {
        if let Some(known) = ranks.get_mut(*node) {
            *known = Some(rank);
        }
    }
    let rank = |node: &usize| ranks.get(*node).copied().flatten();
    // By ranks: the end has the first, and what post-dominates a node a lower one than that.
    let mut nearest: Vec<Option<usize>> = vec![None; order.len()];
    if let Some(end) = nearest.first_mut() {
        *end = Some(0);
    }
    let mut is_changed = true;
    while is_changed {
        is_changed = false;
        for (at, node) in order.iter().enumerate().skip(1) {
            let after = after.get(*node).map(Vec::as_slice).unwrap_or_default();
            let known = after.iter().filter_map(rank);
            let known = known.filter(|rank| nearest.get(*rank).is_some_and(Option::is_some));
            let met = known.reduce(|one, other| met(&nearest, one, other));
            if let Some(nearest) = nearest.get_mut(at)
                && *nearest != met
            {
                (*nearest, is_changed) = (met, true);
            }
        }
    }
    let of = |node: usize| {
        let nearest = nearest.get(rank(&node)?).copied().flatten()?;
        order.get(nearest).copied().filter(|node| *node != end)
    };
    (0..end).map(of).collect()
}

/// Where the paths of two ranks to the end meet.
fn met(nearest: &[Option<usize>], mut one: usize, mut other: usize) -> usize {
    let up = |rank: usize| nearest.get(rank).copied().flatten().unwrap_or_default();
    while one != other {
        match one > other {
            true => one = up(one),
            false => other = up(other),
        }
    }
    one
}

/// The nodes that lead to the end, in reverse postorder.
fn from_the_end(before: &[Vec<usize>], end: usize) -> Vec<usize> {
    let mut is_found = vec![false; before.len()];
    let mut order = Vec::new();
    let mut open = vec![(end, 0)];
    while let Some((node, at)) = open.pop() {
        if let Some(found) = is_found.get_mut(node) {
            *found = true;
        }
        let next = before.get(node).and_then(|before| before.get(at));
        match next.copied() {
            Some(next) => {
                open.push((node, at + 1));
                if is_found.get(next) == Some(&false) {
                    open.push((next, 0));
                }
            }
            None => order.push(node),
        }
    }
    order.reverse();
    order
}

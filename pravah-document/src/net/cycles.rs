//! The order of the nodes, and the cycles that keep them from having one.

#![expect(
    clippy::indexing_slicing,
    reason = "nodes and edges are numbered by their own tables"
)]

use std::collections::VecDeque;

use super::Net;
use crate::read::Context;

/// The most nodes of a component through which a shortest cycle is searched for.
const MAX_STARTS: usize = 16;

/// The most nodes of a cycle that a message names.
const MAX_NAMED: usize = 12;

impl Net<'_> {
    /// Orders the nodes so that edges lead forward, if there is such an order.
    pub(super) fn find_order(&mut self, context: &mut Context<'_, '_>) -> bool {
        let targets = |edges: &Vec<usize>| edges.iter().map(|edge| self.edges[*edge].to).collect();
        let successors: Vec<Vec<usize>> = self.out.iter().map(targets).collect();
        let mut components = pravah_graph::strong_components(&successors);
        components.reverse();
        let mut search = Search::new(&successors);
        let mut is_ordered = true;
        for component in &components {
            let is_cyclic = match component.as_slice() {
                [only] => successors[*only].contains(only),
                _ => true,
            };
            if is_cyclic {
                is_ordered = false;
                let cycle = search.shortest(component);
                self.report(&cycle, context);
            }
        }
        self.order = components.into_iter().flatten().collect();
        for (position, node) in self.order.iter().enumerate() {
            self.position[*node] = position;
        }
        is_ordered
    }

    fn report(&self, cycle: &[usize], context: &mut Context<'_, '_>) {
        // The edge that was written last is probably the one that was to lead back.
        let closing = cycle
            .iter()
            .zip(cycle.iter().cycle().skip(1))
            .filter_map(|(from, to)| {
                self.out[*from]
                    .iter()
                    .copied()
                    .find(|edge| self.edges[*edge].to == *to)
            });
        let Some(closing) = closing.max() else {
            return;
        };
        let closing = &self.edges[closing];
        let start = cycle
            .iter()
            .position(|node| *node == closing.to)
            .unwrap_or_default();
        let mut ids: Vec<_> = cycle
            .iter()
            .cycle()
            .skip(start)
            .take(cycle.len() + 1)
            .map(|node| self.id(*node))
            .collect();
        if ids.len() > MAX_NAMED {
            ids.splice(MAX_NAMED / 2..ids.len() - MAX_NAMED / 2, ["…"]);
        }
        let message = format!("the nodes form a cycle: {}", ids.join(" → "));
        let problem = context.sink.push("cycle", closing.span, message);
        let problem = problem.label("this edge closes it");
        problem.help("an edge that leads back says so: `type: loop, maxIterations: 3`");
    }
}

/// A search for cycles, whose notes are used again.
struct Search<'a> {
    successors: &'a [Vec<usize>],
    /// The component that is searched.
    component: Vec<usize>,
    /// The search that saw a node, and where it came from.
    seen: Vec<usize>,
    origin: Vec<usize>,
    searches: usize,
}

impl<'a> Search<'a> {
    fn new(successors: &'a [Vec<usize>]) -> Self {
        let count = successors.len();
        Self {
            successors,
            component: vec![usize::MAX; count],
            seen: vec![usize::MAX; count],
            origin: vec![0; count],
            searches: 0,
        }
    }

    /// A shortest cycle through one of the first nodes of a component.
    fn shortest(&mut self, component: &[usize]) -> Vec<usize> {
        let number = component.first().copied().unwrap_or_default();
        for node in component {
            self.component[*node] = number;
        }
        let cycles = component
            .iter()
            .take(MAX_STARTS)
            .filter_map(|start| self.through(*start, number));
        cycles.min_by_key(Vec::len).unwrap_or_default()
    }

    fn through(&mut self, start: usize, component: usize) -> Option<Vec<usize>> {
        self.searches += 1;
        let mut queue = VecDeque::from([start]);
        while let Some(node) = queue.pop_front() {
            for &next in &self.successors[node] {
                if next == start {
                    return Some(self.back(node, start));
                }
                if self.component[next] == component && self.seen[next] != self.searches {
                    self.seen[next] = self.searches;
                    self.origin[next] = node;
                    queue.push_back(next);
                }
            }
        }
        None
    }

    fn back(&self, mut node: usize, start: usize) -> Vec<usize> {
        let mut cycle = vec![node];
        while node != start {
            node = self.origin[node];
            cycle.push(node);
        }
        cycle.reverse();
        cycle
    }
}

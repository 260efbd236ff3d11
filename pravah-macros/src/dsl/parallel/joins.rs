//! The joins of which everything is known that comes to them together.

use std::collections::{BTreeMap, BTreeSet};

use super::search::Search;

/// A join, and the arcs into it that some run has led to.
type Waiting = (usize, Vec<usize>);

impl Search<'_> {
    /// The waiting joins to which nothing more comes before they fire; where each of them waits for another, the one
    /// that is written first.
    pub(super) fn complete_joins(&self) -> Vec<usize> {
        let joins = self.waiting.iter();
        let waiting: Vec<Waiting> = joins.map(|it| (*it, self.reached_arcs(*it))).collect();
        let complete = waiting
            .iter()
            .filter(|join| !self.is_awaited(join, &waiting));
        let complete: Vec<usize> = complete.map(|(join, _)| *join).collect();
        match (waiting.first(), complete.is_empty()) {
            (Some((first, _)), true) => vec![*first],
            _ => complete,
        }
    }

    /// Whether something waits at another join that comes to this one, while something waits here. It does not come
    /// through a node that both have to come through.
    fn is_awaited(&self, (join, arcs): &Waiting, waiting: &[Waiting]) -> bool {
        let mut before: BTreeMap<Option<usize>, BTreeSet<usize>> = BTreeMap::new();
        waiting.iter().any(|(other, its_arcs)| {
            let is_parallel = |arc: &usize| its_arcs.iter().any(|it| self.parallel.are(*arc, *it));
            other != join && arcs.iter().any(is_parallel) && {
                let meeting = self.meeting(*join, *other);
                let before = before.entry(meeting);
                let before = before.or_insert_with(|| self.before(*join, meeting));
                before.contains(other)
            }
        })
    }

    /// The first node, or one of them, that every path from one of them to the end comes through.
    fn meeting(&self, one: usize, other: usize) -> Option<usize> {
        let behind = |node| {
            let next = |node: &usize| self.post_dominators.get(*node).copied().flatten();
            std::iter::successors(Some(node), next)
        };
        let behind_other: BTreeSet<usize> = behind(other).collect();
        behind(one).find(|node| behind_other.contains(node))
    }

    /// The nodes from which a path leads to `node` that does not come through `meeting`.
    fn before(&self, node: usize, meeting: Option<usize>) -> BTreeSet<usize> {
        let mut found = BTreeSet::new();
        let mut open = vec![node];
        while let Some(node) = open.pop() {
            let arcs = self.nodes.get(node).map(|node| node.incoming.as_slice());
            for arc in arcs.unwrap_or_default() {
                if let Some(from) = self.graph.arcs.get(*arc).and_then(|arc| arc.from.node())
                    && meeting != Some(from)
                    && found.insert(from)
                {
                    open.push(from);
                }
            }
        }
        found
    }
}

//! What loop edges repeat: all nodes on a path from their target to their source.

#![expect(
    clippy::indexing_slicing,
    reason = "nodes and edges are numbered by their own tables"
)]

use super::Net;
use crate::{
    read::{Context, DraftEdge},
    tree::Span,
};

/// The nodes that a loop edge repeats.
pub(super) struct Region {
    /// The loop edge.
    pub(super) edge: usize,
    /// The region that it is within.
    pub(super) outer: Option<usize>,
    /// Its nodes, those of the regions within it among them.
    pub(super) nodes: Vec<usize>,
}

/// The regions that an edge leaves and enters, each list from within, and the innermost that both of its ends are in.
pub(super) struct Crossed {
    pub(super) left: Vec<usize>,
    pub(super) entered: Vec<usize>,
    pub(super) around: Option<usize>,
}

impl Net<'_> {
    /// Finds the regions, the smaller ones first.
    pub(super) fn find_regions(&mut self, context: &mut Context<'_, '_>) {
        let mut search = Search::new(self);
        let mut found = Vec::new();
        for (index, edge) in self
            .edges
            .iter()
            .enumerate()
            .filter(|(_, edge)| edge.jumps.is_some())
        {
            match search.between(edge.to, edge.from) {
                Some(nodes) if nodes.is_empty() => {
                    let (from, to) = (self.id(edge.from), self.id(edge.to));
                    let message = format!(
                        "no path leads from `{to}` to `{from}`, so that nothing is repeated"
                    );
                    context
                        .sink
                        .push("loop-region", edge.span, message)
                        .help("a loop edge leads back to a node before its source");
                }
                Some(nodes) => found.push(Region {
                    edge: index,
                    outer: None,
                    nodes,
                }),
                None => {
                    let message = "the loop edges of this document repeat too many nodes too often";
                    context.sink.push("loop-region", edge.span, message);
                    break;
                }
            }
        }
        found.sort_by_key(|region| (region.nodes.len(), region.edge));
        let mut outermost = vec![None; self.drafts.len()];
        for region in found {
            self.add_region(region, &mut outermost, context);
        }
        self.check_borders(context);
    }

    /// Adds a region that holds others wholly or not at all. `outermost` is the outermost region that each node is in so
    /// far.
    fn add_region(
        &mut self,
        region: Region,
        outermost: &mut [Option<usize>],
        context: &mut Context<'_, '_>,
    ) {
        let number = self.regions.len();
        let mut inner: Vec<_> = region
            .nodes
            .iter()
            .filter_map(|node| outermost[*node])
            .collect();
        let held = inner.len();
        inner.sort_unstable();
        inner.dedup();
        let whole: usize = inner
            .iter()
            .map(|inner| self.regions[*inner].nodes.len())
            .sum();
        if held != whole {
            let edge = &self.edges[region.edge];
            let (from, to) = (self.id(edge.from), self.id(edge.to));
            let message = format!(
                "what the loop edge from `{from}` to `{to}` repeats overlaps with what another one repeats"
            );
            let problem = context.sink.push("loop-region", edge.span, message);
            problem.help("let one of them be within the other, or apart from it");
            return;
        }
        for node in &region.nodes {
            self.region[*node].get_or_insert(number);
            outermost[*node] = Some(number);
        }
        for inner in inner {
            self.regions[inner].outer = Some(number);
        }
        self.regions.push(region);
    }

    /// All edges into a region end at its first node, and all out of it start at its last.
    fn check_borders(&self, context: &mut Context<'_, '_>) {
        for edge in self.edges.iter().filter(|edge| edge.jumps.is_none()) {
            let Crossed { left, entered, .. } = self.crossed(edge);
            let source =
                |region: &&usize| self.edges[self.regions[**region].edge].from != edge.from;
            let target = |region: &&usize| self.edges[self.regions[**region].edge].to != edge.to;
            if let Some(region) = left.iter().find(source) {
                self.report_border(edge, *region, false, context);
            }
            if let Some(region) = entered.iter().find(target) {
                self.report_border(edge, *region, true, context);
            }
        }
    }

    /// The regions that an edge leaves and enters.
    pub(super) fn crossed(&self, edge: &DraftEdge) -> Crossed {
        let (mut left, mut entered) = (self.chain(edge.from), self.chain(edge.to));
        let mut around = None;
        while let (Some(from), Some(to)) = (left.last(), entered.last())
            && from == to
        {
            around = left.pop();
            entered.pop();
        }
        Crossed {
            left,
            entered,
            around,
        }
    }

    /// The regions that a node is in, from within.
    pub(super) fn chain(&self, node: usize) -> Vec<usize> {
        let first = self.region[node];
        std::iter::successors(first, |region| self.regions[*region].outer).collect()
    }

    fn report_border(
        &self,
        edge: &DraftEdge,
        region: usize,
        is_entry: bool,
        context: &mut Context<'_, '_>,
    ) {
        let jump = &self.edges[self.regions[region].edge];
        let (source, target) = (self.id(jump.from), self.id(jump.to));
        let (from, to) = (self.id(edge.from), self.id(edge.to));
        let (direction, end) = if is_entry {
            ("into", target)
        } else {
            ("out of", source)
        };
        let message = format!(
            "the edge from `{from}` to `{to}` leads {direction} what the loop edge from `{source}` to `{target}` repeats"
        );
        let help = if is_entry {
            format!("edges into it have to end at `{end}`")
        } else {
            format!("edges out of it have to start at `{end}`")
        };
        context
            .sink
            .push("loop-region", edge.span, message)
            .help(help);
    }

    pub(super) fn loop_span(&self, region: usize) -> Span {
        self.edges[self.regions[region].edge].span
    }
}

/// A search for the nodes between two others, whose notes are used again.
struct Search<'n, 'a> {
    net: &'n Net<'a>,
    /// The search that saw a node last, forward and backward.
    seen: [Vec<usize>; 2],
    searches: usize,
    /// How many more edges may be followed: regions may be within each other, but not without end.
    left: usize,
}

impl<'n, 'a> Search<'n, 'a> {
    fn new(net: &'n Net<'a>) -> Self {
        let count = net.drafts.len();
        Self {
            net,
            seen: [vec![0; count], vec![0; count]],
            searches: 0,
            left: 200 * (count + net.edges.len()) + 100_000,
        }
    }

    /// The nodes on paths from one node to another, both included, in their order; nothing if it takes too long.
    fn between(&mut self, first: usize, last: usize) -> Option<Vec<usize>> {
        self.searches += 1;
        let net = self.net;
        let (start, end) = (net.position[first], net.position[last]);
        let within = |node: usize| (start..=end).contains(&net.position[node]);
        let mut reached = self.walk(first, 0, within, |edge| net.edges[edge].to, &net.out)?;
        self.walk(last, 1, within, |edge| net.edges[edge].from, &net.into)?;
        reached.retain(|node| self.seen[1][*node] == self.searches);
        // A path that does not reach the end is none.
        if self.seen[0][last] != self.searches {
            return Some(Vec::new());
        }
        reached.sort_unstable();
        Some(reached)
    }

    fn walk(
        &mut self,
        start: usize,
        direction: usize,
        within: impl Fn(usize) -> bool,
        end: impl Fn(usize) -> usize,
        edges: &[Vec<usize>],
    ) -> Option<Vec<usize>> {
        let mut found = vec![start];
        self.seen[direction][start] = self.searches;
        let mut next = 0;
        while let Some(node) = found.get(next) {
            next += 1;
            for edge in &edges[*node] {
                self.left = self.left.checked_sub(1)?;
                let other = end(*edge);
                if within(other) && self.seen[direction][other] != self.searches {
                    self.seen[direction][other] = self.searches;
                    found.push(other);
                }
            }
            if found.len() > self.seen[0].len() {
                break;
            }
        }
        Some(found)
    }
}

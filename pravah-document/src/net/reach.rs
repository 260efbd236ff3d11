//! Which nodes have surely run before others.

#![expect(
    clippy::indexing_slicing,
    reason = "nodes and edges are numbered by their own tables"
)]

use std::collections::BTreeMap;

use super::Net;
use crate::model::MergeMode;

/// Whether a node has run before another one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Before {
    /// No path leads from one to the other.
    No,
    /// A `control.merge` of `any` on the way may not have waited for it.
    Perhaps,
    Surely,
}

/// The most nodes that are followed at once, a bit each.
const WORDS: usize = 8;
const AT_ONCE: usize = WORDS * 64;

type Bits = [u64; WORDS];

impl Net<'_> {
    /// Answers, for pairs of nodes, whether the first has run before the second starts. Nothing is kept of all pairs
    /// of nodes: only those that are asked for are followed, and no further than needed.
    pub(super) fn before(&self, pairs: &[(usize, usize)]) -> Vec<Before> {
        let mut answers = vec![Before::No; pairs.len()];
        let mut by_source: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        for (index, (source, _)) in pairs.iter().enumerate() {
            by_source
                .entry(self.position[*source])
                .or_default()
                .push(index);
        }
        let by_source: Vec<_> = by_source.into_iter().collect();
        for chunk in by_source.chunks(AT_ONCE) {
            self.follow(chunk, pairs, &mut answers);
        }
        answers
    }

    /// Answers for the pairs of some sources, of which `chunk` has the positions and the numbers of the pairs.
    fn follow(
        &self,
        chunk: &[(usize, Vec<usize>)],
        pairs: &[(usize, usize)],
        answers: &mut [Before],
    ) {
        let start = chunk.first().map_or(0, |(position, _)| *position);
        let targets = chunk
            .iter()
            .flat_map(|(_, indices)| indices)
            .map(|index| self.position[pairs[*index].1]);
        let Some(end) = targets.max().filter(|end| *end > start) else {
            return;
        };
        let mut reached = Reached::new(start, end);
        for (number, (position, _)) in chunk.iter().enumerate() {
            if let Some(own) = reached.own.get_mut(position - start) {
                *own = Some(number);
            }
        }
        for position in start..=end {
            self.propagate(position, &mut reached);
        }
        for (number, (_, indices)) in chunk.iter().enumerate() {
            for index in indices {
                if let Some(before) = reached.before(number, self.position[pairs[*index].1]) {
                    answers[*index] = before;
                }
            }
        }
    }

    /// Finds what has run before a node from what has run before those that its edges lead from.
    fn propagate(&self, position: usize, reached: &mut Reached) {
        let node = self.order[position];
        let is_any = self.is_merge(node, MergeMode::Any);
        let (mut perhaps, mut surely) = ([0; WORDS], [if is_any { u64::MAX } else { 0 }; WORDS]);
        for edge in &self.into[node] {
            let (before, sure) = reached.after(self.position[self.edges[*edge].from]);
            join(&mut perhaps, &before, |a, b| a | b);
            join(
                &mut surely,
                &sure,
                |a, b| if is_any { a & b } else { a | b },
            );
        }
        if self.into[node].is_empty() {
            surely = [0; WORDS];
        }
        let offset = position - reached.start;
        (reached.perhaps[offset], reached.surely[offset]) = (perhaps, surely);
    }
}

/// Which of the followed nodes have run before the nodes from a position on.
struct Reached {
    start: usize,
    perhaps: Vec<Bits>,
    surely: Vec<Bits>,
    /// The number of the followed node that is at a position.
    own: Vec<Option<usize>>,
}

impl Reached {
    fn new(start: usize, end: usize) -> Self {
        let length = end - start + 1;
        Self {
            start,
            perhaps: vec![[0; WORDS]; length],
            surely: vec![[0; WORDS]; length],
            own: vec![None; length],
        }
    }

    /// What has perhaps run, and what surely, once the node at a position has.
    fn after(&self, position: usize) -> (Bits, Bits) {
        let Some(offset) = position.checked_sub(self.start) else {
            return ([0; WORDS], [0; WORDS]);
        };
        let (mut perhaps, mut surely) = (self.perhaps[offset], self.surely[offset]);
        if let Some(number) = self.own[offset] {
            set(&mut perhaps, number);
            set(&mut surely, number);
        }
        (perhaps, surely)
    }

    /// Whether a followed node has run before the node at a position.
    fn before(&self, number: usize, position: usize) -> Option<Before> {
        let offset = position.checked_sub(self.start)?;
        let (perhaps, surely) = (&self.perhaps[offset], &self.surely[offset]);
        Some(match (has(perhaps, number), has(surely, number)) {
            (_, true) => Before::Surely,
            (true, false) => Before::Perhaps,
            _ => Before::No,
        })
    }
}

fn set(bits: &mut Bits, number: usize) {
    bits[number / 64] |= 1 << (number % 64);
}

fn has(bits: &Bits, number: usize) -> bool {
    bits[number / 64] & (1 << (number % 64)) != 0
}

fn join(bits: &mut Bits, others: &Bits, with: impl Fn(u64, u64) -> u64) {
    for (bits, other) in bits.iter_mut().zip(others) {
        *bits = with(*bits, *other);
    }
}

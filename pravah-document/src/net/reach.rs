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

/// So many nodes are followed at once, a bit each.
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

    fn follow(
        &self,
        chunk: &[(usize, Vec<usize>)],
        pairs: &[(usize, usize)],
        answers: &mut [Before],
    ) {
        let start = chunk.first().map_or(0, |(position, _)| *position);
        let targets = chunk
            .iter()
            .flat_map(|(_, asked)| asked)
            .map(|index| self.position[pairs[*index].1]);
        let Some(end) = targets.max().filter(|end| *end > start) else {
            return;
        };
        // What has perhaps run before each node, and what surely.
        let mut some = vec![[0; WORDS]; end - start + 1];
        let mut all = vec![[0; WORDS]; end - start + 1];
        let mut own: Vec<Option<usize>> = vec![None; end - start + 1];
        for (number, (position, _)) in chunk.iter().enumerate() {
            if let Some(own) = own.get_mut(position - start) {
                *own = Some(number);
            }
        }
        for position in start..=end {
            let node = self.order[position];
            let is_any = self.is_merge(node, MergeMode::Any);
            let (mut perhaps, mut surely) =
                ([0; WORDS], [if is_any { u64::MAX } else { 0 }; WORDS]);
            for edge in &self.into[node] {
                let source = self.position[self.edges[*edge].from];
                let (mut before, mut sure) = ([0; WORDS], [0; WORDS]);
                if let Some(offset) = source.checked_sub(start) {
                    (before, sure) = (some[offset], all[offset]);
                    if let Some(number) = own[offset] {
                        set(&mut before, number);
                        set(&mut sure, number);
                    }
                }
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
            (some[position - start], all[position - start]) = (perhaps, surely);
        }
        for (number, (_, asked)) in chunk.iter().enumerate() {
            for index in asked {
                let Some(offset) = self.position[pairs[*index].1].checked_sub(start) else {
                    continue;
                };
                answers[*index] = match (has(&some[offset], number), has(&all[offset], number)) {
                    (_, true) => Before::Surely,
                    (true, false) => Before::Perhaps,
                    _ => Before::No,
                };
            }
        }
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

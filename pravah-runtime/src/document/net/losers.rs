//! The nodes that are over once a merge has run: those that have not ended and only lead there.

use pravah_document::{Member, Work};

use super::{NetBuilder, members::node_ix};
use crate::graph::{LatestIx, NodeIx};

impl NetBuilder<'_, '_> {
    /// Finds for each member the merges that cancel it.
    pub(super) fn find_losers(&mut self) {
        let merges: Vec<usize> = (0..)
            .zip(&self.graph.members)
            .filter_map(cancelling)
            .collect();
        let mut next = vec![Vec::new(); self.graph.members.len()];
        for edge in &self.graph.edges {
            if let Some(next) = next.get_mut(edge.from) {
                next.push(edge.to);
            }
        }
        for merge in merges {
            for loser in losers(merge, &next) {
                if let Some(by) = self.cancelled_by.get_mut(loser) {
                    by.push(merge);
                }
            }
        }
    }

    /// What is kept of the merges that cancel a member.
    pub(super) fn merges_over(&self, number: usize) -> Vec<LatestIx> {
        let merges = self.cancelled_by.get(number).into_iter().flatten();
        let members = merges.filter_map(|merge| self.graph.members.get(*merge));
        members
            .map(|member| self.latest_of(super::id(member)))
            .collect()
    }

    /// The transitions that a merge cancels.
    pub(super) fn losers_of(&self, merge: usize) -> Vec<NodeIx> {
        let members = self.members.iter().zip(&self.cancelled_by);
        let losers = members.filter(|(_, by)| by.contains(&merge));
        losers.map(|(loser, _)| node_ix(loser.emits)).collect()
    }
}

fn cancelling((number, member): (usize, &Member)) -> Option<usize> {
    let Member::Node(node) = member else {
        return None;
    };
    let cancels = matches!(
        node.work,
        Work::Merge {
            cancel_losers: true,
            ..
        }
    );
    cancels.then_some(number)
}

/// The members from which every path leads into this one. `next` is where the edges of each lead.
fn losers(merge: usize, next: &[Vec<usize>]) -> Vec<usize> {
    let mut before: Vec<Vec<usize>> = vec![Vec::new(); next.len()];
    for (from, next) in next.iter().enumerate() {
        for to in next {
            if let Some(before) = before.get_mut(*to) {
                before.push(from);
            }
        }
    }
    let mut left: Vec<usize> = next.iter().map(Vec::len).collect();
    let (mut found, mut open) = (Vec::new(), vec![merge]);
    while let Some(at) = open.pop() {
        for from in before.get(at).into_iter().flatten() {
            let Some(left) = left.get_mut(*from) else {
                continue;
            };
            *left = left.saturating_sub(1);
            if *left == 0 {
                found.push(*from);
                open.push(*from);
            }
        }
    }
    found
}

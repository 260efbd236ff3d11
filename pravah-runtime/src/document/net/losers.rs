//! The nodes that are over once a merge has run: those that have not ended and only lead there.

use std::collections::BTreeMap;

use pravah_document::{Member, Work};

use super::{NetBuilder, members::node_ix};
use crate::{
    error::FlowError,
    graph::{LatestIx, NodeIx},
};

/// The most pairs of a merge and a node that it cancels: merges behind merges have ever more of them.
const MAX_PAIRS: usize = 10_000_000;

impl NetBuilder<'_, '_> {
    /// Finds for each merge the members that it cancels, and for each member the merges that cancel it.
    pub(super) fn find_losers(&mut self) -> Result<(), FlowError> {
        let members = self.graph.members.len();
        let mut before = vec![Vec::new(); members];
        let mut outgoing = vec![0; members];
        for edge in &self.graph.edges {
            if let (Some(before), Some(outgoing)) =
                (before.get_mut(edge.to), outgoing.get_mut(edge.from))
            {
                before.push(edge.from);
                *outgoing += 1;
            }
        }
        let mut pairs = 0;
        for merge in (0..).zip(&self.graph.members).filter_map(cancelling) {
            let losers = losers(merge, &before, &outgoing);
            pairs += losers.len();
            if pairs > MAX_PAIRS {
                let problem = "too many nodes lead to merges with `cancelLosers`";
                return Err(FlowError::BuildError(problem.into()));
            }
            for loser in &losers {
                if let Some(by) = self.cancelled_by.get_mut(*loser) {
                    by.push(merge);
                }
            }
            self.losers.insert(merge, losers);
        }
        Ok(())
    }

    /// Where the outcomes are kept of the merges that cancel a member.
    pub(super) fn merges_over(&self, number: usize) -> Vec<LatestIx> {
        let merges = self.cancelled_by.get(number).into_iter().flatten();
        let members = merges.filter_map(|merge| self.graph.members.get(*merge));
        members
            .map(|member| self.latest_of(super::id(member)))
            .collect()
    }

    /// The transitions that a merge cancels, in the order of their declaration.
    pub(super) fn losers_of(&self, merge: usize) -> Vec<NodeIx> {
        let losers = self.losers.get(&merge).into_iter().flatten();
        let members = losers.filter_map(|loser| self.members.get(*loser));
        members.map(|loser| node_ix(loser.emits)).collect()
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

/// The members from which every path leads into this one, in the order of their declaration. `before` is where the
/// edges to each come from, `outgoing` how many edges leave it.
fn losers(merge: usize, before: &[Vec<usize>], outgoing: &[usize]) -> Vec<usize> {
    // How many edges of a member lead into the merge, directly or over others that only lead there.
    let mut leading: BTreeMap<usize, usize> = BTreeMap::new();
    let (mut found, mut open) = (Vec::new(), vec![merge]);
    while let Some(at) = open.pop() {
        for from in before.get(at).into_iter().flatten() {
            let leading = leading.entry(*from).or_default();
            *leading += 1;
            if outgoing.get(*from) == Some(leading) {
                found.push(*from);
                open.push(*from);
            }
        }
    }
    found.sort_unstable();
    found
}

//! Where in the branches of a flow something is, and whether two arcs exclude each other.

use std::collections::BTreeSet;

use super::ast::GroupKind;

/// A branch of a fork, for every fork around a node, outermost first.
///
/// Choices do not count: where two paths part at one, no fork after it is common to both.
///
/// Of two that are parallel, the one in the branch that is written first is less.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Position(Vec<Branch>);

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Branch {
    fork: usize,
    branch: usize,
}

impl Position {
    /// The forks around it, each with its branch.
    pub(super) fn branches(&self) -> impl Iterator<Item = (usize, usize)> {
        self.0.iter().map(|branch| (branch.fork, branch.branch))
    }

    /// Inside branch number `branch` of `group`, which is here.
    pub(super) fn inside(&self, group: usize, kind: GroupKind, branch: usize) -> Self {
        let mut position = self.clone();
        if kind == GroupKind::Fork {
            position.0.push(Branch {
                fork: group,
                branch,
            });
        }
        position
    }

    /// Behind the innermost fork all of whose branches these positions are in, one in each at least; `branches`
    /// is how many a fork has.
    pub(super) fn after_join(
        joined: &[&Self],
        branches: impl Fn(usize) -> Option<usize>,
    ) -> Option<Self> {
        let first = joined.first()?;
        let is_shared = |depth: &usize| {
            let branch = first.0.get(*depth);
            branch.is_some() && joined.iter().all(|it| it.0.get(*depth) == branch)
        };
        let depth = (0..).take_while(is_shared).count();
        let fork = first.0.get(depth)?.fork;
        let parts: Option<BTreeSet<Branch>> =
            joined.iter().map(|it| it.0.get(depth).copied()).collect();
        let parts = parts.filter(|parts| parts.iter().all(|part| part.fork == fork))?;
        let is_whole = branches(fork) == Some(parts.len());
        is_whole.then(|| Self(first.0.iter().take(depth).copied().collect()))
    }

    /// Whether the other is inside all branches that this one is in.
    pub(super) fn encloses(&self, other: &Self) -> bool {
        other.0.starts_with(&self.0)
    }

    /// The fork whose different branches the two stand in: both of them will happen. Otherwise
    /// they are alternatives.
    pub(super) fn fork_between(&self, other: &Self) -> Option<usize> {
        let mut both = self.0.iter().zip(&other.0);
        let (one, other) = both.find(|(one, other)| one != other)?;
        (one.fork == other.fork).then_some(one.fork)
    }
}

//! Where in the branches of a flow something is, and whether two arcs exclude each other.

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

    /// Inside the branches that both are in.
    pub(super) fn shared_with(&self, other: &Self) -> Self {
        let both = self.0.iter().zip(&other.0);
        let shared = both.take_while(|(one, other)| one == other);
        Self(shared.map(|(branch, _)| *branch).collect())
    }

    /// The fork whose different branches the two stand in: both of them will happen. Otherwise
    /// they are alternatives.
    pub(super) fn fork_between(&self, other: &Self) -> Option<usize> {
        let mut both = self.0.iter().zip(&other.0);
        let (one, other) = both.find(|(one, other)| one != other)?;
        (one.fork == other.fork).then_some(one.fork)
    }
}

//! Where in the branches of a flow something stands, and whether two arcs exclude each other.

use super::ast::GroupKind;

/// A branch of a group, for every group around a node, outermost first.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Position(Vec<Branch>);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Branch {
    group: usize,
    kind: GroupKind,
    branch: usize,
}

impl Position {
    /// Inside branch number `branch` of `group`, which stands here.
    pub(super) fn inside(&self, group: usize, kind: GroupKind, branch: usize) -> Self {
        let mut position = self.clone();
        position.0.push(Branch {
            group,
            kind,
            branch,
        });
        position
    }

    /// What is around both.
    pub(super) fn common(&self, other: &Self) -> Self {
        let both = self.0.iter().zip(&other.0);
        Self(
            both.take_while(|(one, other)| one == other)
                .map(|(one, _)| *one)
                .collect(),
        )
    }

    /// The fork whose different branches the two stand in: both of them will happen. Otherwise
    /// they are alternatives.
    pub(super) fn fork_between(&self, other: &Self) -> Option<usize> {
        let (one, other) = self
            .0
            .iter()
            .zip(&other.0)
            .find(|(one, other)| one != other)?;
        (one.group == other.group && one.kind == GroupKind::Fork).then_some(one.group)
    }
}

//! Which arcs of a flow can hold a state at the same time, and whose branch is written before whose.
//!
//! This is the concurrency relation that `pravah_graph` has of slots, of arcs: which arcs share a slot of a `join` follows
//! from it. So what is behind a `join` is looked at once all is known that comes there together (`joins`).

mod joins;
mod post_dominators;
mod search;

use std::num::NonZeroU32;

/// The parallel arcs of a graph.
#[derive(Debug, Default)]
pub(crate) struct Parallel {
    /// For two arcs the number of a fork in which the branch of the first is before that of the second.
    rows: Vec<Vec<Option<NonZeroU32>>>,
}

/// What several branches follow at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Fork {
    Input,
    After(usize),
}

/// In which branches of forks arcs are, as against others.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Order {
    /// They are not parallel.
    None,
    Before,
    After,
    /// One fork has them so, and another so.
    Both,
}

impl Parallel {
    fn of_size(arcs: usize) -> Self {
        Self {
            rows: vec![vec![None; arcs]; arcs],
        }
    }

    /// In what order forks lead to `one` and to `other`.
    pub(super) fn order(&self, one: &[usize], other: &[usize]) -> Order {
        let is_before = |one: &[usize], other: &[usize]| {
            one.iter().any(|one| {
                let mut others = other.iter();
                others.any(|other| self.fork_before(*one, *other).is_some())
            })
        };
        match (is_before(one, other), is_before(other, one)) {
            (false, false) => Order::None,
            (true, false) => Order::Before,
            (false, true) => Order::After,
            (true, true) => Order::Both,
        }
    }

    pub(super) fn are(&self, one: usize, other: usize) -> bool {
        self.fork_between(one, other).is_some()
    }

    /// A fork whose different branches lead to the two.
    pub(super) fn fork_between(&self, one: usize, other: usize) -> Option<Fork> {
        let ordered = self.fork_before(one, other);
        ordered.or_else(|| self.fork_before(other, one))
    }

    /// A fork with `one` in a branch that is before that of `other`.
    pub(super) fn fork_before(&self, one: usize, other: usize) -> Option<Fork> {
        let fork = (*self.rows.get(one)?.get(other)?)?;
        match fork.get() as usize {
            1 => Some(Fork::Input),
            after => Some(Fork::After(after - 2)),
        }
    }

    /// Returns whether this was new.
    fn add(&mut self, one: usize, other: usize, fork: Fork) -> bool {
        let number = match fork {
            Fork::Input => 1,
            Fork::After(node) => node + 2,
        };
        let row = self.rows.get_mut(one).filter(|_| one != other);
        match row.and_then(|row| row.get_mut(other)) {
            Some(known @ None) => {
                *known = NonZeroU32::new(number as u32);
                true
            }
            _ => false,
        }
    }
}

//! As few classes as there can be, such that no two arcs of a class are parallel.

use super::super::parallel::{Order, Parallel};

/// Arcs that are parallel to the same others.
pub(super) type Alike = Vec<usize>;

/// A search gives up after this many steps. Flows need about one step for each branch of a join.
const STEPS: usize = 10_000;

/// The classes of `sets`: those that keep the order of the branches in every fork, if there are any, since parameters
/// are filled in that.
pub(super) fn classes(sets: &[Alike], parallel: &Parallel) -> Vec<Vec<usize>> {
    let orders = orders(sets, parallel);
    let least = most_together(&orders);
    let searches = (least..=sets.len()).flat_map(|count| [(count, true), (count, false)]);
    let found = { searches }.find_map(|(count, keeps_order)| {
        Assignment {
            orders: &orders,
            count,
            keeps_order,
            classes: vec![None; sets.len()],
            steps: STEPS,
        }
        .solve()
    });
    let mut classes: Vec<Vec<usize>> = vec![Vec::new(); sets.len()];
    for (set, class) in sets.iter().zip(found.unwrap_or_default()) {
        if let Some(class) = class.and_then(|class| classes.get_mut(class)) {
            class.extend(set);
        }
    }
    classes.retain(|class| !class.is_empty());
    classes.iter_mut().for_each(|class| class.sort_unstable());
    classes.sort_unstable();
    classes
}

/// Of each set how it is ordered to each.
pub(super) fn orders(sets: &[Alike], parallel: &Parallel) -> Vec<Vec<Order>> {
    let orders = sets.iter().map(|set| {
        let others = sets.iter();
        others.map(|other| parallel.order(set, other)).collect()
    });
    orders.collect()
}

/// How many sets are parallel to each other, as far as is found by taking one after the other.
pub(super) fn most_together(orders: &[Vec<Order>]) -> usize {
    let from = (0..orders.len()).map(|first| {
        let mut together = vec![first];
        for (set, row) in orders.iter().enumerate() {
            if together.iter().all(|other| is_parallel(row.get(*other))) {
                together.push(set);
            }
        }
        together.len()
    });
    from.max().unwrap_or_default()
}

fn is_parallel(order: Option<&Order>) -> bool {
    order.is_some_and(|order| *order != Order::None)
}

struct Assignment<'a> {
    /// For every two sets, in which order the forks have them.
    orders: &'a [Vec<Order>],
    /// How many classes there are.
    count: usize,
    /// Whether the classes are to be in the order of the branches.
    keeps_order: bool,
    classes: Vec<Option<usize>>,
    /// How many assignments may still be tried.
    steps: usize,
}

impl Assignment<'_> {
    fn solve(mut self) -> Option<Vec<Option<usize>>> {
        self.assign_rest().then_some(self.classes)
    }

    /// Assigns a class to every set that has none; returns whether that is possible.
    fn assign_rest(&mut self) -> bool {
        let rest = (0..self.classes.len()).filter(|set| self.classes.get(*set) == Some(&None));
        let next = rest
            .map(|set| (set, self.free(set)))
            .min_by_key(|(_, free)| free.len());
        let Some((next, free)) = next else {
            return true;
        };
        free.into_iter().any(|class| {
            self.steps = self.steps.saturating_sub(1);
            self.assign(next, Some(class));
            let is_possible = self.steps > 0 && self.assign_rest();
            if !is_possible {
                self.assign(next, None);
            }
            is_possible
        })
    }

    fn assign(&mut self, set: usize, class: Option<usize>) {
        if let Some(known) = self.classes.get_mut(set) {
            *known = class;
        }
    }

    /// The classes that a set can have beside those of the others. Of those that no set has, one is like another.
    fn free(&self, set: usize) -> Vec<usize> {
        let used = self
            .classes
            .iter()
            .flatten()
            .max()
            .map_or(0, |last| last + 1);
        let count = match self.keeps_order {
            true => self.count,
            false => self.count.min(used + 1),
        };
        let Some(orders) = self.orders.get(set) else {
            return Vec::new();
        };
        let fits = |class: usize| {
            let mut others = orders.iter().zip(&self.classes);
            others.all(|(order, other)| match (order, other) {
                (Order::None, _) | (_, None) => true,
                (Order::Before, Some(other)) if self.keeps_order => class < *other,
                (Order::After, Some(other)) if self.keeps_order => class > *other,
                (_, Some(other)) => class != *other,
            })
        };
        (0..count).filter(|class| fits(*class)).collect()
    }
}

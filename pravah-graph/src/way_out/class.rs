//! What tokens are pushed to along the way out.

use std::sync::Arc;

use crate::dense::Dense;
use crate::numbering::Numbering;

/// What some tokens are pushed to: in done, and in slots that are not the first of their node, how many
/// there are, or how many are owed. In order, and without zeros, so that equal ones are the same.
///
/// Places that lead to one another without a fork or a join share theirs.
#[derive(Clone, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Class(Arc<[(u32, i64)]>);

impl Class {
    /// One token in each of these places, which are in order.
    fn one_in_each(places: impl Iterator<Item = u32>) -> Self {
        Self(places.map(|place| (place, 1)).collect())
    }

    pub(super) fn sum(classes: &[&Self]) -> Self {
        if let [only] = classes {
            return (*only).clone();
        }
        let mut terms: Vec<(u32, i64)> = Vec::new();
        for class in classes {
            terms.extend_from_slice(&class.0);
        }
        terms.sort_unstable_by_key(|&(place, _)| place);
        terms.dedup_by(|(place, count), (kept, total)| {
            let same = place == kept;
            if same {
                *total += *count;
            }
            same
        });
        terms.retain(|&(_, count)| count != 0);
        Self(terms.into())
    }

    pub(super) fn negated(&self) -> Self {
        Self(
            self.0
                .iter()
                .map(|&(place, count)| (place, -count))
                .collect(),
        )
    }

    pub(super) fn is_zero(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether a place of a sound net can have this class: its counts are 1 and -1.
    ///
    /// The count in done is what the place weighs where all first slots are chosen. For another slot, choose
    /// it, slots behind its node that make it one of the alternatives, and the first slots of other nodes;
    /// the count is how much more the place weighs then than with the first slot of that node chosen. Each of
    /// these weights is 0 or 1.
    fn is_of_a_place(&self) -> bool {
        self.0.iter().all(|&(_, count)| count.abs() == 1)
    }
}

/// The class of each place; `None` if no sound net has such classes.
pub(super) fn of_places(
    numbering: &Numbering,
    order: &[u32],
    next: &Dense<Vec<u32>>,
) -> Option<Dense<Class>> {
    let done = numbering.done();
    let mut classes: Dense<Class> = (0..=done)
        .map(|place| Class::one_in_each(std::iter::once(place)))
        .collect();
    for &node in order {
        let mut slots = numbering.slots(node);
        let first = slots.next()?;
        let others = Class::one_in_each(slots).negated();
        let mut terms: Vec<&Class> = next[node].iter().map(|&place| &classes[place]).collect();
        if !others.is_zero() {
            terms.push(&others);
        }
        let class = Class::sum(&terms);
        if !class.is_of_a_place() {
            return None;
        }
        classes[first] = class;
    }
    Some(classes)
}

//! Why a marking cannot finish, and what would let it.

use std::collections::BTreeMap;

use super::WayOut;
use super::class::Class;
use crate::dense::Dense;
use crate::{NodeId, Place};

/// Why a marking cannot finish.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct CannotFinish {
    /// One thing that is wrong. There may be more.
    pub cause: Cause,
    /// Every change of one token after which the marking can finish: first the tokens to add, then for each
    /// marked place the token to remove or to move; each in the order of places. Empty if no single change
    /// is enough.
    pub repairs: Vec<Repair>,
}

/// What is wrong with a marking.
///
/// Places are listed in their order, and as often as they are marked.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Cause {
    /// Places are marked that the net does not have.
    UnknownPlaces {
        /// The places.
        places: Vec<Place>,
    },
    /// Nothing is marked.
    Empty,
    /// A node waits for ever: some of its slots are marked, or will be, and no run ever marks the others.
    Incomplete {
        /// The node.
        node: NodeId,
        /// Its slots that are marked, or will be.
        filled: Vec<Place>,
        /// Its other slots.
        missing: Vec<Place>,
        /// The places from where a token is led to a missing slot along the way out, and the missing slots:
        /// none of them is marked.
        sources: Vec<Place>,
    },
    /// Places are marked together that are alternatives, or a place is marked more than once.
    Surplus {
        /// Those that are marked, at least two.
        marked: Vec<Place>,
        /// The alternatives: every run from the entry always marks exactly one of them.
        one_of: Vec<Place>,
    },
}

/// A change of one token.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[non_exhaustive]
pub enum Repair {
    /// Mark this place, too.
    Mark(Place),
    /// Remove one token from this place.
    Unmark(Place),
    /// Remove one token from one place, and mark another.
    Move {
        /// Where the token is.
        from: Place,
        /// Where it should be.
        to: Place,
    },
}

impl WayOut {
    /// What keeps a marking from finishing that cannot finish.
    pub(super) fn explain(&self, mut marked: Vec<Place>) -> CannotFinish {
        marked.sort_unstable();
        CannotFinish {
            cause: self.cause(&marked),
            repairs: self.repairs(&marked),
        }
    }

    fn cause(&self, marked: &[Place]) -> Cause {
        let is_unknown = |place: &&Place| self.numbering.known(**place).is_none();
        let places: Vec<Place> = marked.iter().filter(is_unknown).copied().collect();
        if !places.is_empty() {
            return Cause::UnknownPlaces { places };
        }
        if marked.is_empty() {
            return Cause::Empty;
        }
        let numbers = marked.iter().map(|&it| self.numbering.number(it));
        self.obstacle(&numbers.collect::<Vec<u32>>())
    }

    /// What is in the way when the nodes fire along the way out, as long as they can.
    fn obstacle(&self, marked: &[u32]) -> Cause {
        let done = self.numbering.done();
        let mut counts: Dense<usize> = (0..=done).map(|_| 0).collect();
        for &place in marked {
            counts[place] += 1;
        }
        for &node in self.order.iter().rev() {
            let slots = self.numbering.slots(node);
            if let Some(twice) = slots.clone().find(|&slot| counts[slot] > 1) {
                return self.surplus(marked, &self.alternatives(twice));
            }
            let (filled, missing): (Vec<u32>, Vec<u32>) = slots.partition(|&it| counts[it] == 1);
            let Some(&first) = filled.first() else {
                continue;
            };
            if !missing.is_empty() {
                // All nodes before have fired, so what fills a slot came from one of its alternatives. If
                // another of them is marked, it is behind this node, where a missing slot has the same
                // alternatives. Otherwise none of those of the missing slot is marked, and never will be.
                let alternatives = self.alternatives(first);
                if marked.iter().filter(|&&it| alternatives[it]).count() > 1 {
                    return self.surplus(marked, &alternatives);
                }
                return self.incomplete(node, filled, missing);
            }
            for &place in &self.next[node] {
                counts[place] += 1;
            }
        }
        // All tokens have come to done, and one alone would have been right.
        self.surplus(marked, &self.alternatives(done))
    }

    fn incomplete(&self, node: u32, filled: Vec<u32>, missing: Vec<u32>) -> Cause {
        Cause::Incomplete {
            node: NodeId(node as usize),
            sources: self.places(self.sources(&missing)),
            filled: self.places(filled),
            missing: self.places(missing),
        }
    }

    fn surplus(&self, marked: &[u32], alternatives: &Dense<bool>) -> Cause {
        let marked = marked.iter().copied().filter(|&it| alternatives[it]);
        let all = (0..=self.numbering.done()).filter(|&it| alternatives[it]);
        Cause::Surplus {
            marked: self.places(marked),
            one_of: self.places(all),
        }
    }

    /// The alternatives, `place` among them: the chosen slots are those on a path from there along the way out,
    /// and the first ones of other nodes.
    fn alternatives(&self, place: u32) -> Dense<bool> {
        let nodes = self.numbering.nodes();
        let mut chosen: Dense<u32> = (0..nodes).map(|it| self.numbering.first(it)).collect();
        let mut at = place;
        while at != self.numbering.done() {
            let node = self.numbering.owner(at);
            chosen[node] = at;
            let Some(&next) = self.next[node].first() else {
                break;
            };
            at = next;
        }
        let mut found = self.no_places();
        found[self.numbering.done()] = true;
        for &node in &self.order {
            found[chosen[node]] = self.next[node].iter().any(|&it| found[it]);
        }
        found
    }

    /// The places from where the way out leads to one of these slots.
    fn sources(&self, slots: &[u32]) -> impl Iterator<Item = u32> + use<> {
        let mut found = self.no_places();
        for &slot in slots {
            found[slot] = true;
        }
        for &node in &self.order {
            if self.next[node].iter().any(|&it| found[it]) {
                for slot in self.numbering.slots(node) {
                    found[slot] = true;
                }
            }
        }
        (0..self.numbering.done()).filter(move |&it| found[it])
    }

    fn repairs(&self, marked: &[Place]) -> Vec<Repair> {
        let known = |place: &Place| self.numbering.known(*place);
        let class = |place: &Place| self.class(*place);
        let now = Class::sum(&marked.iter().filter_map(class).collect::<Vec<_>>());
        let missing = Class::sum(&[self.class_of_done(), &now.negated()]);
        let mut by_class: BTreeMap<&Class, Vec<Place>> = BTreeMap::new();
        for place in 0..=self.numbering.done() {
            let places = by_class.entry(&self.classes[place]).or_default();
            places.push(self.numbering.place(place));
        }
        let fitting = |class: &Class| by_class.get(class).into_iter().flatten().copied();

        let unknown = marked.iter().filter(|&it| known(it).is_none()).count();
        let mut repairs = Vec::new();
        if unknown == 0 {
            repairs.extend(fitting(&missing).map(Repair::Mark));
        }
        let mut distinct = marked.to_vec();
        distinct.dedup();
        for from in distinct {
            // A place that is unknown must go, so nothing else can be changed.
            if unknown > usize::from(known(&from).is_none()) {
                continue;
            }
            let removed = class(&from).cloned().unwrap_or_default();
            let wanted = Class::sum(&[&missing, &removed]);
            if wanted.is_zero() {
                repairs.push(Repair::Unmark(from));
            }
            repairs.extend(fitting(&wanted).map(|to| Repair::Move { from, to }));
        }
        repairs
    }

    fn no_places(&self) -> Dense<bool> {
        (0..=self.numbering.done()).map(|_| false).collect()
    }

    fn places(&self, numbers: impl IntoIterator<Item = u32>) -> Vec<Place> {
        let numbers = numbers.into_iter();
        numbers.map(|it| self.numbering.place(it)).collect()
    }
}

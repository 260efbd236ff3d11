//! Which markings of a sound net can finish.
//!
//! A marking need not be one that a run from the entry reaches: it may come from a run of another
//! version of the net, or from a snapshot that someone has edited. Which of them can finish is decided
//! without visiting markings, by a result of our own: it was found for this crate, the proof is below,
//! and `tests/soundness` checks it against the definition.
//!
//! # The way out
//!
//! A *way out* lists the nodes and chooses one outcome of each, which marks nothing but done and slots of
//! nodes earlier in the list. Every sound net has one. It is built from done: a node is added as soon as
//! one of its outcomes marks only done and slots of nodes that are in the list. Were nodes left over,
//! each of their outcomes would mark a slot of one of them, and a token among them would never leave them.
//!
//! To *push* a marking, pass through the list from its last node to its first: take as many tokens as are
//! in the first slot of the node from each of its slots, and put as many on each place that its chosen
//! outcome marks. Tokens that are then left in other slots, or owed there, stay. Pushing is linear. What
//! a token in a place is pushed to is the *class* of the place, so a marking is pushed to the sum of the
//! classes of its places.
//!
//! # Theorem
//!
//! In a sound net, these say the same of any marking, however many tokens it has in a place:
//!
//! 1. from every marking that can be reached, done can be reached, and done is marked nowhere beside
//!    another token;
//! 2. the classes of the marked places add up to one token in done, and nothing else;
//! 3. some run ends with one token in done, and nothing else.
//!
//! *(1) ⇒ (2)*: From the last node of the list to the first, fire the chosen outcome as often as it is
//! possible. Nothing fills an earlier node again, so at the end nothing can fire, and by (1) one token in
//! done is left. So all slots of a node had the same count when its turn came, and this was the push.
//!
//! *No firing changes the sum of the classes*: A run from the entry reaches a marking in which the outcome
//! is possible. (1) holds for that marking and the next, so both have the sum of (2), and sums are linear.
//!
//! *(2) ⇒ (1)*: A marking that can be reached has the same sum. It owes no tokens, so to push it is to fire
//! outcomes, and it leads to done. If it has a token in done, then the others have the sum zero; pushed,
//! they would still be there, as every outcome marks something, so there are none.
//!
//! *(1) ⇒ (3)* is plain, and *(3) ⇒ (2)* holds as no firing changes the sum. ∎
//!
//! # Soundness
//!
//! A net is sound if and only if arcs lead from the entry to every node, it has a way out, the class of
//! the entry is that of done, and no outcome changes the sum of the classes. The proof of *(2) ⇒ (1)* needs
//! no more, and shows that no place is marked twice: one of the tokens would be beside done in the end. A
//! node with a token in some slot can fire, with any outcome, as pushing that marking makes it fire; so
//! every node can, along the arcs from the entry. Therefore [`WayOut::new`] decides soundness as well.
//!
//! # Alternatives
//!
//! Choose a slot of every node of a sound net, and weigh the places: done weighs 1, a chosen slot as much as
//! all that the outcome on the way out marks, and other slots nothing. A marking weighs as much as what it is
//! pushed to, so no firing changes its weight, and all that a run from the entry reaches weigh 1. As every
//! place is marked in some of them, it weighs 0 or 1. Those that weigh 1 are *alternatives*: a run always
//! marks exactly one of them. A chosen slot is one of them if that outcome marks one.
//!
//! # Two nets
//!
//! Let each place of a sound net have an image in another. All its markings can finish there if and only
//! if the image of the entry has the class of done, and no outcome changes the sum of the classes of the
//! images: each outcome is possible in some marking, and that and the next can finish.

mod class;
mod explain;
mod order;
mod pair;

pub use explain::{CannotFinish, Cause, Repair};
pub use pair::Incompatibility;

use crate::dense::Dense;
use crate::numbering::Numbering;
use crate::{Net, Place, soundness};
use class::Class;

/// Decides which markings of a sound net can finish, and says why the others cannot.
///
/// A marking need not be one that a run from the entry reaches: it may come from another version of the
/// net, or from an edited snapshot.
///
/// The *way out* is an order of the nodes with one outcome for each, such that taking these outcomes leads
/// every run to done. It is worked out once for a net, which is not needed any more afterwards.
///
/// ```
/// use pravah_graph::{Net, Place, WayOut};
///
/// // fork -> both(left, right)
/// let mut net = Net::new();
/// let fork = net.add_node(1);
/// let both = net.add_node(2);
/// let [left, right] = [0, 1].map(|slot| Place::Slot { node: both, slot });
/// net.set_entry(Place::Slot { node: fork, slot: 0 });
/// net.add_outcome(fork, vec![left, right]);
/// net.add_outcome(both, vec![Place::Done]);
///
/// let way_out = WayOut::new(&net).unwrap();
/// assert!(way_out.check([left, right]).is_ok());
/// // It would wait for `right` for ever.
/// assert!(way_out.check([left]).is_err());
/// ```
pub struct WayOut {
    numbering: Numbering,
    /// The nodes, those nearest done first.
    order: Vec<u32>,
    /// What the chosen outcome of each node marks: done, and slots of nodes earlier in `order`.
    next: Dense<Vec<u32>>,
    /// The class of each place.
    classes: Dense<Class>,
}

impl WayOut {
    /// The way out of a net. This takes time linear in the net, or quadratic where forks are nested deeply in
    /// the first branches of one another; less than [`Net::check`] in any case that was measured.
    ///
    /// `None` if the net is not sound: [`Net::check`] says why.
    #[must_use]
    pub fn new(net: &Net) -> Option<Self> {
        if !soundness::structural_mistakes(net).is_empty() {
            return None;
        }
        let numbering = Numbering::new(net);
        let (order, next) = order::towards_done(net, &numbering)?;
        let classes = class::of_places(&numbering, &order, &next)?;
        let way_out = Self {
            numbering,
            order,
            next,
            classes,
        };
        way_out
            .incompatibilities(net, Some)
            .is_empty()
            .then_some(way_out)
    }

    /// Whether every run from a marking can go on to done, and reaches it with nothing left behind. A place
    /// may be marked more than once.
    ///
    /// The time that this takes depends on what is marked, and on how much that waits for, but not on the
    /// size of the net. Only to say why, all of it is looked at.
    ///
    /// # Errors
    ///
    /// Why no run from the marking reaches done with nothing left behind, and what would change that.
    ///
    /// ```
    /// use pravah_graph::{Cause, Net, Place, Repair, WayOut};
    ///
    /// // fork -> (left, right); left -> both.0; right -> both.1
    /// let mut net = Net::new();
    /// let [fork, left, right] = [(); 3].map(|()| net.add_node(1));
    /// let both = net.add_node(2);
    /// let slot = |node, slot| Place::Slot { node, slot };
    /// net.set_entry(slot(fork, 0));
    /// net.add_outcome(fork, vec![slot(left, 0), slot(right, 0)]);
    /// net.add_outcome(left, vec![slot(both, 0)]);
    /// net.add_outcome(right, vec![slot(both, 1)]);
    /// net.add_outcome(both, vec![Place::Done]);
    ///
    /// let error = WayOut::new(&net).unwrap().check([slot(left, 0)]).unwrap_err();
    /// let Cause::Incomplete { node, filled, missing, sources, .. } = error.cause else { panic!() };
    /// assert_eq!((node, filled, missing), (both, vec![slot(both, 0)], vec![slot(both, 1)]));
    /// assert_eq!(sources, [slot(fork, 0), slot(right, 0), slot(both, 1)]);
    /// // Marking `fork` is no repair: it would mark `left` once more.
    /// assert_eq!(error.repairs[..2], [Repair::Mark(slot(right, 0)), Repair::Mark(slot(both, 1))]);
    /// ```
    pub fn check(&self, marked: impl IntoIterator<Item = Place>) -> Result<(), CannotFinish> {
        let mut marked = marked.into_iter();
        let (first, second) = (marked.next(), marked.next());
        // Most runs are in one place, and nothing has to be added up.
        if let (Some(only), None) = (first, second)
            && self.class(only) == Some(self.class_of_done())
        {
            return Ok(());
        }
        let marked: Vec<Place> = first.into_iter().chain(second).chain(marked).collect();
        if self.sum(marked.iter().copied()).as_ref() == Some(self.class_of_done()) {
            return Ok(());
        }
        Err(self.explain(marked))
    }

    /// Whether these tokens can be exchanged for those: a marking with these can finish if and only if it can
    /// with those in their place. `false` if the net lacks one of the places.
    ///
    /// It holds of all slots of a node and what any of its outcomes marks.
    ///
    /// ```
    /// # use pravah_graph::{Net, Place, WayOut};
    /// // draft -> publish
    /// let mut net = Net::new();
    /// let [draft, publish] = [(); 2].map(|()| net.add_node(1));
    /// let slot = |node| Place::Slot { node, slot: 0 };
    /// net.set_entry(slot(draft));
    /// net.add_outcome(draft, vec![slot(publish)]);
    /// net.add_outcome(publish, vec![Place::Done]);
    ///
    /// let way_out = WayOut::new(&net).unwrap();
    /// assert!(way_out.are_interchangeable([slot(draft)], [slot(publish)]));
    /// assert!(!way_out.are_interchangeable([slot(draft)], [slot(draft), slot(publish)]));
    /// ```
    #[must_use]
    pub fn are_interchangeable(
        &self,
        these: impl IntoIterator<Item = Place>,
        those: impl IntoIterator<Item = Place>,
    ) -> bool {
        let these = self.sum(these);
        these.is_some() && these == self.sum(those)
    }

    /// The sum of the classes of places, if the net has all of them.
    fn sum(&self, places: impl IntoIterator<Item = Place>) -> Option<Class> {
        let classes: Option<Vec<&Class>> = places.into_iter().map(|it| self.class(it)).collect();
        Some(Class::sum(&classes?))
    }

    /// The class of a place, if the net has it.
    fn class(&self, place: Place) -> Option<&Class> {
        Some(&self.classes[self.numbering.known(place)?])
    }

    fn class_of_done(&self) -> &Class {
        &self.classes[self.numbering.done()]
    }
}

impl std::fmt::Debug for WayOut {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("WayOut").finish_non_exhaustive()
    }
}

//! Whether a run can finish from a marking, whatever it came from.
//!
//! A *way out* orders the nodes of a net and gives each of them one outcome that marks only done and
//! slots of nodes before it. Whoever always takes these outcomes ends, last node first. Every sound net
//! has one: it is built from done on, by adding a node as soon as one of its outcomes marks only what is
//! there already. Were nodes left over, each of their outcomes would mark a slot of another of them, so
//! that a mark among them would stay there for ever.
//!
//! To *push* a marking is to take its marks along the way out: from the last node to the first, the
//! count on the node's first slot is taken off all its slots and added to what its outcome marks. That
//! is linear in the marking. In a sound net these are the same, for every marking:
//!
//! 1. done can be reached from every marking that a run from here reaches, and done is never marked
//!    beside anything else;
//! 2. pushing leads to one mark on done, and finds the same count on all slots of every node.
//!
//! *(1) gives (2)*: fire the nodes of the way out for real, last one first, each as often as it can. What
//! is left can fire nothing more, so it is done alone, and nothing was left in a slot: that run was the
//! push. *(2) gives (1)*: some reachable marking enables an outcome; by (1), which holds for what a sound
//! net reaches, it and its successor are pushed to the same, so no firing changes where a marking is
//! pushed to. A marking that is reached from here is pushed to done alone like this one, and on real
//! marks pushing is a run.
//!
//! So what each place is pushed to, its *class*, is worked out once, and a marking can finish if the
//! classes of its places add up to done.

use std::collections::BTreeMap;

use crate::dense::Dense;
use crate::numbering::Numbering;
use crate::{Net, Place};

/// How every marking of a sound net is led to done: decides which of them can finish.
///
/// A marking need not be one that a run from the entry reaches. It may come from another version of the
/// net, or from someone who has edited a snapshot.
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
/// assert!(net.check().is_empty());
///
/// let way_out = WayOut::new(&net).unwrap();
/// assert!(way_out.can_finish([left, right]));
/// // It would wait for `right` for ever.
/// assert!(!way_out.can_finish([left]));
/// ```
pub struct WayOut {
    numbering: Numbering,
    /// What each place is pushed to: done, and slots that are not the first of their node, with how often,
    /// in order.
    classes: Dense<Vec<(u32, i64)>>,
}

impl WayOut {
    /// The way out of a net, which [`check`](Net::check) has found to be sound. It takes time linear in the
    /// net, and in its joins where many wait for one another.
    ///
    /// `None` if there is no way out: the net is not sound.
    #[must_use]
    pub fn new(net: &Net) -> Option<Self> {
        let numbering = Numbering::new(net);
        let mut classes: Dense<Vec<(u32, i64)>> =
            (0..=numbering.done()).map(|_| Vec::new()).collect();
        let done = numbering.done();
        classes[done] = vec![(done, 1)];
        for (node, outputs) in steps(net, &numbering)? {
            let slots = numbering.first(node)..numbering.first(node + 1);
            if slots.is_empty() {
                return None;
            }
            let mut first = BTreeMap::new();
            for place in outputs {
                add(&mut first, &classes[place]);
            }
            for slot in slots.clone().skip(1) {
                classes[slot] = vec![(slot, 1)];
                add(&mut first, &[(slot, -1)]);
            }
            classes[slots.start] = first.into_iter().collect();
        }
        Some(Self { numbering, classes })
    }

    /// Whether every run from a marking can go on to done, and is done only where nothing else is marked. A
    /// place may be marked more than once.
    #[must_use]
    pub fn can_finish(&self, marked: impl IntoIterator<Item = Place>) -> bool {
        self.are_interchangeable(marked, [Place::Done])
    }

    /// Whether a marking can finish with `these` marks if and only if it can with `those` in their place. It
    /// holds for what an outcome takes and what it marks, so another net whose places have images here, and
    /// whose start can finish, is one whose runs can go on here if it holds for the images of all its
    /// outcomes.
    #[must_use]
    pub fn are_interchangeable(
        &self,
        these: impl IntoIterator<Item = Place>,
        those: impl IntoIterator<Item = Place>,
    ) -> bool {
        match (self.sum(these), self.sum(those)) {
            (Some(these), Some(those)) => these == those,
            _ => false,
        }
    }

    /// The sum of the classes of places, if the net has all of them.
    fn sum(&self, marked: impl IntoIterator<Item = Place>) -> Option<BTreeMap<u32, i64>> {
        let mut sum = BTreeMap::new();
        for place in marked {
            add(&mut sum, &self.classes[self.numbering.known(place)?]);
        }
        Some(sum)
    }
}

impl std::fmt::Debug for WayOut {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("WayOut").finish_non_exhaustive()
    }
}

/// The nodes, those nearest done first, with the places that the chosen outcome of each marks.
fn steps(net: &Net, numbering: &Numbering) -> Option<Vec<(u32, Vec<u32>)>> {
    // By node, and for done: the outcomes that mark a slot of it, once for each slot.
    let mut into: Dense<Vec<u32>> = (0..=numbering.nodes()).map(|_| Vec::new()).collect();
    let mut outcomes: Dense<(u32, Vec<u32>, usize)> = Dense::default();
    for node in net.ids() {
        for outputs in net.outcomes(node) {
            let places: Option<Vec<u32>> = outputs
                .iter()
                .map(|place| numbering.known(*place))
                .collect();
            let places = places?;
            let (number, missing) = (outcomes.len() as u32, places.len());
            for place in &places {
                into[numbering.owner(*place)].push(number);
            }
            outcomes.push((node.0 as u32, places, missing));
        }
    }
    let mut is_there: Dense<bool> = (0..=numbering.nodes()).map(|_| false).collect();
    let mut steps: Vec<(u32, Vec<u32>)> = Vec::new();
    let mut reached = vec![numbering.nodes()];
    while let Some(at) = reached.pop() {
        for outcome in std::mem::take(&mut into[at]) {
            let (node, places, missing) = &mut outcomes[outcome];
            *missing -= 1;
            if *missing == 0 && !is_there[*node] {
                is_there[*node] = true;
                steps.push((*node, std::mem::take(places)));
                reached.push(*node);
            }
        }
    }
    (steps.len() == net.node_count()).then_some(steps)
}

/// Adds a class to a sum, which holds no zeros.
fn add(sum: &mut BTreeMap<u32, i64>, class: &[(u32, i64)]) {
    for &(place, times) in class {
        let count = sum.entry(place).or_default();
        *count += times;
        if *count == 0 {
            sum.remove(&place);
        }
    }
}

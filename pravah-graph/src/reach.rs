//! Which nodes can fire from a marking.

use crate::{
    Net, NodeId, Place,
    numbering::Numbering,
    paths::{leading_to, successors},
};

impl Net {
    /// Whether some run from a marking lets a node fire. The net need not be sound: outcomes may have been left
    /// out of a sound one, and then some run of what is left may get stuck.
    ///
    /// It takes linear time where the slots of the node cannot be marked at all, and otherwise goes through the
    /// pairs of places that can be marked together. `true` may be wrong if three places of a join can be marked
    /// two by two and never all; `false` is always right.
    ///
    /// ```
    /// use pravah_graph::{Net, Place};
    ///
    /// // fork -> (left, right); left -> both.0; the outcome of right is left out
    /// let mut net = Net::new();
    /// let [fork, left, right] = [(); 3].map(|()| net.add_node(1));
    /// let both = net.add_node(2);
    /// let slot = |node, slot| Place::Slot { node, slot };
    /// net.add_outcome(fork, vec![slot(left, 0), slot(right, 0)]);
    /// net.add_outcome(left, vec![slot(both, 0)]);
    ///
    /// assert!(net.can_fire([slot(fork, 0)], right));
    /// assert!(!net.can_fire([slot(fork, 0)], both));
    /// assert!(net.can_fire([slot(left, 0), slot(both, 1)], both));
    /// ```
    #[must_use]
    pub fn can_fire(&self, marked: impl IntoIterator<Item = Place>, node: NodeId) -> bool {
        let marked: Vec<Place> = marked.into_iter().collect();
        self.can_fill_slots(&marked, node) && Pairs::of(self, &marked).can_fire(node)
    }

    /// The nodes whose outputs may come to one of `targets`, whatever else waits there; and the targets. In the order of
    /// their ids.
    ///
    /// ```
    /// use pravah_graph::{Net, Place};
    ///
    /// // fork -> (left, right); left -> both.0; right -> both.1
    /// let mut net = Net::new();
    /// let [fork, left, right] = [(); 3].map(|()| net.add_node(1));
    /// let both = net.add_node(2);
    /// let slot = |node, slot| Place::Slot { node, slot };
    /// net.add_outcome(fork, vec![slot(left, 0), slot(right, 0)]);
    /// net.add_outcome(left, vec![slot(both, 0)]);
    /// net.add_outcome(right, vec![slot(both, 1)]);
    /// net.add_outcome(both, vec![Place::Done]);
    ///
    /// assert_eq!(net.leading_to([right]), [fork, right]);
    /// assert_eq!(net.leading_to([both]), [fork, left, right, both]);
    /// ```
    #[must_use]
    pub fn leading_to(&self, targets: impl IntoIterator<Item = NodeId>) -> Vec<NodeId> {
        let targets = targets.into_iter().map(|target| target.0);
        let leads = leading_to(&successors(self), targets);
        let leading = self.ids().zip(leads).filter(|(_, leads)| *leads);
        leading.map(|(node, _)| node).collect()
    }

    /// Whether each slot of a node can be marked, alone or together with the others.
    fn can_fill_slots(&self, marked: &[Place], node: NodeId) -> bool {
        let mut filled: Vec<Vec<bool>> = self.ids().map(|id| vec![false; self.slots(id)]).collect();
        let mut open = marked.to_vec();
        while let Some(place) = open.pop() {
            let Place::Slot { node: to, slot } = place else {
                continue;
            };
            let Some(slots) = filled.get_mut(to.0) else {
                continue;
            };
            let is_new = slots
                .get_mut(slot)
                .is_some_and(|it| !std::mem::replace(it, true));
            if is_new && slots.iter().all(|filled| *filled) {
                open.extend(self.outcomes(to).iter().flatten());
            }
        }
        let slots = filled.get(node.0);
        slots.is_some_and(|slots| slots.iter().all(|filled| *filled))
    }
}

/// The pairs of places that can be marked together, each place also with itself.
struct Pairs<'a> {
    net: &'a Net,
    numbering: Numbering,
    rows: Vec<Vec<bool>>,
}

impl<'a> Pairs<'a> {
    fn of(net: &'a Net, marked: &[Place]) -> Self {
        let numbering = Numbering::new(net);
        let places = numbering.done() as usize;
        let mut pairs = Self {
            net,
            rows: vec![vec![false; places]; places],
            numbering,
        };
        let marked: Vec<usize> = marked
            .iter()
            .filter_map(|it| pairs.numbering.known_slot(*it))
            .collect();
        let everything = vec![false; places];
        pairs.mark(&marked, &everything);
        while pairs.fire_all() {}
        pairs
    }

    fn slots(&self, node: NodeId) -> std::ops::Range<usize> {
        let slots = self.numbering.slots(node.0 as u32);
        slots.start as usize..slots.end as usize
    }

    fn has(&self, one: usize, other: usize) -> bool {
        let row = self.rows.get(one);
        row.and_then(|row| row.get(other)).copied() == Some(true)
    }

    fn can_fire(&self, node: NodeId) -> bool {
        let slots = self.slots(node);
        slots
            .clone()
            .all(|one| slots.clone().all(|other| self.has(one, other)))
    }

    /// Lets every node fire that can, with each of its outcomes, and says whether that showed another pair.
    fn fire_all(&mut self) -> bool {
        let net = self.net;
        let mut found = false;
        for node in net.ids().collect::<Vec<_>>() {
            if !self.can_fire(node) {
                continue;
            }
            let slots = self.slots(node);
            let beside: Vec<bool> = (0..self.rows.len())
                .map(|place| {
                    !slots.contains(&place) && slots.clone().all(|slot| self.has(slot, place))
                })
                .collect();
            for outcome in net.outcomes(node) {
                let places: Vec<usize> = outcome
                    .iter()
                    .filter_map(|it| self.numbering.known_slot(*it))
                    .collect();
                found |= self.mark(&places, &beside);
            }
        }
        found
    }

    /// Notes that these places can be marked together, and with all that is beside them.
    fn mark(&mut self, places: &[usize], beside: &[bool]) -> bool {
        let mut found = false;
        for place in places {
            let others = beside.iter().enumerate().filter(|(_, beside)| **beside);
            let others = others.map(|(other, _)| other).chain(places.iter().copied());
            for other in others {
                found |= !self.has(*place, other);
                for (row, bit) in [(*place, other), (other, *place)] {
                    if let Some(pair) = self.rows.get_mut(row).and_then(|row| row.get_mut(bit)) {
                        *pair = true;
                    }
                }
            }
        }
        found
    }
}

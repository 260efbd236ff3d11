//! Which places can be marked at the same time.

use crate::numbering::Numbering;
use crate::{Net, Place};

/// Which slots of a sound net can be marked at the same time.
///
/// Two nodes can run at the same time if and only if every slot of one can be marked together with every slot of
/// the other (tested on all markings of random nets, not proved).
///
/// ```
/// use pravah_graph::{Net, Place};
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
/// let concurrency = net.concurrency();
/// assert!(concurrency.can_be_together(slot(left, 0), slot(right, 0)));
/// assert!(concurrency.can_be_together(slot(left, 0), slot(both, 1)));
/// assert!(!concurrency.can_be_together(slot(fork, 0), slot(left, 0)));
/// ```
#[derive(Debug)]
pub struct Concurrency {
    /// The number of the first slot of each node, and of all slots.
    first: Vec<usize>,
    /// For each slot a bit for each slot.
    rows: Vec<Vec<u64>>,
}

impl Net {
    /// The concurrency relation of the net, which has to be sound. It takes time quadratic in the places that
    /// can be marked together with others, and none where nothing forks.
    ///
    /// After A. Kovalyov, J. Esparza: *A Polynomial Algorithm to Compute the Concurrency Relation of Free-Choice
    /// Signal Transition Graphs*, WODES 1996.
    #[must_use]
    pub fn concurrency(&self) -> Concurrency {
        let numbering = Numbering::new(self);
        let mut relation = Relation::new(numbering.done() as usize);
        let number = |place: &Place| numbering.known_slot(*place);
        let marked: Vec<Vec<Vec<usize>>> = self
            .ids()
            .map(|node| {
                let outcomes = self.outcomes(node).iter();
                outcomes
                    .map(|places| places.iter().filter_map(number).collect())
                    .collect()
            })
            .collect();
        for outcome in marked.iter().flatten() {
            for (at, place) in outcome.iter().enumerate() {
                for other in outcome.iter().skip(at + 1) {
                    relation.add(*place, *other);
                }
            }
        }
        // What is marked beside all slots of a node stays so when the node fires.
        while let Some((beside, place)) = relation.pending.pop() {
            let node = numbering.owner(place as u32);
            let slots = numbering.slots(node);
            if slots
                .into_iter()
                .all(|slot| relation.has(beside, slot as usize))
            {
                for outcome in marked.get(node as usize).into_iter().flatten() {
                    for place in outcome {
                        relation.add(beside, *place);
                    }
                }
            }
        }
        let nodes = 0..=numbering.nodes();
        Concurrency {
            first: nodes.map(|node| numbering.first(node) as usize).collect(),
            rows: relation.rows,
        }
    }
}

impl Concurrency {
    /// Whether some run marks both places at the same time. Done is marked alone.
    #[must_use]
    pub fn can_be_together(&self, one: Place, other: Place) -> bool {
        match (self.number(one), self.number(other)) {
            (Some(one), Some(other)) => has_bit(&self.rows, one, other),
            _ => false,
        }
    }

    /// Whether no two slots are ever marked together: nothing forks.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.rows.iter().flatten().all(|bits| *bits == 0)
    }

    /// The relation among the slots of the first `nodes` nodes: a row of bits for each slot, in the order of the
    /// nodes, which fills whole bytes, the first slot in the lowest bit of the first.
    #[must_use]
    pub fn to_bytes(&self, nodes: usize) -> Vec<u8> {
        let slots = self.first.get(nodes).copied().unwrap_or_default();
        let rows = self.rows.iter().take(slots);
        rows.flat_map(|row| {
            let bytes = row.iter().flat_map(|bits| bits.to_le_bytes());
            bytes
                .take(slots.div_ceil(8))
                .enumerate()
                .map(move |(at, byte)| {
                    let used = slots.saturating_sub(at * 8).min(8);
                    byte & (u8::MAX >> (8 - used))
                })
        })
        .collect()
    }

    fn number(&self, place: Place) -> Option<usize> {
        let Place::Slot { node, slot } = place else {
            return None;
        };
        let (first, after) = (self.first.get(node.0)?, self.first.get(node.0 + 1)?);
        Some(first + slot).filter(|number| number < after)
    }
}

/// A symmetric relation of places, and the pairs that were not looked at.
struct Relation {
    rows: Vec<Vec<u64>>,
    pending: Vec<(usize, usize)>,
}

impl Relation {
    fn new(places: usize) -> Self {
        Self {
            rows: vec![vec![0; places.div_ceil(64)]; places],
            pending: Vec::new(),
        }
    }

    fn has(&self, one: usize, other: usize) -> bool {
        has_bit(&self.rows, one, other)
    }

    fn add(&mut self, one: usize, other: usize) {
        if one == other || self.has(one, other) {
            return;
        }
        for (row, bit) in [(one, other), (other, one)] {
            let bits = self.rows.get_mut(row);
            if let Some(bits) = bits.and_then(|row| row.get_mut(bit / 64)) {
                *bits |= 1 << (bit % 64);
            }
            self.pending.push((row, bit));
        }
    }
}

fn has_bit(rows: &[Vec<u64>], row: usize, bit: usize) -> bool {
    let bits = rows.get(row).and_then(|row| row.get(bit / 64));
    bits.is_some_and(|bits| bits & 1 << (bit % 64) != 0)
}

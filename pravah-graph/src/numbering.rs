//! Dense numbers for places: the slots of a node follow one another, done comes last.

use std::ops::Range;

use crate::dense::Dense;
use crate::{Net, NodeId, Place};

pub(crate) struct Numbering {
    /// The first place of each node.
    first: Dense<u32>,
    /// The node of each place.
    owner: Dense<u32>,
}

impl Numbering {
    pub(crate) fn new(net: &Net) -> Self {
        let mut first = Dense::default();
        let mut owner = Dense::default();
        for node in net.ids() {
            first.push(owner.len() as u32);
            for _ in 0..net.slots(node) {
                owner.push(node.0 as u32);
            }
        }
        first.push(owner.len() as u32);
        owner.push(net.node_count() as u32);
        Self { first, owner }
    }

    /// The number of done, above that of every slot.
    pub(crate) fn done(&self) -> u32 {
        self.owner.len() as u32 - 1
    }

    pub(crate) fn number(&self, place: Place) -> u32 {
        match place {
            Place::Slot { node, slot } => self.first(node.0 as u32) + slot as u32,
            Place::Done => self.done(),
        }
    }

    /// The number of a place, if the net has it.
    pub(crate) fn known(&self, place: Place) -> Option<u32> {
        let Place::Slot { node, slot } = place else {
            return Some(self.done());
        };
        let node = u32::try_from(node.0)
            .ok()
            .filter(|node| *node < self.nodes())?;
        self.slots(node).nth(slot)
    }

    /// The number of a slot, if the net has it; none of done.
    pub(crate) fn known_slot(&self, place: Place) -> Option<usize> {
        let number = self.known(place)?;
        (number < self.done()).then_some(number as usize)
    }

    /// How many nodes there are.
    pub(crate) fn nodes(&self) -> u32 {
        self.first.len() as u32 - 1
    }

    pub(crate) fn place(&self, number: u32) -> Place {
        if number == self.done() {
            return Place::Done;
        }
        let node = self.owner(number);
        Place::Slot {
            node: NodeId(node as usize),
            slot: (number - self.first(node)) as usize,
        }
    }

    /// The node that a place belongs to; for done the number after the last node.
    pub(crate) fn owner(&self, place: u32) -> u32 {
        self.owner[place]
    }

    /// The places of a node.
    pub(crate) fn slots(&self, node: u32) -> Range<u32> {
        self.first(node)..self.first(node + 1)
    }

    /// The first place of a node, or done for the number after the last node.
    pub(crate) fn first(&self, node: u32) -> u32 {
        self.first[node]
    }
}

/// Spreads a place over 64 bits (the finaliser of splitmix64).
///
/// The sum over a set of places tells sets apart well enough to look for equal ones, and
/// is cheap to keep up to date.
pub(crate) fn hash(place: u32) -> u64 {
    let mut bits = u64::from(place).wrapping_add(0x9e37_79b9_7f4a_7c15);
    bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    bits ^ (bits >> 31)
}

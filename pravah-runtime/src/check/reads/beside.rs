//! Which nodes of a flow can run at the same time.

use crate::topology::Topology;

/// How many nodes a flow may have in which something is read: constants cannot allocate.
pub(super) const MAX_NODES: usize = 4096;

/// Which slots hold something at the same time, as the flow's concurrency relation has it.
pub(super) struct Beside<'a> {
    pub(super) net: &'a Topology,
    /// The number of the first slot of each node.
    first: [u32; MAX_NODES],
    slots: usize,
}

impl<'a> Beside<'a> {
    pub(super) const fn of(net: &'a Topology) -> Self {
        let mut first = [0; MAX_NODES];
        let (mut node, mut slots) = (0, 0);
        while node < net.nodes.len() {
            first[node] = slots as u32;
            slots += net.nodes[node].slots.len();
            node += 1;
        }
        Self { net, first, slots }
    }

    /// Whether two nodes can run at the same time.
    pub(super) const fn are_together(&self, one: usize, other: usize) -> bool {
        let mut slot = 0;
        while slot < self.net.nodes[other].slots.len() {
            if !self.can_wait_beside((other, slot), one) {
                return false;
            }
            slot += 1;
        }
        true
    }

    /// Whether something can wait in a slot while a node runs.
    pub(super) const fn can_wait_beside(&self, place: (usize, usize), node: usize) -> bool {
        let mut slot = 0;
        while slot < self.net.nodes[node].slots.len() {
            if !self.has(place, (node, slot)) {
                return false;
            }
            slot += 1;
        }
        true
    }

    const fn has(&self, one: (usize, usize), other: (usize, usize)) -> bool {
        let row = self.first[one.0] as usize + one.1;
        let bit = self.first[other.0] as usize + other.1;
        let byte = row * self.slots.div_ceil(8) + bit / 8;
        self.net.concurrency[byte] & 1 << (bit % 8) != 0
    }
}

//! Whether a node can run before a state is made, by pairs of slots, where the linear pass in `reach` says that it
//! might. It misses no unproved read; that it refuses no proved one is tested on random nets, and has no proof.

use super::reach::Reach;
use crate::{
    state::StateRef,
    topology::{ArcFrom, ShapeKind, Topology},
};

/// How many slots a flow may have to be asked by pairs; in a larger one the linear pass has the last word.
const MAX_SLOTS: usize = 512;
const WORDS: usize = MAX_SLOTS / 64;

/// Some of the slots.
type Slots = [u64; WORDS];

/// Whether some run comes to node number `node` before it has made a state.
pub(super) const fn can_be_first(net: &Topology, node: usize, state: StateRef) -> bool {
    if net.starts_with(state) || !Reach::from_start(net, state).runs(node) {
        return false;
    }
    if net.concurrency.is_empty() {
        // Where nothing forks, the linear pass is exact.
        return true;
    }
    let mut first = [0; MAX_SLOTS];
    let (mut slots, mut at) = (0, 0);
    while at < net.nodes.len() {
        if slots + net.nodes[at].slots.len() > MAX_SLOTS || at == MAX_SLOTS {
            return true;
        }
        first[at] = slots;
        slots += net.nodes[at].slots.len();
        at += 1;
    }
    let mut pairs = Pairs {
        net,
        first,
        words: slots.div_ceil(64),
        rows: [[0; WORDS]; MAX_SLOTS],
    };
    pairs.start();
    while pairs.go_on(state) {}
    pairs.can_run(node)
}

/// The pairs of slots in which something can wait at the same time, each slot also with itself.
struct Pairs<'a> {
    net: &'a Topology,
    /// The number of the first slot of each node.
    first: [usize; MAX_SLOTS],
    /// How many words of a row are in use.
    words: usize,
    rows: [Slots; MAX_SLOTS],
}

impl Pairs<'_> {
    /// The flow's input waits in all slots that it goes to.
    const fn start(&mut self) {
        let mut marked = [0; WORDS];
        let mut arc = 0;
        while arc < self.net.arcs.len() {
            if matches!(self.net.arcs[arc].from, ArcFrom::Input) {
                self.add(arc, &mut marked);
            }
            arc += 1;
        }
        self.mark(marked, [0; WORDS]);
    }

    /// Adds the slot that an arc leads to.
    const fn add(&self, arc: usize, slots: &mut Slots) {
        if let Some(node) = self.net.target(arc) {
            let slot = self.first[node] + self.net.slot_of(arc, node);
            slots[slot / 64] |= 1 << (slot % 64);
        }
    }

    /// Notes that something can wait in all slots of `marked` at the same time, and in each of `beside`. Says
    /// whether that is new of any.
    const fn mark(&mut self, marked: Slots, beside: Slots) -> bool {
        let (mut found, mut word) = (false, 0);
        while word < self.words {
            let mut left = marked[word];
            while left != 0 {
                let slot = word * 64 + left.trailing_zeros() as usize;
                found = self.mark_beside(slot, &marked, &beside) || found;
                left &= left - 1;
            }
            word += 1;
        }
        found
    }

    /// The same for one of those slots.
    const fn mark_beside(&mut self, slot: usize, marked: &Slots, beside: &Slots) -> bool {
        let (mut found, mut word) = (false, 0);
        while word < self.words {
            let mut new = (marked[word] | beside[word]) & !self.rows[slot][word];
            self.rows[slot][word] |= new;
            found = found || new != 0;
            while new != 0 {
                let other = word * 64 + new.trailing_zeros() as usize;
                self.rows[other][slot / 64] |= 1 << (slot % 64);
                new &= new - 1;
            }
            word += 1;
        }
        found
    }

    /// What can wait beside all slots of a node, its own among it.
    const fn beside(&self, node: usize) -> Slots {
        let (first, count) = (self.first[node], self.net.nodes[node].slots.len());
        let mut beside = self.rows[first];
        let mut slot = 1;
        while slot < count {
            let mut word = 0;
            while word < self.words {
                beside[word] &= self.rows[first + slot][word];
                word += 1;
            }
            slot += 1;
        }
        beside
    }

    const fn can_run(&self, node: usize) -> bool {
        let beside = self.beside(node);
        let mut slot = 0;
        while slot < self.net.nodes[node].slots.len() {
            if !has(&beside, self.first[node] + slot) {
                return false;
            }
            slot += 1;
        }
        true
    }

    /// Lets every node run that can, without an outcome that makes the state, and says whether that showed
    /// anything new.
    const fn go_on(&mut self, state: StateRef) -> bool {
        let mut found = false;
        let mut node = 0;
        while node < self.net.nodes.len() {
            if self.can_run(node) {
                found = self.run(node, state) || found;
            }
            node += 1;
        }
        found
    }

    const fn run(&mut self, node: usize, state: StateRef) -> bool {
        let mut beside = self.beside(node);
        let mut slot = 0;
        while slot < self.net.nodes[node].slots.len() {
            let own = self.first[node] + slot;
            beside[own / 64] &= !(1 << (own % 64));
            slot += 1;
        }
        let branches = self.net.nodes[node].branches;
        let is_choice = matches!(self.net.nodes[node].follows, ShapeKind::Choice);
        let (mut found, mut output) = (false, 0);
        let mut all = [0; WORDS];
        while output < branches.len() {
            if !self.net.makes_as(node, output, state) {
                if is_choice {
                    all = [0; WORDS];
                }
                self.add(branches[output], &mut all);
                if is_choice || output + 1 == branches.len() {
                    found = self.mark(all, beside) || found;
                }
            }
            output += 1;
        }
        if let Some(catch) = self.net.catch_of(node) {
            let mut caught = [0; WORDS];
            self.add(catch, &mut caught);
            found = self.mark(caught, beside) || found;
        }
        found
    }
}

const fn has(slots: &Slots, slot: usize) -> bool {
    slots[slot / 64] & 1 << (slot % 64) != 0
}

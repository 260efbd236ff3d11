//! The places of a flow with a weight for each, such that no step changes the sum: what waits can finish if and only if
//! it weighs as much as the end. It is the sum of classes that `pravah_graph::WayOut` has, in a number: each
//! slot but the first of a node weighs a number that looks random, so that sums of different classes are equal once in
//! 2^128.

use super::{
    frame::Frame,
    hash::{Hash, mixed},
};
use crate::topology::{ArcFrom, ArcTo, ShapeKind, Topology, TopologyNode};

/// What the end weighs: 2^128 divided by the golden ratio. Any odd number does: none of its multiples that a net could
/// come to is 0.
pub(super) const END: u128 = 0x9e37_79b9_7f4a_7c15_f39c_c060_5ced_c835;

/// The places of a flow, nested flows among them. `SIZE` is [`lock_size`] of it.
pub(super) struct Weights<const SIZE: usize> {
    /// For each node its first place; of a nested flow with a `catch` that starts at several places the one before those.
    first_place: [usize; SIZE],
    /// Of a nested flow, the number of the first node in it.
    inner_at: [usize; SIZE],
    weights: [Option<u128>; SIZE],
    keys: [Key; SIZE],
    key_count: usize,
    /// The last key of each bucket, which states are put into by their hashes: to look at all keys for each place of a lock
    /// would be quadratic.
    buckets: [Option<usize>; SIZE],
    nodes: usize,
    places: usize,
}

/// A state where it waits.
#[derive(Clone, Copy)]
pub(super) struct Key {
    /// Of the name of the state.
    pub(super) state: Hash,
    /// Of who takes it: the node, and with its parameter.
    pub(super) node: Hash,
    pub(super) param: Hash,
    /// Whether the node takes several states of this name.
    pub(super) is_repeated: bool,
    pub(super) place: usize,
    /// The key before it in its bucket.
    before: Option<usize>,
    /// Of a list, the chain of its items, and what the ids of nodes in it start with.
    pub(super) chain: Option<(&'static Topology, Hash)>,
}

/// Room for the nodes, places and keys of a flow, and for those of the chain of each list in it.
pub const fn lock_size(net: &Topology) -> usize {
    let mut size = 2 + net.nodes.len() + net.arcs.len();
    let mut nodes = net.nodes;
    while let [node, rest @ ..] = nodes {
        if let Some(inside) = node.inside {
            size += lock_size(inside);
        }
        size += node.slots.len();
        nodes = rest;
    }
    size
}

impl<const SIZE: usize> Weights<SIZE> {
    /// `None` where something in the flow is wrong, which is reported elsewhere.
    /// `ids` is what the ids of its nodes start with.
    pub(super) const fn of(net: &'static Topology, ids: Hash) -> Option<Self> {
        let mut weights = Self {
            first_place: [0; SIZE],
            inner_at: [0; SIZE],
            weights: [None; SIZE],
            keys: [Key::NONE; SIZE],
            key_count: 0,
            buckets: [None; SIZE],
            nodes: net.nodes.len(),
            places: 0,
        };
        let frame = Frame {
            net,
            around: None,
            nodes_at: 0,
            ids,
        };
        if !weights.add(&frame) {
            return None;
        }
        while weights.weigh(&frame) {}
        Some(weights)
    }

    /// What a state weighs that waits in a place.
    pub(super) const fn weight(&self, place: usize) -> Option<u128> {
        self.weights[place]
    }

    /// Numbers the nodes and places of a flow. Returns whether all is in order.
    const fn add(&mut self, frame: &Frame<'_>) -> bool {
        if frame.net.nodes.is_empty() || !frame.net.is_in_order() {
            return false;
        }
        let mut at = 0;
        while at < frame.net.nodes.len() {
            let node = &frame.net.nodes[at];
            if node.signature.broken {
                return false;
            }
            let number = frame.nodes_at + at;
            self.first_place[number] = self.places;
            if let Some(inner) = frame.inner(at, self.nodes) {
                self.inner_at[number] = self.nodes;
                self.nodes += inner.net.nodes.len();
                self.places += frame.has_entrance(at) as usize;
                if !self.add(&inner) {
                    return false;
                }
            } else {
                self.add_keys(frame, node);
                self.places += node.slots.len();
            }
            at += 1;
        }
        true
    }

    /// Adds what may wait for a node.
    const fn add_keys(&mut self, frame: &Frame<'_>, node: &TopologyNode) {
        let id = frame.hash_of(node.id);
        let mut filled = [false; 16];
        let mut slot = 0;
        while slot < node.slots.len() {
            let param = param_of(frame.net, node, slot, &filled);
            let mut called = id.and(".");
            if let Some(param) = param {
                filled[param] = true;
                let name = node.signature.params[param].called;
                called = match name.is_empty() {
                    true => called.and_number(param + 1),
                    false => called.and(name),
                };
            }
            let mut key = Key {
                node: id,
                param: called,
                place: self.places + slot,
                chain: match node.inside {
                    Some(chain) if chain.is_list() => Some((chain, frame.ids_inside())),
                    _ => None,
                },
                ..Key::NONE
            };
            // All that the parameter may take, whichever of that comes in this flow.
            let mut states = match param {
                Some(param) => node.signature.params[param].states,
                None => &[],
            };
            while let [state, rest @ ..] = states {
                key.state = frame.hash_of_state(state.name);
                self.add_key(key);
                states = rest;
            }
            slot += 1;
        }
    }

    const fn add_key(&mut self, mut key: Key) {
        let mut at = self.key_count;
        while at > 0 && self.keys[at - 1].node.is(key.node) {
            at -= 1;
            let other = &mut self.keys[at];
            if other.state.is(key.state) {
                if other.place == key.place {
                    return;
                }
                other.is_repeated = true;
                key.is_repeated = true;
            }
        }
        let bucket = key.state.bucket(SIZE);
        key.before = self.buckets[bucket];
        self.buckets[bucket] = Some(self.key_count);
        self.keys[self.key_count] = key;
        self.key_count += 1;
    }

    /// The last key in the bucket of a state.
    pub(super) const fn last_key(&self, state: Hash) -> Option<&Key> {
        match self.buckets[state.bucket(SIZE)] {
            Some(key) => Some(&self.keys[key]),
            None => None,
        }
    }

    /// The key before another in its bucket.
    pub(super) const fn key_before(&self, key: &Key) -> Option<&Key> {
        match key.before {
            Some(key) => Some(&self.keys[key]),
            None => None,
        }
    }

    /// Weighs the places of nodes that lead to such as have a weight, those nearest the end first. Returns whether there
    /// was one.
    const fn weigh(&mut self, frame: &Frame<'_>) -> bool {
        let (mut at, mut has_changed) = (frame.net.nodes.len(), false);
        while at > 0 {
            at -= 1;
            let number = frame.nodes_at + at;
            if let Some(inner) = frame.inner(at, self.inner_at[number]) {
                has_changed = self.weigh(&inner) || has_changed;
                if !frame.has_entrance(at) || self.is_weighed(number) {
                    continue;
                }
                let start = self.sum_of_starts(&inner);
                let weight = match start {
                    Some(weight) => Some(weight),
                    None => self.sum_of_failure(frame, at),
                };
                if weight.is_some() {
                    self.weights[self.first_place[number]] = weight;
                    has_changed = true;
                }
            } else if !self.is_weighed(number)
                && let Some(weight) = self.lightest_outcome(frame, at)
            {
                self.set(number, frame.net.nodes[at].slots.len(), weight);
                has_changed = true;
            }
        }
        has_changed
    }

    const fn is_weighed(&self, number: usize) -> bool {
        self.weights[self.first_place[number]].is_some()
    }

    /// The slots of a node weigh as much as what it leaves.
    const fn set(&mut self, number: usize, slots: usize, weight: u128) {
        let first = self.first_place[number];
        let (mut slot, mut rest) = (1, weight);
        while slot < slots {
            let own = mixed((first + slot) as u64);
            self.weights[first + slot] = Some(own);
            rest = rest.wrapping_sub(own);
            slot += 1;
        }
        self.weights[first] = Some(rest);
    }

    /// What the first outcome of a node leaves of which everything has a weight.
    const fn lightest_outcome(&self, frame: &Frame<'_>, at: usize) -> Option<u128> {
        let node = &frame.net.nodes[at];
        if let ShapeKind::Choice = node.follows {
            let mut arcs = node.branches;
            while let [arc, rest @ ..] = arcs {
                if let Some(weight) = self.sum_of_arc(frame, *arc) {
                    return Some(weight);
                }
                arcs = rest;
            }
        } else if let Some(weight) = self.sum_of_branches(frame, at) {
            return Some(weight);
        }
        if let Some(weight) = self.sum_of_failure(frame, at) {
            return Some(weight);
        }
        // A `catch` around a flow empties it, as if it had failed at its start.
        let mut frame = frame;
        let mut at = at;
        while let Some((around, within)) = frame.around
            && !around.has_entrance(within)
            && frame.starts_with(at)
        {
            if let Some(weight) = self.sum_of_failure(around, within) {
                return Some(weight);
            }
            (frame, at) = (around, within);
        }
        None
    }

    const fn sum_of_failure(&self, frame: &Frame<'_>, at: usize) -> Option<u128> {
        match frame.net.failure_arc(at) {
            Some(arc) => self.sum_of_arc(frame, arc),
            None => None,
        }
    }

    const fn sum_of_branches(&self, frame: &Frame<'_>, at: usize) -> Option<u128> {
        let (mut arcs, mut sum) = (frame.net.nodes[at].branches, 0_u128);
        while let [arc, rest @ ..] = arcs {
            match self.sum_of_arc(frame, *arc) {
                Some(weight) => sum = sum.wrapping_add(weight),
                None => return None,
            }
            arcs = rest;
        }
        Some(sum)
    }

    /// What a flow starts with.
    const fn sum_of_starts(&self, frame: &Frame<'_>) -> Option<u128> {
        let (mut arc, mut sum) = (0, 0_u128);
        while arc < frame.net.arcs.len() {
            if let ArcFrom::Input = frame.net.arcs[arc].from {
                match self.sum_of_arc(frame, arc) {
                    Some(weight) => sum = sum.wrapping_add(weight),
                    None => return None,
                }
            }
            arc += 1;
        }
        Some(sum)
    }

    /// What an arc leads to.
    const fn sum_of_arc(&self, frame: &Frame<'_>, arc: usize) -> Option<u128> {
        let ArcTo::Node(at) = frame.net.arcs[arc].to else {
            return match frame.around {
                Some((around, within)) => self.sum_of_branches(around, within),
                None => Some(END),
            };
        };
        let number = frame.nodes_at + at;
        let first = self.first_place[number];
        if let Some(inner) = frame.inner(at, self.inner_at[number]) {
            return match frame.has_entrance(at) {
                true => self.weights[first],
                false => self.sum_of_starts(&inner),
            };
        }
        let slots = frame.net.nodes[at].slots;
        let mut slot = 0;
        while slot + 1 < slots.len() && !contains(slots[slot], arc) {
            slot += 1;
        }
        self.weights[first + slot]
    }
}

/// The parameter that a slot fills: the first that takes what it brings, and that none before has filled.
const fn param_of(
    net: &Topology,
    node: &TopologyNode,
    slot: usize,
    filled: &[bool; 16],
) -> Option<usize> {
    let [arc, ..] = node.slots[slot] else {
        return None;
    };
    let Some(state) = net.carried[*arc].state else {
        return None;
    };
    let params = node.signature.params;
    let mut param = 0;
    while param < params.len() && param < filled.len() {
        if !filled[param] && crate::topology::contains(params[param].states, state) {
            return Some(param);
        }
        param += 1;
    }
    None
}

const fn contains(mut arcs: &[usize], arc: usize) -> bool {
    while let [first, rest @ ..] = arcs {
        if *first == arc {
            return true;
        }
        arcs = rest;
    }
    false
}

impl Key {
    const NONE: Self = Self {
        state: Hash::NONE,
        node: Hash::NONE,
        param: Hash::NONE,
        is_repeated: false,
        place: 0,
        before: None,
        chain: None,
    };
}

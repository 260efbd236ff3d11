//! `Latest<S>`: whether every run that comes to a reader has made an `S` before, and whether chance would decide
//! which of several it reads.

mod beside;
mod pairs;
mod races;
mod reach;
mod read;
#[cfg(test)]
mod tests;

use self::{
    beside::MAX_NODES,
    pairs::can_be_first,
    races::{maker_beside, race_of},
    reach::Reach,
    read::Read,
};
use super::message::Message;
use crate::{
    state::{StateRef, name::same},
    topology::{ArcFrom, ArcTo, ShapeKind, Topology, TopologyNode},
};

/// What is wrong with what node number `node` reads.
pub(super) const fn mistake_of_reads(net: &Topology, node: usize) -> Option<Message> {
    let (mut number, count) = (0, count_reads(&net.nodes[node]));
    if count > 0 && net.nodes.len() <= MAX_NODES && !net.is_known() {
        return None;
    }
    while number < count {
        if let Some(read) = read_around(&net.nodes[node], number)
            && let Some(mistake) = mistake_of_read(net, node, read)
        {
            return Some(mistake);
        }
        number += 1;
    }
    None
}

const fn mistake_of_read(net: &Topology, node: usize, read: Read) -> Option<Message> {
    if net.nodes.len() > MAX_NODES {
        return Some(too_large(read));
    }
    // What is read in a list may have been made before it: that is asked where the list is.
    if !net.is_list()
        && let Some(mistake) = unproved(net, node, read)
    {
        return Some(mistake);
    }
    race_of(net, node, read)
}

/// The node that reads a state, if one does.
pub(super) const fn reader_of(net: &Topology, state: StateRef) -> Option<&'static str> {
    let mut node = 0;
    while node < net.nodes.len() {
        let (mut number, count) = (0, count_reads(&net.nodes[node]));
        while number < count {
            if let Some(read) = read_around(&net.nodes[node], number)
                && same(read.state.name, state.name)
            {
                return Some(read.reader.name);
            }
            number += 1;
        }
        node += 1;
    }
    None
}

/// How many states a node reads, those included that nodes in the chain of the list read that it is.
const fn count_reads(node: &TopologyNode) -> usize {
    let (mut count, mut asks) = (0, node.signature.asks);
    while let [ask, rest @ ..] = asks {
        count += ask.latest().is_some() as usize;
        asks = rest;
    }
    let Some(chain) = list_in(node) else {
        return count;
    };
    let mut nodes = chain.nodes;
    while let [node, rest @ ..] = nodes {
        count += count_reads(node);
        nodes = rest;
    }
    count
}

/// The chain of the list that a node is.
const fn list_in(node: &TopologyNode) -> Option<&'static Topology> {
    match node.inside {
        Some(chain) if chain.is_list() => Some(chain),
        _ => None,
    }
}

/// What a node reads, by its number among them, unless it is sure to be made in the chain that reads it.
const fn read_around(node: &TopologyNode, number: usize) -> Option<Read> {
    let (mut left, mut asks) = (number, node.signature.asks);
    while let [ask, rest @ ..] = asks {
        if let Some(state) = ask.latest() {
            if left == 0 {
                let reader = node.signature;
                return Some(Read {
                    state,
                    reader,
                    in_chain: None,
                });
            }
            left -= 1;
        }
        asks = rest;
    }
    match list_in(node) {
        Some(chain) => read_in_list(chain, left),
        None => None,
    }
}

/// The same of what the nodes of a chain read.
const fn read_in_list(chain: &'static Topology, number: usize) -> Option<Read> {
    if chain.nodes.len() > MAX_NODES || !chain.is_known() {
        return None;
    }
    let (mut node, mut left) = (0, number);
    while node < chain.nodes.len() {
        let count = count_reads(&chain.nodes[node]);
        if left < count {
            break;
        }
        left -= count;
        node += 1;
    }
    match read_around(&chain.nodes[node], left) {
        Some(read) if can_be_first(chain, node, read.state) => Some(Read {
            in_chain: match read.in_chain {
                None => Some((chain, node)),
                inner => inner,
            },
            ..read
        }),
        _ => None,
    }
}

const fn unproved(net: &Topology, node: usize, read: Read) -> Option<Message> {
    // Two states of one name are reported by `check_names`.
    if !can_be_first(net, node, read.state) || net.has_namesake(read.state) {
        return None;
    }
    let text = read.text();
    if !net.makes_any(read.state) {
        if let Some((chain, reader)) = read.in_chain
            && chain.makes_any(read.state)
        {
            return Some(unproved_in_item(chain, reader, read));
        }
        return Some(
            text.push(", and nothing in this flow makes one before it")
                .help(&[
                    "a read sees what nodes of the same flow return, and the flow's input, not what is made in the items of a list or in a nested flow; to read the input of an enclosing flow, take ",
                ])
                .and_read("Input", read.state),
        );
    }
    let text = text
        .push(", and a run reaches it before any ")
        .and_state(read.state)
        .push(" is made: `");
    Some(
        Reach::from_start(net, read.state)
            .and_run_to(net, read.state, node, text)
            .push("`")
            .and_help(net, node, read),
    )
}

impl Message {
    /// Appends what to do about a read that some run comes to too early.
    const fn and_help(self, net: &Topology, node: usize, read: Read) -> Self {
        let name = net.nodes[node].signature.name;
        match maker_beside(net, node, read.state) {
            Some(maker) => self.help(&[
                "`",
                maker,
                "` is in a branch beside: join that branch before `",
                name,
                "`",
            ]),
            None => self.help(&["return a "]).and_state(read.state).and(&[
                " from a node of this run, or do not lead this run to `",
                name,
                "`",
            ]),
        }
    }
}

/// A run of an item, where nothing is made before the list.
const fn unproved_in_item(chain: &Topology, reader: usize, read: Read) -> Message {
    let text = read
        .text()
        .push(", and an item reaches it before any ")
        .and_state(read.state)
        .push(" is made: `");
    Reach::from_start(chain, read.state)
        .and_run_to(chain, read.state, reader, text)
        .push("`")
        .help(&["return a "])
        .and_state(read.state)
        .push(" from a node of this run, or from one before the list")
}

const fn too_large(read: Read) -> Message {
    read.text()
        .push(", which only a flow of at most ")
        .push_number(MAX_NODES)
        .push(" nodes can")
        .help(&["move some of the nodes into a flow of their own"])
}

impl Topology {
    /// Whether everything is in order, so that it is known what every node makes.
    const fn is_known(&self) -> bool {
        let mut nodes = self.nodes;
        while let [node, rest @ ..] = nodes {
            if node.signature.broken {
                return false;
            }
            nodes = rest;
        }
        self.is_in_order()
    }

    /// Whether a run makes a state when it starts.
    pub(super) const fn starts_with(&self, state: StateRef) -> bool {
        let mut arc = 0;
        while arc < self.arcs.len() {
            if matches!(self.arcs[arc].from, ArcFrom::Input) && self.carries(arc, state) {
                return true;
            }
            arc += 1;
        }
        false
    }

    /// Whether another state of the same name is made.
    const fn has_namesake(&self, state: StateRef) -> bool {
        let mut arc = 0;
        while arc < self.arcs.len() {
            if let Some(carried) = self.carried[arc].state
                && same(carried.name, state.name)
                && !self.carries(arc, state)
            {
                return true;
            }
            arc += 1;
        }
        false
    }

    const fn carries(&self, arc: usize, state: StateRef) -> bool {
        match self.carried[arc].state {
            Some(carried) => carried.has_same_names(&state),
            None => false,
        }
    }

    /// Whether the outcome of a node in which it returns output number `output` makes a state.
    const fn makes_as(&self, node: usize, output: usize, state: StateRef) -> bool {
        let TopologyNode {
            follows, branches, ..
        } = self.nodes[node];
        if let ShapeKind::Choice = follows {
            return self.carries(branches[output], state);
        }
        let mut branches = branches;
        while let [arc, rest @ ..] = branches {
            if self.carries(*arc, state) {
                return true;
            }
            branches = rest;
        }
        false
    }

    /// The first output of a node, from number `output` on, with which it makes a state. Those that are returned
    /// together count as the first.
    const fn makes_with(&self, node: usize, output: usize, state: StateRef) -> Option<usize> {
        let is_choice = matches!(self.nodes[node].follows, ShapeKind::Choice);
        let mut output = output;
        if !is_choice && output > 0 {
            return None;
        }
        while output < self.nodes[node].branches.len() {
            if self.makes_as(node, output, state) {
                return Some(output);
            }
            output += 1;
        }
        None
    }

    pub(super) const fn makes_any(&self, state: StateRef) -> bool {
        let mut node = 0;
        while node < self.nodes.len() {
            if self.makes_with(node, 0, state).is_some() {
                return true;
            }
            node += 1;
        }
        false
    }

    /// Which slot of the node that it leads to an arc fills.
    const fn slot_of(&self, arc: usize, node: usize) -> usize {
        let slots = self.nodes[node].slots;
        let mut slot = 0;
        while slot < slots.len() {
            let mut arcs = slots[slot];
            while let [other, rest @ ..] = arcs {
                if *other == arc {
                    return slot;
                }
                arcs = rest;
            }
            slot += 1;
        }
        slot
    }

    /// The arc of a node's failure, if it is caught.
    const fn catch_of(&self, node: usize) -> Option<usize> {
        if self.nodes[node].failure.is_none() {
            return None;
        }
        let mut arc = 0;
        while arc < self.arcs.len() {
            if matches!(self.arcs[arc].from, ArcFrom::Failure { node: from } if from == node) {
                return Some(arc);
            }
            arc += 1;
        }
        None
    }

    /// The node that an arc leads to, if it leads to one.
    const fn target(&self, arc: usize) -> Option<usize> {
        match self.arcs[arc].to {
            ArcTo::Node(node) => Some(node),
            ArcTo::Done => None,
        }
    }
}

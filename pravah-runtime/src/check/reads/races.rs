//! Reads whose value would depend on which of two nodes comes first.

use super::{
    beside::Beside,
    reach::{LastMakers, Reach},
    read::Read,
};
use crate::{check::message::Message, state::StateRef, topology::Topology};

/// A node that may make what node number `reader` reads while that runs; or two that may make it side by side,
/// where a run comes from both to the reader and nothing makes it after them.
pub(super) const fn race_of(net: &Topology, reader: usize, read: Read) -> Option<Message> {
    if net.concurrency.is_empty() {
        return None;
    }
    let beside = Beside::of(net);
    let last = LastMakers::before(net, reader, read.state);
    let mut one = 0;
    while one < net.nodes.len() {
        if net.makes_with(one, 0, read.state).is_some() {
            if beside.are_together(one, reader) {
                return Some(beside_reader(net, one, read));
            }
            let mut other = one + 1;
            while last.has(one) && other < net.nodes.len() {
                if last.has(other)
                    && beside.are_together(one, other)
                    && are_rivals(&beside, [one, other], reader, read.state)
                {
                    return Some(beside_each_other(net, [one, other], read));
                }
                other += 1;
            }
        }
        one += 1;
    }
    None
}

/// A node that may make the state while node number `reader` runs.
pub(super) const fn maker_beside(
    net: &Topology,
    reader: usize,
    state: StateRef,
) -> Option<&'static str> {
    if net.concurrency.is_empty() {
        return None;
    }
    let beside = Beside::of(net);
    let mut node = 0;
    while node < net.nodes.len() {
        if net.makes_with(node, 0, state).is_some() && beside.are_together(node, reader) {
            return Some(net.nodes[node].id);
        }
        node += 1;
    }
    None
}

/// Whether a run comes to the reader from both of two nodes that have made the state, and nothing makes it
/// after them.
const fn are_rivals(
    beside: &Beside<'_>,
    [one, other]: [usize; 2],
    reader: usize,
    state: StateRef,
) -> bool {
    let net = beside.net;
    let mut output = 0;
    while let Some(made) = net.makes_with(one, output, state) {
        let mut other_output = 0;
        while let Some(other_made) = net.makes_with(other, other_output, state) {
            let makers = [(one, made), (other, other_made)];
            if Reach::along_arcs(net, state, makers[0]).runs(reader)
                && Reach::along_arcs(net, state, makers[1]).runs(reader)
                && Reach::behind_both(beside, state, makers).runs(reader)
            {
                return true;
            }
            other_output = other_made + 1;
        }
        output = made + 1;
    }
    false
}

const fn beside_reader(net: &Topology, maker: usize, read: Read) -> Message {
    let maker = net.nodes[maker].id;
    read.text()
        .and(&[", and `", maker, "` can make one at the same time, "])
        .push("so which it reads would depend on timing")
        .help(&[
            "join the branch of `",
            maker,
            "` before `",
            read.reader.name,
        ])
        .push("`")
}

const fn beside_each_other(net: &Topology, [one, other]: [usize; 2], read: Read) -> Message {
    let (one, other) = (net.nodes[one].id, net.nodes[other].id);
    read.text()
        .and(&[
            ", and `",
            one,
            "` and `",
            other,
            "` make one each, side by side, ",
        ])
        .push("so which is the latest would depend on timing")
        .help(&["take what each of them returns in a `join`, and return the "])
        .and_state(read.state)
        .push(" that is meant from there")
}

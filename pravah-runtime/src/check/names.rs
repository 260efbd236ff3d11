//! Names of states within one flow.

use super::{edges::after, message::message};
use crate::{
    state::{StateRef, name::same},
    topology::{ParamKind, Signature, Source, Topology},
};

/// A hash table with open addressing: comparing all pairs would trip the limit of constant
/// evaluation at a few hundred nodes.
struct Table<'a, const SIZE: usize> {
    flow: &'a str,
    // References: to copy whole states slows constant evaluation. `names_size` leaves half of them free.
    states: [Option<&'static StateRef>; SIZE],
}

/// In the flow `flow`, with its lists, one name means one type.
///
/// `SIZE` is [`names_size`] of the net.
#[track_caller]
pub const fn check_names<const SIZE: usize>(flow: &str, net: &'static Topology) {
    let mut table = Table::<SIZE> {
        flow,
        states: [None; SIZE],
    };
    table.insert_net(net);
    check_nested(flow, net);
}

/// No node is called as one of a nested flow is: `x::a` is node `a` of the flow `x`, and a node of the module `x`.
#[track_caller]
const fn check_nested(flow: &str, net: &Topology) {
    let (mut nodes, mut any_inside) = (net.nodes, false);
    while let [node, rest @ ..] = nodes
        && !any_inside
    {
        any_inside = node.inside.is_some();
        nodes = rest;
    }
    if !any_inside {
        return;
    }
    let mut nodes = net.nodes;
    while let [node, rest @ ..] = nodes {
        if is_path(node.id) && has_nested(net, node.id) {
            message(&[
                "two nodes of `",
                flow,
                "` are called `",
                node.id,
                "`: one of them is in a nested flow",
            ])
            .help(&[
                "give the other one another name: `",
                node.written,
                " as other`",
            ])
            .fail()
        }
        nodes = rest;
    }
}

/// Whether a name is a path, as those of the nodes of nested flows are.
const fn is_path(name: &str) -> bool {
    let mut rest = name.as_bytes();
    while let [byte, others @ ..] = rest {
        if *byte == b':' {
            return true;
        }
        rest = others;
    }
    false
}

/// Whether a nested flow has a node that is called so here.
const fn has_nested(net: &Topology, id: &str) -> bool {
    let mut nodes = net.nodes;
    while let [node, rest @ ..] = nodes {
        if let Some(inside) = node.inside
            && let Some(within) = after(id, node.id)
            && let Some(inner) = after(within, "::")
            && (has_node(inside, inner) || has_nested(inside, inner))
        {
            return true;
        }
        nodes = rest;
    }
    false
}

const fn has_node(net: &Topology, id: &str) -> bool {
    let mut nodes = net.nodes;
    while let [node, rest @ ..] = nodes {
        if same(node.id, id) {
            return true;
        }
        nodes = rest;
    }
    false
}

/// Room for all states that a net mentions, twice over.
pub const fn names_size(net: &Topology) -> usize {
    (2 * mentions(net)).next_power_of_two()
}

const fn mentions(net: &Topology) -> usize {
    let (mut mentions, mut nodes) = (2 + net.arcs.len(), net.nodes);
    while let [node, rest @ ..] = nodes {
        let Signature {
            params,
            shape,
            asks,
            ..
        } = &node.signature;
        let mut params = *params;
        while let [param, rest @ ..] = params {
            mentions += param.states.len();
            params = rest;
        }
        mentions += shape.states.len() + asks.len();
        if let Some(chain) = node.inside
            && chain.is_list()
        {
            mentions += self::mentions(chain);
        }
        nodes = rest;
    }
    mentions
}

impl<const SIZE: usize> Table<'_, SIZE> {
    /// All states that a net mentions, with those in its lists: what is read there may be of around them.
    #[track_caller]
    const fn insert_net(&mut self, net: &'static Topology) {
        self.insert(net.ends.input.as_slice());
        self.insert(net.ends.output.as_slice());
        let mut nodes = net.nodes;
        while let [node, rest @ ..] = nodes {
            // A broken node was reported where it is written.
            if !node.signature.broken {
                self.insert_signature(&node.signature);
            }
            if let Some(chain) = node.inside
                && chain.is_list()
            {
                self.insert_net(chain);
            }
            nodes = rest;
        }
        let mut carried = net.carried;
        while let [arc, rest @ ..] = carried {
            if matches!(arc.source, Source::Failure) {
                self.insert(arc.state.as_slice());
            }
            carried = rest;
        }
    }

    #[track_caller]
    const fn insert_signature(&mut self, signature: &'static Signature) {
        let mut params = signature.params;
        while let [param, rest @ ..] = params {
            self.insert(param.states);
            params = rest;
        }
        self.insert(signature.shape.states);
        let mut asks = signature.asks;
        while let [ask, rest @ ..] = asks {
            if matches!(ask.kind, ParamKind::Read) {
                self.insert(ask.states);
            }
            asks = rest;
        }
    }

    #[track_caller]
    const fn insert(&mut self, mut states: &'static [StateRef]) {
        while let [state, rest @ ..] = states {
            let mut at = hash(state.name) % SIZE;
            loop {
                match self.states[at] {
                    None => self.states[at] = Some(state),
                    // It is the same type, and so has the same name.
                    Some(known) if state.place.is_some() && known.is_same_type(state) => {}
                    Some(known) if same(known.name, state.name) => self.compare(known, state),
                    Some(_) => {
                        // There is room for twice as many.
                        at = (at + 1) % SIZE;
                        continue;
                    }
                }
                break;
            }
            states = rest;
        }
    }

    /// Two states of one name have to be one.
    #[track_caller]
    const fn compare(&self, one: &StateRef, other: &StateRef) {
        if !one.is_same_type(other) {
            message(&["two states of `", self.flow, "` are called "])
                .and_state(*one)
                .and(&[": `", one.path, "` and `", other.path, "`"])
                .help(&["give one of them another name with `#[serde(rename = \"…\")]`"])
                .fail()
        }
    }
}

/// A hash of a name, of eight bytes in a step: steps and calls slow constant evaluation. That is also why it multiplies as
/// `u128`, which has room for the product, and not with `wrapping_mul`.
const fn hash(text: &str) -> usize {
    /// 2^64 divided by the golden ratio, as in Knuth's multiplicative hashing.
    const FACTOR: u128 = 0x9e37_79b9_7f4a_7c15;
    let mut rest = text.as_bytes();
    let mut hash: u64 = 0;
    while let [a, b, c, d, e, f, g, h, others @ ..] = rest {
        let low = *a as u64 | (*b as u64) << 8 | (*c as u64) << 16 | (*d as u64) << 24;
        let high = *e as u64 | (*f as u64) << 8 | (*g as u64) << 16 | (*h as u64) << 24;
        hash = ((hash ^ low ^ high << 32) as u128 * FACTOR) as u64;
        rest = others;
    }
    while let [byte, others @ ..] = rest {
        hash = ((hash ^ *byte as u64) as u128 * FACTOR) as u64;
        rest = others;
    }
    // A product carries what differs to higher bits alone: they are folded down and multiplied once more.
    (((hash ^ hash >> 32) as u128 * FACTOR) as u64 >> 40) as usize
}

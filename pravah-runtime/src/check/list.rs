//! The signature of `each(…)`, put together from those of its chain.

use super::message::message;
use crate::{
    state::{StateRef, name::ConstStr},
    topology::{ArcFrom, Inside, ParamRef, Shape, ShapeKind, Signature, Topology, TopologyNode},
};

/// The names of what a list takes and returns.
pub struct EachNames {
    input: Pair,
    output: Pair,
    chain: &'static Topology,
    broken: bool,
}

struct Pair {
    name: ConstStr,
    path: ConstStr,
}

/// The first node of a list's chain, which takes one item at a time.
#[track_caller]
pub const fn check_list_start(chain: &Topology) {
    let node = chain.nodes[0].signature;
    if node.broken {
        return;
    }
    match node.params {
        [ParamRef { states: [_], .. }] => {}
        [_] => message(&[
            "`",
            node.name,
            "` takes one of several states, and a list holds one kind",
        ])
        .help(&[
            "let it take the item alone; for items of several kinds let the item be a `#[state]` enum, and start the chain with a node that returns a `#[choice]`",
        ])
        .fail(),
        params => message(&["`", node.name, "` waits for "])
            .push_number(params.len())
            .push(" states, and a list brings one item at a time")
            .help(&[
                "let it take the item alone: what else it needs it asks for, such as `Input<_>`",
            ])
            .fail(),
    }
}

/// Checks the `limit` of a list that is no literal.
#[track_caller]
pub const fn check_list_limit(limit: u32) {
    if limit == 0 {
        message(&["`limit` is 0, and no item would be worked on"])
            .help(&["write a number from 1 on"])
            .fail()
    }
}

impl EachNames {
    /// Of a list around this chain. What is wrong inside is said there.
    pub const fn of(chain: &'static Topology) -> Self {
        let end = match chain.first_end() {
            Some(arc) => match chain.arcs[arc].from {
                ArcFrom::Output { node, output } => {
                    let Signature { shape, broken, .. } = chain.nodes[node].signature;
                    match output < shape.states.len() && !broken {
                        true => Some(shape.states[output]),
                        false => None,
                    }
                }
                ArcFrom::Input | ArcFrom::Failure { .. } => None,
            },
            None => None,
        };
        let (item, output, broken) = match (chain.nodes, end) {
            ([TopologyNode { signature, .. }, ..], Some(end)) => match signature.params {
                [
                    ParamRef {
                        states: [state], ..
                    },
                ] => (*state, end, signature.broken || !chain.is_in_order()),
                _ => (StateRef::NONE, end, true),
            },
            _ => (StateRef::NONE, StateRef::NONE, true),
        };
        Self {
            input: Pair::around("Each", item),
            output: Pair::around("Each", output),
            chain,
            broken,
        }
    }

    pub const fn input(&'static self) -> StateRef {
        self.input.state()
    }

    pub const fn output(&'static self) -> StateRef {
        self.output.state()
    }

    /// The signature of the list, which is called `name`; `params` and `output` are its own.
    pub const fn signature(
        &'static self,
        name: &'static str,
        params: &'static [ParamRef],
        output: &'static [StateRef],
    ) -> Signature {
        Signature {
            broken: self.broken,
            inside: Inside::Net(self.chain),
            ..Signature::new(name, params, Shape::new(ShapeKind::One, output))
        }
    }

    /// The parameter of a list, which is filled by `states`.
    pub const fn param(&'static self, states: &'static [StateRef]) -> ParamRef {
        let StateRef { name, path, .. } = self.input.state();
        ParamRef::of_states(name, path, states)
    }
}

impl Pair {
    const fn around(outer: &str, inner: StateRef) -> Self {
        Self {
            name: ConstStr::concat(&[outer, "_of_", inner.name]),
            path: ConstStr::concat(&["pravah_runtime::", outer, "<", inner.path, ">"]),
        }
    }

    const fn state(&'static self) -> StateRef {
        StateRef::named(self.name.as_str(), self.path.as_str())
    }
}

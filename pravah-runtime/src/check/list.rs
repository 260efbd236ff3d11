//! The signature of `each(…)`, put together from those of its chain.

use super::{message::message, net::Net};
use crate::{
    node::{ParamRef, Signature},
    state::{StateRef, name::ConstStr},
};

/// The names of what a list takes and returns.
pub struct EachNames {
    input: Pair,
    output: Pair,
    broken: bool,
}

struct Pair {
    name: ConstStr,
    path: ConstStr,
}

/// The first node of a list's chain, which takes one item at a time.
#[track_caller]
pub const fn check_list_start(node: Signature) {
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
        .help(&["let it take the item alone"])
        .fail(),
        params => message(&["`", node.name, "` waits for "])
            .push_number(params.len())
            .push(" states, and a list brings one item at a time")
            .help(&["let it take the item alone: what else it needs it reads with `ctx.input`"])
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
    /// Of a list whose chain starts with `entry`, and ends with way `way` of `end`.
    /// What is wrong inside is said there.
    pub const fn of(net: &Net, entry: Signature, end: Signature, way: usize) -> Self {
        let (item, broken) = match entry.params {
            [
                ParamRef {
                    states: [state], ..
                },
            ] => (*state, entry.broken || end.broken || !net.is_in_order()),
            _ => (StateRef::NONE, true),
        };
        let (given, broken) = if way < end.shape.states.len() {
            (end.shape.states[way], broken)
        } else {
            (StateRef::NONE, true)
        };
        Self {
            input: Pair::around("Each", item),
            output: Pair::around("Each", given),
            broken,
        }
    }

    pub const fn input(&'static self) -> StateRef {
        self.input.state()
    }

    pub const fn output(&'static self) -> StateRef {
        self.output.state()
    }

    /// The parameter of a list, which is filled by `states`.
    pub const fn param(&'static self, states: &'static [StateRef]) -> ParamRef {
        let StateRef { name, path, .. } = self.input.state();
        ParamRef { name, path, states }
    }

    pub const fn broken(&self) -> bool {
        self.broken
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
        StateRef {
            name: self.name.as_str(),
            path: self.path.as_str(),
            place: "",
            fns: None,
        }
    }
}

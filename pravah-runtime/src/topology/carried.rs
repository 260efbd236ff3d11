//! What the arcs of a flow carry.

use super::{
    ArcFrom, ArcTo, Ends, ParamRef, ShapeKind, Signature, TopologyArc, TopologyNode, contains,
};
use crate::state::{StateRef, name::same};

/// What an arc brings to where it leads.
#[doc(hidden)]
#[derive(Clone, Copy, Debug)]
pub struct Carried {
    /// Nothing where the node that it comes from is broken.
    pub(crate) state: Option<StateRef>,
    /// The node that returned it.
    pub(crate) from: &'static str,
    pub(crate) source: Source,
}

/// Where what an arc carries comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Source {
    Input,
    /// An item of a list.
    Item,
    Output,
    Failure,
}

/// What each of the arcs carries.
#[doc(hidden)]
pub const fn carried<const ARCS: usize>(
    nodes: &[TopologyNode],
    arcs: &[TopologyArc],
    ends: Ends,
) -> [Carried; ARCS] {
    let mut all = [Carried::NOTHING; ARCS];
    let mut arc = 0;
    while arc < ARCS {
        all[arc] = match arcs[arc].from {
            ArcFrom::Input => Carried::input(nodes, arcs[arc].to, ends),
            ArcFrom::Output { node, output } => Carried::output(nodes, arcs, ends, node, output),
            ArcFrom::Failure { node } => Carried::failure(&nodes[node]),
        };
        arc += 1;
    }
    all
}

impl Carried {
    /// Nothing that is known.
    const NOTHING: Self = Self {
        state: None,
        from: "",
        source: Source::Item,
    };

    /// The flow's input, or an item of a list, which is whatever its first node takes.
    const fn input(nodes: &[TopologyNode], to: ArcTo, ends: Ends) -> Self {
        if ends.input.is_some() {
            return Self {
                state: ends.input,
                from: "the flow's input",
                source: Source::Input,
            };
        }
        let ArcTo::Node(node) = to else {
            return Self::NOTHING;
        };
        let state = match nodes[node].signature.params {
            [
                ParamRef {
                    states: [state], ..
                },
            ] => Some(*state),
            _ => None,
        };
        Self {
            state,
            from: "the list",
            source: Source::Item,
        }
    }

    /// What a node returns as output number `output`; nothing where it is not known which of its branches
    /// that is, which is reported at the node.
    const fn output(
        nodes: &[TopologyNode],
        arcs: &[TopologyArc],
        ends: Ends,
        node: usize,
        output: usize,
    ) -> Self {
        let it = &nodes[node];
        let Signature { shape, broken, .. } = &it.signature;
        let state = match (shape.kind, shape.states, it.follows, it.branches) {
            // Most nodes return one state.
            (ShapeKind::One, [state], ShapeKind::One, [_]) if !*broken => Some(*state),
            _ if it.fits()
                && (it.is_broadcast() || output < ordered_branches(it, nodes, arcs, ends)) =>
            {
                Some(it.state_of(output))
            }
            _ => None,
        };
        Self {
            state,
            from: it.signature.name,
            source: Source::Output,
        }
    }

    const fn failure(node: &TopologyNode) -> Self {
        Self {
            state: match node.failure {
                Some(name) if !node.signature.broken => Some(name.state()),
                _ => None,
            },
            from: node.signature.name,
            source: Source::Failure,
        }
    }
}

/// How many of the branches are known to be meant for their states: no more after one that does not take its
/// state, since the rest may only have moved.
const fn ordered_branches(
    node: &TopologyNode,
    nodes: &[TopologyNode],
    arcs: &[TopologyArc],
    ends: Ends,
) -> usize {
    let branches = node.branches;
    let mut i = 0;
    while i < branches.len() && takes(nodes, arcs[branches[i]].to, ends, &node.state_of(i)) {
        i += 1;
    }
    i + 1
}

/// Whether a state is taken where an arc leads; so it is where that is not known.
const fn takes(nodes: &[TopologyNode], to: ArcTo, ends: Ends, state: &StateRef) -> bool {
    match to {
        ArcTo::Node(node) => nodes[node].signature.takes(state),
        ArcTo::Done => match ends.output {
            Some(output) => same(output.name, state.name),
            None => true,
        },
    }
}

impl TopologyNode {
    /// Whether what follows is what the node returns.
    pub(crate) const fn fits(&self) -> bool {
        let Signature { shape, broken, .. } = &self.signature;
        let has_branches = shape.states.len() == self.branches.len();
        !*broken
            && match (shape.kind, self.follows) {
                (ShapeKind::One, ShapeKind::One)
                | (ShapeKind::Choice, ShapeKind::Choice)
                | (ShapeKind::Fork, ShapeKind::Fork) => has_branches,
                (ShapeKind::One, ShapeKind::Fork) => true,
                _ => false,
            }
    }

    /// Whether every branch gets the one state that the node returns.
    pub(crate) const fn is_broadcast(&self) -> bool {
        matches!(
            (self.signature.shape.kind, self.follows),
            (ShapeKind::One, ShapeKind::Fork)
        )
    }

    /// What branch number `branch` gets.
    pub(crate) const fn state_of(&self, branch: usize) -> StateRef {
        let states = self.signature.shape.states;
        match self.is_broadcast() {
            true => states[0],
            false => states[branch],
        }
    }
}

impl Signature {
    /// Whether it takes a state; so it does where that is not known.
    pub(crate) const fn takes(&self, state: &StateRef) -> bool {
        if let [
            ParamRef {
                states: [taken], ..
            },
        ] = self.params
        {
            return same(taken.name, state.name) || self.broken;
        }
        let mut params = self.params;
        while let [param, rest @ ..] = params {
            if contains(param.states, *state) {
                return true;
            }
            params = rest;
        }
        self.broken
    }
}

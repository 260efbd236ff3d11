//! A flow as data, known at compile time: its nodes with what they take and return, and the arcs between them.

#[expect(
    clippy::indexing_slicing,
    reason = "constants cannot iterate; the macro counts what it writes"
)]
mod bytes;
mod call_output;
#[expect(
    clippy::indexing_slicing,
    reason = "constants cannot iterate; the macro counts nodes and arcs"
)]
mod carried;
mod param_ref;
mod signature;

pub use bytes::{numbers_from_bytes, split_by_lengths};
pub(crate) use call_output::CallOutput;
pub(crate) use carried::Source;
pub use carried::{Carried, carried};
pub(crate) use param_ref::{DepRef, Need, ParamKind};
pub use param_ref::{ParamRef, consumed, slot_of};
pub use signature::{FailureName, Inside, Shape, ShapeKind, Signature, ToolRef};
pub(crate) use signature::{ambiguous, capabilities, contains};

use crate::state::StateRef;

/// The nodes of a flow and the arcs between them: `name::TOPOLOGY` of an annotated flow.
///
/// ```
/// use pravah_runtime::prelude::*;
///
/// #[state] struct Order { cups: u32 }
/// #[state] struct Brewed { cups: u32 }
/// #[state] struct Served { cups: u32 }
///
/// #[node] fn brew(order: Order) -> Brewed { Brewed { cups: order.cups } }
/// #[node] fn serve(brewed: Brewed) -> Served { Served { cups: brewed.cups } }
///
/// #[flow]
/// fn coffee(order: Order) -> Served { flow! { brew -> serve } }
///
/// let names: Vec<&str> = coffee::TOPOLOGY.nodes.iter().map(|node| node.id).collect();
/// assert_eq!(names, ["brew", "serve"]);
/// assert_eq!(coffee::TOPOLOGY.nodes[0].outputs().collect::<Vec<_>>(), ["Brewed"]);
/// ```
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Topology {
    /// The name of the flow's function, by which other flows name it.
    pub name: &'static str,
    /// In the order in which the flow first names them.
    pub nodes: &'static [TopologyNode],
    /// The first one leads from the flow's input to its first node; where the flow starts with a fork, one leads
    /// to each of its branches.
    pub arcs: &'static [TopologyArc],
    /// What each of the arcs carries.
    pub(crate) carried: &'static [Carried],
    pub(crate) ends: Ends,
    /// Which slots hold something at the same time: a row of bits for each, as
    /// [`Concurrency::to_bytes`](pravah_graph::Concurrency::to_bytes) writes them. Empty where nothing forks.
    pub(crate) concurrency: &'static [u8],
}

/// What a flow starts and ends with; nothing for the chain of a list.
#[doc(hidden)]
#[derive(Clone, Copy, Debug)]
pub struct Ends {
    pub(crate) input: Option<StateRef>,
    pub(crate) output: Option<StateRef>,
}

/// A node of a [`Topology`].
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct TopologyNode {
    /// Its name.
    pub id: &'static str,
    /// What is inside: the flow that it is, or the chain of an `each`.
    pub inside: Option<&'static Topology>,
    /// Its path, as the flow has it.
    pub(crate) written: &'static str,
    pub(crate) signature: Signature,
    /// What follows it.
    pub(crate) follows: ShapeKind,
    /// The arcs of its branches, or the one that leads on.
    pub(crate) branches: &'static [usize],
    /// The arcs into it: each slot holds alternatives.
    pub(crate) slots: &'static [&'static [usize]],
    /// Whether it is in a `join`.
    pub(crate) join: bool,
    /// The slots that forks before it fill in different orders.
    pub(crate) unclear_orders: &'static [UnclearOrder],
    /// Its failure, if a `catch` follows.
    pub(crate) failure: Option<&'static FailureName>,
    /// What `as` calls another use of the same node, if nothing follows this one.
    pub(crate) renamed_use: Option<&'static str>,
    /// The path of the node that this is another use of, by a name behind `as`.
    pub(crate) alias_of: Option<&'static str>,
}

/// Two slots of a node that two forks fill in different orders.
#[doc(hidden)]
#[derive(Clone, Copy, Debug)]
pub struct UnclearOrder {
    pub(crate) slots: [usize; 2],
    /// The node before each fork, or none of that which takes the input, with two arcs into the slots: the first is in
    /// an earlier branch than the second.
    pub(crate) forks: [(Option<usize>, [usize; 2]); 2],
}

impl UnclearOrder {
    #[doc(hidden)]
    #[must_use]
    pub const fn new(slots: [usize; 2], forks: [(Option<usize>, [usize; 2]); 2]) -> Self {
        Self { slots, forks }
    }
}

/// An arc of a [`Topology`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct TopologyArc {
    /// Where it comes from.
    pub from: ArcFrom,
    /// Where it leads.
    pub to: ArcTo,
}

/// Where an arc comes from; nodes by their index.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ArcFrom {
    /// The flow's input.
    Input,
    /// What a node returns: a state for each branch, or one that every branch gets.
    Output {
        /// The node.
        node: usize,
        /// Which branch, from 0.
        output: usize,
    },
    /// The failure of a node.
    Failure {
        /// The node.
        node: usize,
    },
}

/// Where an arc leads; nodes by their index.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ArcTo {
    /// Into a node.
    Node(usize),
    /// It ends the flow.
    Done,
}

/// The arcs of all nodes: of each those into it by slots, and those of its branches.
#[doc(hidden)]
#[derive(Clone, Copy, Debug)]
pub struct ArcsOf {
    pub slots: &'static [&'static [&'static [usize]]],
    pub branches: &'static [&'static [usize]],
}

impl Topology {
    #[doc(hidden)]
    pub const BROKEN: &'static Self = &Self::new("", &[], &[], &[], Ends::NONE);

    #[doc(hidden)]
    pub const fn new(
        name: &'static str,
        nodes: &'static [TopologyNode],
        arcs: &'static [TopologyArc],
        carried: &'static [Carried],
        ends: Ends,
    ) -> Self {
        Self {
            name,
            nodes,
            arcs,
            carried,
            ends,
            concurrency: &[],
        }
    }

    /// The same, with a fork in it, and which of its slots hold something at the same time.
    #[doc(hidden)]
    #[must_use]
    pub const fn with_concurrency(self, concurrency: &'static [u8]) -> Self {
        Self {
            concurrency,
            ..self
        }
    }

    /// The chain of the list that node number `node` is.
    #[doc(hidden)]
    #[expect(
        clippy::indexing_slicing,
        reason = "constants cannot iterate; the macro counts the nodes"
    )]
    pub const fn chain(&self, node: usize) -> &'static Self {
        match self.nodes[node].inside {
            Some(chain) => chain,
            None => Self::BROKEN,
        }
    }

    /// The arcs into a node, by slots.
    pub(super) fn slots_of(&self, node: usize) -> &'static [&'static [usize]] {
        self.nodes.get(node).map_or(&[], |node| node.slots)
    }
}

impl Ends {
    pub const NONE: Self = Self {
        input: None,
        output: None,
    };

    /// Where one of them is no state, neither is known.
    pub const fn of(input: Option<StateRef>, output: Option<StateRef>) -> Self {
        match (input, output) {
            (Some(_), Some(_)) => Self { input, output },
            _ => Self::NONE,
        }
    }
}

impl TopologyNode {
    /// Node number `node`, by its name and its path, with the branches that `follows` says, or one arc that leads
    /// on.
    #[doc(hidden)]
    #[expect(
        clippy::indexing_slicing,
        reason = "constants cannot iterate; the macro counts the nodes"
    )]
    pub const fn new(
        [id, written]: [&'static str; 2],
        signature: Signature,
        follows: ShapeKind,
        arcs: ArcsOf,
        node: usize,
    ) -> Self {
        Self {
            id,
            inside: match signature.inside {
                Inside::Net(net) => Some(net),
                Inside::Nothing | Inside::Agent { .. } | Inside::Remote | Inside::Calls(_) => None,
            },
            written,
            signature,
            follows,
            branches: arcs.branches[node],
            slots: arcs.slots[node],
            join: false,
            unclear_orders: &[],
            failure: None,
            renamed_use: None,
            alias_of: None,
        }
    }

    /// The same as another use of the node of this path.
    #[doc(hidden)]
    #[must_use]
    pub const fn alias_of(self, path: &'static str) -> Self {
        Self {
            alias_of: Some(path),
            ..self
        }
    }

    /// The same, of which another use is called `name`.
    #[doc(hidden)]
    #[must_use]
    pub const fn with_renamed_use(self, name: &'static str) -> Self {
        Self {
            renamed_use: Some(name),
            ..self
        }
    }

    /// The same in a `join`.
    #[doc(hidden)]
    #[must_use]
    pub const fn joined(self) -> Self {
        Self { join: true, ..self }
    }

    /// The same, with slots that forks before it fill in different orders.
    #[doc(hidden)]
    #[must_use]
    pub const fn of_unclear_order(self, unclear_orders: &'static [UnclearOrder]) -> Self {
        Self {
            unclear_orders,
            ..self
        }
    }

    /// The same with a `catch` behind it.
    #[doc(hidden)]
    #[must_use]
    pub const fn caught(self, failure: &'static FailureName) -> Self {
        Self {
            failure: Some(failure),
            ..self
        }
    }

    /// The names of the states that it returns, in order.
    pub fn outputs(&self) -> impl Iterator<Item = &'static str> {
        self.signature.shape.states.iter().map(|state| state.name)
    }
}

impl TopologyArc {
    #[doc(hidden)]
    pub const fn new(from: ArcFrom, to: ArcTo) -> Self {
        Self { from, to }
    }
}

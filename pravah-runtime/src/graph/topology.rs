//! A flow as data, known at compile time.

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
    /// The first one leads from the flow's input to its first node.
    pub arcs: &'static [TopologyArc],
}

/// A node of a [`Topology`].
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct TopologyNode {
    /// Its name.
    pub id: &'static str,
    /// What is inside: the flow that it is, or the chain of an `each`.
    pub inside: Option<&'static Topology>,
    outputs: &'static [StateRef],
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
    /// One of the states that a node returns.
    Output {
        /// The node.
        node: usize,
        /// Which of its outputs, from 0.
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

impl Topology {
    #[doc(hidden)]
    pub const BROKEN: &'static Self = &Self::new("", &[], &[]);

    #[doc(hidden)]
    pub const fn new(
        name: &'static str,
        nodes: &'static [TopologyNode],
        arcs: &'static [TopologyArc],
    ) -> Self {
        Self { name, nodes, arcs }
    }
}

impl TopologyNode {
    #[doc(hidden)]
    pub const fn new(
        id: &'static str,
        inside: Option<&'static Topology>,
        outputs: &'static [StateRef],
    ) -> Self {
        Self {
            id,
            inside,
            outputs,
        }
    }

    /// The names of the states that it returns, in order; of an `each` they are those of its chain.
    pub fn outputs(&self) -> impl Iterator<Item = &'static str> {
        self.outputs.iter().map(|state| state.name)
    }
}

impl TopologyArc {
    #[doc(hidden)]
    pub const fn new(from: ArcFrom, to: ArcTo) -> Self {
        Self { from, to }
    }
}

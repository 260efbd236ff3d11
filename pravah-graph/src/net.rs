//! The model: a workflow net that is free-choice by construction.

/// A node of a [`Net`]: a cluster of slots (places) and outcomes (transitions).
///
/// Ids are dense and follow the order of [`Net::add_node`], starting at zero.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct NodeId(pub usize);

/// A place of the net: where a state waits.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Place {
    /// An input slot of a node. Only that node takes from it.
    Slot {
        /// The node that takes from the slot.
        node: NodeId,
        /// Which of its slots, counted from zero.
        slot: usize,
    },
    /// The sink. A run is over when it is marked.
    Done,
}

impl Place {
    /// The node that takes from it.
    #[must_use]
    pub fn node(&self) -> Option<NodeId> {
        match self {
            Self::Slot { node, .. } => Some(*node),
            Self::Done => None,
        }
    }
}

/// One step of a run: a node took all its slots and marked one outcome's places.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Firing {
    /// The node that fired.
    pub node: NodeId,
    /// Which of its outcomes, as numbered by [`Net::add_outcome`].
    pub outcome: usize,
}

/// A workflow net.
///
/// A slot feeds exactly one node and all outcomes of a node share its slots, so
/// every net that can be built is free-choice: which outcome a node takes never
/// depends on what other nodes do.
///
/// Building never fails. Ids that belong to no node, a missing entry and the like
/// are reported by [`check`](Net::check) as [`Finding::Malformed`](crate::Finding::Malformed).
#[derive(Clone, Debug, Default)]
pub struct Net {
    nodes: Vec<Node>,
    entry: Option<Place>,
    strays: Vec<NodeId>,
}

#[derive(Clone, Debug)]
struct Node {
    slots: usize,
    outcomes: Vec<Vec<Place>>,
}

impl Net {
    /// A net without nodes.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a node that waits for `slots` states at once: one for ordinary work,
    /// several for a join.
    pub fn add_node(&mut self, slots: usize) -> NodeId {
        let outcomes = Vec::new();
        self.nodes.push(Node { slots, outcomes });
        NodeId(self.nodes.len() - 1)
    }

    /// Adds an outcome of `node`: a transition that takes all its slots and marks
    /// `outputs`. A choice is a node with several outcomes, a fork is an outcome
    /// with several outputs. Answers the outcome's number within the node.
    pub fn add_outcome(&mut self, node: NodeId, outputs: Vec<Place>) -> usize {
        match self.nodes.get_mut(node.0) {
            Some(known) => {
                known.outcomes.push(outputs);
                known.outcomes.len() - 1
            }
            None => {
                self.strays.push(node);
                0
            }
        }
    }

    /// Sets the place that is marked when a run starts.
    pub fn set_entry(&mut self, place: Place) {
        self.entry = Some(place);
    }

    /// The place that is marked when a run starts, if one was set.
    #[must_use]
    pub fn entry(&self) -> Option<Place> {
        self.entry
    }

    /// How many nodes there are. Their ids are `0..node_count()`.
    #[must_use]
    pub fn node_count(&self) -> usize {
        self.nodes.len()
    }

    /// How many slots a node has; zero for an id that belongs to no node.
    #[must_use]
    pub fn slots(&self, node: NodeId) -> usize {
        self.nodes.get(node.0).map_or(0, |known| known.slots)
    }

    /// What each outcome of a node marks; empty for an id that belongs to no node.
    #[must_use]
    pub fn outcomes(&self, node: NodeId) -> &[Vec<Place>] {
        self.nodes.get(node.0).map_or(&[], |known| &known.outcomes)
    }

    /// All node ids, in order.
    pub(crate) fn ids(&self) -> impl Iterator<Item = NodeId> + use<> {
        (0..self.nodes.len()).map(NodeId)
    }

    /// Ids that were given outcomes and belong to no node.
    pub(crate) fn strays(&self) -> &[NodeId] {
        &self.strays
    }

    /// Whether the place exists in this net.
    pub(crate) fn contains(&self, place: Place) -> bool {
        match place {
            Place::Slot { node, slot } => slot < self.slots(node),
            Place::Done => true,
        }
    }
}

//! Soundness: structural mistakes first, then the verdict by reduction, then a run
//! that explains it.

mod contract;
mod explain;
mod reduce;
mod replay;
mod structure;
mod words;

pub use words::Names;

use crate::{Firing, Net, NodeId, Place};

/// One mistake in a net.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Finding {
    /// What was built is not a net. Nothing else is checked then.
    Malformed(Malformed),
    /// No path leads from the entry to this node. Of a detached part only the nodes
    /// it starts with are reported: what they feed follows.
    Unreachable {
        /// The first node of the detached part.
        node: NodeId,
    },
    /// A run that comes here loops forever: no path leads to done. Of a
    /// dead end only the loop it runs into is reported: what leads there follows.
    NoWayToDone {
        /// The first node of the loop, in the order of [`Net::add_node`].
        node: NodeId,
    },
    /// A run stops before done: nothing can fire any more.
    Deadlock {
        /// A run into the deadlock. No shorter run ends in any deadlock, unless the net
        /// has too many markings to say so.
        run: Vec<Firing>,
        /// What is marked then, in order.
        marked: Vec<Place>,
    },
    /// A run reaches done while other states are still around.
    LeftBehind {
        /// A run into that marking, without firings that done does not depend on.
        run: Vec<Firing>,
        /// What is marked beside done, in order; [`Place::Done`] where done itself
        /// was marked twice.
        remaining: Vec<Place>,
    },
    /// A run marks a place that is marked already, so one of the states is lost.
    Overwritten {
        /// A run whose last firing marks the place a second time, without firings
        /// that neither of the two states depends on.
        run: Vec<Firing>,
        /// The place.
        place: Place,
    },
    /// The reduction proved the net unsound, and the bounded search for a run that
    /// shows it gave up: the net is large and its mistake far from the entry.
    Unsound {
        /// The nodes that the reduction was left with: the mistake lies among them.
        left: Vec<NodeId>,
    },
}

/// What is wrong with a net that is none.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Malformed {
    /// [`Net::set_entry`] was never called.
    NoEntry,
    /// The entry is a place that does not exist.
    UnknownEntry {
        /// The place.
        place: Place,
    },
    /// An outcome was added to a node that does not exist.
    UnknownNode {
        /// The node.
        node: NodeId,
    },
    /// An outcome marks a place that does not exist.
    UnknownOutput {
        /// The outcome.
        at: Firing,
        /// The place.
        place: Place,
    },
    /// A node waits for nothing, so it could fire at any time.
    NoSlots {
        /// The node.
        node: NodeId,
    },
    /// A node that nothing ever leaves.
    NoOutcomes {
        /// The node.
        node: NodeId,
    },
    /// An outcome that marks nothing: states would vanish.
    NoOutputs {
        /// The outcome.
        at: Firing,
    },
}

impl Net {
    /// Finds the mistakes of the net. It is sound if and only if the answer is empty.
    ///
    /// One mistake is one finding. Everything that the structure alone shows is
    /// reported together; only where that is nothing, the net is decided by
    /// reduction, and one finding explains why it is unsound.
    ///
    /// The order of findings depends on nothing but the order of nodes.
    #[must_use]
    pub fn check(&self) -> Vec<Finding> {
        let structural = structural_mistakes(self);
        if !structural.is_empty() {
            return structural;
        }
        match reduce::reduce(self) {
            Ok(()) => Vec::new(),
            Err(left) => vec![explain::search(self).unwrap_or(Finding::Unsound { left })],
        }
    }
}

/// What the structure alone shows: parts that are no net, else nodes that no path leads to or from.
pub(crate) fn structural_mistakes(net: &Net) -> Vec<Finding> {
    let malformed = structure::malformed(net);
    if malformed.is_empty() {
        structure::misplaced(net)
    } else {
        malformed
    }
}

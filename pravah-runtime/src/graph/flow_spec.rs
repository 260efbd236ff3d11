//! A flow before it is linked.

use std::{ops::Deref, sync::Arc};

use super::{NodeSpec, wiring::Wiring};

/// The nodes of a flow as they were written, nested flows whole, how they are wired, and what holds for all of
/// them.
#[derive(Clone)]
pub(crate) struct FlowSpec {
    nodes: Arc<[NodeSpec]>,
    pub(crate) wiring: Arc<Wiring>,
    /// Whether a run ends where a node fails, with nothing left to try; otherwise everything else goes on
    /// first.
    pub(crate) fail_fast: bool,
}

impl FlowSpec {
    pub(super) fn new(nodes: Vec<NodeSpec>, wiring: Wiring) -> Self {
        Self {
            nodes: nodes.into(),
            wiring: Arc::new(wiring),
            fail_fast: true,
        }
    }

    /// Changes the nodes, which take and return what they did.
    pub(super) fn change(&mut self, change: impl FnMut(&mut NodeSpec)) {
        let mut nodes = self.nodes.to_vec();
        nodes.iter_mut().for_each(change);
        self.nodes = nodes.into();
    }
}

impl Deref for FlowSpec {
    type Target = [NodeSpec];

    fn deref(&self) -> &[NodeSpec] {
        &self.nodes
    }
}

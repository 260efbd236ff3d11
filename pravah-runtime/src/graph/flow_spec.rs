//! A flow before it is linked.

use std::{ops::Deref, sync::Arc};

use crate::node::NodeSpec;

/// The nodes of a flow as they were written, nested flows whole, and what holds for all of them.
#[derive(Clone)]
pub(crate) struct FlowSpec {
    nodes: Arc<[NodeSpec]>,
    /// Whether a run ends where a node fails, with nothing left to try; otherwise everything else goes on
    /// first.
    pub(crate) fail_fast: bool,
}

impl From<Vec<NodeSpec>> for FlowSpec {
    fn from(nodes: Vec<NodeSpec>) -> Self {
        Self {
            nodes: nodes.into(),
            fail_fast: true,
        }
    }
}

impl Deref for FlowSpec {
    type Target = [NodeSpec];

    fn deref(&self) -> &[NodeSpec] {
        &self.nodes
    }
}

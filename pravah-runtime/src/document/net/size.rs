//! The number of nodes of a document with its subflows, which are built anew for each use.

use std::collections::BTreeMap;

use pravah_document::{Graph, Member, Work};

use super::work::MAX_SUBFLOWS;
use crate::{document::registry::NodeRegistry, error::FlowError};

/// The most nodes of a document with its subflows.
const MAX_NODES: usize = 250_000;

/// Refuses a document that is too large to be made.
pub(super) fn check(graph: &Graph, registry: &NodeRegistry) -> Result<(), FlowError> {
    let mut sizes = Sizes {
        registry,
        known: BTreeMap::new(),
    };
    if sizes.of(graph, 0) <= MAX_NODES {
        return Ok(());
    }
    let problem = format!(
        "the document has more than {MAX_NODES} nodes, those of its subflows counted for each use: run a subflow in a `control.foreach` instead of in many nodes"
    );
    Err(FlowError::BuildError(problem.into()))
}

struct Sizes<'a> {
    registry: &'a NodeRegistry,
    /// Of the subflows, by their names.
    known: BTreeMap<&'a str, usize>,
}

impl<'a> Sizes<'a> {
    fn of(&mut self, graph: &'a Graph, depth: usize) -> usize {
        let sizes = graph
            .members
            .iter()
            .map(|member| self.of_member(member, depth));
        sizes.fold(0, usize::saturating_add)
    }

    fn of_member(&mut self, member: &'a Member, depth: usize) -> usize {
        let inside = match member {
            Member::Repeat(repeat) => self.of(&repeat.graph, depth),
            Member::Node(node) => match &node.work {
                Work::Foreach { body, .. } | Work::Loop { body, .. } => self.of(body, depth),
                Work::Subflow { name, .. } => self.of_subflow(name, depth),
                _ => 0,
            },
        };
        inside.saturating_add(1)
    }

    /// What runs itself, or is nested too deeply, is refused elsewhere.
    fn of_subflow(&mut self, name: &'a str, depth: usize) -> usize {
        if let Some(size) = self.known.get(name) {
            return *size;
        }
        let flow = self.registry.flow(name).filter(|_| depth < MAX_SUBFLOWS);
        let size = flow.map_or(0, |flow| self.of(&flow.graph, depth + 1));
        self.known.insert(name, size);
        size
    }
}

//! Where detached tasks run: beside the nodes of a flow, in what their callers may call.
//!
//! Every agent that may start such tasks, however deep in lists and calls it is, has a node of its own for them in the
//! table of the flow that is run. No state leads there, so that node is in no net.

use std::sync::{Arc, OnceLock};

use super::{FlowGraph, NodeIx, NodeKind, ScopeIx, Table, table::NodeEntry, table::index};
use crate::{node::Policy, topology::ShapeKind};

impl FlowGraph {
    /// The same graph, which is run as it is and in no other: with the nodes for detached tasks.
    pub(super) fn with_detached(mut self) -> Self {
        let mut callers = Vec::new();
        self.table.add_callers("", "", &mut callers);
        if let Some(table) = Arc::get_mut(&mut self.table) {
            for (node, entry) in (index(table.nodes.len())..).map(NodeIx).zip(&callers) {
                table.node_by_key.insert(Arc::clone(&entry.key), node);
            }
            table.detached = callers;
        }
        self
    }
}

impl Table {
    /// Adds the nodes for the detached tasks of the agents here, and of those in what runs within the nodes. `keys` and
    /// `ids` are those of the nodes around.
    fn add_callers(&self, keys: &str, ids: &str, callers: &mut Vec<NodeEntry>) {
        for (node, entry) in (0..).map(NodeIx).zip(&self.nodes) {
            let (key, id) = (join(keys, &entry.key), join(ids, &entry.id));
            if let NodeKind::Agent(agent) = &entry.kind
                && agent.spec.config.delegation.allows_detached()
                && let Some(team) = &agent.team
            {
                callers.push(tasks_of(&key, &id, team));
            }
            if let Some(within) = self.inner(node) {
                within.add_callers(&key, &id, callers);
            }
        }
    }

    /// The node for the detached tasks of an agent, if it may start any. The nodes around it and itself are `path`.
    pub(crate) fn detached_node<'a>(
        &self,
        path: impl Iterator<Item = &'a NodeEntry>,
    ) -> Option<NodeIx> {
        let key = path.fold(String::new(), |keys, node| join(&keys, node.caller_key()));
        self.node_by_key.get(&in_parentheses(&key)).copied()
    }
}

impl NodeEntry {
    /// Its key; where detached tasks run, that of what has started them.
    fn caller_key(&self) -> &str {
        let key = self
            .key
            .strip_prefix('(')
            .and_then(|key| key.strip_suffix(')'));
        key.filter(|_| self.kind.is_detached()).unwrap_or(&self.key)
    }
}

fn join(around: &str, name: &str) -> String {
    match around {
        "" => name.to_owned(),
        around => format!("{around}/{name}"),
    }
}

/// No name of a user's begins with `(`.
fn in_parentheses(name: &str) -> Arc<str> {
    format!("({name})").into()
}

fn tasks_of(key: &str, id: &str, team: &FlowGraph) -> NodeEntry {
    NodeEntry {
        id: in_parentheses(id),
        key: in_parentheses(key),
        slots: Vec::new(),
        shape: ShapeKind::One,
        outputs: Vec::new(),
        reads: Vec::new(),
        captures: Vec::new(),
        kind: NodeKind::Detached(team.clone()),
        policy: Policy::new(),
        catch: None,
        on_cycle: false,
        scope: ScopeIx::FLOW,
        plain_move: None,
        returns: OnceLock::new(),
        rules: None,
    }
}

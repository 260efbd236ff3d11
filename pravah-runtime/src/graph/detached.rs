//! Where detached tasks run.
//!
//! Every agent and node that may start such tasks, however deep in lists and calls it is, has a node of its own for them in the
//! table of the flow that is run. No state leads there, so that node is in no net.

use std::sync::{Arc, OnceLock};

use smallvec::SmallVec;

use super::{FlowGraph, NodeIx, NodeKind, ScopeIx, Table, table::NodeEntry, table::index};
use crate::{agent::OnDone, invocation::ToolPolicy, node::Policy, topology::ShapeKind};

/// Where the detached tasks of an agent or a node run.
#[derive(Clone)]
pub(crate) struct DetachedNode {
    /// The keys of the nodes around the caller, and its own.
    caller_key: Arc<str>,
    /// What the caller may call.
    pub(super) team: FlowGraph,
    /// Whether the caller is a node, and no agent.
    pub(crate) are_of_node: bool,
}

impl NodeKind {
    /// Whether it may start detached tasks.
    fn may_start_detached(&self) -> bool {
        match self {
            Self::Agent(agent) => agent.spec.config.delegation.allows_detached(),
            Self::Invoke(invoke) => invoke.results.allows_detached(),
            _ => false,
        }
    }

    /// What becomes of the detached tasks that it has started when the flow is done.
    pub(crate) fn on_done(&self) -> OnDone {
        match self {
            Self::Agent(agent) => agent.spec.config.delegation.on_done,
            Self::Invoke(invoke) => invoke.on_done,
            _ => OnDone::Cancel,
        }
    }

    /// Which of its own tools it hands on to the agents that it calls. Only agents have tools.
    pub(crate) fn handed_on_tools(&self) -> ToolPolicy {
        match self {
            Self::Agent(agent) => agent.spec.config.delegation.tools.clone(),
            _ => ToolPolicy::None,
        }
    }
}

impl FlowGraph {
    /// The same graph, which is run as it is and in no other: with the nodes for detached tasks.
    pub(super) fn with_detached(mut self) -> Self {
        let mut callers = Vec::new();
        self.table.add_detached_nodes("", "", &mut callers);
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
    /// Adds the nodes for the detached tasks of the callers here, and of those in what runs within the nodes. `keys` and
    /// `ids` are those of the nodes around.
    fn add_detached_nodes(&self, keys: &str, ids: &str, callers: &mut Vec<NodeEntry>) {
        for (node, entry) in (0..).map(NodeIx).zip(&self.nodes) {
            let (key, id) = (join(keys, &entry.key), join(ids, &entry.id));
            if entry.kind.may_start_detached()
                && let Some(team) = entry.kind.team()
            {
                let are_of_node = entry.kind.is_invoke();
                callers.push(detached_entry(&key, &id, (team, are_of_node)));
            }
            if let Some(within) = self.inner(node) {
                within.add_detached_nodes(&key, &id, callers);
            }
        }
    }

    /// Whether a run may have returned its output and wait for detached tasks.
    pub(crate) fn may_wait_for_tasks(&self) -> bool {
        (0..).map(NodeIx).zip(&self.nodes).any(|(node, entry)| {
            let starts_tasks = entry.kind.may_start_detached();
            starts_tasks && entry.kind.on_done() == OnDone::Wait
                || self.inner(node).is_some_and(|it| it.may_wait_for_tasks())
        })
    }

    /// The nodes where detached tasks run.
    pub(crate) fn detached(&self) -> &[NodeEntry] {
        &self.detached
    }

    /// The node for the detached tasks of a caller, if it may start any. The nodes around it and itself are `path`.
    pub(crate) fn detached_node<'a>(
        &self,
        path: impl Iterator<Item = &'a NodeEntry>,
    ) -> Option<NodeIx> {
        let key = path.fold(String::new(), |keys, node| join(&keys, node.caller_key()));
        self.node_by_key.get(&in_parentheses(&key)).copied()
    }
}

#[expect(
    clippy::indexing_slicing,
    reason = "an index of another table is a bug"
)]
impl Table {
    /// The node of this index: one of the flow's, or one of detached tasks.
    #[inline]
    pub(crate) fn node(&self, node: NodeIx) -> &NodeEntry {
        match self.nodes.get(node.0 as usize) {
            Some(entry) => entry,
            None => &self.detached[node.0 as usize - self.nodes.len()],
        }
    }
}

impl NodeEntry {
    /// What stands for it in the keys of what is within it.
    fn caller_key(&self) -> &str {
        match &self.kind {
            NodeKind::Detached(tasks) => &tasks.caller_key,
            _ => &self.key,
        }
    }
}

fn join(around: &str, name: &str) -> String {
    match around {
        "" => name.to_owned(),
        around => format!("{around}/{name}"),
    }
}

/// A user's name never starts with `(`, so the keys cannot clash.
fn in_parentheses(name: &str) -> Arc<str> {
    format!("({name})").into()
}

fn detached_entry(key: &str, id: &str, (team, are_of_node): (&FlowGraph, bool)) -> NodeEntry {
    NodeEntry {
        id: in_parentheses(id),
        key: in_parentheses(key),
        slots: SmallVec::new(),
        shape: ShapeKind::One,
        outputs: Vec::new(),
        reads: Vec::new(),
        inputs: Vec::new(),
        captures: Vec::new(),
        kind: NodeKind::Detached(DetachedNode {
            caller_key: key.into(),
            team: team.clone(),
            are_of_node,
        }),
        policy: Policy::new(),
        catch: None,
        on_cycle: false,
        scope: ScopeIx::FLOW,
        plain_move: None,
        returns: OnceLock::new(),
        rules: None,
    }
}

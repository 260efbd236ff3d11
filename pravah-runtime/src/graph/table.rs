//! The dense form of a graph: everything by index, nothing looked up by name while a flow runs.

use std::{
    collections::{BTreeMap, VecDeque, btree_map::Entry},
    sync::Arc,
};

use pravah_graph::Fingerprint;

use crate::{
    error::FlowError,
    node::{CatchSpec, NodeKind, Policy},
};

/// The index of a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct NodeIx(pub(crate) u32);

/// The index of a state.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct StateIx(pub(crate) u32);

/// The index of a slot: a parameter of a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct SlotIx(pub(crate) u32);

pub(crate) struct Table {
    pub(crate) nodes: Vec<NodeEntry>,
    pub(crate) states: Vec<StateEntry>,
    /// The node of each slot.
    pub(crate) slots: Vec<NodeIx>,
    /// The flow itself, and the flows inlined in it.
    pub(crate) scopes: Vec<Scope>,
    pub(crate) entry: StateIx,
    pub(crate) output: StateIx,
    pub(crate) fingerprint: Fingerprint,
    /// The fingerprint as snapshots write it.
    pub(crate) fingerprint_text: String,
    /// By name, for reading snapshots.
    pub(crate) state_by_key: BTreeMap<Arc<str>, StateIx>,
    pub(crate) node_by_key: BTreeMap<Arc<str>, NodeIx>,
}

pub(crate) struct NodeEntry {
    pub(crate) id: Arc<str>,
    /// The first state that it takes: what stands for it in snapshots, since it is its alone and
    /// stays when a function is renamed.
    pub(crate) key: Arc<str>,
    /// The slots of its parameters, in order.
    pub(crate) slots: Vec<SlotIx>,
    /// The state of each branch.
    pub(crate) ways: Vec<StateIx>,
    pub(crate) kind: NodeKind,
    pub(crate) policy: Policy,
    /// The state that a failure becomes, where a `catch` follows.
    pub(crate) catch: Option<(StateIx, CatchSpec)>,
    /// Whether a run can come back to it.
    pub(crate) on_cycle: bool,
    pub(crate) scope: usize,
    /// Its move, where the engine's fast path can make it.
    pub(crate) sequence: Option<Sequence>,
}

/// The move of a function that takes one state and returns one. It is on no loop, so visits are not
/// counted; what it returns neither opens nor ends an inlined flow, so no input is kept or forgotten;
/// and the node that takes it takes no other state, so it is ready at once, and is no list.
#[derive(Clone, Copy)]
pub(crate) struct Sequence {
    pub(crate) takes: SlotIx,
    pub(crate) output: StateIx,
    /// Where it goes; nowhere at the flow's end.
    pub(crate) next: Option<(SlotIx, NodeIx)>,
}

pub(crate) struct StateEntry {
    /// Its schema name, prefixed within an inlined flow.
    pub(crate) key: Arc<str>,
    pub(crate) target: Target,
    /// Whether it is the input of a flow, or of one inlined.
    pub(crate) opens: bool,
}

/// Where a state goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Target {
    /// Into a slot, as one of the states that can fill it.
    Slot { slot: SlotIx, way: usize },
    /// It is the flow's output.
    Done,
}

/// A flow, or one inlined in it.
pub(crate) struct Scope {
    /// The schema name of its input.
    pub(crate) input: Arc<str>,
    /// The states that it starts and ends with.
    pub(crate) entry: StateIx,
    pub(crate) output: StateIx,
    pub(crate) parent: Option<usize>,
    /// The state that a failure within becomes, where a `catch` follows.
    pub(crate) catch: Option<(StateIx, CatchSpec)>,
}

impl Table {
    #[inline]
    pub(crate) fn node(&self, node: NodeIx) -> Result<&NodeEntry, FlowError> {
        self.nodes
            .get(node.0 as usize)
            .ok_or_else(|| FlowError::NotFound(format!("node {}", node.0).into()))
    }

    pub(crate) fn node_id(&self, node: NodeIx) -> &str {
        self.nodes.get(node.0 as usize).map_or("", |node| &node.id)
    }

    pub(crate) fn node_key(&self, node: NodeIx) -> &str {
        self.nodes.get(node.0 as usize).map_or("", |node| &node.key)
    }

    pub(crate) fn state_key(&self, state: StateIx) -> &str {
        self.states
            .get(state.0 as usize)
            .map_or("", |state| &state.key)
    }

    /// The move of `node`, if it is one of a [`Sequence`].
    pub(crate) fn sequence(&self, node: &NodeEntry) -> Option<Sequence> {
        let (NodeKind::Function(_), &[takes], &[output]) = (&node.kind, &*node.slots, &*node.ways)
        else {
            return None;
        };
        let next = match self.target(output)? {
            Target::Slot { slot, .. } => Some((slot, self.taker(output)?)),
            Target::Done => None,
        };
        let ready_at_once = next.is_none_or(|(_, next)| {
            let next = self.nodes.get(next.0 as usize);
            next.is_some_and(|next| {
                next.slots.len() == 1 && !matches!(next.kind, NodeKind::Each(_))
            })
        });
        let ends_inner = self
            .enclosing(node.scope)
            .any(|(_, scope)| scope.output == output && scope.parent.is_some());
        let plain = ready_at_once && !self.opens(output) && !ends_inner && !node.on_cycle;
        plain.then_some(Sequence {
            takes,
            output,
            next,
        })
    }

    /// Whether `state` is the input of a flow, or of one inlined.
    pub(crate) fn opens(&self, state: StateIx) -> bool {
        let state = self.states.get(state.0 as usize);
        state.is_some_and(|state| state.opens)
    }

    /// Whether what waits in `slot` is a list that runs item by item.
    pub(crate) fn takes_list(&self, slot: SlotIx) -> bool {
        let node = self.node_of(slot);
        let node = node.and_then(|node| self.nodes.get(node.0 as usize));
        node.is_some_and(|node| matches!(node.kind, NodeKind::Each(_)))
    }

    /// The node whose parameter `slot` is.
    pub(crate) fn node_of(&self, slot: SlotIx) -> Option<NodeIx> {
        self.slots.get(slot.0 as usize).copied()
    }

    /// The node that a state goes to; none for the flow's output.
    pub(crate) fn taker(&self, state: StateIx) -> Option<NodeIx> {
        match self.target(state)? {
            Target::Slot { slot, .. } => self.node_of(slot),
            Target::Done => None,
        }
    }

    /// A scope, and those around it.
    pub(crate) fn enclosing(&self, scope: usize) -> impl Iterator<Item = (usize, &Scope)> {
        let at = |index: usize| Some((index, self.scopes.get(index)?));
        std::iter::successors(at(scope), move |(_, scope)| at(scope.parent?))
    }

    /// The scopes around a node, innermost first.
    pub(crate) fn scopes_of(&self, node: NodeIx) -> impl Iterator<Item = (usize, &Scope)> {
        let scope = self
            .nodes
            .get(node.0 as usize)
            .map_or(usize::MAX, |node| node.scope);
        self.enclosing(scope)
    }

    /// The nodes that `node` may feed, with what it returns or with a failure.
    pub(crate) fn successors(&self, node: NodeIx) -> impl Iterator<Item = NodeIx> {
        let entry = self.nodes.get(node.0 as usize);
        let ways = entry
            .into_iter()
            .flat_map(|entry| entry.ways.iter().copied());
        let caught = entry.and_then(|entry| entry.catch.as_ref());
        let around = self
            .scopes_of(node)
            .filter_map(|(_, scope)| scope.catch.as_ref());
        let failures = caught.into_iter().chain(around).map(|(state, _)| *state);
        ways.chain(failures).filter_map(|state| self.taker(state))
    }

    /// The shortest loop that `node` lies on, as it is walked.
    pub(crate) fn cycle(&self, node: NodeIx) -> Vec<NodeIx> {
        let mut from: BTreeMap<NodeIx, NodeIx> = BTreeMap::new();
        let mut open = VecDeque::from([node]);
        while let Some(at) = open.pop_front() {
            for next in self.successors(at) {
                if next == node {
                    let back = std::iter::successors(Some(at), |at| from.get(at).copied());
                    let mut cycle: Vec<NodeIx> = back.collect();
                    cycle.reverse();
                    return cycle;
                }
                if let Entry::Vacant(first) = from.entry(next) {
                    first.insert(at);
                    open.push_back(next);
                }
            }
        }
        Vec::new()
    }

    /// Which of the states that its slot takes `state` is.
    pub(crate) fn way_into_slot(&self, state: StateIx) -> usize {
        match self.target(state) {
            Some(Target::Slot { way, .. }) => way,
            _ => 0,
        }
    }

    pub(crate) fn target(&self, state: StateIx) -> Option<Target> {
        self.states.get(state.0 as usize).map(|state| state.target)
    }
}

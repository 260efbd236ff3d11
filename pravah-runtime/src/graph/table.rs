//! The dense form of a graph: everything by index, nothing looked up by name while a flow runs.

use std::{
    collections::{BTreeMap, VecDeque, btree_map::Entry},
    sync::{Arc, OnceLock},
};

use pravah_graph::{Fingerprint, WayOut};
use serde_json::value::{RawValue, to_raw_value};
use smallvec::SmallVec;

use super::{
    CatchSpec, LatestIx, NodeIx, NodeKind, NodeRules, Place, ScopeIx, SlotIx, StateIx, is_written,
    keys::places, latest::LatestEntry, text_of_fingerprint,
};
use crate::{
    node::Policy,
    state::{SchemaOf, StateType},
    topology::ShapeKind,
};

pub(crate) struct Table {
    pub(crate) nodes: Vec<NodeEntry>,
    /// The nodes of detached tasks. Their indices follow those of `nodes`, and `node_by_key` has them too.
    pub(super) detached: Vec<NodeEntry>,
    pub(crate) states: Vec<StateEntry>,
    pub(crate) slots: Vec<SlotEntry>,
    /// The states of which the last that was made is kept.
    pub(crate) latest: Vec<LatestEntry>,
    /// The flow itself, and the flows inlined in it, each before those in it.
    pub(crate) scopes: Vec<Scope>,
    /// Where the flow's input goes.
    pub(crate) entry: OutputArc,
    pub(crate) output: StateIx,
    /// Whether any of its states may wait in several places.
    pub(crate) has_shared_states: bool,
    /// Whether the time for all attempts at any of its nodes is limited, those in lists included.
    pub(crate) limits_total_time: bool,
    pub(crate) fingerprint: Fingerprint,
    /// The fingerprint as snapshots write it.
    pub(crate) fingerprint_json: Box<RawValue>,
    /// By name, for reading snapshots.
    pub(crate) place_by_key: BTreeMap<Arc<str>, Place>,
    pub(crate) scope_by_key: BTreeMap<Arc<str>, ScopeIx>,
    pub(crate) node_by_key: BTreeMap<Arc<str>, NodeIx>,
    pub(super) way_out: OnceLock<Option<WayOut>>,
    /// The slots in which a state can finish where no other waits.
    pub(super) finishing: OnceLock<Box<[bool]>>,
}

/// The order counts: what a step reads comes first, close together, since it often has to be fetched from memory.
#[repr(C)]
pub(crate) struct NodeEntry {
    /// The slots of its parameters, in order.
    pub(crate) slots: SmallVec<[SlotIx; 4]>,
    /// Where each state goes that it returns.
    pub(crate) outputs: Vec<OutputArc>,
    /// Of a node of a document.
    pub(crate) rules: Option<Box<NodeRules>>,
    pub(crate) scope: ScopeIx,
    /// Whether a run can come back to it.
    pub(crate) on_cycle: bool,
    pub(crate) shape: ShapeKind,
    pub(crate) id: Arc<str>,
    /// What it reads.
    pub(crate) reads: Vec<LatestIx>,
    /// Its move, where the engine's fast path can make it.
    pub(crate) plain_move: Option<PlainMove>,
    pub(crate) kind: NodeKind,
    pub(crate) policy: Policy,
    /// The key of the first place where a state waits for it: what stands for it in snapshots, since it is its
    /// alone and, where no other node takes the state, stays when a function is renamed.
    pub(crate) key: Arc<str>,
    /// The flows around it whose inputs it asks for.
    pub(crate) inputs: Vec<ScopeIx>,
    /// Of a list: what is kept around it, and what that is in its chain.
    pub(crate) captures: Vec<(LatestIx, LatestIx)>,
    /// Where a failure goes, where a `catch` follows.
    pub(crate) catch: Option<(OutputArc, CatchSpec)>,
    pub(super) returns: OnceLock<Arc<str>>,
}

/// The move of a function that takes one state and returns one, where nothing else has to be looked at: it
/// is on no loop, so visits are not counted; no time is limited; it reads nothing, and nobody reads what it
/// returns; no flow starts or ends with that, so no input is kept or forgotten; and the node that takes that
/// takes no other state, so it is ready at once, and is no list.
#[derive(Clone, Copy)]
pub(crate) struct PlainMove {
    /// Where what it returns waits, and for which node; nowhere at the flow's end.
    pub(crate) to: Option<(Place, NodeIx)>,
}

/// Where a state goes from the node that returns it: to the places where it waits.
#[derive(Clone)]
pub(crate) struct OutputArc {
    pub(crate) state: StateIx,
    pub(crate) to: SmallVec<[Place; 2]>,
    /// Whether it is the flow's output, which goes nowhere.
    pub(crate) is_output: bool,
    /// The flows that start with it, and keep it as their input while they run.
    pub(crate) starts: Vec<ScopeIx>,
    /// The inlined flows that end with it.
    pub(crate) ends: Vec<ScopeIx>,
    /// What it is kept as, for those that read it.
    pub(crate) kept_as: Vec<LatestIx>,
}

pub(crate) struct SlotEntry {
    pub(crate) node: NodeIx,
    /// The states that can fill it.
    pub(crate) states: Vec<StateIx>,
    /// What each of them is called in snapshots while it waits here.
    pub(crate) keys: Vec<Arc<str>>,
    /// Whether what waits in it runs item by item.
    pub(crate) is_list: bool,
}

pub(crate) struct StateEntry {
    /// Its schema name, prefixed within an inlined flow.
    pub(crate) key: Arc<str>,
    /// The type that what waits is read as; `None` for a state that no node takes or returns.
    pub(crate) type_of: Option<fn() -> StateType>,
    /// Writes its schema; `None` for that, and for one of a document.
    pub(crate) schema: Option<SchemaOf>,
}

/// A flow, or one inlined in it.
pub(crate) struct Scope {
    /// The schema name of its input.
    pub(crate) input: Arc<str>,
    /// What its input is called in snapshots: prefixed within an inlined flow, as the states in that are:
    /// `review_round::Ticket`.
    pub(crate) key: Arc<str>,
    /// The state that it starts with, and where that waits.
    pub(crate) entry: StateIx,
    pub(crate) starts_at: Vec<Place>,
    pub(crate) parent: Option<ScopeIx>,
    /// The next flow around it that starts with the same state.
    pub(crate) shares_entry_with: Option<ScopeIx>,
    /// Where a failure within goes, where a `catch` follows.
    pub(crate) catch: Option<(OutputArc, CatchSpec)>,
}

/// What a table is made of.
pub(super) struct Parts {
    pub(super) nodes: Vec<NodeEntry>,
    pub(super) states: Vec<StateEntry>,
    pub(super) slots: Vec<SlotEntry>,
    pub(super) latest: Vec<LatestEntry>,
    pub(super) scopes: Vec<Scope>,
    pub(super) entry: OutputArc,
    pub(super) output: StateIx,
    pub(super) has_shared_states: bool,
    pub(super) fingerprint: Fingerprint,
}

/// No graph has as many nodes or states as would not fit.
pub(super) fn index(index: usize) -> u32 {
    u32::try_from(index).unwrap_or(u32::MAX)
}

impl Table {
    /// The table of these parts, which are found by their keys.
    pub(super) fn of(parts: Parts) -> Self {
        let Parts {
            nodes,
            states,
            slots,
            latest,
            scopes,
            entry,
            output,
            has_shared_states,
            fingerprint,
        } = parts;
        let node_keys = nodes.iter().map(|node| Arc::clone(&node.key));
        let scope_keys = scopes.iter().map(|scope| Arc::clone(&scope.key));
        let place_keys = places(&slots).map(|(key, place)| (Arc::clone(key), place));
        Self {
            limits_total_time: nodes.iter().any(NodeEntry::limits_total_time),
            // Text can always be written.
            fingerprint_json: to_raw_value(&fingerprint.to_string()).unwrap_or_default(),
            node_by_key: node_keys.zip((0..).map(NodeIx)).collect(),
            scope_by_key: scope_keys.zip((0..).map(ScopeIx)).collect(),
            place_by_key: place_keys.collect(),
            way_out: OnceLock::new(),
            finishing: OnceLock::new(),
            nodes,
            detached: Vec::new(),
            states,
            slots,
            latest,
            scopes,
            entry,
            output,
            has_shared_states,
            fingerprint,
        }
    }
}

impl NodeEntry {
    /// Whether the time for all attempts at the node is limited, or that of one in its list.
    fn limits_total_time(&self) -> bool {
        match &self.kind {
            NodeKind::Each(each) => each.chain.table.limits_total_time,
            kind => {
                let team = kind.team();
                team.is_some_and(|team| team.table.limits_total_time)
                    || self.policy.total_timeout.is_some()
            }
        }
    }

    /// The arcs of each outcome; a failure that is caught is the last.
    pub(crate) fn outcomes(&self) -> Vec<Vec<&OutputArc>> {
        let mut outcomes: Vec<Vec<&OutputArc>> = match self.shape {
            ShapeKind::Choice => self.outputs.iter().map(|arc| vec![arc]).collect(),
            ShapeKind::One | ShapeKind::Fork => vec![self.outputs.iter().collect()],
        };
        outcomes.extend(self.catch.iter().map(|(arc, _)| vec![arc]));
        outcomes
    }
}

// Indices are made by the linker, for the table that it makes them for.
#[expect(
    clippy::indexing_slicing,
    reason = "an index of another table is a bug"
)]
impl Table {
    #[inline]
    pub(crate) fn slot(&self, slot: SlotIx) -> &SlotEntry {
        &self.slots[slot.0 as usize]
    }

    pub(crate) fn scope(&self, scope: ScopeIx) -> &Scope {
        &self.scopes[scope.0 as usize]
    }

    pub(crate) fn state(&self, state: StateIx) -> &StateEntry {
        &self.states[state.0 as usize]
    }

    pub(crate) fn latest(&self, latest: LatestIx) -> &LatestEntry {
        &self.latest[latest.0 as usize]
    }

    pub(crate) fn latest_entries(&self) -> impl Iterator<Item = (LatestIx, &LatestEntry)> {
        (0..).map(LatestIx).zip(&self.latest)
    }
}

impl Table {
    pub(crate) fn fingerprint_text(&self) -> &str {
        text_of_fingerprint(&self.fingerprint_json)
    }

    pub(crate) fn state_key(&self, state: StateIx) -> &Arc<str> {
        &self.state(state).key
    }

    /// Whether it is of a document, whose nodes have rules.
    pub(crate) fn is_document(&self) -> bool {
        self.nodes.first().is_some_and(|node| node.rules.is_some())
    }

    pub(crate) fn node_id(&self, node: NodeIx) -> &str {
        &self.node(node).id
    }

    /// The name of a node in the keys of its steps: with the first state that it takes. In another version of the
    /// flow the same function may take another one; that another node takes it too does not change the name.
    pub(crate) fn step_name(&self, node: NodeIx) -> String {
        let NodeEntry {
            id, slots, rules, ..
        } = self.node(node);
        if rules.is_some() {
            // In a document the id is the node.
            return id.to_string();
        }
        let first = slots
            .first()
            .and_then(|slot| self.slot(*slot).states.first());
        match first.map(|state| self.state_key(*state)) {
            // What nobody wrote is not named.
            Some(state) if state != id && is_written(state) => format!("{id}({state})"),
            _ => id.to_string(),
        }
    }

    /// The state that waits at a place.
    pub(crate) fn state_at(&self, place: Place) -> Option<StateIx> {
        let states = &self.slot(place.slot).states;
        states.get(place.branch as usize).copied()
    }

    /// What the state is called that waits at a place.
    pub(crate) fn place_key(&self, place: Place) -> &str {
        let slot = self.slot(place.slot);
        slot.keys.get(place.branch as usize).map_or("", |key| key)
    }

    /// What an agent, a gate or a list returns, in words that snapshots keep: what a node has done before a
    /// deploy is of use after it only if the node still returns the same.
    pub(crate) fn returns(&self, node: NodeIx) -> &Arc<str> {
        let entry = self.node(node);
        entry.returns.get_or_init(|| {
            let outputs = entry.outputs.iter().map(|arc| &**self.state_key(arc.state));
            // Of a document's node the first is its output; the others are edges.
            let count = entry.rules.as_ref().map_or(usize::MAX, |_| 1);
            let outputs: Vec<&str> = outputs.take(count).collect();
            let outputs = outputs.join(" | ");
            match &entry.kind {
                NodeKind::Gate(gate) => {
                    format!("{outputs} (answer: {})", gate.answer_name()).into()
                }
                NodeKind::Agent(agent) => match &agent.spec.config.contract {
                    Some(contract) => format!("{outputs} ({})", contract.id()).into(),
                    None => outputs.into(),
                },
                _ => outputs.into(),
            }
        })
    }

    /// What runs within `node`: of a list the chain for each item, of an agent those that it calls.
    pub(crate) fn inner(&self, node: NodeIx) -> Option<&Arc<Self>> {
        let graph = match &self.node(node).kind {
            NodeKind::Each(each) => Some(&each.chain),
            kind => kind.team(),
        };
        graph.map(|graph| &graph.table)
    }

    /// The lists, with the chain that each of their items runs through.
    pub(crate) fn lists(&self) -> impl Iterator<Item = (NodeIx, &Arc<Self>)> {
        let nodes = (0..).map(NodeIx).zip(&self.nodes);
        nodes.filter_map(|(node, entry)| match &entry.kind {
            NodeKind::Each(each) => Some((node, &each.chain.table)),
            _ => None,
        })
    }

    /// The move of a node, if it is a [`PlainMove`].
    pub(super) fn plain_move(&self, node: &NodeEntry) -> Option<PlainMove> {
        let (NodeKind::Function(_), [_], [arc]) = (&node.kind, &*node.slots, &*node.outputs) else {
            return None;
        };
        let is_timed = |policy: &Policy| policy.timeout.is_some() || policy.total_timeout.is_some();
        let is_within_flow = arc.starts.is_empty() && arc.ends.is_empty();
        if !node.reads.is_empty() || !arc.kept_as.is_empty() {
            return None;
        }
        if node.on_cycle || is_timed(&node.policy) || !is_within_flow {
            return None;
        }
        let place = match *arc.to {
            [] => return Some(PlainMove { to: None }),
            [place] => place,
            _ => return None,
        };
        let slot = self.slot(place.slot);
        let next = self.node(slot.node);
        let is_plain = next.slots.len() == 1 && !slot.is_list && !is_timed(&next.policy);
        let to = Some((place, slot.node));
        is_plain.then_some(PlainMove { to })
    }

    /// A scope, and those around it.
    pub(crate) fn enclosing(&self, scope: ScopeIx) -> impl Iterator<Item = (ScopeIx, &Scope)> {
        let at = |index| (index, self.scope(index));
        std::iter::successors(Some(at(scope)), move |(_, scope)| scope.parent.map(at))
    }

    /// The scopes around a node, innermost first.
    pub(crate) fn scopes_of(&self, node: NodeIx) -> impl Iterator<Item = (ScopeIx, &Scope)> {
        self.enclosing(self.node(node).scope)
    }

    pub(crate) fn is_within(&self, node: NodeIx, scope: ScopeIx) -> bool {
        self.is_inlined_in(self.node(node).scope, scope)
    }

    /// Whether a flow is this one, or in it.
    pub(crate) fn is_inlined_in(&self, inner: ScopeIx, scope: ScopeIx) -> bool {
        self.enclosing(inner).any(|(around, _)| around == scope)
    }

    /// The nodes that `node` may feed, with what it returns or with a failure.
    pub(crate) fn successors(&self, node: NodeIx) -> impl Iterator<Item = NodeIx> {
        let entry = self.node(node);
        let around = self.scopes_of(node);
        let around = around.filter_map(|(_, scope)| scope.catch.as_ref());
        let failures = entry.catch.iter().chain(around).map(|(arc, _)| arc);
        let places = entry.outputs.iter().chain(failures).flat_map(|arc| &arc.to);
        places.map(|place| self.slot(place.slot).node)
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
}

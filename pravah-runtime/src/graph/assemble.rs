//! Graphs that are put together from places and arcs, as documents have them: nothing is looked up by the names of
//! types.

use std::sync::{Arc, OnceLock};

use pravah_graph::Fingerprint;
use smallvec::{SmallVec, smallvec};

use super::{
    FlowGraph, FlowSpec, LatestIx, NodeIx, NodeKind, NodeRules, OutputArc, Place, Scope, ScopeIx,
    SlotIx, StateIx, Table, Wiring,
    latest::LatestEntry,
    table::{NodeEntry, Parts, SlotEntry, StateEntry, index},
};
use crate::{node::Policy, state::StateType, topology::ShapeKind};

/// The type of a state, as what waits is read.
pub(crate) type TypeOf = fn() -> StateType;

/// A graph before it is put together.
pub(crate) struct Assembly {
    /// The state that it starts with, which the first node takes.
    pub(crate) input: (String, TypeOf),
    /// The state that it ends with.
    pub(crate) output: (String, TypeOf),
    pub(crate) nodes: Vec<AssembledNode>,
    /// What nodes leave to be read, by the keys of snapshots.
    pub(crate) latest: Vec<KeptState>,
    pub(crate) fingerprint: Fingerprint,
    pub(crate) fail_fast: bool,
}

/// A state that is kept for whoever reads it.
pub(crate) struct KeptState {
    pub(crate) key: String,
    /// Whether items of a list start with what is kept around it.
    pub(crate) is_captured: bool,
}

pub(crate) struct AssembledNode {
    pub(crate) id: String,
    /// The states that it waits for, in order. Each comes from one output.
    pub(crate) takes: Vec<(String, TypeOf)>,
    pub(crate) outputs: Vec<AssembledOutput>,
    pub(crate) kind: NodeKind,
    pub(crate) policy: Policy,
    pub(crate) rules: NodeRules,
    /// Of a list: what is kept around it, and what that is in its chain.
    pub(crate) captures: Vec<(LatestIx, LatestIx)>,
}

/// What becomes of one of the states that a node emits.
pub(crate) enum AssembledOutput {
    /// It waits at this parameter of that node.
    To { node: usize, param: usize },
    /// It is kept.
    Kept { latest: LatestIx, type_of: TypeOf },
    /// It is what the graph returns.
    End,
}

impl FlowGraph {
    /// Puts a graph together.
    pub(crate) fn assemble(assembly: Assembly) -> Self {
        let fail_fast = assembly.fail_fast;
        let table = Assembler::default().table(assembly);
        let specs = FlowSpec::new(Vec::new(), Wiring::default());
        let graph = Self {
            specs,
            table: Arc::new(table),
            types: Arc::default(),
            upgrades: Arc::default(),
        };
        graph.with_detached().with_fail_fast(fail_fast)
    }
}

#[derive(Default)]
struct Assembler {
    states: Vec<StateEntry>,
    slots: Vec<SlotEntry>,
    /// The first slot of each node.
    first_slots: Vec<u32>,
}

impl Assembler {
    fn table(mut self, assembly: Assembly) -> Table {
        let input = self.state(&assembly.input.0, assembly.input.1);
        let output = self.state(&assembly.output.0, assembly.output.1);
        for (number, node) in assembly.nodes.iter().enumerate() {
            self.add_slots(number, node);
        }
        let latest: Vec<LatestEntry> = assembly.latest.into_iter().map(entry).collect();
        let entry = OutputArc {
            state: input,
            to: smallvec![self.place(0, 0)],
            is_output: false,
            starts: Vec::new(),
            ends: Vec::new(),
            kept_as: Vec::new(),
        };
        let nodes = assembly.nodes.into_iter().enumerate();
        let nodes: Vec<NodeEntry> = nodes
            .map(|(number, node)| self.node(number, node, output, &latest))
            .collect();
        let key: Arc<str> = assembly.input.0.into();
        let scope = Scope {
            input: Arc::clone(&key),
            key: Arc::clone(&key),
            entry: input,
            starts_at: entry.to.to_vec(),
            parent: None,
            shares_entry_with: None,
            catch: None,
        };
        Table::of(Parts {
            has_shared_states: false,
            fingerprint: assembly.fingerprint,
            entry,
            output,
            nodes,
            scopes: vec![scope],
            slots: self.slots,
            latest,
            states: self.states,
        })
    }

    fn state(&mut self, key: &str, type_of: TypeOf) -> StateIx {
        let index = StateIx(index(self.states.len()));
        self.states.push(StateEntry {
            key: key.into(),
            type_of: Some(type_of),
            schema: None,
        });
        index
    }

    fn add_slots(&mut self, number: usize, node: &AssembledNode) {
        self.first_slots.push(index(self.slots.len()));
        for (key, type_of) in &node.takes {
            let state = self.state(key, *type_of);
            self.slots.push(SlotEntry {
                node: NodeIx(index(number)),
                states: vec![state],
                keys: vec![key.as_str().into()],
                is_list: false,
            });
        }
    }

    fn place(&self, node: usize, param: usize) -> Place {
        let first = self.first_slots.get(node).copied().unwrap_or_default();
        Place {
            slot: SlotIx(first.saturating_add(index(param))),
            branch: 0,
        }
    }

    fn node(
        &mut self,
        number: usize,
        node: AssembledNode,
        output: StateIx,
        latest: &[LatestEntry],
    ) -> NodeEntry {
        let key: Arc<str> = node.id.into();
        let slots = (0..node.takes.len()).map(|param| self.place(number, param).slot);
        let slots = slots.collect();
        let outputs = node.outputs.into_iter();
        let outputs = outputs.map(|it| self.arc(it, output, latest)).collect();
        NodeEntry {
            id: Arc::clone(&key),
            key,
            slots,
            shape: ShapeKind::Fork,
            outputs,
            reads: Vec::new(),
            inputs: Vec::new(),
            captures: node.captures,
            kind: node.kind,
            policy: node.policy,
            catch: None,
            on_cycle: false,
            plain_move: None,
            returns: OnceLock::new(),
            scope: ScopeIx::FLOW,
            rules: Some(Box::new(node.rules)),
        }
    }

    fn arc(&mut self, it: AssembledOutput, output: StateIx, latest: &[LatestEntry]) -> OutputArc {
        let arc = |state| OutputArc {
            state,
            to: SmallVec::new(),
            is_output: false,
            starts: Vec::new(),
            ends: Vec::new(),
            kept_as: Vec::new(),
        };
        match it {
            AssembledOutput::End => OutputArc {
                is_output: true,
                ..arc(output)
            },
            AssembledOutput::To { node, param } => {
                let place = self.place(node, param);
                let slot = self.slots.get(place.slot.0 as usize);
                let state = slot.and_then(|slot| slot.states.first()).copied();
                OutputArc {
                    to: smallvec![place],
                    ..arc(state.unwrap_or(output))
                }
            }
            AssembledOutput::Kept {
                latest: kept,
                type_of,
            } => {
                let key = latest.get(kept.0 as usize).map(|entry| &*entry.key);
                OutputArc {
                    kept_as: vec![kept],
                    ..arc(self.state(key.unwrap_or_default(), type_of))
                }
            }
        }
    }
}

fn entry(kept: KeptState) -> LatestEntry {
    let key: Arc<str> = kept.key.into();
    LatestEntry {
        scope: ScopeIx::FLOW,
        state: Arc::clone(&key),
        key,
        may_be_missing: kept.is_captured,
    }
}

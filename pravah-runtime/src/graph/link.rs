//! Resolving names to indices.

use std::{collections::BTreeMap, sync::Arc};

use pravah_graph::Fingerprint;

use super::{
    FlowGraph, NodeIx, Scope, SlotIx, StateIx, Table, Target,
    flatten::{Flat, flatten},
    problems::Problem,
    table::{NodeEntry, StateEntry},
};
use crate::node::{Name, NodeKind, NodeSpec, ShapeKind};

/// Links `specs` into a graph; where there are problems the graph is not to be run.
pub(super) fn link(input: Name, output: Name, specs: Vec<NodeSpec>) -> (FlowGraph, Vec<Problem>) {
    link_within(input, output, specs, "")
}

/// The same, where the ids of all nodes start with `within`.
pub(super) fn link_within(
    input: Name,
    output: Name,
    specs: Vec<NodeSpec>,
    within: &str,
) -> (FlowGraph, Vec<Problem>) {
    let flat = flatten(&input, &output, &specs, within);
    let mut linker = Linker::default();
    linker.add_states(&flat);
    linker.add_slots(&flat);
    let entry = linker.state(&input);
    let output = linker.end(&output);
    let nodes = linker.nodes(&flat);
    let scopes = linker.scopes(&flat);
    linker.every_state_goes_somewhere(&flat);
    let node_by_key = nodes
        .iter()
        .zip(0..)
        .map(|(node, ix)| (Arc::clone(&node.key), NodeIx(ix)))
        .collect();
    let fingerprint = fingerprint(&flat);
    let mut table = Table {
        fingerprint,
        fingerprint_text: fingerprint.to_string(),
        nodes,
        states: linker.states.into_iter().map(Draft::entry).collect(),
        slots: linker.slots,
        scopes,
        entry,
        output,
        state_by_key: linker.state_by_key,
        node_by_key,
    };
    mark_cycles(&mut table);
    mark_sequences(&mut table);
    let graph = FlowGraph {
        specs: specs.into(),
        table: Arc::new(table),
        types: Arc::default(),
    };
    (graph, linker.problems)
}

#[derive(Default)]
struct Linker {
    states: Vec<Draft>,
    slots: Vec<NodeIx>,
    state_by_key: BTreeMap<Arc<str>, StateIx>,
    /// The first node of each id.
    ids: BTreeMap<Name, usize>,
    problems: Vec<Problem>,
}

/// A state before its target is known.
struct Draft {
    key: Arc<str>,
    target: Option<Target>,
    opens: bool,
}

impl Draft {
    fn entry(self) -> StateEntry {
        StateEntry {
            key: self.key,
            target: self.target.unwrap_or(Target::Done),
            opens: self.opens,
        }
    }
}

impl Linker {
    /// Gives every state that is named its index, in the order of mention.
    fn add_states(&mut self, flat: &Flat) {
        for (node, _) in &flat.nodes {
            for name in node.params.iter().flatten().chain(&node.outputs) {
                self.state(name);
            }
            if let Some(catch) = &node.catch {
                self.state(&catch.name);
            }
        }
    }

    fn scopes(&mut self, flat: &Flat) -> Vec<Scope> {
        let mut scopes = Vec::with_capacity(flat.scopes.len());
        for scope in &flat.scopes {
            let entry = self.state(&scope.entry);
            if let Some(state) = self.states.get_mut(entry.0 as usize) {
                state.opens = true;
            }
            scopes.push(Scope {
                input: Arc::clone(&scope.input),
                entry,
                output: self.state(&scope.output),
                parent: scope.parent,
                catch: scope
                    .catch
                    .clone()
                    .map(|catch| (self.state(&catch.name), catch)),
            });
        }
        scopes
    }

    fn state(&mut self, name: &Name) -> StateIx {
        if let Some(&known) = self.state_by_key.get(&**name) {
            return known;
        }
        let index = StateIx(u32::try_from(self.states.len()).unwrap_or(u32::MAX));
        let key: Arc<str> = Arc::from(&**name);
        self.state_by_key.insert(Arc::clone(&key), index);
        self.states.push(Draft {
            key,
            target: None,
            opens: false,
        });
        index
    }

    fn end(&mut self, output: &Name) -> StateIx {
        let state = self.state(output);
        if let Some(draft) = self.states.get_mut(state.0 as usize)
            && draft.target.is_none()
        {
            draft.target = Some(Target::Done);
        }
        state
    }

    /// Leads every state to the slot of the node that takes it.
    fn add_slots(&mut self, flat: &Flat) {
        let mut taken_by: BTreeMap<StateIx, &NodeSpec> = BTreeMap::new();
        for (index, (node, _)) in flat.nodes.iter().enumerate() {
            if let NodeKind::Broken(why) = &node.kind {
                self.problems.push(Problem::Broken {
                    node: node.id.clone(),
                    why: why.to_string(),
                });
            }
            let node_ix = NodeIx(u32::try_from(index).unwrap_or(u32::MAX));
            let called = self.ids.entry(node.id.clone()).or_insert(index);
            let alike = flat
                .nodes
                .get(*called)
                .is_some_and(|(other, _)| other.params == node.params);
            if *called != index && !alike {
                self.problems.push(Problem::TwoNodes {
                    id: node.id.clone(),
                });
            }
            for states in &node.params {
                let slot = SlotIx(u32::try_from(self.slots.len()).unwrap_or(u32::MAX));
                self.slots.push(node_ix);
                for (way, name) in states.iter().enumerate() {
                    let state = self.state(name);
                    if let Some(other) = taken_by.insert(state, node) {
                        self.problems.push(if std::ptr::eq(other, node) {
                            Problem::SameState {
                                state: name.clone(),
                                node: node.id.clone(),
                            }
                        } else {
                            let nodes =
                                [other, node].map(|node| (node.id.clone(), node.outputs.clone()));
                            Problem::TwoConsumers {
                                state: name.clone(),
                                nodes: Box::new(nodes),
                            }
                        });
                    }
                    if let Some(draft) = self.states.get_mut(state.0 as usize) {
                        draft.target = Some(Target::Slot { slot, way });
                    }
                }
            }
        }
    }

    fn nodes(&mut self, flat: &Flat) -> Vec<NodeEntry> {
        let mut slot = 0..;
        let mut nodes: Vec<NodeEntry> = Vec::with_capacity(flat.nodes.len());
        for (spec, scope) in &flat.nodes {
            let slots = slot.by_ref().take(spec.params.len()).map(SlotIx).collect();
            let ways = spec.outputs.iter().map(|name| self.state(name)).collect();
            nodes.push(NodeEntry {
                id: Arc::from(&*spec.id),
                key: spec
                    .params
                    .first()
                    .and_then(|states| states.first())
                    .map_or_else(|| Arc::from(""), |key| Arc::from(&**key)),
                slots,
                ways,
                kind: spec.kind.clone(),
                policy: spec.policy,
                catch: spec
                    .catch
                    .as_ref()
                    .map(|catch| (self.state(&catch.name), catch.clone())),
                on_cycle: false,
                scope: *scope,
                sequence: None,
            });
        }
        nodes
    }

    fn every_state_goes_somewhere(&mut self, flat: &Flat) {
        for (node, _) in &flat.nodes {
            for name in &node.outputs {
                let state = self.state(name);
                if self
                    .states
                    .get(state.0 as usize)
                    .is_some_and(|draft| draft.target.is_none())
                {
                    self.problems.push(Problem::NotConsumed {
                        state: name.clone(),
                        node: node.id.clone(),
                    });
                }
            }
        }
    }
}

fn mark_cycles(table: &mut Table) {
    let nodes = (0..table.nodes.len()).map(|ix| NodeIx(u32::try_from(ix).unwrap_or(u32::MAX)));
    let successors: Vec<Vec<usize>> = nodes
        .map(|node| table.successors(node).map(|next| next.0 as usize).collect())
        .collect();
    for (node, on_cycle) in table
        .nodes
        .iter_mut()
        .zip(pravah_graph::on_cycle(&successors))
    {
        node.on_cycle = on_cycle;
    }
}

fn mark_sequences(table: &mut Table) {
    let sequences: Vec<_> = table
        .nodes
        .iter()
        .map(|node| table.sequence(node))
        .collect();
    for (node, sequence) in table.nodes.iter_mut().zip(sequences) {
        node.sequence = sequence;
    }
}

/// Over the transitions in order: what they are, take and return.
fn fingerprint(flat: &Flat) -> Fingerprint {
    let mut fingerprint = Fingerprint::builder();
    for (node, _) in &flat.nodes {
        let kind = match (&node.kind, node.shape) {
            (NodeKind::Each(_), _) => "each",
            (NodeKind::Gate(_), _) => "gate",
            (NodeKind::Agent(_), _) => "agent",
            (_, ShapeKind::One) => "work",
            (_, ShapeKind::Choice) => "choice",
            (_, ShapeKind::Fork) => "fork",
        };
        let takes: Vec<String> = node.params.iter().map(|states| states.join("|")).collect();
        let takes: Vec<&str> = takes.iter().map(|states| &**states).collect();
        let outputs: Vec<&str> = node.outputs.iter().map(|name| &**name).collect();
        fingerprint.transition(kind, takes.iter().copied(), outputs);
        if let NodeKind::Each(each) = &node.kind {
            fingerprint.nested(each.chain.fingerprint());
        }
        if let Some(catch) = &node.catch {
            fingerprint.transition("catch", takes, [&*catch.name]);
        }
    }
    for scope in &flat.scopes {
        if let Some(catch) = &scope.catch {
            fingerprint.transition("catch", [&*scope.entry], [&*catch.name]);
        }
    }
    fingerprint.finish()
}

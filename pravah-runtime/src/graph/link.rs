//! Resolving names to indices.

use std::{
    collections::BTreeMap,
    sync::{Arc, OnceLock},
};

use pravah_graph::Fingerprint;

use super::{
    FlowGraph, NodeIx, OutputArc, Place, Scope, ScopeIx, SlotIx, StateIx, Table,
    flatten::{Flat, FlatScope, flatten},
    problems::Problem,
    table::{NodeEntry, SlotEntry, StateEntry},
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
    let mut linker = Linker::new(&flat);
    linker.add_states();
    linker.add_checks();
    linker.add_slots();
    let entry = linker.state(&input);
    let output = linker.state(&output);
    linker.every_state_goes_somewhere(output);
    let nodes = linker.nodes();
    let node_by_key = nodes
        .iter()
        .zip(0..)
        .map(|(node, ix)| (Arc::clone(&node.key), NodeIx(ix)))
        .collect();
    let scopes = linker.scopes();
    let scope_by_key = scopes.iter().zip(0..);
    let scope_by_key = scope_by_key
        .map(|(scope, ix)| (Arc::clone(&scope.key), ScopeIx(ix)))
        .collect();
    let fingerprint = fingerprint(&flat);
    let limits_total_time = nodes.iter().any(|node| match &node.kind {
        NodeKind::Each(each) => each.chain.table.limits_total_time,
        _ => node.policy.total_timeout.is_some(),
    });
    let mut table = Table {
        limits_total_time,
        fingerprint,
        fingerprint_text: fingerprint.to_string(),
        nodes,
        scopes,
        entry: linker.arc(None, entry),
        output,
        place_by_key: linker.places_by_key(),
        scope_by_key,
        slots: linker.slots,
        states: linker.states,
        node_by_key,
        way_out: OnceLock::new(),
    };
    mark_cycles(&mut table);
    mark_plain_moves(&mut table);
    let graph = FlowGraph {
        specs: specs.into(),
        table: Arc::new(table),
        types: Arc::default(),
    };
    (graph, linker.problems)
}

struct Linker<'a> {
    flat: &'a Flat,
    states: Vec<StateEntry>,
    slots: Vec<SlotEntry>,
    /// Where each state waits.
    places: BTreeMap<StateIx, Place>,
    state_by_key: BTreeMap<Arc<str>, StateIx>,
    /// The first node of each id.
    ids: BTreeMap<Name, usize>,
    problems: Vec<Problem>,
}

impl<'a> Linker<'a> {
    fn new(flat: &'a Flat) -> Self {
        Self {
            flat,
            states: Vec::new(),
            slots: Vec::new(),
            places: BTreeMap::new(),
            state_by_key: BTreeMap::new(),
            ids: BTreeMap::new(),
            problems: Vec::new(),
        }
    }

    /// Gives every state that is named its index, in the order of mention.
    fn add_states(&mut self) {
        let flat = self.flat;
        for (node, _) in &flat.nodes {
            for name in node.params.iter().flatten().chain(&node.outputs) {
                self.state(name);
            }
            if let Some(catch) = &node.catch {
                self.state(&catch.name);
            }
        }
        for scope in &flat.scopes {
            self.state(&scope.entry);
            self.state(&scope.output);
            if let Some(catch) = &scope.catch {
                self.state(&catch.name);
            }
        }
    }

    /// The index of a state, which it gets when it is first named.
    fn state(&mut self, name: &Name) -> StateIx {
        if let Some(&known) = self.state_by_key.get(&**name) {
            return known;
        }
        let index = StateIx(index(self.states.len()));
        let key: Arc<str> = Arc::from(&**name);
        self.state_by_key.insert(Arc::clone(&key), index);
        self.states.push(StateEntry { key, check: None });
        index
    }

    /// Notes how the states are read that nodes take and return.
    fn add_checks(&mut self) {
        let flat = self.flat;
        for (node, _) in &flat.nodes {
            let params = node.params.iter().zip(&node.about.params);
            let params = params.flat_map(|(names, fns)| names.iter().zip(fns));
            for (name, fns) in params.chain(node.outputs.iter().zip(&node.about.outputs)) {
                let state = self.state(name);
                if let Some(state) = self.states.get_mut(state.0 as usize) {
                    state.check = Some(fns.check);
                }
            }
        }
    }

    /// Leads every state to the slot of the node that takes it.
    fn add_slots(&mut self) {
        let flat = self.flat;
        let mut taken_by: BTreeMap<StateIx, &NodeSpec> = BTreeMap::new();
        for (node_index, (node, _)) in flat.nodes.iter().enumerate() {
            self.check_node(node_index, node);
            for states in &node.params {
                let slot = SlotIx(index(self.slots.len()));
                let states: Vec<StateIx> = states.iter().map(|name| self.state(name)).collect();
                for (branch, state) in (0..).zip(&states) {
                    if let Some(other) = taken_by.insert(*state, node) {
                        let problem = taken_twice(self.name(*state), other, node);
                        self.problems.push(problem);
                    }
                    self.places.insert(*state, Place { slot, branch });
                }
                self.slots.push(SlotEntry {
                    node: NodeIx(index(node_index)),
                    states,
                    is_list: matches!(node.kind, NodeKind::Each(_)),
                });
            }
        }
    }

    fn check_node(&mut self, index: usize, node: &NodeSpec) {
        if let NodeKind::Broken(why) = &node.kind {
            self.problems.push(Problem::Broken {
                node: node.id.clone(),
                why: why.to_string(),
            });
        }
        let called = self.ids.entry(node.id.clone()).or_insert(index);
        let other = self.flat.nodes.get(*called);
        let alike = other.is_some_and(|(other, _)| other.params == node.params);
        if *called != index && !alike {
            self.problems.push(Problem::TwoNodes {
                id: node.id.clone(),
            });
        }
    }

    fn name(&self, state: StateIx) -> Name {
        let state = self.states.get(state.0 as usize);
        state.map_or(Name::Borrowed(""), |state| {
            Name::Owned(state.key.to_string())
        })
    }

    /// The arc of a state that comes out of the scope `from`, or from outside of all.
    fn arc(&self, from: Option<usize>, state: StateIx) -> OutputArc {
        let name = self.name(state);
        let around = from.into_iter().flat_map(|from| self.flat.enclosing(from));
        let around: Vec<(usize, &FlatScope)> = around.collect();
        let scopes = self.flat.scopes.iter().enumerate();
        let started = scopes.filter(|(number, scope)| {
            // A loop back to where a flow starts is no new input of it.
            let is_inside = around.iter().any(|(around, _)| around == number);
            scope.entry == name && !is_inside
        });
        // The flow itself keeps its input to the end.
        let ended = around.iter().take_while(|(_, scope)| scope.output == name);
        let ended = ended.filter(|(_, scope)| scope.parent.is_some());
        OutputArc {
            state,
            to: self.places.get(&state).copied(),
            starts: started.map(|(number, _)| scope_ix(number)).collect(),
            ends: ended.map(|(number, _)| scope_ix(*number)).collect(),
        }
    }

    fn nodes(&mut self) -> Vec<NodeEntry> {
        let flat = self.flat;
        let mut slot = 0..;
        let mut nodes: Vec<NodeEntry> = Vec::with_capacity(flat.nodes.len());
        for (spec, scope) in &flat.nodes {
            let slots = slot.by_ref().take(spec.params.len()).map(SlotIx).collect();
            let mut arc = |name: &Name| {
                let state = self.state(name);
                self.arc(Some(*scope), state)
            };
            nodes.push(NodeEntry {
                id: Arc::from(&*spec.id),
                key: spec
                    .params
                    .first()
                    .and_then(|states| states.first())
                    .map_or_else(|| Arc::from(""), |key| Arc::from(&**key)),
                slots,
                shape: spec.shape,
                outputs: spec.outputs.iter().map(&mut arc).collect(),
                kind: spec.kind.clone(),
                policy: spec.policy,
                catch: spec
                    .catch
                    .as_ref()
                    .map(|catch| (arc(&catch.name), catch.clone())),
                on_cycle: false,
                plain_move: None,
                returns: OnceLock::new(),
                scope: scope_ix(*scope),
            });
        }
        nodes
    }

    fn scopes(&mut self) -> Vec<Scope> {
        let flat = self.flat;
        let scopes = flat.scopes.iter().enumerate().map(|(number, scope)| {
            let catch = scope.catch.as_ref().map(|catch| {
                let state = self.state(&catch.name);
                (self.arc(scope.parent, state), catch.clone())
            });
            let mut around = flat.enclosing(number).skip(1);
            let shares_entry_with = around.find(|(_, it)| it.entry == scope.entry);
            let entry = self.state(&scope.entry);
            Scope {
                input: Arc::clone(&scope.input),
                key: Arc::from(&*scope.key),
                entry,
                starts_at: self.places.get(&entry).copied(),
                parent: scope.parent.map(scope_ix),
                shares_entry_with: shares_entry_with.map(|(around, _)| scope_ix(around)),
                catch,
            }
        });
        scopes.collect()
    }

    fn places_by_key(&self) -> BTreeMap<Arc<str>, Place> {
        let places = self.state_by_key.iter().filter_map(|(key, state)| {
            let place = self.places.get(state)?;
            Some((Arc::clone(key), *place))
        });
        places.collect()
    }

    fn every_state_goes_somewhere(&mut self, output: StateIx) {
        let flat = self.flat;
        for (node, _) in &flat.nodes {
            for name in &node.outputs {
                let state = self.state(name);
                if state != output && !self.places.contains_key(&state) {
                    self.problems.push(Problem::NotConsumed {
                        state: name.clone(),
                        node: node.id.clone(),
                    });
                }
            }
        }
    }
}

fn taken_twice(state: Name, first: &NodeSpec, second: &NodeSpec) -> Problem {
    if std::ptr::eq(first, second) {
        return Problem::SameState {
            state,
            node: second.id.clone(),
        };
    }
    let nodes = [first, second].map(|node| (node.id.clone(), node.outputs.clone()));
    Problem::TwoConsumers {
        state,
        nodes: Box::new(nodes),
    }
}

/// No graph has as many nodes or states as would not fit.
fn index(index: usize) -> u32 {
    u32::try_from(index).unwrap_or(u32::MAX)
}

fn scope_ix(number: usize) -> ScopeIx {
    ScopeIx(index(number))
}

fn mark_cycles(table: &mut Table) {
    let nodes = (0..table.nodes.len()).map(|node| NodeIx(index(node)));
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

fn mark_plain_moves(table: &mut Table) {
    let nodes = table.nodes.iter();
    let moves: Vec<_> = nodes.map(|node| table.plain_move(node)).collect();
    for (node, plain_move) in table.nodes.iter_mut().zip(moves) {
        node.plain_move = plain_move;
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
        if scope.parent.is_some() {
            fingerprint.transition("flow", [&*scope.key], [&*scope.output]);
        }
        if let Some(catch) = &scope.catch {
            fingerprint.transition("catch", [&*scope.entry], [&*catch.name]);
        }
    }
    fingerprint.finish()
}

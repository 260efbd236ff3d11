//! Resolving names to indices.

mod fingerprint;

use std::{
    collections::BTreeMap,
    sync::{Arc, OnceLock},
};

use smallvec::SmallVec;

use super::{
    FlowGraph, FlowSpec, Name, NodeIx, NodeKind, NodeSpec, OutputArc, Place, Scope, ScopeIx,
    SlotIx, StateIx, Table,
    flatten::{Flat, FlatArc, FlatNode, flatten},
    keys::slot_keys,
    latest::{LatestEntry, captures, entries_of, inputs_asked_by, mark_missing},
    problems::Problem,
    table::{NodeEntry, Parts, SlotEntry, StateEntry, index},
    wiring::Port,
};

/// Links `specs` into a graph; where there are problems the graph is not to be run.
pub(super) fn link(input: Name, output: Name, specs: FlowSpec) -> (FlowGraph, Vec<Problem>) {
    let (graph, problems) = link_within(input, output, specs, "");
    (graph.with_detached(), problems)
}

/// The same, where the ids of all nodes start with `within`.
pub(super) fn link_within(
    input: Name,
    output: Name,
    specs: FlowSpec,
    within: &str,
) -> (FlowGraph, Vec<Problem>) {
    let flat = flatten(&input, &output, &specs, &specs.wiring, within);
    let (mut table, problems) = Linker::new(&flat).table(&input, &output);
    mark_cycles(&mut table);
    mark_plain_moves(&mut table);
    mark_missing(&mut table);
    let graph = FlowGraph {
        specs,
        table: Arc::new(table),
        types: Arc::default(),
        upgrades: Arc::default(),
    };
    (graph, problems)
}

struct Linker<'a> {
    flat: &'a Flat,
    states: Vec<StateEntry>,
    slots: Vec<SlotEntry>,
    latest: Vec<LatestEntry>,
    /// The first slot of each node.
    first_slots: Vec<u32>,
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
            latest: flat.latest(),
            first_slots: Vec::new(),
            state_by_key: BTreeMap::new(),
            ids: BTreeMap::new(),
            problems: Vec::new(),
        }
    }

    /// The table, in which nothing is marked yet.
    fn table(mut self, input: &Name, output: &Name) -> (Table, Vec<Problem>) {
        self.add_states();
        self.add_checks();
        self.add_slots();
        let (entry, output) = (self.state(input), self.state(output));
        let (nodes, scopes) = (self.nodes(), self.scopes());
        let table = Table::of(Parts {
            has_shared_states: self.has_shared_states(),
            fingerprint: self.fingerprint(),
            entry: self.arc(&self.flat.entry, entry),
            output,
            nodes,
            scopes,
            slots: self.slots,
            latest: self.latest,
            states: self.states,
        });
        (table, self.problems)
    }

    /// Gives every state that is named its index, in the order of mention.
    fn add_states(&mut self) {
        let flat = self.flat;
        for FlatNode { spec: node, .. } in &flat.nodes {
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
        self.states.push(StateEntry {
            key,
            type_of: None,
            schema: None,
        });
        index
    }

    /// Notes how the states are read that nodes take and return.
    fn add_checks(&mut self) {
        let flat = self.flat;
        for FlatNode { spec: node, .. } in &flat.nodes {
            let params = node.params.iter().zip(&node.about.params);
            let params = params.flat_map(|(names, fns)| names.iter().zip(fns));
            for (name, fns) in params.chain(node.outputs.iter().zip(&node.about.outputs)) {
                let state = self.state(name);
                if let Some(state) = self.states.get_mut(state.0 as usize) {
                    (state.type_of, state.schema) = (Some(fns.type_of), Some(fns.schema));
                }
            }
        }
    }

    /// Gives every parameter its slot.
    fn add_slots(&mut self) {
        let flat = self.flat;
        for (node_index, FlatNode { spec: node, .. }) in flat.nodes.iter().enumerate() {
            self.check_node(node_index, node);
            self.first_slots.push(index(self.slots.len()));
            for states in &node.params {
                let states: Vec<StateIx> = states.iter().map(|name| self.state(name)).collect();
                self.slots.push(SlotEntry {
                    node: NodeIx(index(node_index)),
                    states,
                    keys: Vec::new(),
                    is_list: matches!(node.kind, NodeKind::Each(_)),
                });
            }
        }
        let keys = slot_keys(flat, &self.slots, &self.states);
        for (slot, keys) in self.slots.iter_mut().zip(keys) {
            slot.keys = keys;
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
        if *called != index {
            self.problems.push(Problem::TwoNodes {
                id: node.id.clone(),
            });
        }
    }

    /// An arc of this state.
    fn arc(&self, arc: &FlatArc, state: StateIx) -> OutputArc {
        let scopes = |scopes: &[usize]| scopes.iter().map(|scope| scope_ix(*scope)).collect();
        OutputArc {
            state,
            to: self.places(&arc.to, state).collect(),
            is_output: arc.to.is_empty(),
            starts: scopes(&arc.starts),
            ends: scopes(&arc.ends),
            kept_as: arc
                .kept_by
                .iter()
                .flat_map(|(scope, name)| entries_of(&self.latest, *scope, [name]))
                .collect(),
        }
    }

    /// The places of a state in these parameters.
    fn places(&self, ports: &[Port], state: StateIx) -> impl Iterator<Item = Place> {
        ports.iter().filter_map(move |port| {
            let first = *self.first_slots.get(port.node)?;
            let slot = SlotIx(first.saturating_add(index(port.param)));
            let states = &self.slots.get(slot.0 as usize)?.states;
            let branch = states.iter().position(|other| *other == state)?;
            let branch = index(branch);
            Some(Place { slot, branch })
        })
    }

    fn nodes(&mut self) -> Vec<NodeEntry> {
        let flat = self.flat;
        let mut slot = 0..;
        let mut nodes: Vec<NodeEntry> = Vec::with_capacity(flat.nodes.len());
        for node in &flat.nodes {
            let FlatNode { spec, scope, .. } = node;
            let slots = slot.by_ref().take(spec.params.len()).map(SlotIx);
            let slots: SmallVec<[SlotIx; 4]> = slots.collect();
            let key = slots
                .first()
                .and_then(|slot| self.slots.get(slot.0 as usize)?.keys.first());
            let key = key.map_or_else(|| Arc::from(""), Arc::clone);
            let reads = entries_of(&self.latest, *scope, &spec.reads);
            let captures = captures(&self.latest, node);
            let inputs = self.inputs_of(node);
            let mut arc = |(name, arc): (&Name, &FlatArc)| {
                let state = self.state(name);
                self.arc(arc, state)
            };
            let catch = spec.catch.as_ref();
            nodes.push(NodeEntry {
                id: Arc::from(&*spec.id),
                key,
                slots,
                shape: spec.shape,
                outputs: spec
                    .outputs
                    .iter()
                    .zip(&node.outputs)
                    .map(&mut arc)
                    .collect(),
                reads,
                inputs,
                captures,
                kind: spec.kind.clone(),
                policy: spec.effective_policy(),
                catch: catch.map(|catch| (arc((&catch.name, &node.catch)), catch.clone())),
                on_cycle: false,
                plain_move: None,
                returns: OnceLock::new(),
                rules: None,
                scope: scope_ix(*scope),
            });
        }
        nodes
    }

    /// The flows around a node whose inputs it asks for: of each state the innermost that starts with it.
    fn inputs_of(&self, node: &FlatNode) -> Vec<ScopeIx> {
        let asked = inputs_asked_by(&node.spec);
        let scopes = asked.iter().filter_map(|state| {
            let mut around = self.flat.enclosing(node.scope);
            let (scope, _) = around.find(|(_, scope)| *scope.input == **state)?;
            Some(scope_ix(scope))
        });
        scopes.collect()
    }

    fn scopes(&mut self) -> Vec<Scope> {
        let flat = self.flat;
        let scopes = flat.scopes.iter().enumerate().map(|(number, scope)| {
            let catch = scope.catch.as_ref().map(|catch| {
                let state = self.state(&catch.name);
                (self.arc(&scope.catch_arc, state), catch.clone())
            });
            let mut around = flat.enclosing(number).skip(1);
            let shares_entry_with = around.find(|(_, it)| it.entry == scope.entry);
            let entry = self.state(&scope.entry);
            Scope {
                input: Arc::clone(&scope.input),
                key: Arc::from(&*scope.key),
                entry,
                starts_at: self.places(&scope.starts_at, entry).collect(),
                parent: scope.parent.map(scope_ix),
                shares_entry_with: shares_entry_with.map(|(around, _)| scope_ix(around)),
                catch,
            }
        });
        scopes.collect()
    }

    fn has_shared_states(&self) -> bool {
        let mut states = self
            .slots
            .iter()
            .flat_map(|slot| slot.states.iter().zip(&slot.keys));
        states.any(|(state, key)| {
            let state = self.states.get(state.0 as usize);
            state.is_some_and(|state| state.key != *key)
        })
    }
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

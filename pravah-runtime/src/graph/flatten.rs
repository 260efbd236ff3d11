//! Inlining nested flows.

use std::{collections::BTreeSet, sync::Arc};

use super::{
    CatchSpec, FlowGraph, FlowSpec, Name, NodeKind, NodeSpec,
    latest::read_by,
    wiring::{Port, Wiring},
};

/// Nodes without nested flows, the scopes they come from, and where each state goes.
pub(super) struct Flat {
    pub(super) nodes: Vec<FlatNode>,
    /// Each before those in it.
    pub(super) scopes: Vec<FlatScope>,
    /// Where the flow's input goes.
    pub(super) entry: FlatArc,
}

pub(super) struct FlatNode {
    pub(super) spec: NodeSpec,
    pub(super) scope: usize,
    /// Where each of its outputs goes.
    pub(super) outputs: Vec<FlatArc>,
    /// Where its failure goes, if a `catch` follows it.
    pub(super) catch: FlatArc,
}

pub(super) struct FlatScope {
    /// The schema name of its input.
    pub(super) input: Arc<str>,
    /// What its input is called in snapshots.
    pub(super) key: Name,
    /// The keys of the states that it starts and ends with.
    pub(super) entry: Name,
    pub(super) output: Name,
    pub(super) parent: Option<usize>,
    pub(super) catch: Option<CatchSpec>,
    /// The parameters that take its input.
    pub(super) starts_at: Vec<Port>,
    /// Where a failure within goes, if a `catch` follows it.
    pub(super) catch_arc: FlatArc,
    /// The nested flows that it is in, from the outermost, and itself.
    pub(super) prefix: String,
    /// The schema names of the states that are read in it.
    pub(super) reads: BTreeSet<Name>,
}

/// Where a state goes: to parameters of flat nodes, or to none where it ends the flow.
#[derive(Default)]
pub(super) struct FlatArc {
    pub(super) to: Vec<Port>,
    /// The scopes that it enters, each before those in it.
    pub(super) starts: Vec<usize>,
    /// The scopes that it leaves, the innermost first. The flow itself is never left.
    pub(super) ends: Vec<usize>,
    /// The scopes that keep it as the latest of this schema name.
    pub(super) kept_by: Vec<(usize, Name)>,
}

/// Replaces each nested flow by its nodes. Its input and output keep their names; everything else
/// in it, states and nodes, is prefixed with what the flow is called where it is used:
/// `review_round::Verdict`, `review_round::security`. The ids of all nodes start with `within`, where the
/// graph is a list's chain within a nested flow.
pub(super) fn flatten(
    input: &Name,
    output: &Name,
    specs: &[NodeSpec],
    wiring: &Arc<Wiring>,
    within: &str,
) -> Flat {
    let mut inlining = Inlining {
        flat: Flat {
            nodes: Vec::with_capacity(specs.len()),
            scopes: vec![FlatScope {
                input: Arc::from(&**input),
                key: input.clone(),
                entry: input.clone(),
                output: output.clone(),
                parent: None,
                catch: None,
                starts_at: Vec::new(),
                catch_arc: FlatArc::default(),
                prefix: String::new(),
                reads: BTreeSet::new(),
            }],
            entry: FlatArc::default(),
        },
        levels: Vec::new(),
    };
    let names = Names {
        key: &Name::clone,
        prefix: "",
        within,
    };
    inlining.add_flow(specs, wiring, None, &names);
    inlining.connect(input);
    inlining.flat
}

/// What the names of a graph become where it is inlined.
struct Names<'a> {
    key: &'a dyn Fn(&Name) -> Name,
    /// The nested flows that it is in, from the outermost.
    prefix: &'a str,
    within: &'a str,
}

impl Names<'_> {
    fn id(&self, id: &Name) -> Name {
        Name::Owned(join(&self.place(), id))
    }

    /// What all ids start with.
    fn place(&self) -> String {
        join(self.within, self.prefix)
    }
}

pub(super) fn join(place: &str, name: &str) -> String {
    match (place, name) {
        ("", one) | (one, "") => one.to_owned(),
        (place, name) => format!("{place}::{name}"),
    }
}

impl Flat {
    /// A scope, and those around it.
    pub(super) fn enclosing(&self, scope: usize) -> impl Iterator<Item = (usize, &FlatScope)> {
        let at = |index: usize| Some((index, self.scopes.get(index)?));
        std::iter::successors(at(scope), move |(_, scope)| at(scope.parent?))
    }
}

struct Inlining<'a> {
    flat: Flat,
    /// What each scope is made of.
    levels: Vec<Level<'a>>,
}

struct Level<'a> {
    specs: &'a [NodeSpec],
    wiring: Arc<Wiring>,
    /// What each of its nodes has become.
    nodes: Vec<Inlined>,
    /// Which node of the scope around it it is.
    within: Option<usize>,
}

#[derive(Clone, Copy)]
enum Inlined {
    Node(usize),
    Scope(usize),
}

impl<'a> Inlining<'a> {
    /// Adds the nodes of the scope that was added last, which is node number `within` of the one around it.
    fn add_flow(
        &mut self,
        specs: &'a [NodeSpec],
        wiring: &Arc<Wiring>,
        within: Option<usize>,
        names: &Names<'_>,
    ) {
        let scope = self.levels.len();
        if let Some(scope) = self.flat.scopes.get_mut(scope) {
            scope.reads = specs.iter().flat_map(read_by).collect();
        }
        self.levels.push(Level {
            specs,
            wiring: Arc::clone(wiring),
            nodes: Vec::with_capacity(specs.len()),
            within,
        });
        for (index, spec) in specs.iter().enumerate() {
            let inlined = match &spec.kind {
                NodeKind::Flow(graph) => {
                    Inlined::Scope(self.add_scope(spec, graph, scope, index, names))
                }
                _ => Inlined::Node(self.add_node(renamed(spec, names), scope)),
            };
            if let Some(level) = self.levels.get_mut(scope) {
                level.nodes.push(inlined);
            }
        }
    }

    fn add_node(&mut self, spec: NodeSpec, scope: usize) -> usize {
        self.flat.nodes.push(FlatNode {
            spec,
            scope,
            outputs: Vec::new(),
            catch: FlatArc::default(),
        });
        self.flat.nodes.len() - 1
    }

    fn add_scope(
        &mut self,
        spec: &'a NodeSpec,
        graph: &'a FlowGraph,
        parent: usize,
        index: usize,
        names: &Names<'_>,
    ) -> usize {
        let key = |name: &str| (names.key)(&Name::Owned(name.to_owned()));
        let (input, output) = (graph.input(), graph.output());
        let prefix = join(names.prefix, &spec.id);
        self.flat.scopes.push(FlatScope {
            input: Arc::from(input),
            // No state has this key: the one that a nested flow starts with is called as in the flow around it.
            key: Name::Owned(join(&prefix, input)),
            entry: key(input),
            output: key(output),
            parent: Some(parent),
            catch: spec.catch.clone().map(|catch| rekeyed(catch, names)),
            starts_at: Vec::new(),
            catch_arc: FlatArc::default(),
            prefix: prefix.clone(),
            reads: BTreeSet::new(),
        });
        let inner_key = |name: &Name| {
            if **name == *input || **name == *output {
                (names.key)(name)
            } else {
                Name::Owned(format!("{prefix}::{name}"))
            }
        };
        let names = Names {
            key: &inner_key,
            prefix: &prefix,
            within: names.within,
        };
        let FlowSpec { wiring, .. } = &graph.specs;
        let scope = self.levels.len();
        self.add_flow(&graph.specs, wiring, Some(index), &names);
        scope
    }

    /// Leads every state where it goes.
    fn connect(&mut self, input: &Name) {
        self.flat.entry = self.arc(None, self.entry_of(0), input);
        for scope in 0..self.levels.len() {
            let nodes = self.levels.get(scope).map(|level| level.nodes.len());
            for index in 0..nodes.unwrap_or_default() {
                self.connect_node(scope, index);
            }
            let starts_at = self.entry_of(scope);
            if let Some(scope) = self.flat.scopes.get_mut(scope) {
                scope.starts_at = starts_at;
            }
        }
    }

    fn connect_node(&mut self, scope: usize, index: usize) {
        let Some(level) = self.levels.get(scope) else {
            return;
        };
        let (Some(inlined), Some(wiring)) = (level.nodes.get(index), level.wiring.nodes.get(index))
        else {
            return;
        };
        let Some(spec) = level.specs.get(index) else {
            return;
        };
        let arc =
            |ports: &[Port], state: &Name| self.arc(Some(scope), self.reach(scope, ports), state);
        let catch = spec.catch.as_ref();
        let mut catch = catch.map_or_else(FlatArc::default, |it| arc(&wiring.catch, &it.name));
        // A failure makes nothing.
        catch.kept_by.retain(|(by, _)| *by != scope);
        match *inlined {
            Inlined::Scope(inner) => {
                if let Some(inner) = self.flat.scopes.get_mut(inner) {
                    inner.catch_arc = catch;
                }
            }
            Inlined::Node(node) => {
                let outputs = wiring.outputs.iter().zip(&spec.outputs);
                let outputs = outputs.map(|(ports, state)| arc(ports, state)).collect();
                if let Some(node) = self.flat.nodes.get_mut(node) {
                    (node.outputs, node.catch) = (outputs, catch);
                }
            }
        }
    }

    /// The parameters that take the input of a scope.
    fn entry_of(&self, scope: usize) -> Vec<Port> {
        let level = self.levels.get(scope);
        level.map_or_else(Vec::new, |level| self.reach(scope, &level.wiring.entry))
    }

    /// The parameters that a state reaches which goes to `ports` of a scope: those of nested flows through
    /// their entries, and from the end of a nested flow those that follow it.
    fn reach(&self, scope: usize, ports: &[Port]) -> Vec<Port> {
        let Some(level) = self.levels.get(scope) else {
            return Vec::new();
        };
        if ports.is_empty() {
            let parent = self.flat.scopes.get(scope).and_then(|scope| scope.parent);
            let (Some(parent), Some(index)) = (parent, level.within) else {
                return Vec::new();
            };
            let around = self.levels.get(parent);
            let after = around.and_then(|around| around.wiring.nodes.get(index)?.outputs.first());
            return after.map_or_else(Vec::new, |after| self.reach(parent, after));
        }
        let inner = ports
            .iter()
            .flat_map(|port| match level.nodes.get(port.node) {
                Some(Inlined::Node(node)) => vec![Port {
                    node: *node,
                    ..*port
                }],
                Some(Inlined::Scope(inner)) => self.entry_of(*inner),
                None => Vec::new(),
            });
        inner.collect()
    }

    /// The arc of a state to these parameters, from a node of the scope `of` or from outside of all.
    fn arc(&self, of: Option<usize>, to: Vec<Port>, state: &Name) -> FlatArc {
        let around = |scope: usize| self.flat.enclosing(scope).map(|(index, _)| index);
        let from: Vec<usize> = of.into_iter().flat_map(around).collect();
        let nodes = to.iter().filter_map(|port| self.flat.nodes.get(port.node));
        let mut entered: Vec<usize> = nodes.flat_map(|node| around(node.scope)).collect();
        entered.sort_unstable();
        entered.dedup();
        // The flow itself keeps its input to the end.
        let is_left = |scope: &usize| *scope != 0 && !entered.contains(scope);
        let mut arc = FlatArc {
            ends: from.iter().copied().filter(is_left).collect(),
            starts: entered
                .iter()
                .copied()
                .filter(|scope| !from.contains(scope))
                .collect(),
            kept_by: Vec::new(),
            to,
        };
        arc.kept_by = self.flat.keepers(&arc, of, state);
        arc
    }
}

fn renamed(spec: &NodeSpec, names: &Names<'_>) -> NodeSpec {
    let mut spec = spec.clone();
    spec.id = names.id(&spec.id);
    for name in spec.params.iter_mut().flatten().chain(&mut spec.outputs) {
        *name = (names.key)(name);
    }
    spec.catch = spec.catch.map(|catch| rekeyed(catch, names));
    match &mut spec.kind {
        NodeKind::Each(each) if !names.prefix.is_empty() => {
            each.chain = each.chain.within(&names.place());
        }
        kind => match kind.make_team(&names.place()) {
            Ok(team) => kind.set_team(team),
            Err(problem) => spec.kind = NodeKind::Broken(problem.into()),
        },
    }
    spec
}

fn rekeyed(mut catch: CatchSpec, names: &Names<'_>) -> CatchSpec {
    catch.name = (names.key)(&catch.name);
    catch
}

impl FlowGraph {
    /// The same graph, with ids that start with `prefix`.
    fn within(&self, prefix: &str) -> Self {
        let (input, output) = (self.input().to_owned(), self.output().to_owned());
        super::link::link_within(input.into(), output.into(), self.specs.clone(), prefix).0
    }
}

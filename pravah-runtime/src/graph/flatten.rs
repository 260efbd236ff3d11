//! Inlining nested flows.

use std::sync::Arc;

use super::FlowGraph;
use crate::node::{CatchSpec, Name, NodeKind, NodeSpec};

/// Nodes without nested flows, and the scopes they come from.
pub(super) struct Flat {
    pub(super) nodes: Vec<(NodeSpec, usize)>,
    /// Each before those in it.
    pub(super) scopes: Vec<FlatScope>,
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
}

/// Replaces each nested flow by its nodes. Its input and output keep their names; everything else
/// in it, states and nodes, is prefixed with what the flow is called where it is used:
/// `review_round::Verdict`, `review_round::security`. The ids of all nodes start with `within`, where the
/// graph is a list's chain within a nested flow.
pub(super) fn flatten(input: &Name, output: &Name, specs: &[NodeSpec], within: &str) -> Flat {
    let mut flat = Flat {
        nodes: Vec::with_capacity(specs.len()),
        scopes: vec![FlatScope {
            input: Arc::from(&**input),
            key: input.clone(),
            entry: input.clone(),
            output: output.clone(),
            parent: None,
            catch: None,
        }],
    };
    let names = Names {
        key: &Name::clone,
        prefix: "",
        within,
    };
    for spec in specs {
        flat.add(spec, 0, &names);
    }
    flat
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

fn join(place: &str, name: &str) -> String {
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

    fn add(&mut self, spec: &NodeSpec, scope: usize, names: &Names<'_>) {
        let NodeKind::Flow(graph) = &spec.kind else {
            self.nodes.push((renamed(spec, names), scope));
            return;
        };
        let inner = self.scopes.len();
        let key = |name: &str| (names.key)(&Name::Owned(name.to_owned()));
        let (input, output) = (graph.input(), graph.output());
        let prefix = join(names.prefix, &spec.id);
        let entry = key(input);
        // No state in it has this key: its input has the one that it has around it.
        let own = Name::Owned(join(&prefix, input));
        let is_shared = self.enclosing(scope).any(|(_, it)| it.entry == entry);
        self.scopes.push(FlatScope {
            input: Arc::from(input),
            key: if is_shared { own } else { entry.clone() },
            entry,
            output: key(output),
            parent: Some(scope),
            catch: spec.catch.clone().map(|catch| rekeyed(catch, names)),
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
        for node in graph.specs.iter() {
            self.add(node, inner, &names);
        }
    }
}

fn renamed(spec: &NodeSpec, names: &Names<'_>) -> NodeSpec {
    let mut spec = spec.clone();
    spec.id = names.id(&spec.id);
    for name in spec.params.iter_mut().flatten().chain(&mut spec.outputs) {
        *name = (names.key)(name);
    }
    spec.catch = spec.catch.map(|catch| rekeyed(catch, names));
    if let NodeKind::Each(each) = &mut spec.kind
        && !names.prefix.is_empty()
    {
        each.chain = each.chain.within(&names.place());
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
        super::link::link_within(input.into(), output.into(), self.specs.to_vec(), prefix).0
    }
}

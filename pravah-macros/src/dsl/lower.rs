//! From statements to nodes and arcs.

use std::collections::{BTreeMap, BTreeSet};

use proc_macro2::Span;

use super::{
    ast::{Group, GroupKind, NodeRef, Source, Statement, Target},
    position::Position,
};
use crate::diag::Diagnostics;

/// The nodes of one net, and the arcs between them.
#[derive(Debug, Default)]
pub(crate) struct Graph {
    pub(crate) nodes: Vec<Node>,
    pub(crate) arcs: Vec<Arc>,
    /// The words of the groups, by the number that positions have of them.
    pub(crate) groups: Vec<(GroupKind, Span)>,
}

#[derive(Debug)]
pub(crate) struct Node {
    pub(crate) what: What,
    pub(crate) span: Span,
    /// Where `join` first marks it.
    pub(crate) join: Option<Span>,
    pub(crate) successor: Successor,
    /// The arc of its failure.
    pub(crate) catch: Option<usize>,
    /// The arcs into it: each slot holds alternatives.
    pub(crate) slots: Vec<Vec<usize>>,
    position: Position,
}

#[derive(Debug)]
pub(crate) enum What {
    Node(NodeRef),
    /// `each(…)` around a chain.
    Each(Box<Graph>),
}

/// What comes after a node.
#[derive(Debug)]
pub(crate) enum Successor {
    /// Nothing: the node ends the flow.
    End,
    One(usize),
    Group(GroupKind, Span, Vec<usize>),
}

#[derive(Debug)]
pub(crate) struct Arc {
    pub(crate) from: From,
    pub(crate) to: To,
    /// The token that it leads to.
    pub(crate) span: Span,
    position: Position,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum From {
    /// What the net starts with.
    Input,
    Way(usize, usize),
    Failure(usize),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum To {
    Node(usize),
    Done,
}

/// Lowers a flow. What does not hold together is reported; the graph is then not to be used.
pub(crate) fn lower(statements: &[Statement], errors: &mut Diagnostics) -> Graph {
    let mut lowering = Lowering::new(errors, false);
    for statement in statements {
        lowering
            .continued
            .extend(sources(&statement.source, &statement.targets));
    }
    for statement in statements {
        lowering.statement(statement);
    }
    lowering.finish()
}

/// The nodes with a successor, wherever they stand.
fn sources(source: &Source, targets: &[Target]) -> Vec<String> {
    let mut found = Vec::new();
    if let (Source::Node(node), false) = (source, targets.is_empty()) {
        found.push(node.key.clone());
    }
    chain_sources(targets, &mut found);
    found
}

fn chain_sources(targets: &[Target], found: &mut Vec<String>) {
    for (index, target) in targets.iter().enumerate() {
        match target {
            Target::Node(node) | Target::Join(node, _) if index + 1 < targets.len() => {
                found.push(node.key.clone())
            }
            Target::Group(group) => group
                .branches
                .iter()
                .for_each(|branch| chain_sources(branch, found)),
            _ => {}
        }
    }
}

struct Lowering<'a> {
    graph: Graph,
    known: BTreeMap<String, usize>,
    /// The keys of nodes with a successor somewhere.
    continued: BTreeSet<String>,
    /// Whether this is the chain of an `each`.
    in_each: bool,
    errors: &'a mut Diagnostics,
}

/// An end that may lead on.
#[derive(Clone)]
struct Exit {
    from: From,
    position: Position,
    /// Whether it is a way of a group.
    in_group: bool,
}

impl Exit {
    fn new(from: From, position: Position) -> Self {
        Self {
            from,
            position,
            in_group: false,
        }
    }
}

impl<'a> Lowering<'a> {
    fn new(errors: &'a mut Diagnostics, in_each: bool) -> Self {
        Self {
            graph: Graph::default(),
            known: BTreeMap::new(),
            continued: BTreeSet::new(),
            in_each,
            errors,
        }
    }

    fn statement(&mut self, statement: &Statement) {
        let (exit, is_first) = match &statement.source {
            Source::Node(node) => {
                let is_first = self.graph.nodes.is_empty();
                let index = self.node(node, &Position::default());
                (self.exit(index), is_first)
            }
            Source::Catch(node) => {
                if self.graph.nodes.is_empty() {
                    self.errors.error(
                        node.span,
                        "the flow starts with `catch`",
                        "write the statement with its first node before it",
                    );
                }
                let index = self.node(node, &Position::default());
                let position = self.position(index);
                (Exit::new(From::Failure(index), position), false)
            }
        };
        if is_first {
            let input = Exit::new(From::Input, Position::default());
            self.connect(&input, To::Node(0), self.span(0));
        }
        let position = exit.position.clone();
        self.chain(&statement.targets, vec![exit], &position);
    }

    /// Leads `exits` through a chain, and answers its open ends.
    fn chain(
        &mut self,
        targets: &[Target],
        mut exits: Vec<Exit>,
        position: &Position,
    ) -> Vec<Exit> {
        for target in targets {
            exits = match target {
                Target::Group(group) => self.group(group, &exits),
                target => self.step(target, &exits, position),
            };
        }
        exits
    }

    /// Leads `exits` to one target.
    fn step(&mut self, target: &Target, exits: &[Exit], position: &Position) -> Vec<Exit> {
        match target {
            Target::Node(node) => {
                let index = self.node(node, position);
                exits
                    .iter()
                    .for_each(|exit| self.connect(exit, To::Node(index), node.span));
                vec![self.exit(index)]
            }
            Target::Join(node, span) => {
                let index = self.node(node, position);
                self.mark_join(index, *span, position);
                exits
                    .iter()
                    .for_each(|exit| self.connect(exit, To::Node(index), *span));
                vec![self.exit(index)]
            }
            Target::Each(chain, span) => {
                let index = self.each(chain, *span, position);
                exits
                    .iter()
                    .for_each(|exit| self.connect(exit, To::Node(index), *span));
                vec![self.exit(index)]
            }
            Target::Done(span) => {
                if self.in_each {
                    self.errors.error(
                        *span,
                        "`done` stands inside `each`",
                        "end the chain with a node: what it gives goes into the list",
                    );
                }
                exits
                    .iter()
                    .for_each(|exit| self.connect(exit, To::Done, *span));
                Vec::new()
            }
            Target::Group(_) => Vec::new(),
        }
    }

    fn group(&mut self, group: &Group, exits: &[Exit]) -> Vec<Exit> {
        let Some(Exit {
            from: From::Way(node, _),
            position,
            ..
        }) = exits.first().cloned()
        else {
            return Vec::new();
        };
        if !self.is_last(node) {
            self.second_successor(node, group.span);
            return Vec::new();
        }
        let number = self.graph.groups.len();
        self.graph.groups.push((group.kind, group.span));
        self.set_successor(node, Successor::Group(group.kind, group.span, Vec::new()));
        let mut open: Vec<Exit> = Vec::new();
        for (way, branch) in group.branches.iter().enumerate() {
            let inside = position.inside(number, group.kind, way);
            let exit = Exit {
                from: From::Way(node, way),
                position: inside.clone(),
                in_group: true,
            };
            for end in self.chain(branch, vec![exit], &inside) {
                let twice = open.iter().any(|other| other.from == end.from);
                if self.is_open(&end) && !twice {
                    open.push(end);
                }
            }
        }
        open
    }

    /// Whether what follows the group follows this end.
    fn is_open(&self, end: &Exit) -> bool {
        let From::Way(node, _) = end.from else {
            return true;
        };
        let continues = self
            .graph
            .nodes
            .get(node)
            .is_some_and(|node| match &node.what {
                What::Node(name) => self.continued.contains(&name.key),
                What::Each(_) => false,
            });
        !continues
    }

    fn each(&mut self, chain: &[Target], span: Span, position: &Position) -> usize {
        let mut inner = Lowering::new(self.errors, true);
        let mut continued = Vec::new();
        chain_sources(chain, &mut continued);
        inner.continued.extend(continued);
        let input = Exit::new(From::Input, Position::default());
        inner.chain(chain, vec![input], &Position::default());
        let inner = inner.finish();
        self.add(What::Each(Box::new(inner)), span, position)
    }

    fn connect(&mut self, exit: &Exit, to: To, span: Span) {
        let arc = self.graph.arcs.len();
        match exit.from {
            From::Input => {}
            From::Failure(node) => match self.graph.nodes.get_mut(node) {
                Some(entry) if entry.catch.is_some() => {
                    let name = self.name(node);
                    self.errors.error(
                        span,
                        format!("`{name}` has two `catch`es"),
                        "keep one of them",
                    );
                    return;
                }
                Some(entry) => entry.catch = Some(arc),
                None => {}
            },
            From::Way(node, way) => {
                match self
                    .graph
                    .nodes
                    .get_mut(node)
                    .map(|node| &mut node.successor)
                {
                    Some(Successor::Group(_, _, arcs)) if exit.in_group && arcs.len() == way => {
                        arcs.push(arc);
                    }
                    Some(successor @ Successor::End) => *successor = Successor::One(arc),
                    _ => {
                        self.second_successor(node, span);
                        return;
                    }
                }
            }
        }
        self.graph.arcs.push(Arc {
            from: exit.from,
            to,
            span,
            position: exit.position.clone(),
        });
    }

    fn second_successor(&mut self, node: usize, span: Span) {
        let name = self.name(node);
        self.errors.error(
            span,
            format!("`{name}` has two successors"),
            format!("lead on from `{name}` once; for several ways write `{name} -> either(…)` or `{name} -> fork(…)`"),
        );
    }

    fn is_last(&self, node: usize) -> bool {
        matches!(
            self.graph.nodes.get(node),
            Some(Node {
                successor: Successor::End,
                ..
            })
        )
    }

    fn set_successor(&mut self, node: usize, successor: Successor) {
        if let Some(node) = self.graph.nodes.get_mut(node) {
            node.successor = successor;
        }
    }

    fn node(&mut self, node: &NodeRef, position: &Position) -> usize {
        if let Some(&index) = self.known.get(&node.key) {
            return index;
        }
        let index = self.add(What::Node(node.clone()), node.span, position);
        self.known.insert(node.key.clone(), index);
        index
    }

    fn add(&mut self, what: What, span: Span, position: &Position) -> usize {
        self.graph.nodes.push(Node {
            what,
            span,
            join: None,
            successor: Successor::End,
            catch: None,
            slots: Vec::new(),
            position: position.clone(),
        });
        self.graph.nodes.len() - 1
    }

    /// A join stands behind the branches that it joins.
    fn mark_join(&mut self, index: usize, span: Span, position: &Position) {
        if let Some(node) = self.graph.nodes.get_mut(index) {
            node.join.get_or_insert(span);
            node.position = node.position.common(position);
        }
    }

    fn exit(&self, index: usize) -> Exit {
        Exit::new(From::Way(index, 0), self.position(index))
    }

    fn position(&self, index: usize) -> Position {
        self.graph
            .nodes
            .get(index)
            .map(|node| node.position.clone())
            .unwrap_or_default()
    }

    fn span(&self, index: usize) -> Span {
        self.graph
            .nodes
            .get(index)
            .map_or_else(Span::call_site, |node| node.span)
    }

    fn name(&self, index: usize) -> String {
        self.graph.name(index)
    }

    /// Gives every arc its slot, and every end its arc to done.
    fn finish(mut self) -> Graph {
        for index in 0..self.graph.nodes.len() {
            if self.is_last(index) {
                let exit = self.exit(index);
                self.connect(&exit, To::Done, self.span(index));
            }
        }
        for index in 0..self.graph.arcs.len() {
            let Some(Arc {
                to: To::Node(node), ..
            }) = self.graph.arcs.get(index)
            else {
                continue;
            };
            let node = *node;
            let slot = self.slot(node, index);
            if let Some(node) = self.graph.nodes.get_mut(node) {
                match node.slots.get_mut(slot) {
                    Some(slot) => slot.push(index),
                    None => node.slots.push(vec![index]),
                }
            }
        }
        self.graph
    }

    /// The first slot of `node` all of whose arcs exclude `arc`. Branches are nested, so that this
    /// makes as few slots as there can be (the arcs' graph is a cograph).
    fn slot(&mut self, node: usize, arc: usize) -> usize {
        let Some(entry) = self.graph.nodes.get(node) else {
            return 0;
        };
        let Some(this) = self.graph.arcs.get(arc) else {
            return 0;
        };
        let fork = |slot: &Vec<usize>| {
            slot.iter().find_map(|other| {
                this.position
                    .fork_between(&self.graph.arcs.get(*other)?.position)
            })
        };
        if entry.join.is_some() {
            return entry
                .slots
                .iter()
                .position(|slot| fork(slot).is_none())
                .unwrap_or(entry.slots.len());
        }
        if entry.slots.iter().any(|slot| fork(slot).is_some()) {
            let (name, span) = (self.name(node), this.span);
            self.errors.error(
                span,
                format!("parallel branches lead into `{name}` without `join`"),
                format!("write `join({name})`, and let `{name}` take a parameter for each branch"),
            );
        }
        0
    }
}

impl Graph {
    pub(crate) fn name(&self, index: usize) -> String {
        match self.nodes.get(index).map(|node| &node.what) {
            Some(What::Node(node)) => node.name.clone(),
            Some(What::Each(inner)) => format!("each({})", inner.name(0)),
            None => String::new(),
        }
    }

    /// The fork between two ends of the flow, if both happen.
    pub(super) fn fork_of_ends(&self) -> Option<Span> {
        let ends: Vec<&Arc> = self.arcs.iter().filter(|arc| arc.to == To::Done).collect();
        let forks = ends.iter().enumerate().flat_map(|(index, one)| {
            ends.iter()
                .skip(index + 1)
                .filter_map(|other| one.position.fork_between(&other.position))
        });
        forks
            .min()
            .and_then(|group| self.groups.get(group))
            .map(|(_, span)| *span)
    }
}

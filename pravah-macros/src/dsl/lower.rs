//! From statements to nodes and arcs.

use std::collections::{BTreeMap, BTreeSet};

use proc_macro2::Span;

use super::{
    aliases::aliases,
    ast::{Each, Group, NodeRef, Source, Statement, Target},
    continued,
    graph::{Arc, From, Graph, Node, NodeBody, Successor, To},
    slots,
    words::Word,
};
use crate::diag::Diagnostics;

/// Lowers a flow, unless something does not hold together, which is reported.
pub(crate) fn lower(statements: &[Statement], errors: &mut Diagnostics) -> Option<Graph> {
    let aliases = errors.attempt(|errors| aliases(statements, errors))?;
    errors.attempt(|errors| graph(statements, aliases, errors))
}

fn graph(
    statements: &[Statement],
    aliases: BTreeMap<String, NodeRef>,
    errors: &mut Diagnostics,
) -> Graph {
    let mut shared = Shared {
        aliases,
        errors,
        nets: 0,
        net_of: BTreeMap::new(),
    };
    let mut lowering = Lowering::new(&mut shared);
    for statement in statements {
        lowering
            .continued
            .extend(continued::in_statement(statement));
    }
    statements
        .iter()
        .for_each(|statement| lowering.statement(statement));
    lowering.finish()
}

struct Lowering<'a, 'e> {
    graph: Graph,
    known: BTreeMap<String, usize>,
    /// The keys of nodes with a successor somewhere.
    continued: BTreeSet<String>,
    /// The number of this net; the flow's own is 0, the others are chains of `each`es.
    net: usize,
    shared: &'a mut Shared<'e>,
}

/// What the nets of a flow share.
struct Shared<'e> {
    /// Those of this flow alone.
    errors: &'e mut Diagnostics,
    nets: usize,
    aliases: BTreeMap<String, NodeRef>,
    /// The net that each key first is in.
    net_of: BTreeMap<String, usize>,
}

/// An end that may lead on.
#[derive(Clone, Copy)]
struct Exit {
    from: From,
    /// Whether it is a branch of a group.
    in_group: bool,
}

impl Exit {
    fn new(from: From) -> Self {
        Self {
            from,
            in_group: false,
        }
    }
}

impl<'a, 'e> Lowering<'a, 'e> {
    fn new(shared: &'a mut Shared<'e>) -> Self {
        shared.nets += 1;
        Self {
            graph: Graph::default(),
            known: BTreeMap::new(),
            continued: BTreeSet::new(),
            net: shared.nets - 1,
            shared,
        }
    }

    fn statement(&mut self, statement: &Statement) {
        let (exit, is_first) = match &statement.source {
            Source::Input => (Exit::new(From::Input), false),
            Source::Node(node) => {
                let is_first = self.graph.nodes.is_empty();
                let index = self.node(node);
                (self.exit(index), is_first)
            }
            Source::Catch(node) => {
                if self.graph.nodes.is_empty() {
                    self.shared.errors.error(
                        node.span,
                        "the flow starts with `catch`",
                        "write the statement with its first node before it",
                    );
                }
                let index = self.node(node);
                (Exit::new(From::Failure(index)), false)
            }
        };
        if is_first {
            let input = Exit::new(From::Input);
            self.connect(&input, To::Node(0), self.span(0));
        }
        self.chain(&statement.targets, vec![exit]);
    }

    /// Leads `exits` through a chain, and returns its open ends.
    fn chain(&mut self, targets: &[Target], mut exits: Vec<Exit>) -> Vec<Exit> {
        let mut is_behind_group = false;
        for target in targets {
            exits = match target {
                Target::Group(group) => self.group(group, &exits),
                target => self.step(target, &exits, is_behind_group),
            };
            is_behind_group = matches!(target, Target::Group(_));
        }
        exits
    }

    /// Leads `exits` to one target.
    fn step(&mut self, target: &Target, exits: &[Exit], is_behind_group: bool) -> Vec<Exit> {
        match target {
            Target::Node(node) => {
                let index = self.node(node);
                self.lead(exits, index, node.span, is_behind_group);
                vec![self.exit(index)]
            }
            Target::Join(node, span) => {
                let index = self.node(node);
                self.mark_join(index, *span);
                self.lead(exits, index, *span, is_behind_group);
                vec![self.exit(index)]
            }
            Target::Each(each) => {
                let index = self.each(each);
                self.lead(exits, index, each.span, is_behind_group);
                vec![self.exit(index)]
            }
            Target::Done(span) => {
                if self.net > 0 {
                    self.shared.errors.error(
                        *span,
                        "`done` is inside `each`",
                        "end the chain with a node: what it returns goes into the list; to end it in several places, make the chain a flow of its own, and name that in the `each`",
                    );
                }
                for exit in exits {
                    self.connect(exit, To::Done, *span);
                    let arc = self.graph.arcs.last_mut();
                    if let Some(arc) = arc.filter(|arc| arc.to == To::Done) {
                        arc.says_done = true;
                    }
                }
                Vec::new()
            }
            Target::Group(_) => Vec::new(),
        }
    }

    fn lead(&mut self, exits: &[Exit], index: usize, span: Span, is_behind_group: bool) {
        for exit in exits {
            // A branch that ends in the node behind the group is there already.
            let is_there = matches!(exit.from, From::Output(node, _) if node == index);
            if !(is_there && is_behind_group) {
                self.connect(exit, To::Node(index), span);
            }
        }
    }

    fn group(&mut self, group: &Group, exits: &[Exit]) -> Vec<Exit> {
        let Some(from) = exits.first().map(|exit| exit.from) else {
            return Vec::new();
        };
        match from {
            From::Output(node, _) if !self.is_last(node) => {
                self.second_successor(node, None, group.span);
                return Vec::new();
            }
            From::Output(node, _) => {
                self.set_successor(node, Successor::Group(group.kind, group.span, Vec::new()));
            }
            From::Input => self.graph.input_fork = Some(group.span),
            From::Failure(_) => {}
        }
        let mut open: Vec<Exit> = Vec::new();
        for (number, branch) in group.branches.iter().enumerate() {
            let exit = Exit {
                from: match from {
                    From::Output(node, _) => From::Output(node, number),
                    from => from,
                },
                in_group: true,
            };
            for end in self.chain(branch, vec![exit]) {
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
        let From::Output(node, _) = end.from else {
            return true;
        };
        let continues = self
            .graph
            .nodes
            .get(node)
            .is_some_and(|node| match &node.body {
                NodeBody::Node(name) => self.continued.contains(&name.key),
                NodeBody::Each { .. } => false,
            });
        !continues
    }

    fn each(&mut self, each: &Each) -> usize {
        let mut inner = Lowering::new(self.shared);
        inner.continued.extend(continued::in_chain(&each.chain));
        let input = Exit::new(From::Input);
        inner.chain(&each.chain, vec![input]);
        let (inner, limit) = (Box::new(inner.finish()), each.limit.clone());
        self.add(NodeBody::Each { inner, limit }, each.span)
    }

    fn connect(&mut self, exit: &Exit, to: To, span: Span) {
        let arc = self.graph.arcs.len();
        match exit.from {
            From::Input => {}
            From::Failure(node) => match self.graph.nodes.get_mut(node) {
                Some(entry) if entry.catch.is_some() => {
                    let name = self.name(node);
                    self.shared.errors.error(
                        span,
                        format!("`{name}` has two `catch`es"),
                        "keep one of them",
                    );
                    return;
                }
                Some(entry) => entry.catch = Some(arc),
                None => {}
            },
            From::Output(node, output) => {
                match self
                    .graph
                    .nodes
                    .get_mut(node)
                    .map(|node| &mut node.successor)
                {
                    Some(Successor::Group(_, _, arcs)) if exit.in_group && arcs.len() == output => {
                        arcs.push(arc);
                    }
                    Some(successor @ Successor::End) => *successor = Successor::One(arc),
                    // Said twice, it is still one successor.
                    Some(Successor::One(said))
                        if self.graph.arcs.get(*said).is_some_and(|said| said.to == to) =>
                    {
                        return;
                    }
                    _ => {
                        self.second_successor(node, Some(to), span);
                        return;
                    }
                }
            }
        }
        self.graph.arcs.push(Arc {
            from: exit.from,
            to,
            span,
            says_done: false,
        });
    }

    fn second_successor(&mut self, node: usize, to: Option<To>, span: Span) {
        let name = self.name(node);
        let body = self.graph.nodes.get(node).map(|node| &node.body);
        let other = match body {
            Some(NodeBody::Node(
                it @ NodeRef {
                    alias: Some(alias), ..
                },
            )) => {
                let node = it.path_text();
                format!(
                    "`{node} as {alias}` is one use of `{node}`, wherever it is written: give another use another name, `{node} as other`"
                )
            }
            _ if self.is_catch(to) => format!(
                "what follows a failure is a statement of its own, `; catch({name}) -> rescue`; a second use of the node has a name of its own, `{name} as other`"
            ),
            _ => format!("give a second use of the node a name of its own, `{name} as other`"),
        };
        self.shared.errors.error(
            span,
            format!("`{name}` has two successors"),
            format!(
                "{other}; for several branches write `{name} -> either(…)` or `{name} -> fork(…)`"
            ),
        );
    }

    /// Whether an arc leads to a node that is called like the word.
    fn is_catch(&self, to: Option<To>) -> bool {
        matches!(to, Some(To::Node(node)) if self.name(node) == Word::Catch.name())
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

    fn node(&mut self, node: &NodeRef) -> usize {
        if let Some(&index) = self.known.get(&node.key) {
            return index;
        }
        let body = self.shared.aliases.get(&node.key).unwrap_or(node).clone();
        let index = self.add(NodeBody::Node(body), node.span);
        self.known.insert(node.key.clone(), index);
        if *self
            .shared
            .net_of
            .entry(node.key.clone())
            .or_insert(self.net)
            != self.net
        {
            self.shared.errors.error(
                node.span,
                format!("`{}` is inside an `each` and elsewhere too", node.name),
                format!("the chain in `each` is a flow of its own: to catch what fails in it, put a flow into the `each` that has `{0}` and the `catch`; to use the node twice, call it by another name there, `{0} as other`", node.key),
            );
        }
        index
    }

    fn add(&mut self, body: NodeBody, span: Span) -> usize {
        self.graph.nodes.push(Node {
            body,
            span,
            join: None,
            successor: Successor::End,
            catch: None,
            slots: Vec::new(),
        });
        self.graph.nodes.len() - 1
    }

    fn mark_join(&mut self, index: usize, span: Span) {
        if let Some(node) = self.graph.nodes.get_mut(index) {
            node.join.get_or_insert(span);
        }
    }

    fn exit(&self, index: usize) -> Exit {
        Exit::new(From::Output(index, 0))
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
        self.graph.tell_apart();
        if self.shared.errors.is_empty() {
            slots::fill(&mut self.graph, self.shared.errors);
        }
        self.graph
    }
}

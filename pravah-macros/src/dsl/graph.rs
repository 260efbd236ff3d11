//! A flow as nodes and arcs.

use std::collections::BTreeMap;

use proc_macro2::Span;
use syn::Expr;

use super::{
    ast::{GroupKind, NodeRef},
    parallel::{Fork, Parallel},
};

/// The nodes of one net, and the arcs between them.
#[derive(Debug, Default)]
pub(crate) struct Graph {
    pub(crate) nodes: Vec<Node>,
    pub(crate) arcs: Vec<Arc>,
    /// The word of the fork that takes the input.
    pub(super) input_fork: Option<Span>,
    pub(super) parallel: Parallel,
}

#[derive(Debug)]
pub(crate) struct Node {
    pub(crate) body: NodeBody,
    pub(crate) span: Span,
    /// Where `join` first marks it.
    pub(crate) join: Option<Span>,
    pub(crate) successor: Successor,
    /// The arc of its failure.
    pub(crate) catch: Option<usize>,
    /// The arcs into it: each slot holds alternatives.
    pub(crate) slots: Vec<Vec<usize>>,
}

#[derive(Debug)]
pub(crate) enum NodeBody {
    Node(NodeRef),
    /// `each(…)` around a chain.
    Each {
        inner: Box<Graph>,
        /// How many items are worked on at the same time at most.
        limit: Option<Expr>,
    },
}

impl NodeBody {
    /// A list is called by the first node in it.
    fn call_by_path(&mut self) {
        match self {
            Self::Node(node) => node.name.clone_from(&node.key),
            Self::Each { inner, .. } => {
                if let Some(first) = inner.nodes.first_mut() {
                    first.body.call_by_path();
                }
            }
        }
    }
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
    /// Whether that is the word `done`.
    pub(crate) says_done: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum From {
    /// What the net starts with; several branches may take it.
    Input,
    /// A node, and which of its outputs.
    Output(usize, usize),
    Failure(usize),
}

impl From {
    /// The node that the arc comes from, if it comes from one.
    pub(super) fn node(self) -> Option<usize> {
        match self {
            Self::Output(node, _) | Self::Failure(node) => Some(node),
            Self::Input => None,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum To {
    Node(usize),
    Done,
}

impl Graph {
    /// For each node the earlier ones whose paths end like its own: they may be the same node, which the types tell. With
    /// `as` it is meant to be another one, and one that `use … as` renames is not found.
    pub(crate) fn spelled_alike(&self) -> Vec<Vec<usize>> {
        let mut known: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
        let nodes = self.nodes.iter().enumerate();
        nodes
            .map(|(index, node)| match &node.body {
                NodeBody::Node(it) if it.alias.is_none() => {
                    let alike = known.entry(last_segment(&it.key)).or_default();
                    let earlier = alike.clone();
                    alike.push(index);
                    earlier
                }
                _ => Vec::new(),
            })
            .collect()
    }

    /// What `as` calls another use of the function that a node is.
    pub(crate) fn renamed_use(&self, node: usize) -> Option<String> {
        let uses = |node: &Node| match &node.body {
            NodeBody::Node(it) => Some((it.path.to_string(), it.alias.clone())),
            NodeBody::Each { .. } => None,
        };
        let (path, None) = uses(self.nodes.get(node)?)? else {
            return None;
        };
        let others = self.nodes.iter().filter_map(uses);
        others
            .filter(|(other, _)| *other == path)
            .find_map(|(_, alias)| alias.map(|alias| alias.to_string()))
    }

    pub(crate) fn name(&self, index: usize) -> String {
        match self.nodes.get(index).map(|node| &node.body) {
            Some(NodeBody::Node(node)) => node.name.clone(),
            Some(NodeBody::Each { inner, .. }) => format!("each({})", inner.name(0)),
            None => String::new(),
        }
    }

    /// The arcs of the flow's input.
    pub(crate) fn inputs(&self) -> Vec<usize> {
        let arcs = self.arcs.iter().enumerate();
        let inputs = arcs.filter(|(_, arc)| arc.from == From::Input);
        inputs.map(|(index, _)| index).collect()
    }

    /// The name of what arc number `arc` leads on from.
    pub(super) fn origin(&self, arc: usize) -> String {
        let node = self.arcs.get(arc).and_then(|arc| arc.from.node());
        node.map_or_else(|| "start".to_owned(), |node| self.name(node))
    }

    /// For each node the arcs into it.
    pub(super) fn incoming(&self) -> Vec<Vec<usize>> {
        let mut incoming = vec![Vec::new(); self.nodes.len()];
        for (index, arc) in self.arcs.iter().enumerate() {
            if let To::Node(node) = arc.to
                && let Some(arcs) = incoming.get_mut(node)
            {
                arcs.push(index);
            }
        }
        incoming
    }

    /// For each outcome of a node the arcs that it marks; a failure that is caught is the last.
    pub(super) fn outcomes(&self, node: usize) -> Vec<Vec<usize>> {
        let Some(node) = self.nodes.get(node) else {
            return Vec::new();
        };
        let mut outcomes = match &node.successor {
            Successor::End => Vec::new(),
            Successor::One(arc) => vec![vec![*arc]],
            Successor::Group(GroupKind::Either, _, arcs) => {
                arcs.iter().map(|arc| vec![*arc]).collect()
            }
            Successor::Group(GroupKind::Fork, _, arcs) => vec![arcs.clone()],
        };
        outcomes.extend(node.catch.map(|arc| vec![arc]));
        outcomes
    }

    pub(super) fn has_fork(&self) -> bool {
        let is_fork = |node: &Node| matches!(node.successor, Successor::Group(GroupKind::Fork, ..));
        self.input_fork.is_some() || self.nodes.iter().any(is_fork)
    }

    /// For each node whether it lies on a loop.
    pub(crate) fn on_loop(&self) -> Vec<bool> {
        let mut successors = vec![Vec::new(); self.nodes.len()];
        for arc in &self.arcs {
            if let (Some(from), To::Node(to)) = (arc.from.node(), arc.to)
                && let Some(successors) = successors.get_mut(from)
            {
                successors.push(to);
            }
        }
        pravah_graph::on_cycle(&successors)
    }

    /// Calls nodes that end in one name by their whole paths.
    pub(super) fn tell_apart(&mut self) {
        let names: Vec<String> = (0..self.nodes.len())
            .map(|index| self.name(index))
            .collect();
        let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
        for name in &names {
            *counts.entry(name).or_default() += 1;
        }
        for (node, name) in self.nodes.iter_mut().zip(&names) {
            if counts.get(name.as_str()).is_some_and(|count| *count > 1) {
                node.body.call_by_path();
            }
        }
    }

    /// The fork another of whose branches ends the flow beside arc number `arc`, and that other end.
    pub(super) fn end_beside(&self, arc: usize) -> Option<(Span, usize)> {
        let mut others = self.arcs.iter().enumerate();
        others.find_map(|(index, other)| {
            let fork = match self.parallel.fork_between(arc, index)? {
                Fork::Input => self.input_fork,
                Fork::After(node) => match self.nodes.get(node)?.successor {
                    Successor::Group(_, span, _) => Some(span),
                    _ => None,
                },
            };
            (other.to == To::Done).then_some((fork?, index))
        })
    }
}

/// The last segment of a path.
pub(super) fn last_segment(path: &str) -> &str {
    path.rsplit("::").next().unwrap_or_default()
}

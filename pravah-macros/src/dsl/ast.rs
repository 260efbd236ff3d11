//! A flow as it is written.

use proc_macro2::{Ident, Span, TokenStream};
use syn::Expr;

#[derive(Debug)]
pub(crate) struct Statement {
    pub(crate) source: Source,
    pub(crate) targets: Vec<Target>,
}

#[derive(Debug)]
pub(crate) enum Source {
    /// The flow's input: the first statement starts with a group or a list.
    Input,
    Node(NodeRef),
    Catch(NodeRef),
}

#[derive(Debug)]
pub(crate) enum Target {
    Node(NodeRef),
    Group(Group),
    Join(NodeRef, Span),
    Each(Each),
    Done(Span),
}

/// `each(chain)`, `each(chain, limit = 8)`.
#[derive(Debug)]
pub(crate) struct Each {
    /// The word.
    pub(crate) span: Span,
    pub(crate) chain: Vec<Target>,
    /// How many items are worked on at the same time at most: a whole number from 1 on, or an expression
    /// that is to be one.
    pub(crate) limit: Option<Expr>,
}

/// `either(…)` or `fork(…)`.
#[derive(Debug)]
pub(crate) struct Group {
    pub(crate) kind: GroupKind,
    /// The word.
    pub(crate) span: Span,
    pub(crate) branches: Vec<Vec<Target>>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum GroupKind {
    Either,
    Fork,
}

/// A node, named by its path.
#[derive(Clone, Debug)]
pub(crate) struct NodeRef {
    pub(crate) path: TokenStream,
    /// The path as text, by which the node is known.
    pub(crate) key: String,
    /// What it is called: the last segment, or the whole path where another node ends like it.
    pub(crate) name: String,
    /// Where the path ends.
    pub(crate) span: Span,
    /// The name after `as`, by which this use of the node is known.
    pub(crate) alias: Option<Ident>,
}

impl NodeRef {
    /// The path as it is written, without `as`.
    pub(crate) fn path_text(&self) -> String {
        self.path.to_string().replace(' ', "")
    }

    /// Whether the flow calls the node by another name than it has.
    pub(crate) fn is_renamed(&self) -> bool {
        self.alias.is_some() || self.name.contains("::")
    }
}

impl Statement {
    /// Calls `visit` for every node that the statement names.
    pub(super) fn nodes(&self, visit: &mut impl FnMut(&NodeRef)) {
        if let Source::Node(node) | Source::Catch(node) = &self.source {
            visit(node);
        }
        nodes_in(&self.targets, visit);
    }
}

fn nodes_in(targets: &[Target], visit: &mut impl FnMut(&NodeRef)) {
    for target in targets {
        match target {
            Target::Node(node) | Target::Join(node, _) => visit(node),
            Target::Group(group) => {
                for branch in &group.branches {
                    nodes_in(branch, visit);
                }
            }
            Target::Each(each) => nodes_in(&each.chain, visit),
            Target::Done(_) => {}
        }
    }
}

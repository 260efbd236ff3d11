//! A flow as it is written.

use proc_macro2::{Span, TokenStream};
use syn::Expr;

#[derive(Debug)]
pub(crate) struct Statement {
    pub(crate) source: Source,
    pub(crate) targets: Vec<Target>,
}

#[derive(Debug)]
pub(crate) enum Source {
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
    pub(crate) span: Span,
}

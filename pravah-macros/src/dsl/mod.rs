//! The flow language: `tokens`, to a tree (`parse`), to nodes and arcs (`lower`), each arc in its
//! slot (`slots`), proved sound (`sound`). Nothing here knows types.

mod aliases;
mod alternatives;
pub(crate) mod ast;
mod continued;
mod graph;
pub(crate) mod lower;
pub(crate) mod order;
mod parallel;
pub(crate) mod parse;
mod slots;
pub(crate) mod sound;
#[cfg(test)]
mod tests;
pub(crate) mod tokens;
pub(crate) mod words;

pub(crate) use ast::NodeRef;
pub(crate) use graph::{Arc, From, Graph, Node, NodeBody, Successor, To};
pub(crate) use parallel::Fork;

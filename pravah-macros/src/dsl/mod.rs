//! The flow language: tokens, to a tree (`parse`), to nodes and arcs (`lower`), proved sound
//! (`sound`). Nothing here knows types.

pub(crate) mod ast;
pub(crate) mod lower;
pub(crate) mod parse;
mod position;
pub(crate) mod sound;
#[cfg(test)]
mod tests;
pub(crate) mod words;

pub(crate) use ast::NodeRef;
pub(crate) use lower::{Arc, From, Graph, Node, Successor, To, What};

//! What is read, and by which node.

use crate::{
    check::message::{Message, message},
    state::StateRef,
    topology::{Signature, Topology},
};

/// A state that a node reads, or a node in the chain of the list that it is.
#[derive(Clone, Copy)]
pub(super) struct Read {
    pub(super) state: StateRef,
    pub(super) reader: Signature,
    /// The chain that the reader is in, and its number there, where it reads for a list.
    pub(super) in_chain: Option<(&'static Topology, usize)>,
}

impl Read {
    pub(super) const fn text(self) -> Message {
        message(&["`", self.reader.name, "` reads "]).and_read("Latest", self.state)
    }
}

//! Documents, from their text to what came of them.
#![allow(
    clippy::expect_used,
    clippy::panic,
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a helper that fails is a test that fails"
)]
#![cfg(feature = "documents")]

#[path = "documents/events.rs"]
mod events;
#[path = "documents/pages.rs"]
mod pages;
#[path = "documents/session.rs"]
mod session;

use pravah_runtime::document::{DocumentFlow, NodeRegistry};

/// A document of the packs `core` and `tutorial`.
fn read(text: &str) -> DocumentFlow {
    let registry = NodeRegistry::standard().with_pack("tutorial");
    DocumentFlow::read("test.yaml", text, &registry).unwrap_or_else(|error| panic!("{error}"))
}

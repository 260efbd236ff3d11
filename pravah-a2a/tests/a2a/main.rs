//! Client and server over HTTP on loopback.

#![allow(
    clippy::indexing_slicing,
    clippy::panic,
    clippy::print_stderr,
    clippy::unwrap_used
)]

mod agents;
mod client;
mod faulty_peers;
mod peer;
mod restarts;
mod sdk;
mod server;
mod support;

//! Flows on a real Restate server, which the tests start. `conformance/restate/run` fetches it.
//!
//! They take real time: the server has a clock of its own.

#![allow(clippy::indexing_slicing, clippy::panic, clippy::unwrap_used)]

mod agents;
#[path = "../../../pravah-store/tests/conformance/child.rs"]
mod child;
mod cluster;
mod flows;
mod interrupted;
mod killed;
mod mistakes;
mod server;
mod steps;
mod turns;
mod versions;

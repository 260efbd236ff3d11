//! Agents of Pravah for others, and agents of others for Pravah, over version 1.0 of the
//! [A2A protocol](https://a2a-protocol.org).

#[cfg(any(feature = "client", feature = "server"))]
mod content;

#[cfg(feature = "client")]
mod client;
#[cfg(feature = "server")]
mod server;

#[cfg(feature = "client")]
pub use client::A2aRunner;
#[cfg(feature = "server")]
pub use server::{A2aServer, Caller};

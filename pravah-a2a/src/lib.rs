//! Agents of Pravah for others, and agents of others for Pravah, over version 1.0 of the
//! [A2A protocol](https://a2a-protocol.org).
//!
//! [`A2aRunner`] runs remote agents that others publish, and [`A2aServer`] publishes the agents of an
//! [`AgentRegistry`](pravah_runtime::invocation::AgentRegistry). [A page](https://github.com/pravah-rs/pravah/blob/main/docs/a2a.md)
//! has an example with both, and what each of them does.
//!
//! # Features
//!
//! - `client` (on by default): `A2aRunner`.
//! - `server` (on by default): `A2aServer`, for axum.

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

#[cfg(all(doctest, feature = "client", feature = "server"))]
#[doc = include_str!("../../docs/a2a.md")]
struct A2aPage;

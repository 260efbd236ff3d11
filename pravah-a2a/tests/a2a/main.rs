//! Client and server over HTTP on loopback.

mod agents;
mod client;
mod restarts;
mod server;
mod support;

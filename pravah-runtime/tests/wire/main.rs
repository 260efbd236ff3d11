//! What each provider is sent, and how its answers are read: one file for each request, answer and
//! stream beside this one. `PRAVAH_BLESS=1` writes the requests anew.

#![cfg(feature = "providers")]
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)]

mod addresses;
mod answers;
mod audit;
mod broken;
mod cases;
mod deadlines;
mod failures;
mod fallback;
mod flows;
mod keys;
mod layers;
mod limits;
mod media;
mod odd;
mod options;
mod requests;
mod rescues;
mod rules;
mod schemas;
mod schemes;
mod secrets;
mod server;
mod servers;
mod statuses;

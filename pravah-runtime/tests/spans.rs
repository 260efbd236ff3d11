//! The spans of runs, as subscribers of `tracing` receive them.
#![allow(
    clippy::panic,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    reason = "a helper that fails is a test that fails"
)]

#[path = "spans/agents.rs"]
mod agents;
#[path = "spans/content.rs"]
mod content;
#[path = "spans/documented.rs"]
mod documented;
#[path = "spans/record.rs"]
mod record;
#[path = "spans/runs.rs"]
mod runs;
#[path = "common/subscribers.rs"]
mod subscribers;

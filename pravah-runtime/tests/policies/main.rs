//! Attempts, timeouts, clocks, bodies that run side by side, and runs that are stopped from outside.
#![allow(
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a helper that fails is a test that fails"
)]

mod attempts;
mod attempts_agents;
mod attempts_time;
mod cancel;
mod clock;
mod concurrency;
mod concurrency_agents;
mod concurrency_inside;
mod concurrency_limits;
mod fail_fast;
mod gates;
mod precedence;
mod random;
mod random_flow;
mod support;
mod timeouts;
mod unwritable;

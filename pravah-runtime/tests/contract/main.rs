//! The confidence contract: `#[agent(contract(…))]` and `AgentConfig::with_contract`.
#![allow(
    clippy::panic,
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a helper that fails is a test that fails"
)]

#[path = "../macros_support/mod.rs"]
mod macros_support;

mod attempts;
mod audit;
mod builder;
mod envelope;
mod envelope_reading;
mod observers;
mod places;
mod pure;
mod refunds;
mod review;
mod routing;
mod sources;

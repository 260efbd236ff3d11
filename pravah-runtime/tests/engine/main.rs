//! Runs: their steps, commits, suspensions, waits and snapshots; graphs made by hand.
#![allow(
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a helper that fails is a test that fails"
)]

#[path = "../engine_support/mod.rs"]
mod engine_support;

mod agents;
mod builder_checks;
mod builder_invoke;
mod changes;
mod changes_size;
mod commit;
mod conversations;
mod entries_foreign;
mod errors;
mod forks;
mod loops;
mod nested;
mod nested_inputs;
mod script_visits;
mod scripts;
mod snapshot_foreign;
mod snapshot_mutations;
mod snapshot_renamed;
mod snapshot_roundtrip;
mod steps;
mod suspension;
mod unwritable;
mod values;
mod values_kept;
mod values_of_lists;
mod values_once;
mod waits;

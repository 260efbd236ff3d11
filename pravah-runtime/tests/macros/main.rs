//! `#[node]`, `#[agent]` and all the others, and what their flows do.
#![allow(
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a helper that fails is a test that fails"
)]

#[path = "../macros_support/mod.rs"]
mod macros_support;

mod agent;
mod agent_config;
mod capabilities;
mod catch;
mod catch_around;
mod conditions;
mod delegation;
mod detached;
mod drops;
mod each;
mod each_failures;
mod each_inside;
mod flow;
mod flow_nested;
mod forks;
mod gate;
mod gate_places;
mod gate_questions;
mod graph;
mod invoke;
mod latest;
mod latest_lists;
mod latest_places;
mod node;
mod node_contracts;
mod node_ways;
mod panics;
mod params;
mod params_of_gates;
mod params_of_tools;
mod policies;
mod preflight;
mod registry;
mod remote;
mod script_mistakes;
mod scripts;
mod shared_states;
mod state;
mod state_names;
mod tool;
mod tool_annotations;
mod tool_approval;
mod tool_external;
mod turns;
mod values;

//! What is in the parentheses of an attribute: parsed as far as it goes, every key checked.

mod agent;
mod approval;
mod capabilities;
mod contract;
mod crate_path;
mod duration;
mod entries;
mod flags;
mod model;
mod policy;
mod request;
#[cfg(test)]
mod tests;
mod tool;

pub(crate) use agent::AgentOptions;
pub(crate) use approval::Approval;
pub(crate) use capabilities::Constraints;
pub(crate) use contract::{Contract, Threshold, number};
pub(crate) use crate_path::take_crate;
pub(crate) use entries::{list, nearest};
pub(crate) use flags::{FlowOptions, GateOptions, list_limit, nothing, state_manual};
pub(crate) use model::Provider;
pub(crate) use policy::{NodeOptions, Policy, Retry};
pub(crate) use tool::ToolOptions;

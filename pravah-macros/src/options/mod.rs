//! What is in the parentheses of an attribute: parsed as far as it goes, every key checked.

mod agent;
mod agent_item;
mod approval;
mod capabilities;
mod contract;
mod crate_path;
mod delegation;
mod duration;
mod entries;
mod flow;
mod gate;
mod migrate;
mod model;
mod node;
mod paths;
mod policy;
mod request;
mod runner;
mod state;
mod table;
#[cfg(test)]
mod tests;
mod tool;
mod turns;
mod words;

pub(crate) use agent::{AgentOptions, RunsOn, Settings};
pub(crate) use agent_item::AgentItem;
pub(crate) use approval::Approval;
pub(crate) use capabilities::Constraints;
pub(crate) use contract::{Contract, Threshold};
pub(crate) use crate_path::take_crate;
pub(crate) use delegation::{Delegation, InheritedTools};
pub(crate) use entries::number;
pub(crate) use flow::{FlowOptions, Upgrades, list_limit};
pub(crate) use gate::GateOptions;
pub(crate) use migrate::MovedSlot;
pub(crate) use model::Provider;
pub(crate) use node::NodeOptions;
pub(crate) use policy::{Policy, Retry};
pub(crate) use state::{nothing, state_manual};
pub(crate) use tool::ToolOptions;
pub(crate) use turns::Turns;
pub(crate) use words::{list, misspelt};

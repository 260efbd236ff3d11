//! What `flow!` checks with the compiler's help: free constants check the
//! [`Signature`](crate::topology::Signature)s of its nodes against each other.
//!
//! Each mistake has one check, and what is wrong with each arc is found out once, by [`Diagnosis`]. A check that
//! meets a broken node stays silent, since the node was reported where it is written.

mod agents;
mod arcs;
mod branches;
mod capabilities;
mod definition;
mod diagnosis;
mod edges;
mod end_edges;
mod ends;
mod inputs;
mod joins;
mod list;
mod lock;
mod message;
mod missing;
mod names;
mod net;
mod order;
mod probe;
mod reads;
mod shared;
mod signature;
mod spelling;
mod tools;

pub use agents::{
    CalleeSignature, UnknownCallee, check_beside_call_agent, check_call, check_children,
    check_depth, check_handoff, check_has_model, check_on_done,
};
pub use arcs::{check_arcs, check_node};
pub use branches::{check_either, check_fork, check_one};
pub use capabilities::{Refusal, check_called, check_constraints, check_only, check_prompt};
pub use definition::{
    AgentState, Definition, KnownAgent, KnownFlow, UnknownAgent, UnknownFlow, agent_state,
    definition,
};
pub use diagnosis::{Diagnosis, Faults};
pub use edges::check_edge;
pub use end_edges::{check_done, check_end, check_list_end};
pub use ends::{End, KnownState, NoState, ReportHere, ReportedAtNode, Start, StateOf, end, start};
pub use inputs::{StartsByItself, check_detached};
pub use list::{EachNames, check_list_limit, check_list_start};
#[cfg(test)]
pub(crate) use lock::weights;
pub use lock::{
    FlowLock, LockedMove, LockedNet, LockedPlace, LockedVersion, MovedState, check_lock, lock_size,
};
pub use names::{check_names, names_size};
pub use probe::{
    BranchOf, Carries, Info, KnownBranch, KnownCatch, KnownEach, KnownEmit, KnownInput, KnownList,
    KnownOutput, KnownReturn, Missing, NoInfo, NoShape, Probe, Returns, Same, TakenReturn, Takes,
    TakesAnything, UnknownBranch, UnknownCatch, UnknownEach, UnknownEmit, UnknownInput,
    UnknownList, UnknownOutput, UnknownReturn, is_node, probe, same, same_as,
};
pub use shared::check_shared;
pub use signature::{
    Threshold, check_attempts, check_max_of_turns, check_no_limit, check_question, check_rises,
    check_signature, check_threshold, check_tokens, check_turns, check_visits,
};
pub use spelling::{NodePair, TwoNodes, check_spelling};
pub use tools::{
    NamedTool, NoToolName, ToolLimits, ToolName, ToolOutput, ToolReturn, check_argument,
    check_destructive, check_external_param, check_tool,
};

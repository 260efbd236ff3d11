//! Agents: nodes whose output a model produces, with tools or without.
//!
//! A `config` says what an agent is, with its tools (`tool` and its `annotations`, `toolbox`, as data
//! `tool_contract`); `spec` is the same, checked, with the schemas that its answers have to fit. How far a visit has
//! come is its `progress`: the `conversation`, with what a model has read of it (`reading`), and the calls that are
//! `pending`. One `step` asks the model (`request`, `bound`; `retry` and `fallback` say what happens where it cannot
//! answer) and decides what follows from the answer (`turn`; under a `contract`, `routing`), or runs the tools that it
//! asked for (`calls`, of each a `call`), some of them after a person's `approval`, others `external`, executed
//! outside the run, others calls of agents (`call_agent`, limited by `delegation`; each runs as a `task`, and
//! `supervision` has the tools for detached ones). It comes to an `outcome`. `history` is what callers read of
//! conversations.

mod annotations;
mod approval;
mod bound;
mod call;
mod call_agent;
mod callee;
mod calls;
mod config;
mod constraints;
mod contract;
mod conversation;
mod delegation;
mod external;
pub(crate) mod fallback;
mod history;
mod outcome;
mod params;
mod pending;
mod progress;
mod reading;
mod request;
mod retry;
mod routing;
mod spec;
mod step;
mod supervision;
mod task;
#[cfg(test)]
mod tests;
mod tool;
mod tool_contract;
mod toolbox;
mod turn;
mod turns;

use schemars::JsonSchema;
use serde::{Serialize, de::DeserializeOwned};

use crate::node::Policy;

pub use annotations::ToolAnnotations;
pub use approval::ApprovalQuestion;
pub(crate) use call_agent::{CALL_AGENT, RUN_SKILL, read_input};
#[doc(hidden)]
pub use callee::{CallableAgent, Callee};
pub use config::AgentConfig;
pub use constraints::Constraints;
pub(crate) use contract::{AUTO_APPROVE_ABOVE, SUPPRESS_BELOW, is_envelope_schema};
pub use contract::{ConfidenceType, Contract, ContractError, Envelope, Review, RouteDecision};
pub(crate) use delegation::DEEPEST;
pub use delegation::{Delegation, OnDone};
pub use external::ExternalCall;
#[doc(hidden)]
pub use external::{ExternalAnswer, ExternalReturn, called_inside};
pub use history::{ClientHistory, Conversation};
pub(crate) use outcome::{AgentStep, Failed, OpenCall};
pub(crate) use params::Argument;
pub use params::{ArgumentsSchema, ToolArguments, ToolParam, read_arguments, read_described};
pub(crate) use progress::{AgentProgress, Spent};
pub(crate) use request::Model;
pub(crate) use retry::backoff;
pub(crate) use spec::{AgentSpec, OutputType};
pub(crate) use step::{AgentFuture, AgentStepResult, step};
pub(crate) use supervision::{TASK_TOOLS, TaskAction, TaskRequest};
pub(crate) use task::{AdHocAgent, AgentCall, CallTarget, TaskEnd, TaskPrompt, task_id, tool_text};
pub(crate) use tool::SUBMIT;
pub use tool::Tool;
pub use tool_contract::ToolContract;
pub use toolbox::ToolBox;
pub use turns::Turns;

/// A node whose output a model produces. The type is the node's input: its JSON is the prompt.
///
/// `#[agent]` on a struct writes the impl.
///
/// ```
/// use pravah_runtime::{Agent, AgentConfig};
/// use schemars::JsonSchema;
/// use serde::{Deserialize, Serialize};
///
/// #[derive(Serialize, Deserialize, JsonSchema)]
/// struct Ticket { subject: String }
///
/// #[derive(Serialize, Deserialize, JsonSchema)]
/// struct Verdict { urgent: bool }
///
/// impl Agent for Ticket {
///     type Output = Verdict;
///
///     fn build() -> AgentConfig {
///         AgentConfig::new("You triage support tickets.", "openai://gpt-4o-mini")
///     }
/// }
///
/// assert_eq!(Ticket::node_id(), "Ticket");
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not the input of an agent",
    label = "no `impl Agent` is for this type",
    note = "write `impl Agent` for the struct that the agent takes, with its model and its preamble in `build`; a function with `#[agent]` or `#[node]` above it is a node of `flow!`"
)]
pub trait Agent: JsonSchema + Serialize + DeserializeOwned + Send + Sync + 'static {
    /// What the model is to produce.
    type Output: JsonSchema + Serialize + DeserializeOwned + Send + Sync + 'static;

    /// The prompt, the model and the tools.
    fn build() -> AgentConfig;

    /// How often and how long the agent is tried: by default once, and as long as it takes.
    fn policy() -> Policy {
        Policy::new()
    }

    /// The node's id: by default the name of the type in its schema.
    fn node_id() -> String {
        Self::schema_name().into_owned()
    }
}

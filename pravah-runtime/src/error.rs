//! What can go wrong: in a flow, in a tool, with a typed dependency.

mod brief;
mod panic;
#[cfg(test)]
mod tests;
mod text;
mod tool;

pub(crate) use brief::{brief, brief_json};
pub(crate) use panic::{guard, panicked, quietly};
pub use text::ErrorText;
pub(crate) use tool::Signal;
pub use tool::ToolError;

use std::{fmt, time::Duration};

use crate::{agent::ContractError, model::ModelError, quoted::quoted};

/// Any error that can travel between threads.
pub type BoxError = Box<dyn std::error::Error + Send + Sync>;

/// Why a flow could not be built, could not go on, or could not be restored.
///
/// After an error a run is where it was before the step, and so is its snapshot, but for what models
/// were paid: calling `next` again makes that step again.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FlowError {
    /// Something was asked for that the flow does not have.
    #[error("`{}` was not found{}", .0, .0.hint())]
    NotFound(#[source] ErrorText),
    /// The flow could not be built.
    #[error("the flow could not be built: {0}")]
    BuildError(#[source] ErrorText),
    /// The graph has problems; all of them are listed.
    #[error("the flow is not valid: {}", .0.join("; "))]
    Invalid(Vec<String>),
    /// A state could not be written as JSON.
    #[error("a state could not be written: {0}")]
    SerializeError(#[source] ErrorText),
    /// A state could not be read from JSON.
    #[error("a state could not be read: {0}")]
    DeserializeError(#[source] ErrorText),
    /// The snapshot does not fit the flow.
    #[error("the snapshot could not be loaded: {0}")]
    SnapLoadError(String),
    /// The snapshot could not be written. Pravah itself writes none: it is for stores.
    #[error("the snapshot could not be stored: {0}")]
    SnapStoreError(String),
    /// A model did not do what the agent asked of it.
    #[error("{0}")]
    AgentError(String),
    /// States wait, and nothing can move any more.
    #[error("the flow is stuck: {0}")]
    Deadlock(String),
    /// Nothing can move until the suspension with this id is resumed.
    #[error("`{0}` waits to be resumed")]
    ResumeRequired(String),
    /// Nothing is suspended, and yet this id was resumed.
    #[error("`{0}` was resumed, but nothing is suspended")]
    UnexpectedResumption(String),
    /// Another id was resumed than the one that waits, which is this.
    #[error("the resumed id does not match: `{0}` waits to be resumed")]
    ResumeMismatchError(String),
    /// The payload given to `resume` is not what the suspension waits for.
    #[error("the payload for `{id}` does not fit: {source}")]
    ResumePayload {
        /// The suspension that stays open.
        id: String,
        /// What does not fit.
        source: serde_json::Error,
    },
    /// A state that waits for a node cannot be read as what the node takes, or cannot be copied.
    #[error("the state `{state}` cannot be read: {source}")]
    State {
        /// The state's name.
        state: String,
        /// What is wrong with it.
        source: serde_json::Error,
    },
    /// The run is done: it has no next step.
    #[error("the run is done")]
    Finished,
    /// A flow that was called as a function waits for an answer. Go on with the snapshot.
    #[error("`{tool_id}` waits for an answer: go on with the snapshot")]
    Suspended {
        /// What to resume.
        tool_id: String,
        /// What it asks.
        value: serde_json::Value,
        /// The run as it waits.
        snapshot: Box<crate::engine::FlowSnapshot>,
    },
    /// A node answered with an error of its own.
    #[error("node `{node}` failed: {source}")]
    Node {
        /// The node.
        node: String,
        /// Its error.
        source: BoxError,
    },
    /// A node panicked.
    #[error("node `{node}` panicked: {message}")]
    Panicked {
        /// The node.
        node: String,
        /// What the panic said.
        message: String,
    },
    /// A [script](crate::ScriptedModel) answers for nodes that are no agents of the flow.
    #[error(
        "the script answers for {}, and the flow's agents are {}",
        quoted(.unknown),
        quoted(.agents)
    )]
    UnknownAgents {
        /// The names in the script.
        unknown: Vec<String>,
        /// The agents that there are.
        agents: Vec<String>,
    },
    /// The model of an agent could not be reached, or refused the request.
    #[error("the model of agent `{node}` failed: {source}")]
    Model {
        /// The agent's node.
        node: String,
        /// The client's error.
        source: ModelError,
    },
    /// A tool declared its error fatal, see [`ToolError::fatal`].
    #[error("tool `{tool}` of agent `{node}` failed: {source}")]
    Tool {
        /// The agent's node.
        node: String,
        /// The tool's name.
        tool: String,
        /// The tool's error.
        source: ToolError,
    },
    /// An agent reached one of its limits.
    #[error("agent `{node}` reached its limit: {limit}")]
    Limit {
        /// The agent's node.
        node: String,
        /// The limit.
        limit: Limit,
    },
    /// The model of an agent under a [`Contract`](crate::Contract) did not answer with an envelope that
    /// fits, however often it was told what was wrong.
    #[error("agent `{node}` failed after {repairs} repairs: {source}")]
    Schema {
        /// The agent's node.
        node: String,
        /// How often the model was told: [`AgentConfig::max_repairs`](crate::AgentConfig::max_repairs).
        repairs: u32,
        /// What was wrong at last, a [`ContractError::SchemaViolation`](crate::ContractError).
        source: ContractError,
    },
    /// The model of an agent was not sure enough of its answer, see
    /// [`Contract::suppress_below`](crate::Contract::suppress_below). The answer is told to nobody.
    #[error("the answer of agent `{node}` was suppressed: the model was not sure enough of it")]
    Suppressed {
        /// The agent's node.
        node: String,
    },
    /// A person rejected the answer of an agent, see [`Review::Reject`](crate::Review::Reject).
    #[error("the answer of agent `{node}` was rejected{}", because(.reason.as_deref()))]
    Rejected {
        /// The agent's node.
        node: String,
        /// Why, in that person's words.
        reason: Option<String>,
    },
    /// A node on a loop ran too often.
    #[error("node `{node}` ran {limit} times, on the loop {}", path(.cycle))]
    MaxVisits {
        /// The node.
        node: String,
        /// The nodes of the loop, in order.
        cycle: Vec<String>,
        /// How often it may run.
        limit: u32,
    },
    /// The run took too many steps.
    #[error("the run took {limit} steps, which is its limit")]
    MaxSteps {
        /// How many it may take.
        limit: u64,
    },
    /// Flows run within each other too deep: one calls itself, directly or through others.
    #[error("flows are nested {limit} deep, which is the limit; does one start itself?")]
    TooDeep {
        /// How deep they may.
        limit: u32,
    },
    /// Any other error, as a node's body met it.
    #[error(transparent)]
    Other(BoxError),
}

impl FlowError {
    /// An error of the caller's own.
    ///
    /// ```
    /// use pravah_runtime::FlowError;
    ///
    /// assert_eq!(FlowError::other("no such order").to_string(), "no such order");
    /// ```
    pub fn other(error: impl Into<BoxError>) -> Self {
        Self::Other(error.into())
    }
}

impl From<BoxError> for FlowError {
    fn from(error: BoxError) -> Self {
        match error.downcast::<Self>() {
            Ok(error) => *error,
            Err(error) => Self::Other(error),
        }
    }
}

impl From<ToolError> for FlowError {
    fn from(error: ToolError) -> Self {
        Self::Other(error.into())
    }
}

impl From<DepsError> for FlowError {
    fn from(error: DepsError) -> Self {
        Self::Other(error.into())
    }
}

impl From<std::io::Error> for FlowError {
    fn from(error: std::io::Error) -> Self {
        Self::Other(error.into())
    }
}

/// The nodes of a loop, as it is walked.
fn path(cycle: &[String]) -> String {
    let mut nodes: Vec<&str> = cycle.iter().map(String::as_str).collect();
    nodes.extend(cycle.first().map(String::as_str));
    format!("`{}`", nodes.join(" -> "))
}

fn because(reason: Option<&str>) -> String {
    reason.map_or_else(String::new, |reason| format!(": {reason}"))
}

/// A limit of an agent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Limit {
    /// So many model calls in one visit of the agent: `max_turns`.
    Turns(u32),
    /// So many tokens, asked and answered, in one visit of the agent: `visit_tokens`.
    Tokens(u64),
    /// So many model calls paid for in the run: [`Budget::calls`](crate::Budget::calls).
    RunCalls(u64),
    /// So many tokens, asked and answered, in the run: [`Budget::tokens`](crate::Budget::tokens).
    RunTokens(u64),
    /// So much time of its model in one visit of the agent:
    /// [`Contract::budget`](crate::Contract::budget).
    Inference(Duration),
    /// As much as the model can read at once: the conversation fills its context window.
    ContextWindow,
}

impl fmt::Display for Limit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Turns(n) => write!(f, "max_turns = {n}"),
            Self::Tokens(n) => write!(f, "visit_tokens = {n}"),
            Self::RunCalls(n) => write!(f, "the run's budget of {n} model calls"),
            Self::RunTokens(n) => write!(f, "the run's budget of {n} tokens"),
            Self::Inference(time) => write!(f, "the model may take {time:?}"),
            Self::ContextWindow => f.write_str("the conversation fills the model's context window"),
        }
    }
}

/// A typed dependency that nobody gave to the context.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the context has no `{type_name}`: add one with `Context::with_dep`{}", has(.known))]
pub struct DepsError {
    type_name: &'static str,
    known: Vec<&'static str>,
}

impl DepsError {
    pub(crate) fn missing<T: ?Sized>(known: Vec<&'static str>) -> Self {
        Self {
            type_name: std::any::type_name::<T>(),
            known,
        }
    }

    /// The type that is missing, with its path.
    pub fn type_name(&self) -> &'static str {
        self.type_name
    }

    /// The types that the context has, with their paths, in order.
    pub fn known(&self) -> &[&'static str] {
        &self.known
    }
}

fn has(known: &[&str]) -> String {
    match known {
        [] => String::new(),
        known => format!("; it has {}", quoted(known)),
    }
}

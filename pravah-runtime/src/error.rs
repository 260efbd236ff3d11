//! What can go wrong: in a flow, in a tool, with a typed dependency.
//!
//! One rule holds for every error of this crate, the one of [`std::io::Error`]: `Display` says the
//! cause, `source` is the error beneath what `Display` has said, and `get_ref` is the cause itself. So
//! one line tells what happened, and a printed chain says nothing twice.

mod agent;
mod brief;
mod constructors;
mod deps;
mod display;
mod duration;
mod limit;
mod node_data;
mod panic;
mod stuck;
#[cfg(test)]
mod tests;
mod text;
mod tool;

pub use agent::{AgentFailure, AgentFailureKind};
pub(crate) use brief::{brief, brief_json};
pub use constructors::does_not_compile;
pub use deps::DepsError;
pub use limit::Limit;
pub use node_data::NodeDataError;
pub(crate) use panic::{MessageOf, guard, panic_message, panicked, quietly};
pub use stuck::Stuck;
pub use text::ErrorText;
pub(crate) use tool::Signal;
pub use tool::ToolError;

use std::error::Error;

use crate::{agent::ContractError, invocation::RunnerError, model::ModelError};

/// Any error that can travel between threads.
pub type BoxError = Box<dyn std::error::Error + Send + Sync>;

/// Why a flow could not be built, could not go on, or could not be restored.
///
/// After an error a run is where it was before the step, and so is its snapshot, but for what models
/// were asked and paid: calling `next` again makes that step again.
///
/// Its `Debug` is its `Display`, so that a `main` which returns it prints a sentence.
#[non_exhaustive]
pub enum FlowError {
    /// Something was asked for that the flow does not have.
    NotFound(ErrorText),
    /// No agent run of this id, or at this node, takes messages now; [`ErrorText::known`] lists those that do.
    NoAgentRun(ErrorText),
    /// The flow could not be built.
    BuildError(ErrorText),
    /// The graph has problems; all of them are listed.
    Invalid(Vec<String>),
    /// A state could not be written as JSON.
    SerializeError(ErrorText),
    /// A state could not be read from JSON.
    DeserializeError(ErrorText),
    /// The snapshot does not fit the flow.
    SnapLoadError(ErrorText),
    /// The snapshot could not be written. Pravah itself writes none: it is for stores.
    SnapStoreError(ErrorText),
    /// A model did not do what the agent asked of it.
    AgentError(AgentFailure),
    /// States wait, and nothing can move any more.
    Deadlock(Stuck),
    /// Nothing can move until the question with this id is answered.
    ResumeRequired(String),
    /// No question is open, and yet one with this id was answered.
    UnexpectedResumption(String),
    /// The resumed id is not open. The text is the first open id; [`ErrorText::known`] lists the open ids, at
    /// most 10.
    ResumeMismatchError(ErrorText),
    /// The question with this id was answered before, in this process.
    #[non_exhaustive]
    AlreadyAnswered {
        /// The question.
        id: String,
        /// Whether the step that takes the answer is still to be made, by `next`: it failed, or nobody waited
        /// for its end. Otherwise the run has gone on with the answer.
        is_kept: bool,
    },
    /// The payload given to `answer` is not what the suspension waits for.
    #[non_exhaustive]
    ResumePayload {
        /// The suspension that stays open.
        id: String,
        /// What does not fit.
        source: serde_json::Error,
    },
    /// A state that waits for a node cannot be read as what the node takes, or cannot be copied.
    #[non_exhaustive]
    State {
        /// The state's name.
        state: String,
        /// What is wrong with it.
        source: serde_json::Error,
    },
    /// The run is done: it has no next step.
    Finished,
    /// The run was cancelled: it has no next step.
    #[non_exhaustive]
    Cancelled {
        /// Why, in the words of whoever did it.
        reason: String,
    },
    /// A node took longer than its policy allows, see [`Policy::timeout`](crate::Policy::timeout) and
    /// [`Policy::total_timeout`](crate::Policy::total_timeout).
    #[non_exhaustive]
    TimedOut {
        /// The node.
        node: String,
        /// How long it, or all attempts at it, may take.
        limit: std::time::Duration,
    },
    /// A node failed with nothing left to try, in another process: only its words are known.
    #[non_exhaustive]
    Failed {
        /// The node.
        node: String,
        /// What kind of failure it was.
        kind: crate::node::FailureKind,
        /// What the error said.
        message: String,
        /// How often the node was tried.
        attempts: u32,
    },
    /// A flow that was called as a function waits for an answer. Go on with the snapshot.
    Suspended {
        /// What to resume.
        tool_id: String,
        /// What it asks.
        value: serde_json::Value,
        /// The run as it waits.
        snapshot: Box<crate::engine::FlowSnapshot>,
    },
    /// What a node of a document takes is not there or does not fit, or what it returns does not fit.
    #[non_exhaustive]
    NodeData {
        /// The node.
        node: String,
        /// What is wrong.
        source: NodeDataError,
    },
    /// A node answered with an error of its own.
    #[non_exhaustive]
    Node {
        /// The node.
        node: String,
        /// Its error.
        source: BoxError,
    },
    /// A node panicked.
    #[non_exhaustive]
    Panicked {
        /// The node.
        node: String,
        /// What the panic said.
        message: String,
    },
    /// A [script](crate::ScriptedModel) answers for nodes that are no agents of the flow.
    #[non_exhaustive]
    UnknownAgents {
        /// The names in the script.
        unknown: Vec<String>,
        /// The agents that there are.
        agents: Vec<String>,
    },
    /// The model of an agent could not be reached, or refused the request.
    #[non_exhaustive]
    Model {
        /// The agent's node.
        node: String,
        /// The client's error.
        source: ModelError,
    },
    /// A remote agent has failed, or its [runner](crate::invocation::Runner) could not do what it was asked.
    #[non_exhaustive]
    Runner {
        /// The agent's node.
        node: String,
        /// What the agent is called where it runs.
        agent_id: String,
        /// The kind of the runner.
        runner: String,
        /// The runner's error.
        source: RunnerError,
    },
    /// A tool declared its error fatal, see [`ToolError::fatal`].
    #[non_exhaustive]
    Tool {
        /// The agent's node.
        node: String,
        /// The tool's name.
        tool: String,
        /// The tool's error.
        source: ToolError,
    },
    /// An agent reached one of its limits.
    #[non_exhaustive]
    Limit {
        /// The agent's node.
        node: String,
        /// The limit.
        limit: Limit,
    },
    /// The model of an agent under a [`Contract`](crate::Contract) did not answer with an envelope that
    /// fits, however often it was told what was wrong.
    #[non_exhaustive]
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
    #[non_exhaustive]
    Suppressed {
        /// The agent's node.
        node: String,
    },
    /// A person rejected the answer of an agent, see [`Review::Reject`](crate::Review::Reject).
    #[non_exhaustive]
    Rejected {
        /// The agent's node.
        node: String,
        /// Why, in that person's words.
        reason: Option<String>,
    },
    /// A node on a loop ran too often.
    #[non_exhaustive]
    MaxVisits {
        /// The node.
        node: String,
        /// The nodes of the loop, in order.
        cycle: Vec<String>,
        /// How often it may run.
        limit: u32,
    },
    /// The run took too many steps.
    #[non_exhaustive]
    MaxSteps {
        /// How many it may take.
        limit: u64,
    },
    /// Flows run within each other too deep: one calls itself, directly or through others.
    #[non_exhaustive]
    TooDeep {
        /// How deep they may.
        limit: u32,
    },
    /// Too many commands wait in the run's inbox, see [`Hub`](crate::Hub): this one was not sent.
    #[non_exhaustive]
    InboxFull {
        /// How many may wait.
        limit: usize,
    },
    /// The run was dropped before it took the command that a [`Hub`](crate::Hub) had sent.
    RunDropped,
    /// A [`Channel`](crate::Channel) could not start, without which the run was not to go on.
    #[non_exhaustive]
    Channel {
        /// What the channel is called.
        channel: String,
        /// Why.
        source: BoxError,
    },
    /// Any other error, as a node's body met it.
    Other(BoxError),
}

impl FlowError {
    /// An error of the caller's own.
    ///
    /// ```
    /// use pravah_runtime::FlowError;
    ///
    /// assert_eq!(FlowError::other("no such order").to_string(), "no such order");
    /// assert_eq!(FlowError::from("no such order").to_string(), "no such order");
    /// ```
    pub fn other(error: impl Into<BoxError>) -> Self {
        Self::Other(error.into())
    }

    /// The cause, if there is one: `Display` has said what it says, and a program can examine it.
    ///
    /// ```
    /// use pravah_runtime::FlowError;
    ///
    /// let error = FlowError::other(std::io::Error::other("the disk is full"));
    /// let cause = error.get_ref().and_then(|cause| cause.downcast_ref::<std::io::Error>());
    /// assert!(cause.is_some());
    /// ```
    pub fn get_ref(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            Self::NotFound(text)
            | Self::NoAgentRun(text)
            | Self::BuildError(text)
            | Self::SerializeError(text)
            | Self::DeserializeError(text)
            | Self::SnapLoadError(text)
            | Self::SnapStoreError(text) => Some(text.get_ref()?),
            Self::ResumePayload { source, .. } | Self::State { source, .. } => Some(source),
            Self::Node { source, .. } | Self::Channel { source, .. } | Self::Other(source) => {
                Some(&**source)
            }
            Self::Model { source, .. } => Some(source),
            Self::Runner { source, .. } => Some(source),
            Self::NodeData { source, .. } => Some(source),
            Self::Tool { source, .. } => Some(source),
            Self::Schema { source, .. } => Some(source),
            Self::AgentError(_)
            | Self::Deadlock(_)
            | Self::Invalid(_)
            | Self::ResumeRequired(_)
            | Self::UnexpectedResumption(_)
            | Self::ResumeMismatchError(_)
            | Self::AlreadyAnswered { .. }
            | Self::Finished
            | Self::Cancelled { .. }
            | Self::TimedOut { .. }
            | Self::Failed { .. }
            | Self::Suspended { .. }
            | Self::Panicked { .. }
            | Self::UnknownAgents { .. }
            | Self::Limit { .. }
            | Self::Suppressed { .. }
            | Self::Rejected { .. }
            | Self::MaxVisits { .. }
            | Self::MaxSteps { .. }
            | Self::TooDeep { .. }
            | Self::InboxFull { .. }
            | Self::RunDropped => None,
        }
    }
}

impl Error for FlowError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        self.get_ref()?.source()
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

/// Strings, and errors of the host, of the standard library and of JSON, for `?` in what returns a [`FlowError`] or a
/// [`ToolError`]. There is none for every error, since it is one itself: a node may return any other type of error as well.
macro_rules! from {
    ($to:ident: $($error:ty,)+) => {
        $(
            impl From<$error> for $to {
                fn from(error: $error) -> Self {
                    Self::Other(error.into())
                }
            }
        )+
    };
}

from! { FlowError:
    ToolError,
    DepsError,
    std::io::Error,
    std::num::ParseIntError,
    std::num::ParseFloatError,
    std::string::FromUtf8Error,
    serde_json::Error,
    String,
    &str,
}

from! { ToolError:
    std::num::ParseIntError,
    std::num::ParseFloatError,
    std::string::FromUtf8Error,
}

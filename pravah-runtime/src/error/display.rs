//! The words of a [`FlowError`].

use std::fmt;

use super::{ErrorText, FlowError, Limit, MessageOf, duration::in_units};
use crate::{invocation::RunnerErrorKind, quoted::quoted};

/// How many open questions an error lists.
const MAX_OPEN: usize = 10;

impl FlowError {
    /// An answer to a question that is not open, where these are.
    pub(crate) fn not_open<T: fmt::Display>(
        id: &str,
        open: impl IntoIterator<Item = T>,
    ) -> Option<Self> {
        ErrorText::in_place_of(id, open, MAX_OPEN).map(Self::ResumeMismatchError)
    }
}

impl fmt::Debug for FlowError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl fmt::Display for FlowError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotFound(text) => write!(f, "`{text}` was not found{}", text.hint()),
            Self::NoAgentRun(text) => {
                let hint = text.hint();
                write!(f, "no agent with `turns` is at work at `{text}`{hint}")
            }
            Self::BuildError(text) => write!(f, "the flow could not be built: {text}"),
            Self::Invalid(problems) => write!(f, "the flow is not valid: {}", problems.join("; ")),
            Self::SerializeError(text) => write!(f, "a state could not be written: {text}"),
            Self::DeserializeError(text) => write!(f, "a state could not be read: {text}"),
            Self::SnapLoadError(text) => write!(f, "the snapshot could not be loaded: {text}"),
            Self::SnapStoreError(text) => write!(f, "the snapshot could not be stored: {text}"),
            Self::AgentError(failure) => failure.fmt(f),
            Self::Deadlock(stuck) => write!(f, "the flow is stuck: {stuck}"),
            Self::ResumeRequired(id) => write!(f, "`{id}` waits for an answer"),
            Self::UnexpectedResumption(id) => {
                write!(f, "`{id}` asks nothing: no question is open")
            }
            Self::ResumeMismatchError(text) => {
                let open = match (text.known(), text.has_more()) {
                    ([] | [_], _) => format!("`{text}` waits"),
                    (open, true) => format!("{} and more wait", quoted(open)),
                    (open, false) => format!("{} wait", quoted(open)),
                };
                match text.sought() {
                    Some(id) => write!(f, "`{id}` asks nothing: {open} for an answer"),
                    None => write!(f, "{open} for an answer"),
                }
            }
            Self::AlreadyAnswered { id, is_kept: true } => write!(
                f,
                "`{id}` was answered before, and `next` makes the step that takes that answer"
            ),
            Self::AlreadyAnswered { id, .. } => write!(
                f,
                "`{id}` was answered before, and the run has gone on with that answer"
            ),
            Self::ResumePayload { id, source } => {
                write!(f, "the payload for `{id}` does not fit: {source}")
            }
            Self::State { state, source } => {
                write!(f, "the state `{state}` cannot be read: {source}")
            }
            Self::Finished => f.write_str("the run is done"),
            Self::Cancelled { reason } => write!(f, "the run was cancelled: {reason}"),
            Self::TimedOut { node, limit } => {
                write!(f, "node `{node}` took longer than {}", in_units(*limit))
            }
            // The message names the node.
            Self::Failed { message, .. } => f.write_str(message),
            Self::Suspended { tool_id, .. } => {
                write!(
                    f,
                    "`{tool_id}` waits for an answer, which a flow that is called as a function cannot take: start it as a run, or load the `snapshot` of this error"
                )
            }
            Self::NodeData { node, source } => write!(f, "node `{node}` failed: {source}"),
            Self::Node { node, source } => {
                write!(f, "node `{node}` failed: {}", MessageOf(source))
            }
            Self::Panicked { node, message } => write!(f, "node `{node}` panicked: {message}"),
            Self::UnknownAgents { unknown, agents } => write!(
                f,
                "the script answers for {}, and the flow's agents are {}",
                quoted(unknown),
                quoted(agents)
            ),
            Self::Model { node, source } => {
                write!(f, "the model of agent `{node}` failed: {source}")
            }
            Self::Runner {
                agent_id,
                runner,
                source,
                ..
            } => match source.kind() {
                RunnerErrorKind::TaskFailed | RunnerErrorKind::InvalidOutput => {
                    write!(f, "remote agent `{agent_id}` failed: {source}")
                }
                RunnerErrorKind::TaskCancelled => {
                    write!(f, "remote agent `{agent_id}` was cancelled: {source}")
                }
                RunnerErrorKind::UnknownRunner => {
                    write!(f, "agent `{agent_id}` cannot run: {source}")
                }
                _ => write!(
                    f,
                    "runner `{runner}` could not run agent `{agent_id}`: {source}"
                ),
            },
            Self::Tool { node, tool, source } => {
                write!(f, "tool `{tool}` of agent `{node}` failed: {source}")
            }
            Self::Limit { node, limit } => {
                let what = match limit {
                    Limit::Iterations(_) => "loop",
                    _ => "agent",
                };
                write!(f, "{what} `{node}` reached its limit: {limit}")
            }
            Self::Schema {
                node,
                repairs,
                source,
            } => write!(f, "agent `{node}` failed after {repairs} repairs: {source}"),
            Self::Suppressed { node } => write!(
                f,
                "the answer of agent `{node}` was suppressed: the model was not sure enough of it"
            ),
            Self::Rejected { node, reason } => {
                write!(f, "the answer of agent `{node}` was rejected")?;
                match reason {
                    Some(reason) => write!(f, ": {reason}"),
                    None => Ok(()),
                }
            }
            Self::MaxVisits { node, cycle, limit } => {
                let cycle = path(cycle);
                write!(
                    f,
                    "node `{node}` ran {limit} times, as often as `max_visits` allows, on the loop {cycle}"
                )
            }
            Self::MaxSteps { limit } => write!(f, "the run took {limit} steps, which is its limit"),
            Self::TooDeep { limit } => write!(
                f,
                "flows are nested {limit} deep, which is the limit; does one start itself?"
            ),
            Self::InboxFull { limit } => write!(
                f,
                "{limit} commands wait for the run already, and this one was not sent"
            ),
            Self::RunDropped => f.write_str("the run was dropped before it took the command"),
            Self::Channel { channel, source } => {
                write!(
                    f,
                    "channel `{channel}` could not start: {}",
                    MessageOf(source)
                )
            }
            Self::Other(source) => MessageOf(source).fmt(f),
        }
    }
}

/// The nodes of a loop, as it is walked.
fn path(cycle: &[String]) -> String {
    let mut nodes: Vec<&str> = cycle.iter().map(String::as_str).collect();
    nodes.extend(cycle.first().map(String::as_str));
    format!("`{}`", nodes.join(" -> "))
}

//! Why an invocation is invalid, and why one that is valid cannot be run.

use super::ContextScope;
use crate::{error::FlowError, quoted::quoted};

/// Why an [`Invocation`](super::Invocation) is invalid.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum InvocationError {
    /// Nobody is asked.
    #[error("invocation requires at least one target")]
    NoTargets,
    /// The result of one target is waited for, and there are several.
    #[error("Join::Single requires exactly 1 target, got {got}")]
    #[non_exhaustive]
    SingleNeedsOneTarget {
        /// How many there are.
        got: usize,
    },
    /// A named target has no name.
    #[error("Named target with empty agent_id")]
    EmptyAgentId,
    /// An ad-hoc agent has no prompt.
    #[error("AdHoc target with empty system_prompt")]
    EmptySystemPrompt,
    /// A target is told nothing.
    #[error("target with an empty message")]
    EmptyMessage,
    /// A runner has no kind.
    #[error("runner with an empty kind")]
    EmptyRunnerKind,
    /// Only one agent at a time can go on with a conversation.
    #[error("ContextScope::Shared requires Join::Single")]
    SharedNeedsSingle,
}

/// Why an [`Invocation`](super::Invocation) cannot be run by an [`AgentRegistry`](super::AgentRegistry).
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum InvokeError {
    /// It is invalid, whoever is to run it.
    #[error("the invocation is invalid: {0}")]
    Invalid(#[from] InvocationError),
    /// It names an agent that the registry does not have.
    #[error("there is no agent `{agent_id}`: the registry has {}", quoted(known))]
    #[non_exhaustive]
    UnknownAgent {
        /// The name.
        agent_id: String,
        /// The names of those that it has.
        known: Vec<String>,
    },
    /// It wants a runner that the registry does not have: add it with
    /// [`AgentRegistry::with_runner`](super::AgentRegistry::with_runner).
    #[error("there is no runner `{kind}`: the registry has {}", quoted(known))]
    #[non_exhaustive]
    UnknownRunner {
        /// The kind of the runner.
        kind: String,
        /// The kinds of those that it has.
        known: Vec<String>,
    },
    /// The configuration of a runner is nested too deeply, or has a key that no snapshot can carry.
    #[error("the configuration of the runner `{kind}` is {why}")]
    #[non_exhaustive]
    InvalidRunnerConfig {
        /// The kind of the runner.
        kind: String,
        /// What is wrong with it.
        why: String,
    },
    /// An agent can run nowhere that it, the invocation and the registry all allow.
    #[error(
        "no executor for agent `{agent_id}`: it needs the runner `{needs}`, the invocation allows {}, and the registry has {}",
        allowed(*is_forced_local),
        quoted(runners)
    )]
    #[non_exhaustive]
    NoExecutor {
        /// The agent.
        agent_id: String,
        /// The kind of the runner that runs it.
        needs: String,
        /// Whether the invocation forces it to be local; otherwise it allows any executor.
        is_forced_local: bool,
        /// The kinds of the runners of the registry.
        runners: Vec<String>,
    },
    /// It passes on a tool of its caller, and one from outside has no caller that has tools.
    #[error(
        "the invocation passes on the tool `{tool}` of its caller, and one from outside has no caller"
    )]
    #[non_exhaustive]
    NoCaller {
        /// The name of the tool.
        tool: String,
    },
    /// It gives an ad-hoc agent a tool that such agents may not have.
    #[error("unknown tool `{tool}`: {}", those(builtin, external))]
    #[non_exhaustive]
    UnknownTool {
        /// The name of the tool.
        tool: String,
        /// The names of those of the host.
        builtin: Vec<String>,
        /// The names of those that are executed outside the run.
        external: Vec<String>,
    },
    /// The data of a message is nested too deeply, or has a key that no snapshot can carry.
    #[error("the data of a message is {why}")]
    #[non_exhaustive]
    Data {
        /// What is wrong with it.
        why: String,
    },
    /// It wants the context of a conversation, and there is none: only an agent that calls has one.
    #[error(
        "there is no conversation for the context {context:?}: only an agent that calls has one"
    )]
    #[non_exhaustive]
    NoConversation {
        /// The context.
        context: ContextScope,
    },
    /// It has an ad-hoc agent, and the registry has no base for those.
    #[error(
        "the registry allows no ad-hoc agents: add a base for them with `AgentRegistry::with_ad_hoc`"
    )]
    AdHocNotAllowed,
    /// An agent of the registry cannot be made, or two have one name.
    #[error(transparent)]
    Registry(FlowError),
}

/// Where an invocation lets an agent run that nobody forces on a runner.
fn allowed(is_forced_local: bool) -> &'static str {
    match is_forced_local {
        true => "the local one alone",
        false => "any executor",
    }
}

/// Which tools there are, by the names of their lists.
fn those(builtin: &[String], external: &[String]) -> String {
    let list = |name: &str, tools: &[String]| match tools {
        [] => format!("`{name}` has none"),
        tools => format!("`{name}` has {}", quoted(tools)),
    };
    format!(
        "{}, {}",
        list("builtin", builtin),
        list("external", external)
    )
}

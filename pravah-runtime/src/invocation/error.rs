//! Why an invocation is invalid.

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
    /// An agent that is made up for the invocation has no prompt.
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

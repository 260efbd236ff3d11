//! The limits of an agent and of a run.

use std::{fmt, time::Duration};

use super::duration::in_units;

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
    /// So many rounds of a `control.loop`, or jumps of an edge of `type: loop`: `maxIterations` of a document.
    Iterations(u32),
}

impl fmt::Display for Limit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Turns(n) => write!(f, "max_turns = {n}"),
            Self::Tokens(n) => write!(f, "visit_tokens = {n}"),
            Self::RunCalls(n) => write!(f, "the run's budget of {n} model calls"),
            Self::RunTokens(n) => write!(f, "the run's budget of {n} tokens"),
            Self::Inference(time) => write!(f, "the model may take {}", in_units(*time)),
            Self::Iterations(n) => write!(f, "maxIterations = {n}"),
            Self::ContextWindow => f.write_str("the conversation fills the model's context window"),
        }
    }
}

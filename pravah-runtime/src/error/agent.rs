//! An agent without an output.

use std::fmt;

/// Why an agent has no output, although its model answered.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("agent `{node}` {kind}")]
#[non_exhaustive]
pub struct AgentFailure {
    /// The agent's node.
    pub node: String,
    /// What its model did.
    pub kind: AgentFailureKind,
}

/// What the model of an agent did instead of answering.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum AgentFailureKind {
    /// It refused.
    Refused,
    /// The provider's filter stopped it.
    Filtered,
    /// It did not tell how probable its tokens were, which its [`Contract`](crate::Contract) asks for.
    NoProbabilities,
    /// Its answer was invalid, however often it was told what was wrong.
    #[non_exhaustive]
    InvalidAnswer {
        /// How often it was told: [`AgentConfig::max_repairs`](crate::AgentConfig::max_repairs).
        repairs: u32,
        /// What was wrong at last.
        reason: String,
    },
}

impl AgentFailure {
    pub(crate) fn new(node: &str, kind: AgentFailureKind) -> Self {
        Self {
            node: node.to_owned(),
            kind,
        }
    }
}

impl fmt::Display for AgentFailureKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Refused => f.write_str("failed: the model refused to answer"),
            Self::Filtered => f.write_str("failed: the provider's filter stopped the model"),
            Self::NoProbabilities => {
                f.write_str("failed: the model did not tell how probable its tokens were")
            }
            Self::InvalidAnswer { repairs, reason } => {
                write!(f, "returned no result after {repairs} repairs: {reason}")
            }
        }
    }
}

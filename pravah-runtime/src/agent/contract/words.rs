//! The closed lists of words: where a confidence comes from, and what becomes of an answer.

use std::{fmt, str::FromStr};

use serde::{Deserialize, Serialize};

use super::ContractError;

/// A closed list of words, each written the same in Rust, JSON and text.
macro_rules! words {
    ($ty:ident, $what:literal, $($variant:ident = $word:literal),+) => {
        impl $ty {
            /// All of them.
            pub const ALL: &[Self] = &[$(Self::$variant),+];

            /// Its name, as it is written everywhere.
            pub const fn as_str(self) -> &'static str {
                match self {
                    $(Self::$variant => $word),+
                }
            }
        }

        impl fmt::Display for $ty {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(self.as_str())
            }
        }

        impl FromStr for $ty {
            type Err = ContractError;

            fn from_str(text: &str) -> Result<Self, ContractError> {
                let known = Self::ALL.iter().find(|known| known.as_str() == text);
                known.copied().ok_or_else(|| {
                    let all: Vec<_> = Self::ALL.iter().map(|known| known.as_str()).collect();
                    let reason = format!("`{text}` is none of {}", all.join(", "));
                    ContractError::field($what, reason)
                })
            }
        }
    };
}

/// Where the confidence in an answer comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum ConfidenceType {
    /// The model says how sure it is.
    Verbalized,
    /// From how probable the tokens of the answer were, their geometric mean. Not every provider
    /// tells: see [`Provider::tells_token_probabilities`](crate::Provider::tells_token_probabilities).
    /// An agent with tools cannot use it, since no provider tells it of tool calls.
    TokenLevel,
    /// The model says how sure it is, and whoever serves it has calibrated what it says.
    Calibrated,
}

words! {
    ConfidenceType, "confidence",
    Verbalized = "verbalized",
    TokenLevel = "token_level",
    Calibrated = "calibrated"
}

/// What becomes of an answer under a [`Contract`](crate::Contract).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RouteDecision {
    /// It goes on.
    AutoApprove,
    /// A person looks at it.
    HumanReview,
    /// Nobody sees it, and the node fails.
    Suppress,
}

words! {
    RouteDecision, "decision",
    AutoApprove = "auto_approve",
    HumanReview = "human_review",
    Suppress = "suppress"
}

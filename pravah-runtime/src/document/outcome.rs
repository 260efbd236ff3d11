//! What has become of a node, and what its edges carry.

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::{graph::FailedBody, json as literal};

/// What an edge carries from its source to its target.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum EdgeToken {
    Fired,
    /// Its condition does not hold, or its source was skipped.
    Skipped,
    /// Its source, or one before that, has failed.
    UpstreamFailed,
}

/// What has become of a node, for those that read its output.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Outcome {
    /// It has returned this.
    Succeeded(#[serde(deserialize_with = "literal::value")] Value),
    Failed {
        #[serde(deserialize_with = "literal::value")]
        marker: Value,
        /// Whether something was to be done in this case.
        handled: bool,
    },
    Skipped(#[serde(deserialize_with = "literal::value")] Value),
}

/// Why a node was skipped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SkipReason {
    /// No edge, or not every edge, to it fired.
    Edge,
    /// Its own condition does not hold.
    When,
    UpstreamFailed,
}

impl Outcome {
    /// What bindings and conditions see.
    pub(super) const fn value(&self) -> &Value {
        match self {
            Self::Succeeded(value) | Self::Failed { marker: value, .. } | Self::Skipped(value) => {
                value
            }
        }
    }

    pub(super) fn skipped(reason: SkipReason) -> Self {
        let reason = match reason {
            SkipReason::Edge => "edge",
            SkipReason::When => "when",
            SkipReason::UpstreamFailed => "upstream_failed",
        };
        Self::Skipped(json!({ "skipped": true, "reason": reason }))
    }

    pub(super) fn failed(failure: &FailedBody, handled: bool) -> Self {
        let marker = json!({
            "failed": true,
            "error": {
                "kind": failure.kind.name(),
                "message": failure.message,
                "retryable": failure.kind.is_retried(),
            },
            "attempts": failure.attempts,
        });
        Self::Failed { marker, handled }
    }

    /// Whether it has failed, and nothing was to be done in this case.
    pub(super) const fn is_unhandled(&self) -> bool {
        matches!(self, Self::Failed { handled: false, .. })
    }
}

impl SkipReason {
    /// What the edges of a node carry that was skipped for this.
    pub(super) const fn token(self) -> EdgeToken {
        match self {
            Self::Edge | Self::When => EdgeToken::Skipped,
            Self::UpstreamFailed => EdgeToken::UpstreamFailed,
        }
    }
}

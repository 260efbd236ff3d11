//! What has become of a node, and what its edges carry.

use std::sync::{Arc, LazyLock};

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::{
    error::FlowError,
    graph::FailedBody,
    json as literal,
    node::FailureKind,
    state::{Live, Payload},
};

/// In the marker of a node that was skipped since one before it has failed.
const UPSTREAM_FAILED: &str = "upstream_failed";

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

impl EdgeToken {
    /// The token as a state of a run. All tokens of a kind share one allocation.
    pub(super) fn live(self) -> Live {
        static VALUES: LazyLock<[Arc<dyn Payload>; 3]> = LazyLock::new(|| {
            let tokens = [
                EdgeToken::Fired,
                EdgeToken::Skipped,
                EdgeToken::UpstreamFailed,
            ];
            tokens.map(|token| -> Arc<dyn Payload> { Arc::new(token) })
        });
        let [fired, skipped, failed] = &*VALUES;
        Live::of(Arc::clone(match self {
            Self::Fired => fired,
            Self::Skipped => skipped,
            Self::UpstreamFailed => failed,
        }))
    }
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
        /// Whether something handles the failure.
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

    pub(super) fn into_value(self) -> Value {
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
            SkipReason::UpstreamFailed => UPSTREAM_FAILED,
        };
        Self::Skipped(json!({ "skipped": true, "reason": reason }))
    }

    pub(super) fn failed(failure: &FailedBody, handled: bool) -> Self {
        let marker = json!({
            "failed": true,
            "error": {
                "kind": failure.kind.name(),
                "message": failure.message,
                "retryable": failure.is_retryable,
            },
            "attempts": failure.attempts,
        });
        Self::Failed { marker, handled }
    }

    /// The token that the edges of a skipped node carry.
    pub(super) fn token_if_skipped(&self) -> EdgeToken {
        match self.value().get("reason").and_then(Value::as_str) {
            Some(UPSTREAM_FAILED) => EdgeToken::UpstreamFailed,
            _ => EdgeToken::Skipped,
        }
    }

    /// The error of a node that has failed.
    pub(super) fn error_of(&self, node: &str) -> FlowError {
        Self::error_in(node, self.value())
    }

    /// The error of a node that has failed with this marker.
    pub(super) fn error_in(node: &str, marker: &Value) -> FlowError {
        let error = marker.get("error");
        let kind = error.and_then(|error| FailureKind::deserialize(error.get("kind")?).ok());
        let message = error.and_then(|error| error.get("message")?.as_str());
        let attempts = marker.get("attempts").and_then(Value::as_u64);
        FlowError::Failed {
            node: node.to_owned(),
            kind: kind.unwrap_or(FailureKind::Error),
            message: message.unwrap_or_default().to_owned(),
            attempts: attempts.map_or(1, |it| u32::try_from(it).unwrap_or(u32::MAX)),
        }
    }

    /// The same outcome, with its failure handled.
    pub(super) fn into_handled(self) -> Self {
        match self {
            Self::Failed { marker, .. } => Self::Failed {
                marker,
                handled: true,
            },
            other => other,
        }
    }

    /// Whether it is a failure that nothing handles.
    pub(super) const fn is_unhandled(&self) -> bool {
        matches!(self, Self::Failed { handled: false, .. })
    }
}

impl SkipReason {
    /// The token that the edges of a node carry that was skipped for this reason.
    pub(super) const fn token(self) -> EdgeToken {
        match self {
            Self::Edge | Self::When => EdgeToken::Skipped,
            Self::UpstreamFailed => EdgeToken::UpstreamFailed,
        }
    }
}

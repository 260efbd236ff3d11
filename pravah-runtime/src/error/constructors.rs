//! Errors of a run, for tests of what handles them, and of what never runs.

use super::{BoxError, FlowError, Limit, ToolError};
use crate::{model::ModelError, node::FailureKind};

/// Constructors, for tests of what handles errors; the variants say what the arguments are.
///
/// ```
/// use pravah_runtime::{FlowError, ModelError, ModelErrorKind};
///
/// let down = ModelError::new(ModelErrorKind::Transport, "the provider could not be reached");
/// let error = FlowError::model("triage", down);
/// assert!(matches!(error, FlowError::Model { node, .. } if node == "triage"));
/// ```
impl FlowError {
    /// [`Node`](Self::Node).
    pub fn node(node: impl Into<String>, source: impl Into<BoxError>) -> Self {
        Self::Node {
            node: node.into(),
            source: source.into(),
        }
    }

    /// [`Failed`](Self::Failed), at the first attempt.
    pub(crate) fn failed(node: &str, kind: FailureKind, why: &str) -> Self {
        Self::Failed {
            node: node.to_owned(),
            kind,
            message: format!("node `{node}` failed: {why}"),
            attempts: 1,
        }
    }

    /// The name of the node that it is about.
    pub(crate) fn node_mut(&mut self) -> Option<&mut String> {
        match self {
            Self::TimedOut { node, .. }
            | Self::Failed { node, .. }
            | Self::NodeData { node, .. }
            | Self::Node { node, .. }
            | Self::Panicked { node, .. }
            | Self::Model { node, .. }
            | Self::Runner { node, .. }
            | Self::Tool { node, .. }
            | Self::Limit { node, .. }
            | Self::Schema { node, .. }
            | Self::Suppressed { node }
            | Self::Rejected { node, .. }
            | Self::MaxVisits { node, .. } => Some(node),
            _ => None,
        }
    }

    /// The same error, of the node in which it came up: what a host lacks, such as a dependency.
    pub(crate) fn in_node(self, node: &str) -> Self {
        match self {
            Self::Other(source) => Self::node(node, source),
            error => error,
        }
    }

    /// [`Panicked`](Self::Panicked).
    pub fn panicked(node: impl Into<String>, message: impl Into<String>) -> Self {
        Self::Panicked {
            node: node.into(),
            message: message.into(),
        }
    }

    /// [`Model`](Self::Model).
    pub fn model(node: impl Into<String>, source: ModelError) -> Self {
        Self::Model {
            node: node.into(),
            source,
        }
    }

    /// [`Tool`](Self::Tool).
    pub fn tool(node: impl Into<String>, tool: impl Into<String>, source: ToolError) -> Self {
        Self::Tool {
            node: node.into(),
            tool: tool.into(),
            source,
        }
    }

    /// [`Limit`](Self::Limit).
    pub fn limit(node: impl Into<String>, limit: Limit) -> Self {
        Self::Limit {
            node: node.into(),
            limit,
        }
    }

    /// [`Suppressed`](Self::Suppressed).
    pub fn suppressed(node: impl Into<String>) -> Self {
        Self::Suppressed { node: node.into() }
    }

    /// [`Rejected`](Self::Rejected).
    pub fn rejected(node: impl Into<String>, reason: Option<String>) -> Self {
        Self::Rejected {
            node: node.into(),
            reason,
        }
    }

    /// [`MaxSteps`](Self::MaxSteps).
    pub fn max_steps(limit: u64) -> Self {
        Self::MaxSteps { limit }
    }
}

/// The error of what was refused at compile time, and never runs.
pub fn does_not_compile() -> FlowError {
    FlowError::BuildError("it does not compile".into())
}

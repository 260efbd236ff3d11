//! What is wrong with the input or the output of a document's node.

use super::FlowError;
use crate::node::FailureKind;

/// Why a node of a document could not run, or why what it returned is not taken.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum NodeDataError {
    /// A binding names what is not there.
    #[error("the binding `{path}` names nothing{}", beneath(.found, *.reason))]
    #[non_exhaustive]
    Binding {
        /// The path, as it is written.
        path: String,
        /// How much of it there is: nothing, or a part of it.
        found: String,
        /// Why there is no more of it: its node `was skipped`, or `has failed`.
        reason: Option<&'static str>,
    },
    /// What it takes does not fit.
    #[error("{0}")]
    Input(String),
    /// What it returned does not fit.
    #[error("what it returned does not fit: {0}")]
    Output(String),
}

impl NodeDataError {
    #[cfg(feature = "documents")]
    pub(crate) fn input(problem: impl Into<String>) -> Self {
        Self::Input(problem.into())
    }

    /// The same, of the node in which it came up.
    pub(crate) fn in_node(self, node: impl Into<String>) -> FlowError {
        FlowError::NodeData {
            node: node.into(),
            source: self,
        }
    }

    /// What kind of failure it is.
    pub(crate) const fn kind(&self) -> FailureKind {
        match self {
            Self::Binding { .. } => FailureKind::Binding,
            Self::Input(_) | Self::Output(_) => FailureKind::Data,
        }
    }
}

#[cfg(feature = "documents")]
impl From<pravah_document::BindingError> for NodeDataError {
    fn from(error: pravah_document::BindingError) -> Self {
        Self::Binding {
            path: error.path,
            found: error.found,
            reason: error.reason,
        }
    }
}

fn beneath(found: &str, reason: Option<&str>) -> String {
    match (found, reason) {
        ("", _) => String::new(),
        (found, Some(reason)) => format!(": `{found}` {reason}"),
        (found, None) => format!(": there is only `{found}`"),
    }
}

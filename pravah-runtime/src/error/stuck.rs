//! A run that cannot go on.

/// Why no node can take the states that wait. Sound flows do not come to it: only a graph or a snapshot
/// from elsewhere does.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{reason}")]
pub struct Stuck {
    reason: String,
    states: Vec<String>,
}

impl Stuck {
    pub(crate) fn new<T: Into<String>>(
        reason: impl Into<String>,
        states: impl IntoIterator<Item = T>,
    ) -> Self {
        Self {
            reason: reason.into(),
            states: states.into_iter().map(Into::into).collect(),
        }
    }

    /// The states that wait in vain, as a snapshot names them.
    pub fn states(&self) -> &[String] {
        &self.states
    }
}

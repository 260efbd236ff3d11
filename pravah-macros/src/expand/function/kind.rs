//! What an annotated function becomes, and the two sides of it.

/// What a function becomes.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Node,
    /// One of its parameters is what a person answers, and no state.
    Gate,
    /// It returns a prompt, and no state.
    Agent,
}

/// Whether a type is on the side of what a node takes, or of what it returns.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Side {
    Takes,
    Returns,
}

impl Side {
    pub(super) fn verb(self) -> &'static str {
        match self {
            Self::Takes => "takes",
            Self::Returns => "returns",
        }
    }
}

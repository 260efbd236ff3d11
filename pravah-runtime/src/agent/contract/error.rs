//! What can be wrong with a contract, and with an envelope.

/// What is wrong with a [`Contract`](crate::Contract), or with an [`Envelope`](crate::Envelope) under one.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ContractError {
    /// One field is wrong by itself.
    #[error("`{field}` of the contract: {reason}")]
    InvalidField {
        /// The field.
        field: &'static str,
        /// What is wrong with it.
        reason: String,
    },
    /// An unknown field whose name is close to a contract's field.
    #[error("a contract has no field `{field}`: did you mean `{nearest}`?")]
    #[non_exhaustive]
    UnknownField {
        /// The field.
        field: String,
        /// The field that was probably meant.
        nearest: &'static str,
    },
    /// The thresholds do not rise from one to the next.
    #[error(
        "the thresholds do not rise: suppress_below = {suppress_below}, \
         review = {review_low}..={review_high}, auto_approve_above = {auto_approve_above}"
    )]
    InvalidThresholds {
        /// Below it answers are suppressed.
        suppress_below: f64,
        /// Where the band for people starts.
        review_low: f64,
        /// Where it ends.
        review_high: f64,
        /// Above it answers go on.
        auto_approve_above: f64,
    },
    /// What a model gave is no envelope: a field is missing, mistyped, out of range or unknown.
    #[error("the envelope does not fit: {reason}")]
    SchemaViolation {
        /// The field, and what is wrong with it.
        reason: String,
    },
}

impl ContractError {
    pub(crate) fn violation(reason: impl Into<String>) -> Self {
        Self::SchemaViolation {
            reason: reason.into(),
        }
    }

    pub(super) fn field(field: &'static str, reason: impl Into<String>) -> Self {
        Self::InvalidField {
            field,
            reason: reason.into(),
        }
    }
}

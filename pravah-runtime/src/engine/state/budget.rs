//! What a run may spend on models.

use serde::{Deserialize, Serialize};

/// What a run may spend on models, all agents together; see [`FlowRuntime::with_budget`].
///
/// ```
/// use pravah_runtime::Budget;
///
/// let budget = Budget::new().calls(20).tokens(50_000);
/// assert_eq!(budget, Budget::new().tokens(50_000).calls(20));
/// ```
///
/// [`FlowRuntime::with_budget`]: crate::FlowRuntime::with_budget
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Budget {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) calls: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) tokens: Option<u64>,
}

impl Budget {
    pub(crate) const UNLIMITED: Self = Self {
        calls: None,
        tokens: None,
    };

    /// Without limits.
    pub fn new() -> Self {
        Self::UNLIMITED
    }

    /// How many model calls may be paid for, including answers that break off.
    #[must_use]
    pub fn calls(mut self, most: u64) -> Self {
        self.calls = Some(most);
        self
    }

    /// How many tokens, asked and answered, may be used. No model is asked once they are used up; the
    /// last answer may go beyond.
    #[must_use]
    pub fn tokens(mut self, most: u64) -> Self {
        self.tokens = Some(most);
        self
    }

    pub(crate) fn is_unlimited(&self) -> bool {
        *self == Self::UNLIMITED
    }
}

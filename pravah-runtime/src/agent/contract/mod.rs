//! The confidence contract: when an agent's answer may go on, when a person must look at it, and
//! when nobody is to see it.

mod envelope;
mod error;
mod fields;
mod review;
mod words;

use std::{ops::RangeInclusive, time::Duration};

pub use envelope::Envelope;
pub(crate) use envelope::{instruction, is_envelope_schema, schema};
pub use error::ContractError;
pub use review::Review;
pub(crate) use review::{Decided, question, read_review, verdicts};
pub use words::{ConfidenceType, RouteDecision};

/// The thresholds of a contract that sets none.
pub(crate) const SUPPRESS_BELOW: f64 = 0.5;
pub(crate) const AUTO_APPROVE_ABOVE: f64 = 0.85;

/// Says what becomes of an agent's answer, by how sure the model is of it; see
/// [`AgentConfig::with_contract`](crate::AgentConfig::with_contract).
///
/// The model answers with an envelope around the agent's output: `primary_output`, `confidence`
/// from 0 to 1, `confidence_type`, `escalate` if a person should look, and its `reasoning`. It is not
/// told the thresholds, and decides nothing:
///
/// | confidence | the answer |
/// |---|---|
/// | below [`suppress_below`](Self::suppress_below) | is hidden, and the node fails with [`FailureKind::Suppressed`](crate::FailureKind::Suppressed) |
/// | above [`auto_approve_above`](Self::auto_approve_above), and the model does not escalate | goes on |
/// | anything else | waits for a person's [`Review`] |
///
/// An answer that is no envelope, or lacks one of its fields but `reasoning`, goes back to the model
/// like any other that does not fit; after the repairs the node fails with
/// [`FailureKind::Schema`](crate::FailureKind::Schema). While it comes nobody hears its text.
///
/// ```
/// use std::time::Duration;
/// use pravah_runtime::Contract;
///
/// let contract = Contract::new()
///     .suppress_below(0.4)
///     .auto_approve_above(0.9)
///     .budget(Duration::from_secs(8));
/// assert!(contract.validate().is_ok());
///
/// let contract = Contract::new().suppress_below(0.9);
/// assert_eq!(
///     contract.validate().unwrap_err().to_string(),
///     "the thresholds do not rise: suppress_below = 0.9, review = 0.9..=0.85, auto_approve_above = 0.85",
/// );
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Contract {
    suppress_below: f64,
    /// Unless set it spans from one threshold to the other.
    review: Option<(f64, f64)>,
    auto_approve_above: f64,
    /// Unless set, whatever the model says.
    confidence: Option<ConfidenceType>,
    pub(crate) budget: Option<Duration>,
    pub(super) version: String,
}

impl Default for Contract {
    fn default() -> Self {
        Self {
            suppress_below: SUPPRESS_BELOW,
            review: None,
            auto_approve_above: AUTO_APPROVE_ABOVE,
            confidence: None,
            budget: None,
            version: "1.0.0".to_owned(),
        }
    }
}

impl Contract {
    /// Suppresses below 0.5, approves above 0.85, and lets a person look at what is between.
    pub fn new() -> Self {
        Self::default()
    }

    /// Answers of a confidence below this one are suppressed: 0.5 unless set.
    #[must_use]
    pub fn suppress_below(mut self, threshold: f64) -> Self {
        self.suppress_below = threshold;
        self
    }

    /// The band in which a person is expected to look. It is shown to that person, and has to lie
    /// between the two thresholds; unless set it is all that lies between them.
    #[must_use]
    pub fn review(mut self, band: RangeInclusive<f64>) -> Self {
        self.review = Some(band.into_inner());
        self
    }

    /// Answers of a confidence above this one go on by themselves: 0.85 unless set.
    #[must_use]
    pub fn auto_approve_above(mut self, threshold: f64) -> Self {
        self.auto_approve_above = threshold;
        self
    }

    /// Where the confidence has to come from. Unless set it is what the model says it is, and its own
    /// number counts.
    #[must_use]
    pub fn confidence(mut self, source: ConfidenceType) -> Self {
        self.confidence = Some(source);
        self
    }

    /// How long the model may take, all its answers in one visit of the agent together: without
    /// limit unless set. Waiting for a provider's limit, for tools and for people does not count. Time is
    /// counted in whole milliseconds; what has a fraction of one is rounded up.
    #[must_use]
    pub fn budget(mut self, time: Duration) -> Self {
        let millis = time.as_nanos().div_ceil(1_000_000);
        self.budget = Some(Duration::from_millis(
            u64::try_from(millis).unwrap_or(u64::MAX),
        ));
        self
    }

    /// What the contract is called in audits: `1.0.0` unless set.
    #[must_use]
    pub fn version(mut self, version: impl Into<String>) -> Self {
        self.version = version.into();
        self
    }

    /// Looks for mistakes.
    ///
    /// # Errors
    ///
    /// The first one: a threshold that is no number from 0 to 1, thresholds that do not rise, a
    /// budget of no time, a version without a name.
    pub fn validate(&self) -> Result<(), ContractError> {
        self.problems().into_iter().next().map_or(Ok(()), Err)
    }

    /// All mistakes.
    pub(super) fn problems(&self) -> Vec<ContractError> {
        let mut problems = Vec::new();
        let (suppress_below, auto_approve_above) = (self.suppress_below, self.auto_approve_above);
        let (review_low, review_high) = self.band();
        for (field, value) in [
            ("suppress_below", suppress_below),
            ("auto_approve_above", auto_approve_above),
            ("review", review_low),
            ("review", review_high),
        ] {
            let is_own = field != "review" || self.review.is_some();
            if is_own && !(0.0..=1.0).contains(&value) {
                let reason = format!("{value} is not from 0 to 1");
                problems.push(ContractError::field(field, reason));
            }
        }
        let thresholds = [suppress_below, review_low, review_high, auto_approve_above];
        if problems.is_empty() && !thresholds.is_sorted() {
            problems.push(ContractError::InvalidThresholds {
                suppress_below,
                review_low,
                review_high,
                auto_approve_above,
            });
        }
        if self.budget == Some(Duration::ZERO) {
            problems.push(ContractError::field("budget", "it is zero"));
        }
        if self.version.trim().is_empty() {
            problems.push(ContractError::field("version", "it is empty"));
        }
        problems
    }

    /// What becomes of an answer of this confidence; `escalate` if the model wants a person to look.
    ///
    /// The wish for a person is heard, except that what nobody is to see is shown to nobody. A
    /// confidence above 1, or one that is not a number, is never approved automatically.
    ///
    /// ```
    /// use pravah_runtime::{Contract, RouteDecision};
    ///
    /// let contract = Contract::new();
    /// assert_eq!(contract.route(0.9, false), RouteDecision::AutoApprove);
    /// assert_eq!(contract.route(0.85, false), RouteDecision::HumanReview);
    /// assert_eq!(contract.route(0.9, true), RouteDecision::HumanReview);
    /// assert_eq!(contract.route(0.4, true), RouteDecision::Suppress);
    /// ```
    pub fn route(&self, confidence: f64, escalate: bool) -> RouteDecision {
        if confidence < self.suppress_below {
            RouteDecision::Suppress
        } else if confidence > self.auto_approve_above && confidence <= 1.0 && !escalate {
            RouteDecision::AutoApprove
        } else {
            RouteDecision::HumanReview
        }
    }

    /// Whether the confidence of an envelope comes from where this contract wants it to come from.
    ///
    /// # Errors
    ///
    /// [`ContractError::SchemaViolation`] if it does not.
    pub fn check_envelope<Output>(&self, envelope: &Envelope<Output>) -> Result<(), ContractError> {
        match self.confidence {
            Some(source) if source != envelope.confidence_type => {
                let reason = format!("`confidence_type` is not `{source}`");
                Err(ContractError::violation(reason))
            }
            _ => Ok(()),
        }
    }

    /// Identifies the contract, apart from thresholds and budget: a conversation that was started under another
    /// id cannot go on under this one.
    pub(crate) fn id(&self) -> String {
        let sources: Vec<&str> = self.sources().iter().map(|it| it.as_str()).collect();
        format!("contract {}: {}", self.version, sources.join(", "))
    }

    /// The sources that an envelope may name.
    pub(super) fn sources(&self) -> &[ConfidenceType] {
        match &self.confidence {
            Some(source) => std::slice::from_ref(source),
            None => ConfidenceType::ALL,
        }
    }

    /// The threshold that a decision was checked against.
    pub(super) fn threshold(&self, decision: RouteDecision) -> f64 {
        match decision {
            RouteDecision::Suppress => self.suppress_below,
            RouteDecision::HumanReview | RouteDecision::AutoApprove => self.auto_approve_above,
        }
    }

    pub(super) fn is_token_level(&self) -> bool {
        self.confidence == Some(ConfidenceType::TokenLevel)
    }

    fn band(&self) -> (f64, f64) {
        self.review
            .unwrap_or((self.suppress_below, self.auto_approve_above))
    }
}

//! The record of what happened to answers under a contract.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{agent::RouteDecision, json};

/// What happened to an answer under a [`Contract`](crate::Contract). Its JSON is a line for an audit
/// log: `event` names it, beside its fields; which run and node it is of says the
/// [`FlowEvent`](crate::FlowEvent) around it. If the step is made again, so is the entry.
///
/// ```
/// use pravah_runtime::Audit;
/// use serde_json::{from_value, json};
///
/// let line = json!({ "event": "ai_review_resolved", "approved": true, "edited": false });
/// let entry: Audit = from_value(line)?;
/// assert!(matches!(entry, Audit::ReviewResolved { approved: true, .. }));
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "event")]
#[non_exhaustive]
pub enum Audit {
    /// A request was sent to a model; this entry comes when its answer, or its end, has come.
    #[serde(rename = "ai_invocation")]
    #[non_exhaustive]
    Invocation {
        /// The model.
        model: String,
        /// The scheme of the model's URL.
        provider: String,
        /// The prompt.
        input: String,
        /// What the contract calls itself.
        contract_version: String,
    },
    /// It was decided what becomes of an answer.
    #[serde(rename = "ai_routing_decision")]
    #[non_exhaustive]
    RoutingDecision {
        /// What becomes of it.
        decision: RouteDecision,
        /// How sure the model is of it, from 0 to 1.
        confidence: f64,
        /// Whether the model wants a person to look, however sure it is.
        escalate: bool,
        /// The threshold that the confidence was compared with.
        threshold: f64,
        /// What the contract calls itself.
        contract_version: String,
    },
    /// A person has to look at an answer.
    #[serde(rename = "ai_review_required")]
    #[non_exhaustive]
    ReviewRequired {
        /// The answer.
        #[serde(deserialize_with = "json::value")]
        primary_output: Value,
        /// How sure the model is of it, from 0 to 1.
        confidence: f64,
        /// Why, in the model's words.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        reasoning: Option<String>,
    },
    /// A person has looked at an answer.
    #[serde(rename = "ai_review_resolved")]
    #[non_exhaustive]
    ReviewResolved {
        /// Whether something goes on.
        approved: bool,
        /// Whether what goes on is that person's and not the model's.
        edited: bool,
    },
}

/// Constructors, for tests of an observer; the variants say what the arguments are.
///
/// ```
/// use pravah_runtime::{Audit, RouteDecision};
/// use serde_json::json;
///
/// let log = [
///     Audit::invocation("gpt-4o-mini", "openai", "My parcel was late.", "2.1"),
///     Audit::routing_decision(RouteDecision::HumanReview, 0.7, false, 0.4, "2.1"),
///     Audit::review_required(json!({ "euros": 20 }), 0.7, None),
///     Audit::review_resolved(true, false),
/// ];
/// let line = json!({ "event": "ai_review_resolved", "approved": true, "edited": false });
/// assert_eq!(serde_json::to_value(&log[3])?, line);
/// # Ok::<(), serde_json::Error>(())
/// ```
impl Audit {
    /// A request was sent to a model.
    pub fn invocation(
        model: impl Into<String>,
        provider: impl Into<String>,
        input: impl Into<String>,
        contract_version: impl Into<String>,
    ) -> Self {
        Self::Invocation {
            model: model.into(),
            provider: provider.into(),
            input: input.into(),
            contract_version: contract_version.into(),
        }
    }

    /// It was decided what becomes of an answer with this confidence.
    pub fn routing_decision(
        decision: RouteDecision,
        confidence: f64,
        escalate: bool,
        threshold: f64,
        contract_version: impl Into<String>,
    ) -> Self {
        Self::RoutingDecision {
            decision,
            confidence,
            escalate,
            threshold,
            contract_version: contract_version.into(),
        }
    }

    /// A person has to look at an answer.
    pub fn review_required(
        primary_output: Value,
        confidence: f64,
        reasoning: Option<String>,
    ) -> Self {
        Self::ReviewRequired {
            primary_output,
            confidence,
            reasoning,
        }
    }

    /// A person has looked at an answer.
    pub fn review_resolved(approved: bool, edited: bool) -> Self {
        Self::ReviewResolved { approved, edited }
    }
}

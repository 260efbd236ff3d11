//! The review of an answer, or of a tool call, by a person.

use serde::{Deserialize, Deserializer, Serialize, de::Error as _};
use serde_json::{Map, Value, json};

use super::{Contract, Envelope};
use crate::json::{self, Literal};

/// What a person says of an answer that waits for review, or of a tool call that waits for approval, handed to
/// [`answer`](crate::FlowRuntime::answer).
///
/// | verdict | of an answer | of a tool call |
/// |---|---|---|
/// | `approve` | it goes on | it runs |
/// | `edit` | `output` goes on instead | it runs with `output` as its arguments, which the model is told |
/// | `reject` | the node fails | it does not run: the model reads the reason, and goes on |
///
/// Of a tool call the question is an [`ApprovalQuestion`](crate::ApprovalQuestion). Of an answer under a
/// [`Contract`] the run waits with [`RunOut::Suspend`](crate::RunOut::Suspend). Its `tool_id` is the agent's node,
/// and its `value` is what that person has to know:
///
/// ```json
/// {
///   "state": { "text": "My parcel came some days late." },
///   "primary_output": { "euros": 15 },
///   "confidence": 0.6,
///   "confidence_type": "verbalized",
///   "escalate": false,
///   "reasoning": "it does not say how many",
///   "review": { "low": 0.4, "high": 0.9 },
///   "schema": {}
/// }
/// ```
///
/// `state` is what the agent took, `review` the band of the contract, `schema` the JSON Schema of this
/// type with the agent's output in it.
///
/// ```
/// use pravah_runtime::Review;
/// use serde_json::{json, to_value};
///
/// assert_eq!(to_value(Review::approve())?, json!({ "verdict": "approve" }));
/// assert_eq!(to_value(Review::edit(20))?, json!({ "verdict": "edit", "output": 20 }));
/// assert_eq!(to_value(Review::reject("too much"))?, json!({ "verdict": "reject", "reason": "too much" }));
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "verdict", rename_all = "snake_case", from = "Said<O>")]
pub enum Review<O = Value> {
    /// The answer goes on, or the tool runs, as it is.
    Approve,
    /// This goes on instead, or is what the tool runs with.
    Edit {
        /// In place of the agent's output, or of the tool's arguments.
        output: O,
    },
    /// Nothing goes on: the node fails with
    /// [`FailureKind::Rejected`](crate::FailureKind::Rejected). A tool does not run, and its agent goes on.
    Reject {
        /// Why. It becomes part of the failure's message, or what the model reads of the call.
        #[serde(skip_serializing_if = "Option::is_none")]
        reason: Option<String>,
    },
}

/// A [`Review`] as it is read: a variant without braces would let any field pass.
#[derive(Deserialize)]
#[serde(tag = "verdict", rename_all = "snake_case", deny_unknown_fields)]
enum Said<O> {
    Approve {},
    Edit { output: O },
    Reject { reason: Option<String> },
}

impl<O> From<Said<O>> for Review<O> {
    fn from(said: Said<O>) -> Self {
        match said {
            Said::Approve {} => Self::Approve,
            Said::Edit { output } => Self::Edit { output },
            Said::Reject { reason } => Self::Reject { reason },
        }
    }
}

impl Review {
    /// The answer goes on, or the tool runs, as it is.
    #[must_use]
    pub const fn approve() -> Self {
        Self::Approve
    }

    /// Nothing goes on, for this reason.
    pub fn reject(reason: impl Into<String>) -> Self {
        Self::Reject {
            reason: Some(reason.into()),
        }
    }

    /// Reads a payload as a review.
    pub(crate) fn read(payload: Value) -> Result<Self, serde_json::Error> {
        match payload.is_object() {
            true => read_review(payload),
            false => Err(serde_json::Error::custom(
                "a review is an object with a `verdict`, which is `approve`, `edit` or `reject`",
            )),
        }
    }
}

impl<O> Review<O> {
    /// `output` goes on instead, or is what the tool runs with.
    pub const fn edit(output: O) -> Self {
        Self::Edit { output }
    }
}

/// Reads a review of JSON.
pub(crate) fn read_review<'de, D: Deserializer<'de>>(from: D) -> Result<Review<Value>, D::Error> {
    Ok(match Review::deserialize(from)? {
        Review::Approve => Review::Approve,
        Review::Edit {
            output: Literal(output),
        } => Review::Edit { output },
        Review::Reject { reason } => Review::Reject { reason },
    })
}

/// What was decided of an answer that does not go on by itself.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub(crate) enum Decided {
    /// Nobody is to see it.
    Suppressed,
    /// A person is to look at it.
    InReview {
        #[serde(deserialize_with = "json::value")]
        output: Value,
    },
    /// It goes on unless a message comes.
    Listening {
        #[serde(deserialize_with = "json::value")]
        output: Value,
    },
    /// A person has looked at it.
    Reviewed {
        #[serde(deserialize_with = "json::value")]
        output: Value,
        #[serde(deserialize_with = "read_review")]
        review: Review<Value>,
    },
}

/// What a person is asked: the answer, how sure the model is, and the schema of a [`Review`].
pub(crate) fn question(
    envelope: &Envelope<Value>,
    confidence: f64,
    contract: &Contract,
    output_schema: &Value,
) -> Map<String, Value> {
    let (low, high) = contract.band();
    [
        ("primary_output", envelope.primary_output.clone()),
        ("confidence", json!(confidence)),
        ("confidence_type", json!(envelope.confidence_type)),
        ("escalate", json!(envelope.escalate)),
        ("reasoning", json!(envelope.reasoning)),
        ("review", json!({ "low": low, "high": high })),
        ("schema", verdicts(output_schema)),
    ]
    .into_iter()
    .map(|(key, value)| (key.to_owned(), value))
    .collect()
}

/// The schema of a review, with the schema of what is reviewed in it.
pub(crate) fn verdicts(output: &Value) -> Value {
    let mut output = output.clone();
    let mut defs = json!({});
    if let Some(own) = output
        .as_object_mut()
        .and_then(|output| output.remove("$defs"))
    {
        defs = own;
    }
    let verdict = |word: &str| json!({ "type": "string", "const": word });
    let alternative = |properties: Value, required: &[&str]| {
        json!({
            "type": "object",
            "properties": properties,
            "required": required,
            "additionalProperties": false,
        })
    };
    json!({
        "oneOf": [
            alternative(json!({ "verdict": verdict("approve") }), &["verdict"]),
            alternative(json!({ "verdict": verdict("edit"), "output": output }), &["verdict", "output"]),
            alternative(
                json!({ "verdict": verdict("reject"), "reason": { "type": ["string", "null"] } }),
                &["verdict"],
            ),
        ],
        "$defs": defs,
    })
}

//! What a model under a contract answers with: its output, and how sure it is of it.

use schemars::{JsonSchema, SchemaGenerator};
use serde::{Deserialize, Serialize, de::DeserializeOwned};
use serde_json::{Map, Value, json};

use super::{ConfidenceType, ContractError};
use crate::{json, model::explain};

/// What a model under a [`Contract`](crate::Contract) answers with: an output, and how sure the model is of it.
///
/// It is read through its checks only: nothing else makes an envelope of JSON.
///
/// ```
/// use pravah_runtime::{ContractError, Envelope};
/// use serde_json::json;
///
/// let mut answer = json!({
///     "primary_output": "refund the parcel",
///     "confidence": 0.9,
///     "confidence_type": "verbalized",
///     "escalate": false,
/// });
/// let envelope = Envelope::<String>::from_value(&answer)?;
/// assert_eq!((envelope.primary_output.as_str(), envelope.reasoning), ("refund the parcel", None));
///
/// answer["confidence"] = json!(90);
/// let error = Envelope::<String>::from_value(&answer).unwrap_err();
/// assert_eq!(error.to_string(), "the envelope does not fit: `confidence` is more than 1");
/// # Ok::<(), ContractError>(())
/// ```
///
/// ```compile_fail,E0277
/// let envelope: pravah_runtime::Envelope = serde_json::from_str("{}").unwrap();
/// ```
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Envelope<Output = String> {
    /// The output.
    pub primary_output: Output,
    /// How likely it is that the output is right, from 0 to 1.
    pub confidence: f64,
    /// Where the confidence comes from.
    pub confidence_type: ConfidenceType,
    /// Whether the model wants a person to look, however sure it is.
    pub escalate: bool,
    /// Why, in the model's words.
    pub reasoning: Option<String>,
}

/// An envelope before its checks.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Unchecked {
    #[serde(deserialize_with = "json::value")]
    primary_output: Value,
    confidence: f64,
    confidence_type: String,
    escalate: bool,
    reasoning: Option<String>,
}

impl Envelope<Value> {
    /// Reads an envelope; what its output is, is not looked at.
    pub(crate) fn read(value: &Value) -> Result<Self, ContractError> {
        if !value.is_object() {
            return Err(ContractError::violation("the value is not of type object"));
        }
        let read = Unchecked::deserialize(value)
            .map_err(|error| ContractError::violation(error.to_string()))?;
        if !(0.0..=1.0).contains(&read.confidence) {
            return Err(ContractError::violation("`confidence` is not from 0 to 1"));
        }
        let source = read.confidence_type.parse();
        Ok(Self {
            primary_output: read.primary_output,
            confidence: read.confidence,
            confidence_type: source
                .map_err(|_| ContractError::violation("`confidence_type` is unknown"))?,
            escalate: read.escalate,
            reasoning: read.reasoning,
        })
    }
}

impl<Output: DeserializeOwned + JsonSchema> Envelope<Output> {
    /// Reads what a model gave.
    ///
    /// # Errors
    ///
    /// [`ContractError::SchemaViolation`] if a field is missing, mistyped, out of range or unknown.
    pub fn from_value(value: &Value) -> Result<Self, ContractError> {
        json::check(value)
            .map_err(|unfit| ContractError::violation(format!("the value is {unfit}")))?;
        if let Some(reason) = explain(&Self::json_schema(), value) {
            return Err(ContractError::violation(reason));
        }
        let read = Envelope::<Value>::read(value)?;
        let output = serde_json::from_value(read.primary_output);
        Ok(Self {
            primary_output: output.map_err(|error| {
                ContractError::violation(format!("`primary_output` cannot be read: {error}"))
            })?,
            confidence: read.confidence,
            confidence_type: read.confidence_type,
            escalate: read.escalate,
            reasoning: read.reasoning,
        })
    }

    /// The JSON Schema of an envelope, which takes no further fields.
    pub fn json_schema() -> Value {
        let mut schemas = SchemaGenerator::default();
        let output = schemas.subschema_for::<Output>().to_value();
        schema(output, schemas.take_definitions(true), ConfidenceType::ALL)
    }
}

/// The fields without which an object is no envelope.
const REQUIRED: [&str; 4] = [
    "primary_output",
    "confidence",
    "confidence_type",
    "escalate",
];

/// The schema of an envelope around an output, which refers to `defs`, with a confidence from one of
/// `sources`.
pub(crate) fn schema(output: Value, defs: Map<String, Value>, sources: &[ConfidenceType]) -> Value {
    json!({
        "type": "object",
        "properties": {
            "primary_output": output,
            "confidence": {
                "description": "How likely it is that the result is right, from 0 to 1.",
                "type": "number",
                "minimum": 0,
                "maximum": 1,
            },
            "confidence_type": {
                "description": "Where the confidence comes from.",
                "type": "string",
                "enum": sources,
            },
            "escalate": {
                "description": "Whether a person should look at the result, however likely it is.",
                "type": "boolean",
            },
            "reasoning": {
                "description": "Why, in a sentence or two.",
                "type": ["string", "null"],
            },
        },
        "required": REQUIRED,
        "additionalProperties": false,
        "$defs": defs,
    })
}

/// Whether it is a [`schema`] of envelopes, which may have been stripped.
pub(crate) fn is_envelope_schema(schema: &Value) -> bool {
    schema.get("required") == Some(&json!(REQUIRED))
}

/// What the model is told of the envelope, after the preamble. It names no threshold.
pub(crate) fn instruction(schema: &Value, sources: &[ConfidenceType]) -> String {
    let sources: Vec<_> = sources.iter().map(ToString::to_string).collect();
    let sources = sources.join("\" or \"");
    format!(
        "Hand in the result inside an envelope. `primary_output` is the result. `confidence` is how \
         likely it is that the result is right, from 0 to 1. `confidence_type` is \"{sources}\". \
         `escalate` is true if a person should look at the result. `reasoning` says why, in a \
         sentence or two. Nothing else stands in it. The JSON Schema of the envelope is: {schema}"
    )
}

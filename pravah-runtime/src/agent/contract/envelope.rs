//! What a model under a contract answers with: its output, and how sure it is of it.

use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::{ConfidenceType, Contract};

/// An output, and how sure the model is of it.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Envelope {
    pub(crate) primary_output: Value,
    pub(crate) confidence: f64,
    pub(crate) confidence_type: ConfidenceType,
    pub(crate) escalate: bool,
    pub(crate) reasoning: Option<String>,
}

impl Envelope {
    /// Reads an envelope; what its output is, is not looked at.
    pub(crate) fn read(value: &Value, contract: &Contract) -> Result<Self, String> {
        let envelope = Self::deserialize(value).map_err(|error| error.to_string())?;
        if !(0.0..=1.0).contains(&envelope.confidence) {
            return Err("`confidence` is not from 0 to 1".to_owned());
        }
        if envelope.confidence_type != contract.confidence {
            return Err(format!(
                "`confidence_type` is not `{}`",
                contract.confidence
            ));
        }
        Ok(envelope)
    }
}

/// The schema of an envelope around an output, which refers to `defs`.
pub(crate) fn schema(output: Value, defs: Map<String, Value>, contract: &Contract) -> Value {
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
                "enum": [contract.confidence],
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
        "required": ["primary_output", "confidence", "confidence_type", "escalate"],
        "additionalProperties": false,
        "$defs": defs,
    })
}

/// What the model is told of the envelope, after the preamble. It names no threshold.
pub(crate) fn instruction(schema: &Value, contract: &Contract) -> String {
    let kind = contract.confidence;
    format!(
        "Hand in the result inside an envelope. `primary_output` is the result. `confidence` is how \
         likely it is that the result is right, from 0 to 1. `confidence_type` is \"{kind}\". \
         `escalate` is true if a person should look at the result. `reasoning` says why, in a \
         sentence or two. Nothing else stands in it. The JSON Schema of the envelope is: {schema}"
    )
}

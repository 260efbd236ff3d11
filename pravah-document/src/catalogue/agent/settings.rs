//! The settings of agents, with those of a contract.

use serde_json::{Map, Value, json};

use super::{METADATA, field, object, positive, strings};

/// The confidence below which an answer under a contract is suppressed, unless the contract says otherwise.
pub const SUPPRESS_BELOW: f64 = 0.5;

/// The confidence above which an answer under a contract goes on without a review, unless the contract says otherwise.
pub const AUTO_APPROVE_ABOVE: f64 = 0.85;

/// The schema of the settings.
pub(in crate::catalogue) fn config() -> Value {
    let fields = settings().into_iter().chain(contract());
    let fields: Map<String, Value> = fields
        .map(|(name, schema)| (name.to_owned(), schema))
        .collect();
    object(Value::Object(fields), &[])
}

fn text(description: &str) -> Value {
    json!({ "type": "string", "minLength": 1, "description": description })
}

fn number(most: u32, description: &str) -> Value {
    json!({ "type": "number", "minimum": 0, "maximum": most, "description": description })
}

fn settings() -> [(&'static str, Value); 13] {
    [
        (
            "model",
            text("The model: a URL, or a name that goes to the default provider."),
        ),
        ("system", field("string", "The system prompt.")),
        (
            "tools",
            strings("The tools that it may use, by their names."),
        ),
        ("maxTurns", positive("The most turns, 1 by default.")),
        (
            "maxTokens",
            positive("The most output tokens of a response."),
        ),
        ("temperature", number(2, "The sampling temperature.")),
        (
            "topP",
            number(
                1,
                "Nucleus sampling: the total probability of the tokens that are considered.",
            ),
        ),
        ("stop", stop()),
        ("seed", field("integer", "The random seed.")),
        ("metadata", field("object", METADATA)),
        (
            "idleTimeoutMs",
            positive("After how many idle milliseconds a conversation ends."),
        ),
        (
            "outputSchema",
            field("object", "The JSON Schema of the result."),
        ),
        (
            "provider",
            field(
                "object",
                "Options that are passed to the provider unchanged.",
            ),
        ),
    ]
}

fn stop() -> Value {
    json!({
        "anyOf": [{ "type": "string", "minLength": 1 }, strings("")],
        "description": "Stop sequences.",
    })
}

fn contract() -> [(&'static str, Value); 8] {
    let confidence = |description: &str| number(1, description);
    let suppressed =
        format!("Below this confidence an answer is suppressed, {SUPPRESS_BELOW} by default.");
    let approved = format!(
        "Above this confidence an answer goes on by itself, {AUTO_APPROVE_ABOVE} by default."
    );
    [
        (
            "contract",
            json!({ "enum": [true, false, "true", "false"], "description": "Whether answers are under a contract." }),
        ),
        ("suppressBelow", confidence(&suppressed)),
        (
            "reviewLow",
            confidence("From this confidence on a person reviews the answer."),
        ),
        (
            "reviewHigh",
            confidence("Up to this confidence a person reviews the answer."),
        ),
        ("autoApproveAbove", confidence(&approved)),
        (
            "confidenceType",
            json!({ "enum": ["verbalized", "token_level", "calibrated"], "description": "Where the confidence has to come from." }),
        ),
        (
            "maxInferenceMs",
            json!({ "type": "integer", "minimum": 1, "description": "The most milliseconds that the model may take." }),
        ),
        (
            "contractVersion",
            json!({ "type": "string", "minLength": 1, "default": "1.0.0", "description": "The version of the contract." }),
        ),
    ]
}

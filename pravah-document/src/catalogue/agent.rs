//! Agents: `agent.run`, its presets, and `claude.agent`.

use serde_json::{Map, Value, json};

use super::{NodeType, any, field, object};

/// The settings of agents that are no contract.
const CONFIG_KEYS: [&str; 13] = [
    "model",
    "system",
    "tools",
    "maxTurns",
    "maxTokens",
    "temperature",
    "topP",
    "stop",
    "seed",
    "metadata",
    "idleTimeoutMs",
    "outputSchema",
    "provider",
];

/// The schema of the settings, with the fields of a contract.
pub(super) fn config() -> Value {
    let mut properties = settings();
    for (field, schema) in contract() {
        properties.insert(field, schema);
    }
    object(Value::Object(properties), &[])
}

fn positive(description: &str) -> Value {
    json!({ "type": "integer", "minimum": 1, "maximum": u32::MAX, "description": description })
}

fn texts(description: &str) -> Value {
    json!({ "type": "array", "items": { "type": "string", "minLength": 1 }, "description": description })
}

fn settings() -> Map<String, Value> {
    let text =
        |description: &str| json!({ "type": "string", "minLength": 1, "description": description });
    let stop = json!({
        "anyOf": [{ "type": "string", "minLength": 1 }, texts("")],
        "description": "Texts at which the model stops.",
    });
    let values = [
        text("The model: a URL, or a name that goes to the default provider."),
        field("string", "What the agent is told before everything else."),
        texts("The tools that it may use, by their names."),
        positive("The most turns, 1 by default."),
        positive("The most tokens of an answer."),
        json!({ "type": "number", "minimum": 0, "maximum": 2, "description": "How much answers vary." }),
        json!({ "type": "number", "minimum": 0, "maximum": 1, "description": "The share of likely tokens that is looked at." }),
        stop,
        field("integer", "What chance starts with."),
        field("object", "What is sent along, and shown in events."),
        positive("After how many idle milliseconds a conversation ends."),
        field("object", "The JSON Schema of the result."),
        field("object", "What only this provider understands."),
    ];
    CONFIG_KEYS
        .iter()
        .map(|key| (*key).to_owned())
        .zip(values)
        .collect()
}

fn contract() -> Vec<(String, Value)> {
    let share = |description: &str| json!({ "type": "number", "minimum": 0, "maximum": 1, "description": description });
    let fields = [
        (
            "contract",
            json!({ "enum": [true, false, "true", "false"], "description": "Whether answers are under a contract." }),
        ),
        (
            "suppressBelow",
            share("Below this confidence an answer is suppressed, 0.5 by default."),
        ),
        ("reviewLow", share("Where the band of reviews starts.")),
        ("reviewHigh", share("Where the band of reviews ends.")),
        (
            "autoApproveAbove",
            share("Above this confidence an answer goes on by itself, 0.85 by default."),
        ),
        (
            "confidenceType",
            json!({ "enum": ["verbalized", "token_level", "calibrated"], "description": "Where the confidence has to come from." }),
        ),
        (
            "maxInferenceMs",
            json!({ "type": "integer", "minimum": 1, "description": "How long the model may take." }),
        ),
        (
            "contractVersion",
            json!({ "type": "string", "minLength": 1, "default": "1.0.0", "description": "The version of the contract." }),
        ),
    ];
    fields
        .map(|(name, schema)| (name.to_owned(), schema))
        .into()
}

pub(super) fn types() -> Vec<NodeType> {
    let mut types = vec![run(), claude()];
    types.extend(presets());
    types
}

fn run() -> NodeType {
    let text = |description: &str| field("string", description);
    NodeType::new("agent.run", "core", "Runs an agent.")
        .agent()
        .input(object(
            json!({
                "input": any("What it works on."),
                "tools": texts("The tools that it may use, besides those of the settings."),
                "system": text("What it is told before everything else."),
                "model": text("The model."),
                "metadata": field("object", "What is sent along."),
            }),
            &["input"],
        ))
        .output(object(
            json!({ "result": any("What it returns.") }),
            &["result"],
        ))
        .example_input(json!({ "input": "What is the capital of Benin?" }))
}

fn presets() -> Vec<NodeType> {
    let strings = json!({ "type": "array", "items": { "type": "string" } });
    let issue = object(
        json!({ "severity": { "enum": ["low", "medium", "high"] }, "message": { "type": "string" } }),
        &["severity", "message"],
    );
    let file = object(
        json!({ "path": { "type": "string" }, "content": { "type": "string" } }),
        &["path", "content"],
    );
    let presets = [
        (
            "plan",
            "Plans a task in steps.",
            object(json!({ "steps": strings }), &["steps"]),
            "Move the database to PostgreSQL 18.",
        ),
        (
            "classify",
            "Says which label fits.",
            object(
                json!({ "label": { "type": "string" }, "confidence": { "type": "number", "minimum": 0, "maximum": 1 } }),
                &["label", "confidence"],
            ),
            "bug or feature: the page does not load",
        ),
        (
            "coder",
            "Writes code.",
            object(
                json!({ "files": { "type": "array", "items": file }, "explanation": { "type": "string" } }),
                &["files", "explanation"],
            ),
            "A function that reverses a string.",
        ),
        (
            "reviewer",
            "Reviews a text or code.",
            object(
                json!({ "approved": { "type": "boolean" }, "issues": { "type": "array", "items": issue } }),
                &["approved", "issues"],
            ),
            "fn add(a: i32, b: i32) -> i32 { a - b }",
        ),
        (
            "summarize",
            "Sums a text up.",
            object(json!({ "summary": { "type": "string" } }), &["summary"]),
            "A long text.",
        ),
    ];
    let preset = |(name, description, result, input): (&str, &str, Value, &str)| {
        NodeType::new(format!("agent.{name}"), "core", description)
            .agent()
            .input(object(
                json!({ "input": any("What it works on.") }),
                &["input"],
            ))
            .output(object(json!({ "result": result }), &["result"]))
            .example_input(json!({ "input": input }))
    };
    presets.into_iter().map(preset).collect()
}

fn claude() -> NodeType {
    let content = json!({ "type": ["string", "array"], "description": "Its text, or its parts." });
    let message = object(
        json!({ "role": { "enum": ["user", "assistant"] }, "content": content }),
        &["role", "content"],
    );
    let mut input = object(
        json!({
            "prompt": field("string", "What it is asked."),
            "messages": { "type": "array", "items": message, "minItems": 1, "description": "A conversation, which it goes on with." },
            "options": { "type": "object", "description": "Settings, as those of `config`." },
        }),
        &[],
    );
    if let Some(input) = input.as_object_mut() {
        let alternatives = json!([{ "required": ["prompt"] }, { "required": ["messages"] }]);
        input.insert("anyOf".to_owned(), alternatives);
    }
    let usage = json!({
        "type": "object",
        "properties": { "inputTokens": field("integer", "What was read."), "outputTokens": field("integer", "What was written.") },
    });
    NodeType::new("claude.agent", "claude", "Runs a Claude agent.")
        .agent()
        .input(input)
        .output(object(
            json!({ "text": field("string", "What it says."), "usage": usage }),
            &["text"],
        ))
        .example_input(json!({ "prompt": "Say hello." }))
}

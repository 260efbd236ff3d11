//! System: logs, metrics, the cache of the process and the state of the run.

use serde_json::{Value, json};

use super::{NodeType, any, field, object};

fn ok() -> Value {
    object(json!({ "ok": field("boolean", "True.") }), &["ok"])
}

fn key() -> Value {
    json!({ "type": "string", "minLength": 1, "description": "What the value is called." })
}

fn found() -> Value {
    object(json!({ "value": any("The value, if there is one.") }), &[])
}

pub(super) fn types() -> Vec<NodeType> {
    let ttl = json!({ "type": "integer", "minimum": 1, "description": "After how many milliseconds the value is gone." });
    let tags = json!({ "type": "object", "additionalProperties": { "type": ["string", "number", "boolean"] }, "description": "What it is about." });
    vec![
        NodeType::new("system.log", "core", "Writes a message into the log.")
            .input(object(
                json!({
                    "level": { "enum": ["debug", "info", "warn", "error"], "description": "How much it matters." },
                    "message": field("string", "The message."),
                }),
                &["level", "message"],
            ))
            .output(ok())
            .example(json!({ "level": "info", "message": "started" }), json!({ "ok": true })),
        NodeType::new("system.metrics", "core", "Records a measurement.")
            .input(object(
                json!({
                    "name": { "type": "string", "minLength": 1, "description": "What was measured." },
                    "value": field("number", "The measurement."),
                    "tags": tags,
                }),
                &["name", "value"],
            ))
            .output(ok())
            .example(json!({ "name": "orders", "value": 3, "tags": { "shop": "lisbon" } }), json!({ "ok": true })),
        NodeType::new("system.cache.get", "core", "Reads a value that is kept as long as the process runs.")
            .input(object(json!({ "key": key() }), &["key"]))
            .output(found())
            .example_input(json!({ "key": "rates" })),
        NodeType::new("system.cache.set", "core", "Keeps a value as long as the process runs, or shorter.")
            .input(object(json!({ "key": key(), "value": any("The value."), "ttlMs": ttl }), &["key", "value"]))
            .output(ok())
            .example(json!({ "key": "rates", "value": 1.1, "ttlMs": 60_000 }), json!({ "ok": true })),
        NodeType::new("system.state.get", "core", "Reads a value that is kept in the run.")
            .input(object(json!({ "key": key() }), &["key"]))
            .output(found())
            .example(json!({ "key": "nothing" }), json!({})),
        NodeType::new("system.state.set", "core", "Keeps a value in the run and its snapshots.")
            .input(object(json!({ "key": key(), "value": any("The value.") }), &["key", "value"]))
            .output(ok())
            .example(json!({ "key": "seen", "value": ["a"] }), json!({ "ok": true })),
    ]
}

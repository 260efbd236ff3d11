//! The basics: `echo`, `constant`, `condition.equals`.

use serde_json::json;

use super::{NodeType, any, field, object};

pub(super) fn types() -> Vec<NodeType> {
    vec![
        NodeType::new("echo", "core", "Returns a text.")
            .input(object(json!({ "text": field("string", "The text.") }), &["text"]))
            .output(object(json!({ "text": field("string", "The same text.") }), &["text"]))
            .example(json!({ "text": "Hello, Flow!" }), json!({ "text": "Hello, Flow!" })),
        NodeType::new("constant", "core", "Returns a value.")
            .input(object(json!({ "value": any("The value.") }), &["value"]))
            .output(object(json!({ "value": any("The same value.") }), &["value"]))
            .example(
                json!({ "value": { "city": "Lisbon" } }),
                json!({ "value": { "city": "Lisbon" } }),
            ),
        NodeType::new("condition.equals", "core", "Says whether two values are equal: numbers by their value, objects whatever the order of their keys.")
            .input(object(
                json!({ "left": any("A value."), "right": any("The other value.") }),
                &["left", "right"],
            ))
            .output(object(json!({ "value": field("boolean", "Whether they are equal.") }), &["value"]))
            .example(json!({ "left": 1, "right": 1.0 }), json!({ "value": true })),
    ]
}

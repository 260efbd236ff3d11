//! Nodes for lessons and tests.

use serde_json::json;

use super::{MAX_MILLIS, NodeType, field, object};

const PACK: &str = "tutorial";

pub(super) fn types() -> Vec<NodeType> {
    let issue = object(
        json!({ "rule": field("string", "What was looked for."), "line": field("integer", "Where, from 1.") }),
        &["rule", "line"],
    );
    vec![
        NodeType::new("tutorial.flaky", PACK, "Fails at the first attempt, and succeeds at the second.")
            .input(object(json!({ "label": field("string", "What it is called.") }), &["label"]))
            .output(object(
                json!({ "label": field("string", "The same label."), "attempt": field("integer", "Which attempt succeeded.") }),
                &["label", "attempt"],
            ))
            .example(json!({ "label": "db" }), json!({ "label": "db", "attempt": 2 })),
        NodeType::new("tutorial.delay", PACK, "Takes a while.")
            .input(object(
                json!({ "ms": { "type": "integer", "minimum": 0, "maximum": MAX_MILLIS, "description": "How many milliseconds." } }),
                &["ms"],
            ))
            .output(object(json!({ "ms": field("integer", "The same number.") }), &["ms"]))
            .example(json!({ "ms": 5 }), json!({ "ms": 5 })),
        NodeType::new("tutorial.uppercase", PACK, "Writes a text in capitals.")
            .input(object(json!({ "text": field("string", "The text.") }), &["text"]))
            .output(object(json!({ "text": field("string", "The text in capitals.") }), &["text"]))
            .example(json!({ "text": "hello" }), json!({ "text": "HELLO" })),
        NodeType::new("tutorial.security_scan", PACK, "Looks for `eval(` and `password` in a file.")
            .input(object(
                json!({ "path": field("string", "What the file is called."), "content": field("string", "What is in it.") }),
                &["path", "content"],
            ))
            .output(object(
                json!({ "path": field("string", "The same path."), "issues": { "type": "array", "items": issue } }),
                &["path", "issues"],
            ))
            .example(
                json!({ "path": "a.js", "content": "eval(x)" }),
                json!({ "path": "a.js", "issues": [{ "rule": "eval(", "line": 1 }] }),
            ),
    ]
}

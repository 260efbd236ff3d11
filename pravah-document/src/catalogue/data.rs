//! Data: lists, objects, JSON, texts, validation.

use serde_json::{Value, json};

use super::{NodeType, Role, any, field, object};

pub(super) fn types() -> Vec<NodeType> {
    let mut types = lists();
    types.extend(objects());
    types.extend(texts());
    types
}

fn list_output() -> Value {
    object(
        json!({ "list": field("array", "The new list.") }),
        &["list"],
    )
}

fn lists() -> Vec<NodeType> {
    let list = || field("array", "The items.");
    vec![
        NodeType::new("data.map", "core", "Makes a list of a list, item by item.")
            .role(Role::Map)
            .input(object(
                json!({
                    "list": list(),
                    "template": any("What an item becomes: a value with bindings, which may name `item` and `index`. Without it items stay as they are."),
                }),
                &["list"],
            ))
            .output(list_output())
            .example(
                json!({ "list": [{ "n": 1 }, { "n": 2 }], "template": "{{ index }}: {{ item.n }}" }),
                json!({ "list": ["0: 1", "1: 2"] }),
            ),
        NodeType::new("data.filter", "core", "Keeps the items of a list for which a condition holds.")
            .role(Role::Filter)
            .input(object(
                json!({ "list": list(), "when": field("object", "The condition, which may name `item` and `index`.") }),
                &["list", "when"],
            ))
            .output(list_output())
            .example(
                json!({ "list": [1, 5], "when": { "gt": { "var": "item", "value": 2 } } }),
                json!({ "list": [5] }),
            ),
        NodeType::new("data.reduce", "core", "Makes one value of a list.")
            .input(object(
                json!({
                    "list": list(),
                    "initial": any("What it starts with."),
                    "op": { "enum": ["sum", "concat", "merge", "count", "min", "max"], "description": "What is done with the items." },
                }),
                &["list", "op"],
            ))
            .output(object(json!({ "value": any("The value.") }), &["value"]))
            .example(json!({ "list": [1, 2], "op": "sum" }), json!({ "value": 3 }))
            .example(json!({ "list": ["b", "c"], "initial": "a", "op": "concat" }), json!({ "value": "abc" })),
    ]
}

fn objects() -> Vec<NodeType> {
    let output = || {
        object(
            json!({ "object": field("object", "The new object.") }),
            &["object"],
        )
    };
    vec![
        NodeType::new("data.merge", "core", "Makes one object of several; the later ones win.")
            .input(object(
                json!({ "objects": { "type": "array", "items": { "type": "object" }, "description": "The objects." } }),
                &["objects"],
            ))
            .output(output())
            .example(json!({ "objects": [{ "a": 1, "b": 1 }, { "b": 2 }] }), json!({ "object": { "a": 1, "b": 2 } })),
        NodeType::new("data.pick", "core", "Keeps some fields of an object.")
            .input(object(
                json!({
                    "object": field("object", "The object."),
                    "keys": { "type": "array", "items": { "type": "string" }, "description": "The fields that are kept." },
                }),
                &["object", "keys"],
            ))
            .output(output())
            .example(json!({ "object": { "a": 1, "b": 2 }, "keys": ["a"] }), json!({ "object": { "a": 1 } })),
        NodeType::new("data.set", "core", "Copies an object with one value set, and creates the objects that are missing on its path.")
            .input(object(
                json!({
                    "object": field("object", "The object."),
                    "path": { "type": "string", "minLength": 1, "description": "Where: `address.city`." },
                    "value": any("The value."),
                }),
                &["object", "path", "value"],
            ))
            .output(output())
            .example(json!({ "object": {}, "path": "x.y", "value": 1 }), json!({ "object": { "x": { "y": 1 } } })),
    ]
}

fn texts() -> Vec<NodeType> {
    let errors = json!({ "type": "array", "items": { "type": "string" }, "description": "What does not fit." });
    vec![
        NodeType::new("data.json.parse", "core", "Reads JSON.")
            .input(object(json!({ "text": field("string", "The JSON.") }), &["text"]))
            .output(object(json!({ "value": any("The value.") }), &["value"]))
            .example(json!({ "text": "[1]" }), json!({ "value": [1] })),
        NodeType::new("data.json.stringify", "core", "Writes JSON.")
            .input(object(json!({ "value": any("The value.") }), &["value"]))
            .output(object(json!({ "text": field("string", "The JSON.") }), &["text"]))
            .example(json!({ "value": [1] }), json!({ "text": "[1]" })),
        NodeType::new("data.template", "core", "Fills in a text.")
            .role(Role::Template)
            .input(object(
                json!({
                    "template": field("string", "A text with bindings, which may name the values."),
                    "values": field("object", "What bindings of the template can name besides what they can name anywhere."),
                }),
                &["template"],
            ))
            .output(object(json!({ "text": field("string", "The text.") }), &["text"]))
            .example(
                json!({ "template": "Hello, {{ name }}!", "values": { "name": "Ada" } }),
                json!({ "text": "Hello, Ada!" }),
            ),
        NodeType::new("data.validate", "core", "Checks a value against a JSON Schema.")
            .input(object(
                json!({
                    "value": any("The value."),
                    "schema": { "type": ["object", "string", "boolean"], "description": "The schema: an object, JSON, or what the host calls it." },
                }),
                &["value", "schema"],
            ))
            .output(object(json!({ "valid": field("boolean", "Whether it fits."), "errors": errors }), &["valid"]))
            .example(json!({ "value": 1, "schema": { "type": "integer" } }), json!({ "valid": true })),
    ]
}

//! The JSON Schema of documents, so that editors complete and check them.

use serde_json::{Map, Value, json};

use crate::catalogue::{Catalogue, NodeType};

/// The JSON Schema (draft 2020-12) of documents whose nodes are of these types. In an editor with the YAML language
/// server the first line of a document names it: `# yaml-language-server: $schema=FILE`.
///
/// It says less than [`read`](crate::read) checks: a value may be a binding wherever it is a string.
///
/// ```
/// use pravah_document::{Catalogue, document_schema};
///
/// let schema = document_schema(&Catalogue::standard());
/// assert_eq!(schema["required"], serde_json::json!(["flow", "nodes", "edges"]));
/// ```
pub fn document_schema(catalogue: &Catalogue) -> Value {
    let types: Vec<Value> = catalogue.types().map(node_of).collect();
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Pravah flow document",
        "type": "object",
        "properties": {
            "flow": flow(),
            "nodes": {
                "type": "array",
                "items": { "allOf": [node(catalogue), { "anyOf": types }] },
            },
            "edges": { "type": "array", "items": edge() },
        },
        "required": ["flow", "nodes", "edges"],
        "additionalProperties": false,
        "$defs": { "when": when(), "policy": policy() },
    })
}

fn flow() -> Value {
    json!({
        "type": "object",
        "properties": {
            "name": { "type": "string", "minLength": 1, "description": "What the flow is called." },
            "version": { "type": ["string", "number"], "default": "1" },
            "description": { "type": "string" },
            "input": { "description": "The input of a run that is started without one; a given input is merged into it." },
            "nodePacks": { "type": "array", "items": { "type": "string" }, "description": "The packs that its nodes come from." },
            "policy": {
                "type": "object",
                "properties": { "failFast": { "type": "boolean", "default": true, "description": "Whether the first failure that nothing handles stops the run." } },
                "additionalProperties": false,
            },
        },
        "required": ["name"],
        "additionalProperties": false,
    })
}

/// What all nodes have.
fn node(catalogue: &Catalogue) -> Value {
    let names: Vec<&str> = catalogue.types().map(|it| it.name.as_str()).collect();
    json!({
        "type": "object",
        "properties": {
            "id": { "type": "string", "pattern": "^[A-Za-z_][A-Za-z0-9_-]*$" },
            "type": { "enum": names },
            "input": { "description": "What the node takes; strings may hold bindings: `{{ flow.input.name }}`." },
            "config": { "type": "object" },
            "body": { "type": "array", "items": { "type": "string" } },
            "when": { "$ref": "#/$defs/when" },
            "policy": { "$ref": "#/$defs/policy" },
        },
        "required": ["id", "type", "input"],
        "additionalProperties": false,
    })
}

/// What nodes of one type have besides.
fn node_of(node_type: &NodeType) -> Value {
    let mut properties = Map::new();
    let about = json!({ "const": node_type.name, "description": node_type.description });
    properties.insert("type".to_owned(), about);
    properties.insert("input".to_owned(), with_bindings(&node_type.input));
    if let Some(config) = &node_type.config {
        properties.insert("config".to_owned(), config.clone());
    }
    json!({ "properties": properties })
}

/// A schema in which everything but the outermost object may be a binding.
fn with_bindings(schema: &Value) -> Value {
    let Value::Object(fields) = schema else {
        return schema.clone();
    };
    let mut fields = fields.clone();
    if let Some(Value::Object(properties)) = fields.get_mut("properties") {
        for property in properties.values_mut() {
            let description = property.get("description").cloned();
            let mut either =
                json!({ "anyOf": [property.take(), { "type": "string", "pattern": "\\{\\{" }] });
            if let (Some(description), Value::Object(either)) = (description, &mut either) {
                either.insert("description".to_owned(), description);
            }
            *property = either;
        }
    }
    Value::Object(fields)
}

fn edge() -> Value {
    json!({
        "type": "object",
        "properties": {
            "from": { "type": "string" },
            "to": { "type": "string" },
            "when": { "$ref": "#/$defs/when" },
            "on": { "enum": ["success", "failure", "any"], "description": "Which outcome of its source it is for." },
            "type": { "const": "loop", "description": "It leads back." },
            "maxIterations": { "type": "integer", "minimum": 1, "description": "How many jumps back there are at most." },
        },
        "required": ["from", "to"],
        "additionalProperties": false,
    })
}

fn policy() -> Value {
    let millis =
        |description: &str| json!({ "type": "integer", "minimum": 1, "description": description });
    json!({
        "type": "object",
        "properties": {
            "timeoutMs": millis("How long an attempt may take."),
            "totalTimeoutMs": millis("How long all attempts may take, with the waits between them."),
            "retry": {
                "type": "object",
                "properties": {
                    "maxAttempts": { "type": "integer", "minimum": 1 },
                    "backoffMs": { "type": "integer", "minimum": 0 },
                    "factor": { "type": "number", "minimum": 1 },
                    "maxBackoffMs": { "type": "integer", "minimum": 0 },
                    "jitter": { "type": "boolean" },
                },
                "required": ["maxAttempts"],
                "additionalProperties": false,
            },
            "continueOnError": { "type": "boolean", "default": false },
        },
        "additionalProperties": false,
    })
}

fn when() -> Value {
    let here = json!({ "$ref": "#/$defs/when" });
    let list = json!({ "type": "array", "items": here });
    let compare = json!({
        "type": "object",
        "properties": { "var": { "type": "string" }, "value": {} },
        "required": ["var", "value"],
        "additionalProperties": false,
    });
    let is_in = json!({
        "type": "object",
        "properties": { "var": { "type": "string" }, "values": {}, "value": {} },
        "required": ["var"],
        "additionalProperties": false,
    });
    let exists = json!({
        "type": "object",
        "properties": { "var": { "type": "string" } },
        "required": ["var"],
        "additionalProperties": false,
    });
    let mut operators = Map::new();
    for (name, schema) in [
        ("not", here),
        ("and", list.clone()),
        ("or", list),
        ("exists", exists),
        ("in", is_in),
    ] {
        operators.insert(name.to_owned(), schema);
    }
    for name in ["equals", "gt", "gte", "lt", "lte"] {
        operators.insert(name.to_owned(), compare.clone());
    }
    json!({
        "type": "object",
        "properties": operators,
        "minProperties": 1,
        "maxProperties": 1,
        "additionalProperties": false,
        "description": "A condition: one operator.",
    })
}

//! The JSON Schema of the document format.

use serde_json::{Map, Value, json};

use crate::{
    catalogue::{Catalogue, NodeType, Role},
    read::{MAX_FACTOR, MAX_ID_LENGTH},
};

/// The JSON Schema of documents with nodes of these types, for editors and whoever writes documents by program.
///
/// It knows the shape: keys, types, the inputs and settings of each type of node. What [`read`](crate::read) finds out
/// besides, about names, edges and files, no schema can say. A document that lists a pack which the catalogue does not
/// have may have nodes of any type: the pack may be one of the host's.
///
/// ```
/// use pravah_document::{Catalogue, document_schema};
///
/// let schema = document_schema(&Catalogue::standard());
/// assert_eq!(schema["required"], serde_json::json!(["flow", "nodes", "edges"]));
/// ```
pub fn document_schema(catalogue: &Catalogue) -> Value {
    let names: Vec<_> = catalogue
        .types()
        .map(|node_type| node_type.name.as_str())
        .collect();
    let mut definitions = definitions();
    for node_type in catalogue.types() {
        add_type(node_type, &mut definitions);
    }
    let mut node = node(&names);
    let cases: Vec<_> = catalogue.types().map(case).collect();
    if let Some(node) = node.as_object_mut() {
        node.insert("allOf".to_owned(), Value::Array(cases));
    }
    definitions.insert("node".to_owned(), node);
    let known_packs = json!({ "items": { "enum": catalogue.packs() } });
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Pravah flow document",
        "type": "object",
        "properties": {
            "flow": flow(&catalogue.packs()),
            "nodes": { "type": "array", "items": { "$ref": "#/$defs/node" } },
            "edges": { "type": "array", "items": edge() },
        },
        "required": ["flow", "nodes", "edges"],
        "additionalProperties": false,
        "if": { "properties": { "flow": { "properties": { "nodePacks": known_packs } } } },
        "then": { "properties": { "nodes": { "items": { "properties": { "type": { "enum": names } } } } } },
        "$defs": definitions,
    })
}

fn flow(packs: &[&str]) -> Value {
    json!({
        "type": "object",
        "properties": {
            "name": { "type": "string", "minLength": 1, "description": "What the flow is called." },
            "version": { "type": ["string", "number"], "default": "1" },
            "description": { "type": "string" },
            "input": { "description": "The input of runs that are started without one." },
            "nodePacks": { "type": "array", "items": known_or_text(packs), "description": "The packs whose node types are used." },
            "policy": {
                "type": "object",
                "properties": { "failFast": { "type": "boolean", "default": true, "description": "Whether the first unhandled failure stops a run." } },
                "additionalProperties": false,
            },
        },
        "required": ["name"],
        "additionalProperties": false,
    })
}

/// One of the names that are known, which an editor offers, or another one.
fn known_or_text(names: &[&str]) -> Value {
    json!({ "anyOf": [{ "enum": names }, { "type": "string", "minLength": 1 }] })
}

fn edge() -> Value {
    json!({
        "type": "object",
        "properties": {
            "from": { "type": "string" },
            "to": { "type": "string" },
            "on": { "enum": ["success", "failure", "any"], "description": "Which outcome of its source it is for." },
            "when": { "$ref": "#/$defs/when" },
            "type": { "const": "loop", "description": "It leads back." },
            "maxIterations": { "type": "integer", "minimum": 1, "maximum": u32::MAX, "description": "How many jumps back are allowed." },
        },
        "required": ["from", "to"],
        "dependentRequired": { "type": ["maxIterations"], "maxIterations": ["type"] },
        "additionalProperties": false,
    })
}

fn node(names: &[&str]) -> Value {
    json!({
        "type": "object",
        "properties": {
            "id": { "type": "string", "pattern": "^[A-Za-z_][A-Za-z0-9_-]*$", "maxLength": MAX_ID_LENGTH, "not": { "const": "flow" } },
            "type": known_or_text(names),
            "input": {},
            "config": {},
            "when": { "$ref": "#/$defs/when", "description": "What has to hold for it to run." },
            "policy": { "$ref": "#/$defs/policy" },
            "body": { "type": "array", "items": { "type": "string" }, "minItems": 1 },
        },
        "required": ["id", "type", "input"],
        "additionalProperties": false,
    })
}

fn definitions() -> Map<String, Value> {
    let compared = |fields: Value, required: Value| json!({ "type": "object", "properties": fields, "required": required, "additionalProperties": false });
    let path = json!({ "type": "string", "pattern": "^\\s*[^\\s|{}]+\\s*$" });
    let with_value = compared(json!({ "var": path, "value": {} }), json!(["var", "value"]));
    let values = json!({ "type": ["array", "string"] });
    let operators = json!({
        "equals": with_value, "gt": with_value, "gte": with_value, "lt": with_value, "lte": with_value,
        "in": compared(json!({ "var": path, "values": values, "value": values }), json!(["var"])),
        "exists": compared(json!({ "var": path }), json!(["var"])),
        "not": { "$ref": "#/$defs/when" },
        "and": { "type": "array", "items": { "$ref": "#/$defs/when" } },
        "or": { "type": "array", "items": { "$ref": "#/$defs/when" } },
    });
    let whole = |least: u32| json!({ "type": "integer", "minimum": least, "maximum": u32::MAX });
    let retry = json!({
        "type": "object",
        "properties": {
            "maxAttempts": whole(1), "backoffMs": whole(0), "maxBackoffMs": whole(0),
            "factor": { "type": "number", "minimum": 1, "maximum": MAX_FACTOR }, "jitter": { "type": "boolean" },
        },
        "required": ["maxAttempts"],
        "additionalProperties": false,
    });
    let definitions = [
        (
            "when",
            json!({ "type": "object", "properties": operators, "minProperties": 1, "maxProperties": 1, "additionalProperties": false }),
        ),
        (
            "policy",
            json!({
                "type": "object",
                "properties": { "timeoutMs": whole(1), "totalTimeoutMs": whole(1), "retry": retry, "continueOnError": { "type": "boolean" } },
                "additionalProperties": false,
            }),
        ),
    ];
    definitions
        .map(|(name, schema)| (name.to_owned(), schema))
        .into_iter()
        .collect()
}

/// What holds for the nodes of a type.
fn case(node_type: &NodeType) -> Value {
    let name = &node_type.name;
    let config = match node_type.config {
        Some(_) => json!({ "$ref": format!("#/$defs/{name}.config") }),
        None => json!({ "type": "object", "maxProperties": 0 }),
    };
    json!({
        "if": { "properties": { "type": { "const": name } }, "required": ["type"] },
        "then": {
            "description": node_type.description,
            "properties": { "input": { "$ref": format!("#/$defs/{name}.input") }, "config": config },
        },
    })
}

fn add_type(node_type: &NodeType, definitions: &mut Map<String, Value>) {
    let name = format!("{}.input", node_type.name);
    let source = with_bindings_inside(&node_type.input);
    let mut input = or_binding(source.clone());
    if matches!(node_type.role, Role::Foreach | Role::Loop) {
        beside(&mut input);
    }
    add_prompt_file(node_type, &mut input);
    definitions.insert(name.clone(), alone(input, &source, &name));
    if let Some(config) = &node_type.config {
        let name = format!("{}.config", node_type.name);
        definitions.insert(name.clone(), alone(config.clone(), config, &name));
    }
}

/// The body of a node may be beside its input.
fn beside(input: &mut Value) {
    for alternative in alternatives(input) {
        if let Some(required) = alternative
            .get_mut("required")
            .and_then(Value::as_array_mut)
        {
            required.retain(|name| name != "body");
        }
    }
}

/// Where an agent is asked something, or a person, the text may be in a file.
fn add_prompt_file(node_type: &NodeType, input: &mut Value) {
    let has_prompt = node_type.input.pointer("/properties/prompt").is_some();
    if !has_prompt && node_type.role != Role::Agent {
        return;
    }
    let target = if has_prompt { "prompt" } else { "input" };
    for alternative in alternatives(input) {
        let Some(schema) = alternative.as_object_mut() else {
            continue;
        };
        if let Some(properties) = schema.get_mut("properties").and_then(Value::as_object_mut) {
            let file = json!({ "type": "string", "minLength": 1, "description": "A file beside the document, instead." });
            properties.insert("promptFile".to_owned(), file);
        }
        let required = schema.get_mut("required").and_then(Value::as_array_mut);
        let is_required = required.is_some_and(|required| {
            let before = required.len();
            required.retain(|name| name != target);
            before != required.len()
        });
        let one_of = json!({ "required": ["promptFile"] });
        if let Some(forms) = schema.get_mut("anyOf").and_then(Value::as_array_mut) {
            forms.push(one_of);
        } else if is_required {
            schema.insert(
                "anyOf".to_owned(),
                json!([{ "required": [target] }, one_of]),
            );
        }
    }
}

/// A schema that is not a binding, within one that may be one.
fn alternatives(schema: &mut Value) -> impl Iterator<Item = &mut Value> {
    schema
        .get_mut("anyOf")
        .and_then(Value::as_array_mut)
        .into_iter()
        .flatten()
}

/// A schema whose references are into itself, wherever it is put.
fn alone(mut schema: Value, source: &Value, name: &str) -> Value {
    let mut whole = Map::new();
    for keyword in ["$defs", "definitions"] {
        if let Some(definitions) = source.get(keyword) {
            whole.insert(keyword.to_owned(), definitions.clone());
        }
    }
    if whole.is_empty() {
        return schema;
    }
    for alternative in alternatives(&mut schema) {
        if let Some(keywords) = alternative.as_object_mut() {
            keywords.retain(|keyword, _| {
                !matches!(keyword.as_str(), "$defs" | "definitions" | "$schema")
            });
        }
    }
    whole.insert("$id".to_owned(), json!(name));
    whole.insert("allOf".to_owned(), json!([schema]));
    Value::Object(whole)
}

/// A schema in which every value may be a binding instead.
fn with_bindings(schema: &Value) -> Value {
    or_binding(with_bindings_inside(schema))
}

/// A schema in which every part of a value may be a binding, but not the value itself.
fn with_bindings_inside(schema: &Value) -> Value {
    let mut schema = schema.clone();
    let Some(keywords) = schema.as_object_mut() else {
        return schema;
    };
    for (keyword, value) in keywords {
        match (keyword.as_str(), value) {
            ("properties", Value::Object(schemas)) => {
                change(schemas.values_mut(), with_bindings);
            }
            ("prefixItems", Value::Array(schemas)) => change(schemas, with_bindings),
            ("items" | "additionalProperties", schema @ Value::Object(_)) => {
                *schema = with_bindings(schema);
            }
            // What refers to them, or is one of them, may be a binding already.
            ("$defs" | "definitions", Value::Object(schemas)) => {
                change(schemas.values_mut(), with_bindings_inside);
            }
            ("anyOf" | "allOf", Value::Array(schemas)) => change(schemas, with_bindings_inside),
            _ => {}
        }
    }
    schema
}

fn change<'a>(schemas: impl IntoIterator<Item = &'a mut Value>, with: fn(&Value) -> Value) {
    for schema in schemas {
        *schema = with(schema);
    }
}

/// A schema whose value may be a binding instead.
fn or_binding(schema: Value) -> Value {
    // A schema without any of these allows every string.
    let limiting = [
        "type", "enum", "const", "$ref", "anyOf", "oneOf", "allOf", "not",
    ];
    if limiting.iter().all(|keyword| schema.get(keyword).is_none()) {
        return schema;
    }
    let mut outer = Map::new();
    if let Some(description) = schema.get("description").cloned() {
        outer.insert("description".to_owned(), description);
    }
    let binding = json!({ "type": "string", "pattern": "\\{\\{" });
    outer.insert("anyOf".to_owned(), json!([schema, binding]));
    Value::Object(outer)
}

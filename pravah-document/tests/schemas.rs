//! The schema of documents, and our validator beside another one.

#![expect(clippy::panic, reason = "tests fail by panicking")]

use pravah_document::{
    Catalogue, NodeType, Options, document_schema, read, schema_error, violations,
};
use proptest::prelude::*;
use serde_json::{Value, json};

fn schema() -> jsonschema::Validator {
    let node = NodeType::new("tree", "trees", "Has a schema with references.").input(json!({
        "$ref": "#/$defs/Tree",
        "$defs": { "Tree": { "type": "object", "properties": { "left": { "$ref": "#/$defs/Tree" } }, "additionalProperties": false } },
    }));
    let pair = NodeType::new("pair", "trees", "Has items of several types.").input(json!({
        "anyOf": [{ "properties": { "pair": { "type": "array", "prefixItems": [{ "type": "integer" }, { "type": "integer" }] } } }],
    }));
    let schema = document_schema(&Catalogue::standard().with(node).with(pair));
    jsonschema::validator_for(&schema).unwrap_or_else(|error| panic!("{error}"))
}

fn with_nodes(nodes: Value) -> Value {
    json!({ "flow": { "name": "f" }, "nodes": nodes, "edges": [] })
}

#[test]
fn the_schema_accepts_documents() {
    let schema = schema();
    let nodes = json!([
        { "id": "a", "type": "http.request", "input": { "method": "GET", "url": "{{ flow.input.url }}", "headers": "{{ flow.input.headers }}" },
          "policy": { "timeoutMs": 1, "retry": { "maxAttempts": 2, "jitter": true } }, "when": { "not": { "in": { "var": "flow.input.x", "values": [1] } } } },
        { "id": "b", "type": "control.foreach", "input": { "list": [1] }, "body": ["a"] },
        { "id": "c", "type": "control.foreach", "input": "{{ flow.input }}" },
        { "id": "d", "type": "claude.agent", "input": { "promptFile": "a.md" }, "config": { "model": "m", "contract": true } },
        { "id": "e", "type": "agent.plan", "input": { "promptFile": "a.md" } },
        { "id": "f", "type": "tree", "input": { "left": { "left": {} } } },
        { "id": "g", "type": "tree", "input": { "left": { "left": "{{ flow.input.tree }}" } } },
        { "id": "h", "type": "pair", "input": { "pair": ["{{ flow.input.name }}", 1] } },
    ]);
    let document = with_nodes(nodes);
    let errors: Vec<_> = schema
        .iter_errors(&document)
        .map(|error| error.to_string())
        .collect();
    assert_eq!(errors, [""; 0]);
    for node in [
        json!({ "id": "a", "type": "echo" }),
        json!({ "id": "flow", "type": "echo", "input": { "text": "x" } }),
        json!({ "id": "a".repeat(201), "type": "echo", "input": { "text": "x" } }),
        json!({ "id": "a", "type": "pair", "input": { "pair": ["x", 1] } }),
        json!({ "id": "a", "type": "echo", "input": { "text": 1 } }),
        json!({ "id": "a", "type": "echo", "input": { "text": "x" }, "config": { "model": "m" } }),
        json!({ "id": "a", "type": "agent.run", "input": { "input": "x" }, "config": { "env": {} } }),
        json!({ "id": "a", "type": "agent.run", "input": {} }),
        json!({ "id": "a", "type": "tree", "input": { "right": {} } }),
        json!({ "id": "a", "type": "echo", "input": { "text": "x" }, "when": { "and": [], "or": [] } }),
    ] {
        assert!(!schema.is_valid(&with_nodes(json!([node]))), "{node}");
    }
}

#[test]
fn a_document_with_a_pack_of_its_host_may_have_nodes_of_other_types() {
    let schema = schema();
    let mut document = with_nodes(json!([{ "id": "a", "type": "text.stamp", "input": {} }]));
    assert!(!schema.is_valid(&document));
    document["flow"]["nodePacks"] = json!(["core", "text"]);
    assert!(schema.is_valid(&document));
    document["nodes"] = json!([{ "id": "a", "type": "echo", "input": { "text": 1 } }]);
    assert!(!schema.is_valid(&document));
    document["nodes"] = json!([{ "id": "a", "type": "ecko", "input": {} }]);
    document["flow"]["nodePacks"] = json!(["core"]);
    assert!(!schema.is_valid(&document));
}

#[test]
fn the_schema_refuses_nothing_that_is_read() {
    let schema = schema();
    let catalogue = Catalogue::standard();
    for node_type in catalogue.types() {
        for example in &node_type.examples {
            let document =
                with_nodes(json!([{ "id": "a", "type": node_type.name, "input": example.input }]));
            let errors: Vec<_> = schema
                .iter_errors(&document)
                .map(|error| error.to_string())
                .collect();
            assert_eq!(errors, [""; 0], "{}", node_type.name);
        }
    }
}

#[test]
fn the_examples_of_the_catalogue_are_read() {
    let catalogue = Catalogue::standard();
    let options = Options::new(&catalogue).model("m").any_subflow();
    for node_type in catalogue.types() {
        for example in &node_type.examples {
            let mut nodes =
                vec![json!({ "id": "a", "type": node_type.name, "input": example.input })];
            for id in example.input["body"].as_array().into_iter().flatten() {
                nodes.push(json!({ "id": id, "type": "control.noop", "input": {} }));
            }
            let text = with_nodes(nodes.into()).to_string();
            read("example.json", &text, &options).unwrap_or_else(|problems| panic!("{problems}"));
        }
    }
}

fn any_json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        (-3..4_i64).prop_map(Value::from),
        (-3..4_i32).prop_map(|number| json!(f64::from(number) / 2.0)),
        "[ab]{0,3}".prop_map(Value::from),
    ];
    leaf.prop_recursive(3, 16, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::btree_map("[ab]", inner, 0..3)
                .prop_map(|fields| Value::Object(fields.into_iter().collect())),
        ]
    })
}

fn any_schema_without_references() -> impl Strategy<Value = Value> {
    let kind = || {
        prop_oneof![
            Just("null"),
            Just("boolean"),
            Just("integer"),
            Just("number"),
            Just("string"),
            Just("array"),
            Just("object")
        ]
    };
    let leaf = prop_oneof![
        any::<bool>().prop_map(Value::from),
        kind().prop_map(|kind| json!({ "type": kind })),
        prop::collection::vec(kind(), 1..3).prop_map(|mut kinds| {
            kinds.sort_unstable();
            kinds.dedup();
            json!({ "type": kinds })
        }),
        any_json().prop_map(|value| json!({ "const": value })),
        prop::collection::vec(any_json(), 1..3).prop_map(|values| json!({ "enum": values })),
        (-2..3_i64, -2..3_i64)
            .prop_map(|(least, most)| json!({ "minimum": least, "exclusiveMaximum": most })),
        (-2..3_i64, -2..3_i64)
            .prop_map(|(least, most)| json!({ "exclusiveMinimum": least, "maximum": most })),
        (0..3_u64, 0..3_u64).prop_map(
            |(least, most)| json!({ "minLength": least, "maxItems": most, "minProperties": least })
        ),
        (1..3_i64).prop_map(|step| json!({ "multipleOf": step })),
        Just(json!({ "multipleOf": 0.5 })),
        prop_oneof![Just("a"), Just("^b"), Just("[ab]b$")]
            .prop_map(|pattern| json!({ "pattern": pattern })),
        any::<bool>().prop_map(|unique| json!({ "uniqueItems": unique })),
        Just(json!({ "dependentRequired": { "a": ["b"] } })),
        (0..3_u64, 0..3_u64).prop_map(
            |(least, most)| json!({ "maxLength": most, "minItems": least, "maxProperties": most })
        ),
    ];
    leaf.prop_recursive(3, 16, 3, |inner| {
        let some = || prop::collection::vec(inner.clone(), 1..3);
        prop_oneof![
            some().prop_map(|all| json!({ "anyOf": all })),
            some().prop_map(|all| json!({ "oneOf": all })),
            some().prop_map(|all| json!({ "allOf": all })),
            inner.clone().prop_map(|inner| json!({ "not": inner })),
            (inner.clone(), some()).prop_map(|(items, first)| json!({ "items": items, "prefixItems": first })),
            (inner.clone(), inner.clone()).prop_map(|(a, other)| json!({ "properties": { "a": a }, "required": ["b"], "additionalProperties": other })),
            (inner.clone(), inner.clone()).prop_map(|(by_pattern, other)| json!({ "properties": { "b": true }, "patternProperties": { "^a": by_pattern, "b$": other }, "additionalProperties": false })),
            inner.clone().prop_map(|names| json!({ "propertyNames": names })),
            inner.clone().prop_map(|inner| json!({ "contains": inner })),
            (inner.clone(), 0..3_u64, 0..3_u64).prop_map(|(inner, least, most)| json!({ "contains": inner, "minContains": least, "maxContains": most })),
            (inner.clone(), inner.clone(), inner.clone()).prop_map(|(condition, then, otherwise)| json!({ "if": condition, "then": then, "else": otherwise })),
            inner.clone().prop_map(|inner| json!({ "dependentSchemas": { "a": inner } })),
        ]
    })
}

/// A reference is the whole schema: one below `$defs` would refer to itself, and the standard leaves open whether a value
/// fits what never ends.
fn any_schema() -> impl Strategy<Value = Value> {
    let referred = any_schema_without_references()
        .prop_map(|schema| json!({ "$ref": "#/$defs/x", "$defs": { "x": schema } }));
    prop_oneof![12 => any_schema_without_references(), 1 => referred]
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, cases: 2_000, ..ProptestConfig::default() })]

    #[test]
    fn values_fit_as_another_validator_says(schema in any_schema(), value in any_json()) {
        prop_assert_eq!(schema_error(&schema), None, "{}", schema);
        let expected = jsonschema::validator_for(&schema).is_ok_and(|validator| validator.is_valid(&value));
        prop_assert_eq!(violations(&schema, &value).is_empty(), expected, "{} {}", schema, value);
    }
}

#[test]
fn a_loop_edge_needs_a_cap() {
    let schema = schema();
    let edges = json!([{ "from": "a", "to": "a", "type": "loop" }]);
    let document = json!({ "flow": { "name": "f" }, "nodes": [], "edges": edges });
    assert!(!schema.is_valid(&document));
}

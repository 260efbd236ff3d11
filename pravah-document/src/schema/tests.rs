use serde_json::{Map, json};

use super::*;

fn texts(schema: Value, value: Value) -> Vec<String> {
    violations(&schema, &value)
        .iter()
        .map(ToString::to_string)
        .collect()
}

#[test]
fn everything_that_does_not_fit_is_found() {
    let schema = json!({
        "type": "object",
        "properties": {
            "name": { "type": "string", "minLength": 2, "maxLength": 3 },
            "age": { "type": "integer", "minimum": 0, "exclusiveMaximum": 10 },
            "kind": { "enum": ["a", 1] },
            "tags": { "type": "array", "items": { "type": ["string", "null"] }, "maxItems": 2 },
        },
        "required": ["name", "age"],
        "additionalProperties": false,
    });
    assert_eq!(
        texts(
            schema.clone(),
            json!({ "name": "abc", "age": 9.0, "kind": 1.0, "tags": ["x", null] })
        ),
        [""; 0]
    );
    assert_eq!(
        texts(
            schema.clone(),
            json!({ "name": "x", "kind": "b", "nmae": 1, "tags": [1, 2, 3] })
        ),
        [
            "the value has no `age`",
            "`kind` is none of `a`, `1`",
            "`name` has fewer than 2 characters",
            "the value has no field `nmae`",
            "`tags` has more than 2 items",
            "`tags.0` is a number, and has to be a string or null",
            "`tags.1` is a number, and has to be a string or null",
            "`tags.2` is a number, and has to be a string or null",
        ]
    );
    assert_eq!(
        texts(schema.clone(), json!({ "name": "abcd", "age": 10 })),
        [
            "`age` is not less than 10",
            "`name` has more than 3 characters"
        ]
    );
    assert_eq!(
        texts(schema, json!([])),
        ["the value is a list, and has to be an object"]
    );
}

#[test]
fn alternatives_and_references_are_followed() {
    let schema = json!({
        "anyOf": [{ "type": "string" }, { "$ref": "#/$defs/Tree" }],
        "$defs": { "Tree": {
            "type": "object",
            "properties": { "left": { "$ref": "#/$defs/Tree" }, "name": { "type": "string" } },
        } },
    });
    assert_eq!(
        texts(
            schema.clone(),
            json!({ "left": { "left": { "name": "x" } } })
        ),
        [""; 0]
    );
    assert_eq!(
        texts(schema.clone(), json!({ "left": { "name": 1 } })),
        ["`left.name` is a number, and has to be a string"]
    );
    assert_eq!(
        texts(schema, json!(1)),
        ["the value fits none of the alternatives"]
    );
    let circle = json!({ "$ref": "#/$defs/A", "$defs": { "A": { "$ref": "#/$defs/A" } } });
    assert_eq!(texts(circle, json!(1)), [""; 0]);
    let one = json!({ "oneOf": [{ "minimum": 1 }, { "maximum": 5 }] });
    assert_eq!(
        texts(one, json!(3)),
        ["the value fits more than one of the alternatives"]
    );
    assert_eq!(
        texts(json!({ "not": { "type": "null" } }), json!(null)),
        ["the value is what it must not be"]
    );
    assert_eq!(
        texts(json!(false), json!(null)),
        ["the value is not allowed"]
    );
    assert_eq!(
        texts(json!({ "allOf": [{ "const": 2 }] }), json!(1)),
        ["the value is not `2`"]
    );
}

#[test]
fn what_bindings_become_is_not_known() {
    let schema = json!({
        "properties": { "n": { "type": "integer" }, "text": { "type": "string", "maxLength": 3 }, "level": { "enum": ["a"] } },
    });
    let tree = Tree::from(&json!({ "n": "{{ a }}", "text": "long {{ a }}", "level": "x{{ a }}" }));
    let (found, expected) = check_template(&schema, &tree);
    assert_eq!(found, []);
    assert_eq!(expected.into_values().collect::<Vec<_>>(), [["integer"]]);
    let tree = Tree::from(&json!({ "n": "1{{ a }}", "text": "{{{{ a" }));
    let found: Vec<_> = check_template(&schema, &tree)
        .0
        .iter()
        .map(ToString::to_string)
        .collect();
    assert_eq!(
        found,
        [
            "`n` is a string, and has to be a whole number",
            "`text` has more than 3 characters"
        ]
    );
}

#[test]
fn fields_are_checked_by_the_patterns_of_their_names() {
    let schema = json!({
        "type": "object",
        "patternProperties": { "^[0-9]+$": { "type": "string" } },
        "additionalProperties": false,
    });
    assert_eq!(texts(schema.clone(), json!({ "1": "a" })), [""; 0]);
    assert_eq!(
        texts(schema, json!({ "1": 1, "a": 1 })),
        [
            "`1` is a number, and has to be a string",
            "the value has no field `a`"
        ]
    );
}

#[test]
fn each_keyword_says_what_it_asks_for() {
    for (schema, value, expected) in [
        (
            json!({ "pattern": "^a+$" }),
            json!("b"),
            "the value does not match `^a+$`",
        ),
        (
            json!({ "multipleOf": 0.1 }),
            json!(0.35),
            "the value is not a multiple of 0.1",
        ),
        (
            json!({ "uniqueItems": true }),
            json!([1, 1.0]),
            "the value has an item twice",
        ),
        (
            json!({ "contains": { "type": "string" } }),
            json!([1]),
            "the value has 0 items that fit `contains`, and needs at least 1",
        ),
        (
            json!({ "contains": { "type": "string" }, "maxContains": 1 }),
            json!(["a", "b"]),
            "the value has 2 items that fit `contains`, and may have at most 1",
        ),
        (
            json!({ "dependentRequired": { "card": ["address"] } }),
            json!({ "card": 1 }),
            "the value has `card`, but no `address`",
        ),
        (
            json!({ "propertyNames": { "maxLength": 2 } }),
            json!({ "abc": 1 }),
            "the value has the field `abc`, whose name does not fit",
        ),
        (
            json!({ "if": { "required": ["a"] }, "then": { "required": ["b"] } }),
            json!({ "a": 1 }),
            "the value has no `b`",
        ),
    ] {
        assert_eq!(texts(schema, value), [expected]);
    }
    assert_eq!(texts(json!({ "multipleOf": 0.1 }), json!(0.3)), [""; 0]);
}

#[test]
fn an_invalid_schema_is_reported_with_the_place_of_its_mistake() {
    for (schema, expected) in [
        (
            json!(1),
            "the schema is not a schema, which is an object, `true` or `false`",
        ),
        (
            json!({ "type": "strng" }),
            "`type` is `strng`, and there is no such type",
        ),
        (json!({ "type": [1] }), "`type` cannot be `1`"),
        (
            json!({ "items": [true] }),
            "`items` is not a schema, which is an object, `true` or `false`",
        ),
        (json!({ "anyOf": true }), "`anyOf` is not a list of schemas"),
        (
            json!({ "properties": [] }),
            "`properties` is not an object of schemas",
        ),
        (
            json!({ "$ref": "#/$defs/x" }),
            "`$ref` is `#/$defs/x`, which the schema does not have",
        ),
        (
            json!({ "$ref": "https://example.org/x" }),
            "`$ref` is `https://example.org/x`, which the schema does not have",
        ),
        (json!({ "minLength": -1 }), "`minLength` cannot be `-1`"),
        (json!({ "minimum": "1" }), "`minimum` cannot be `\"1\"`"),
        (json!({ "required": "a" }), "`required` cannot be `\"a\"`"),
        (
            json!({ "anyOf": [true, { "type": "x" }] }),
            "`anyOf.1.type` is `x`, and there is no such type",
        ),
        (
            json!({ "properties": { "pattern": { "type": "x" } } }),
            "`properties.pattern.type` is `x`, and there is no such type",
        ),
    ] {
        assert_eq!(schema_error(&schema).as_deref(), Some(expected));
    }
    let problem = schema_error(&json!({ "pattern": "(" })).unwrap();
    assert!(
        problem.starts_with("`pattern` is a pattern that cannot be read: "),
        "{problem}"
    );
    assert_eq!(
        schema_error(&json!({ "properties": { "pattern": {} }, "pattern": "a" })),
        None
    );
}

#[test]
fn what_a_schema_that_refers_to_itself_forbids_is_not_made_up() {
    let schema = json!({
        "$defs": { "x": { "allOf": [{ "$ref": "#/$defs/x" }, { "not": false }] } },
        "$ref": "#/$defs/x",
    });
    assert_eq!(texts(schema, json!(null)), [""; 0]);
}

#[test]
fn what_would_take_exponential_time_does_not_fit() {
    let mut definitions = Map::new();
    for level in 0..30 {
        let next = json!({ "allOf": [{ "$ref": format!("#/$defs/{}", level + 1) }, false] });
        definitions.insert(level.to_string(), json!({ "anyOf": [next, next] }));
    }
    definitions.insert("30".to_owned(), json!({ "type": "integer" }));
    let found = texts(
        json!({ "$defs": definitions, "$ref": "#/$defs/0" }),
        json!(1),
    );
    let expected = "the value is too deep, or its schema too complex, to be checked";
    assert_eq!(found.last().map(String::as_str), Some(expected));
}

#[test]
fn all_of_a_large_or_deep_value_is_checked_or_it_does_not_fit() {
    let row =
        json!({ "type": "object", "properties": { "a": { "type": "integer" }, "b": {}, "c": {} } });
    let schema = json!({ "type": "array", "items": row });
    let mut rows = vec![json!({ "a": 1, "b": 2, "c": 3 }); 300_000];
    rows.push(json!({ "a": "one" }));
    assert_eq!(
        texts(schema, Value::Array(rows)),
        ["`300000.a` is a string, and has to be a whole number"]
    );
    let node = json!({ "$defs": { "node": { "anyOf": [{ "allOf": [{
        "properties": { "next": { "$ref": "#/$defs/node" }, "v": { "type": "integer" } },
    }] }] } }, "$ref": "#/$defs/node" });
    let mut deep = json!({ "v": "wrong" });
    for _ in 0..63 {
        deep = json!({ "next": deep });
    }
    let found = texts(node, deep);
    assert_eq!(found.len(), 1, "{found:?}");
}

#[test]
fn counts_may_be_written_with_a_fraction_of_zero() {
    for (schema, value) in [
        (json!({ "minLength": 2.0 }), json!("a")),
        (json!({ "maxItems": 1.0 }), json!([1, 2])),
        (json!({ "minProperties": 2.0 }), json!({ "a": 1 })),
    ] {
        assert_eq!(texts(schema.clone(), value).len(), 1, "{schema}");
    }
}

#[test]
fn a_value_has_to_be_the_constant_and_in_the_list() {
    let schema = json!({ "const": 1, "enum": [2, 3] });
    assert_eq!(
        texts(schema.clone(), json!(1)),
        ["the value is none of `2`, `3`"]
    );
    assert_eq!(texts(schema, json!(2)), ["the value is not `1`"]);
    let many = json!({ "enum": (0..1_000).collect::<Vec<_>>() });
    let found = texts(many, json!("a"));
    assert!(found[0].ends_with("`19` and 980 more"), "{found:?}");
}

#[test]
fn large_numbers_are_the_same_however_they_are_written() {
    let schema = json!({ "uniqueItems": true });
    let values = json!([9_223_372_036_854_775_808_u64, 9_223_372_036_854_775_808.0]);
    assert_eq!(texts(schema, values), ["the value has an item twice"]);
}

#[test]
fn steps_of_nothing_and_malformed_dependencies_make_a_schema_invalid() {
    for (schema, expected) in [
        (json!({ "multipleOf": 0 }), "`multipleOf` cannot be `0`"),
        (json!({ "multipleOf": -2 }), "`multipleOf` cannot be `-2`"),
        (
            json!({ "dependentRequired": { "a": "b" } }),
            "`dependentRequired` cannot be `{\"a\":\"b\"}`",
        ),
    ] {
        assert_eq!(schema_error(&schema).as_deref(), Some(expected));
    }
}

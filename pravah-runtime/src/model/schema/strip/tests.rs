use schemars::JsonSchema;
use serde_json::{Value, json};

use super::strip;

fn stripped(schema: Value) -> Value {
    strip(&schema).unwrap()
}

fn of<T: JsonSchema>() -> Value {
    stripped(schemars::schema_for!(T).to_value())
}

#[derive(JsonSchema)]
#[expect(dead_code, reason = "only its schema is used")]
struct Line {
    /// How many.
    count: u32,
    price: f64,
}

// S3.11, S3.12, S3.13
#[test]
fn definitions_are_put_in_place_and_formats_of_numbers_left_out() {
    #[derive(JsonSchema)]
    #[expect(dead_code, reason = "only its schema is used")]
    struct Order {
        lines: Vec<Line>,
        note: Option<String>,
    }

    let line = json!({
        "type": "object",
        "properties": {
            "count": { "type": "integer", "minimum": 0, "description": "How many." },
            "price": { "type": "number" },
        },
        "required": ["count", "price"],
    });
    assert_eq!(
        of::<Order>(),
        json!({
            "type": "object",
            "properties": {
                "lines": { "type": "array", "items": line },
                "note": { "type": ["string", "null"] },
            },
            "required": ["lines"],
        })
    );
}

// S3.11, S3.21
#[test]
fn each_keyword_that_says_what_fits_is_kept() {
    for (keyword, value) in [
        ("type", json!("object")),
        ("description", json!("How many.")),
        ("minimum", json!(1)),
        ("maximum", json!(9)),
        ("exclusiveMinimum", json!(0)),
        ("exclusiveMaximum", json!(10)),
        ("multipleOf", json!(3)),
        ("minLength", json!(1)),
        ("maxLength", json!(9)),
        ("minItems", json!(1)),
        ("maxItems", json!(9)),
        ("minProperties", json!(1)),
        ("maxProperties", json!(9)),
        ("uniqueItems", json!(true)),
        ("pattern", json!("^a")),
        ("format", json!("date-time")),
        ("items", json!({ "type": "string" })),
        ("prefixItems", json!([{ "type": "string" }])),
        ("contains", json!({ "type": "string" })),
        ("additionalProperties", json!({ "type": "string" })),
        ("patternProperties", json!({ "^a": { "type": "string" } })),
        ("properties", json!({ "a": { "type": "string" } })),
        ("not", json!({ "type": "string" })),
        ("anyOf", json!([{ "type": "string" }])),
        ("oneOf", json!([{ "type": "string" }])),
        ("allOf", json!([{ "type": "string" }])),
        ("enum", json!(["a"])),
        ("const", json!("a")),
        ("default", json!("a")),
        ("required", json!(["a"])),
    ] {
        let schema = json!({ keyword: value });
        assert_eq!(stripped(schema.clone()), schema);
    }
}

// S3.11
#[test]
fn every_other_keyword_is_left_out() {
    for keyword in [
        "$schema",
        "$id",
        "$anchor",
        "$comment",
        "$defs",
        "definitions",
        "title",
        "examples",
        "deprecated",
        "readOnly",
        "writeOnly",
        "contentEncoding",
        "contentMediaType",
        "contentSchema",
        "propertyNames",
        "unevaluatedProperties",
        "unevaluatedItems",
        "dependentRequired",
        "dependentSchemas",
        "minContains",
        "maxContains",
        "if",
        "then",
        "else",
        "x-of-its-own",
    ] {
        let schema = json!({ keyword: { "type": "string" }, "type": "object" });
        assert_eq!(stripped(schema), json!({ "type": "object" }), "{keyword}");
    }
}

// S3.12
#[test]
fn formats_of_numbers_are_left_out() {
    for format in [
        "int8", "int16", "int32", "int64", "int128", "int", "uint8", "uint16", "uint32", "uint64",
        "uint128", "uint", "float", "double", "float32", "float64",
    ] {
        let schema = json!({ "type": "number", "format": format });
        assert_eq!(stripped(schema), json!({ "type": "number" }), "{format}");
    }
}

// S3.12
#[test]
fn formats_of_texts_are_kept() {
    for format in [
        "date-time",
        "date",
        "time",
        "duration",
        "email",
        "hostname",
        "ipv4",
        "ipv6",
        "uri",
        "uuid",
        "regex",
        "of-its-own",
    ] {
        let schema = json!({ "type": "string", "format": format });
        assert_eq!(stripped(schema.clone()), schema);
    }
}

// S3.14
#[test]
fn a_property_may_be_called_like_a_keyword_that_is_dropped() {
    let schema = json!({
        "type": "object",
        "title": "dropped",
        "properties": { "title": { "type": "string" }, "$schema": { "type": "string" } },
        "required": ["title", "$schema"],
    });
    let mut kept = schema.clone();
    kept.as_object_mut().unwrap().remove("title");
    assert_eq!(stripped(schema), kept);
}

// S3.15
#[test]
fn values_are_copied_untouched() {
    let schema = json!({
        "enum": [{ "title": "x", "$ref": "#/$defs/None" }],
        "const": { "$schema": "x" },
        "default": { "$comment": 1, "format": "int32" },
        "required": ["$ref"],
    });
    assert_eq!(stripped(schema.clone()), schema);
}

// S3.16
#[test]
fn lists_of_items_and_boolean_schemas_survive() {
    let schema = json!({
        "items": [{ "type": "string" }, true],
        "additionalProperties": false,
        "not": { "type": "null" },
    });
    assert_eq!(stripped(schema.clone()), schema);
}

// S3.17
#[test]
fn what_is_malformed_is_passed_on() {
    let schema = json!({ "anyOf": { "type": "string" }, "allOf": 3, "properties": [1] });
    assert_eq!(stripped(schema.clone()), schema);
}

// S3.20
#[test]
fn a_type_that_contains_itself_keeps_one_definition() {
    #[derive(JsonSchema)]
    #[expect(dead_code, reason = "only its schema is used")]
    struct Tree {
        name: String,
        children: Vec<Tree>,
    }

    let tree = json!({
        "type": "object",
        "properties": {
            "name": { "type": "string" },
            "children": { "type": "array", "items": { "$ref": "#/$defs/Whole" } },
        },
        "required": ["name", "children"],
    });
    let mut whole = tree.clone();
    whole["$defs"] = json!({ "Whole": tree });
    assert_eq!(of::<Tree>(), whole);
}

// S3.20
#[test]
fn two_types_that_contain_each_other_end() {
    #[derive(JsonSchema)]
    #[expect(dead_code, reason = "only its schema is used")]
    struct Folder {
        entries: Vec<Entry>,
    }

    #[derive(JsonSchema)]
    #[expect(dead_code, reason = "only its schema is used")]
    enum Entry {
        File(String),
        Folder(Box<Folder>),
    }

    #[derive(JsonSchema)]
    #[expect(dead_code, reason = "only its schema is used")]
    struct Disk {
        root: Folder,
        first: Entry,
    }

    let schema = of::<Disk>();
    let defs = schema["$defs"].as_object().unwrap();
    for (reference, count) in references(&schema) {
        let name = reference.strip_prefix("#/$defs/").unwrap();
        assert!(defs.contains_key(name), "{name} ({count})");
    }
}

fn references(schema: &Value) -> std::collections::BTreeMap<String, usize> {
    let mut found = std::collections::BTreeMap::new();
    let mut open = vec![schema];
    while let Some(value) = open.pop() {
        match value {
            Value::Object(fields) => {
                if let Some(Value::String(target)) = fields.get("$ref") {
                    *found.entry(target.clone()).or_default() += 1;
                }
                open.extend(fields.values());
            }
            Value::Array(items) => open.extend(items),
            _ => {}
        }
    }
    found
}

// S3.21
#[test]
fn what_stands_beside_a_reference_is_merged() {
    let schema = json!({
        "properties": { "a": { "$ref": "#/definitions/A", "description": "mine" } },
        "definitions": { "A": { "type": "string", "description": "its", "maxLength": 3 } },
    });
    assert_eq!(
        stripped(schema),
        json!({ "properties": { "a": {
            "type": "string", "description": "mine", "maxLength": 3,
        } } })
    );
}

// S3.21
#[test]
fn a_reference_to_nothing_is_an_error_that_names_the_field() {
    let schema = json!({ "properties": { "a": { "properties": {
        "b": { "$ref": "#/$defs/Gone" },
    } } } });
    assert_eq!(
        strip(&schema).unwrap_err().to_string(),
        "the field `a.b`: `#/$defs/Gone` refers to nothing in the schema"
    );
}

// S3.21
#[test]
fn lists_of_fixed_length_and_the_like_are_kept() {
    let schema = json!({
        "prefixItems": [{ "type": "string" }],
        "multipleOf": 2,
        "patternProperties": { "^a": { "type": "string" } },
        "contains": { "const": 1 },
    });
    assert_eq!(stripped(schema.clone()), schema);
}

#[test]
fn a_name_with_brackets_is_found() {
    let schema =
        json!({ "$ref": "#/$defs/List%3CA%3E", "$defs": { "List<A>": { "type": "array" } } });
    assert_eq!(stripped(schema), json!({ "type": "array" }));
}

#[test]
fn definitions_that_double_at_each_step_are_refused() {
    let mut defs = serde_json::Map::new();
    for n in 0..40 {
        let next = format!("#/$defs/D{}", n + 1);
        let both = json!({ "properties": { "a": { "$ref": next }, "b": { "$ref": next } } });
        defs.insert(format!("D{n}"), both);
    }
    defs.insert("D40".to_owned(), json!({ "type": "string" }));
    let schema = json!({ "$ref": "#/$defs/D0", "$defs": defs });
    let error = strip(&schema).unwrap_err().to_string();
    assert!(error.contains("too large"), "{error}");
}

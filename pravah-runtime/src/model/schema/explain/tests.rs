//! What a model is told about a value that does not fit.
// S3.4

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Value, json};

use crate::model::{explain, object, strip};

#[track_caller]
fn says(schema: Value, value: Value, reason: &str) {
    assert_eq!(explain(&schema, &value).as_deref(), Some(reason));
}

#[test]
fn a_field_is_named_with_the_way_to_it() {
    let item = json!({ "type": "object", "properties": { "n": { "type": "integer" } } });
    let schema =
        json!({ "type": "object", "properties": { "xs": { "type": "array", "items": item } } });
    let value = json!({ "xs": [{ "n": 1 }, { "n": "sesame" }] });
    says(schema, value, "`xs[1].n` is not of type integer");
}

#[test]
fn references_are_followed() {
    let schema = json!({ "$ref": "#/$defs/A", "$defs": { "A": { "required": ["x"] } } });
    says(schema, json!({}), "`x` is missing");
}

#[test]
fn a_field_that_is_not_allowed_is_not_repeated() {
    let schema = json!({ "properties": {}, "additionalProperties": false });
    says(
        schema,
        json!({ "sesame": 1 }),
        "the value has a field that is not allowed",
    );
}

#[test]
fn allowed_values_are_listed() {
    says(
        json!({ "enum": ["a", "b"] }),
        json!("sesame"),
        "the value is none of \"a\", \"b\"",
    );
    says(json!({ "const": 1 }), json!(2), "the value is none of 1");
}

#[test]
fn the_only_way_beside_null_gives_its_own_reason() {
    let schema = json!({ "anyOf": [{ "type": "string" }, { "type": "null" }] });
    says(schema, json!(1), "the value is not of type string");
    let schema = json!({ "anyOf": [{ "type": "string" }, { "type": "boolean" }] });
    says(
        schema,
        json!(1),
        "the value matches none of the allowed forms",
    );
}

#[test]
fn a_value_that_fits_needs_no_words() {
    let schema = json!({ "type": ["number", "null"], "minimum": 0, "maximum": 255 });
    for value in [json!(0), json!(255), json!(1.5), json!(null)] {
        assert_eq!(explain(&schema, &value), None);
    }
    says(schema, json!(256), "the value is more than 255");
}

#[test]
fn bounds_of_every_kind_are_kept() {
    for (schema, fits, wrong, reason) in [
        (
            json!({ "exclusiveMinimum": 0 }),
            json!(1),
            json!(0),
            "is not more than 0",
        ),
        (
            json!({ "exclusiveMaximum": 1.5 }),
            json!(1),
            json!(1.5),
            "is not less than 1.5",
        ),
        (
            json!({ "multipleOf": 0.1 }),
            json!(0.3),
            json!(0.35),
            "is not a multiple of 0.1",
        ),
        (
            json!({ "minLength": 2 }),
            json!("éé"),
            json!("é"),
            "has less than 2 characters",
        ),
        (
            json!({ "maxLength": 2 }),
            json!("éé"),
            json!("abc"),
            "has more than 2 characters",
        ),
        (
            json!({ "pattern": "^[a-z]+$" }),
            json!("abc"),
            json!("a1"),
            "does not match ^[a-z]+$",
        ),
        (
            json!({ "minItems": 1 }),
            json!([1]),
            json!([]),
            "has less than 1 items",
        ),
        (
            json!({ "maxItems": 1 }),
            json!([1]),
            json!([1, 2]),
            "has more than 1 items",
        ),
        (
            json!({ "uniqueItems": true }),
            json!([1, 2]),
            json!([1, 2, 1]),
            "has an item twice",
        ),
        (
            json!({ "minProperties": 1 }),
            json!({ "a": 1 }),
            json!({}),
            "has less than 1 fields",
        ),
        (
            json!({ "maxProperties": 0 }),
            json!({}),
            json!({ "a": 1 }),
            "has more than 0 fields",
        ),
    ] {
        assert_eq!(explain(&schema, &fits), None, "{schema}");
        says(schema, wrong, &format!("the value {reason}"));
    }
}

/// Each form was tried with all that it holds, and once more for its reason.
#[test]
fn forms_within_forms_come_to_an_end() {
    let form = |op: &str| {
        json!({
            "type": "object",
            "properties": { "arg": { "$ref": "#" }, "op": { "const": op } },
            "required": ["arg", "op"],
        })
    };
    let number = json!({
        "type": "object",
        "properties": { "n": { "type": "number" } },
        "required": ["n"],
    });
    let tagged = json!({ "anyOf": [form("not"), form("abs"), form("neg"), number] });
    let bare = json!({
        "type": "object",
        "properties": { "arg": { "$ref": "#" } },
        "required": ["arg"],
    });
    let untagged = json!({ "anyOf": [bare, bare, { "type": "integer" }] });
    let deep = |inner: Value| (0..30).fold(inner, |arg, _| json!({ "arg": arg, "op": "not" }));
    assert!(explain(&tagged, &deep(json!({ "n": "many" }))).is_some());
    assert_eq!(explain(&tagged, &deep(json!({ "n": 1 }))), None);
    // Beyond what can be looked at the type has the last word.
    assert_eq!(explain(&untagged, &deep(json!("many"))), None);
}

#[test]
fn names_of_fields_may_have_a_pattern() {
    let counts = strip(&schemars::schema_for!(std::collections::HashMap<u32, u8>).to_value());
    let counts = counts.unwrap();
    assert_eq!(explain(&counts, &json!({ "1": 2, "30": 4 })), None);
    says(
        counts.clone(),
        json!({ "1": 256 }),
        "the value is more than 255",
    );
    says(
        counts,
        json!({ "one": 2 }),
        "the value has a field that is not allowed",
    );
}

#[test]
fn a_pattern_that_is_none_binds_nobody() {
    assert_eq!(explain(&json!({ "pattern": "(" }), &json!("a")), None);
}

#[test]
fn a_schema_that_only_refers_to_itself_has_an_end() {
    assert_eq!(explain(&json!({ "$ref": "#" }), &json!(1)), None);
}

#[test]
fn an_object_around_an_output_keeps_definitions_and_references_to_the_whole() {
    let list = strip(&json!({
        "anyOf": [{ "type": "null" }, { "type": "object", "properties": { "next": { "$ref": "#" } } }],
    }));
    let sealed = object::wrap_schema(&list.unwrap());
    assert!(sealed["$defs"]["Whole"]["anyOf"].is_array());
    assert_eq!(sealed["properties"]["value"].get("$defs"), None);
    let fits = json!({ "value": { "next": { "next": null } } });
    assert_eq!(explain(&sealed, &fits), None);
    says(
        sealed,
        json!({ "value": { "next": 1 } }),
        "`value.next` is not of type object",
    );
}

/// A type's own values are never refused.
#[test]
fn what_a_type_writes_fits_its_schema() {
    use std::{
        collections::{BTreeMap, BTreeSet, HashMap},
        num::NonZeroU8,
        time::Duration,
    };

    #[derive(Serialize, JsonSchema)]
    struct Inner {
        id: u64,
        #[serde(skip_serializing_if = "Option::is_none")]
        note: Option<String>,
    }

    #[derive(Serialize, JsonSchema)]
    #[serde(tag = "kind", content = "of", rename_all = "camelCase")]
    enum Adjacent {
        Empty,
        One(i64),
        Named { deep: Box<Tree> },
    }

    #[derive(Serialize, JsonSchema)]
    #[serde(tag = "kind")]
    enum Tagged {
        A { x: f32 },
        B(Inner),
    }

    #[derive(Serialize, JsonSchema)]
    #[serde(untagged)]
    enum Untagged {
        Number(f64),
        Text(String),
        List(Vec<Self>),
    }

    #[derive(Serialize, JsonSchema)]
    struct Tree {
        value: char,
        children: Vec<Self>,
    }

    #[derive(Serialize, JsonSchema)]
    #[serde(deny_unknown_fields)]
    struct Strict {
        unit: (),
        pair: (i8, String),
    }

    #[derive(Serialize, JsonSchema)]
    struct All {
        #[serde(flatten)]
        inner: Inner,
        #[serde(flatten)]
        more: BTreeMap<String, u8>,
        adjacent: Vec<Adjacent>,
        tagged: Vec<Tagged>,
        untagged: Vec<Untagged>,
        strict: Strict,
        keyed: HashMap<i32, [u8; 3]>,
        set: BTreeSet<NonZeroU8>,
        limits: (u64, i64, f64, u128),
        time: Duration,
        any: Value,
        maybe: Option<Option<bool>>,
        result: Result<u8, String>,
    }

    let tree = |value, children| Tree { value, children };
    let all = All {
        inner: Inner {
            id: u64::MAX,
            note: None,
        },
        more: BTreeMap::from([("more".to_owned(), 1)]),
        adjacent: vec![
            Adjacent::Empty,
            Adjacent::One(i64::MIN),
            Adjacent::Named {
                deep: Box::new(tree('é', vec![tree('\n', Vec::new())])),
            },
        ],
        tagged: vec![
            Tagged::A { x: -0.5 },
            Tagged::B(Inner {
                id: 0,
                note: Some(String::new()),
            }),
        ],
        untagged: vec![
            Untagged::Number(1e300),
            Untagged::Text("t".to_owned()),
            Untagged::List(vec![Untagged::Number(-1.0)]),
        ],
        strict: Strict {
            unit: (),
            pair: (-128, "p".to_owned()),
        },
        keyed: HashMap::from([(-7, [0, 128, 255])]),
        set: BTreeSet::from([NonZeroU8::MIN, NonZeroU8::MAX]),
        limits: (u64::MAX, i64::MIN, f64::MIN_POSITIVE, u128::from(u64::MAX)),
        time: Duration::from_millis(1_500),
        any: json!({ "x": [null, 1] }),
        maybe: None,
        result: Err("no".to_owned()),
    };
    let schema = strip(&schemars::schema_for!(All).to_value()).unwrap();
    assert_eq!(explain(&schema, &serde_json::to_value(&all).unwrap()), None);
}

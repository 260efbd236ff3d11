//! Outputs that are no JSON object travel inside one, since providers ask for an object.

use serde_json::{Map, Value, json};

/// The field that the output is in.
const FIELD: &str = "value";

/// The schema that the model sees for an output, which has been stripped.
pub(crate) fn wrap_schema(schema: &Value) -> Value {
    if is_plain_object(schema) {
        return schema.clone();
    }
    let mut inner = schema.clone();
    let mut outer = Map::new();
    if let Value::Object(inner) = &mut inner
        && let Some(defs) = inner.remove("$defs")
    {
        outer.insert("$defs".to_owned(), defs);
    }
    outer.insert("type".to_owned(), json!("object"));
    outer.insert("properties".to_owned(), json!({ FIELD: inner }));
    outer.insert("required".to_owned(), json!([FIELD]));
    outer.insert("additionalProperties".to_owned(), json!(false));
    Value::Object(outer)
}

/// An output in such an object.
pub(crate) fn wrap_value(value: &Value) -> Value {
    json!({ FIELD: value })
}

/// What is in such an object, if it is one.
pub(crate) fn unwrap_value(value: &Value) -> Option<&Value> {
    match value {
        Value::Object(fields) if fields.len() == 1 => fields.get(FIELD),
        _ => None,
    }
}

/// Whether a schema takes objects, and nothing else.
pub(crate) fn is_plain_object(schema: &Value) -> bool {
    schema.get("type").and_then(Value::as_str) == Some("object")
        && !["anyOf", "oneOf", "allOf", "$ref"]
            .iter()
            .any(|key| schema.get(*key).is_some())
}

//! Data: lists, objects, JSON, validation. What reads the bindings of its own input, such as `data.map`, is a body of
//! its own.

mod reduce;
mod set;

use pravah_document::{schema_error, violations};
use serde_json::{Map, Value, json};

use super::{field, refused, text};
use crate::{
    document::registry::{Implementation, Schemas},
    error::BoxError,
    json as literal,
};

pub(super) fn implementation(name: &str) -> Option<Implementation> {
    Some(match name {
        "data.reduce" => Implementation::sync(|input| reduce::reduce(&input)),
        "data.merge" => Implementation::sync(|input| Ok(merge(&input))),
        "data.pick" => Implementation::sync(|input| Ok(pick(&input))),
        "data.set" => Implementation::sync(set::set),
        "data.json.parse" => Implementation::sync(|input| parse(&input)),
        "data.json.stringify" => {
            Implementation::sync(|input| Ok(json!({ "text": field(&input, "value").to_string() })))
        }
        "data.validate" => Implementation::WithSchemas(validate),
        _ => return None,
    })
}

fn items<'a>(input: &'a Value, name: &str) -> &'a [Value] {
    field(input, name).as_array().map_or(&[], Vec::as_slice)
}

fn merge(input: &Value) -> Value {
    let objects = items(input, "objects").iter().filter_map(Value::as_object);
    let fields = objects.flatten();
    let merged: Map<String, Value> = fields.map(|(key, it)| (key.clone(), it.clone())).collect();
    json!({ "object": merged })
}

fn pick(input: &Value) -> Value {
    let keys = items(input, "keys").iter().filter_map(Value::as_str);
    let object = field(input, "object");
    let picked = keys.filter_map(|key| Some((key.to_owned(), object.get(key)?.clone())));
    json!({ "object": picked.collect::<Map<_, _>>() })
}

fn parse(input: &Value) -> Result<Value, BoxError> {
    let value = literal::from_str(text(input, "text"));
    let value = value.map_err(|error| refused(format!("`text` is not valid JSON: {error}")))?;
    // Another attempt would read the same.
    crate::json::check(&value).map_err(|unfit| refused(format!("`text` is {unfit}")))?;
    Ok(json!({ "value": value }))
}

fn validate(input: &Value, schemas: &Schemas) -> Result<Value, BoxError> {
    let read;
    let schema = match field(input, "schema") {
        Value::String(text) => match schemas.get(text) {
            Some(schema) => schema,
            None => {
                read = schema_in(text)?;
                &read
            }
        },
        schema => schema,
    };
    if let Some(problem) = schema_error(schema) {
        return Err(refused(format!("`schema` is not valid: {problem}")));
    }
    let problems = violations(schema, field(input, "value"));
    let errors: Vec<String> = problems.iter().map(ToString::to_string).collect();
    Ok(match errors.is_empty() {
        true => json!({ "valid": true }),
        false => json!({ "valid": false, "errors": errors }),
    })
}

/// The schema that a text is.
fn schema_in(text: &str) -> Result<Value, BoxError> {
    match literal::from_str(text) {
        Ok(schema @ (Value::Object(_) | Value::Bool(_))) => Ok(schema),
        _ => {
            let problem =
                "is neither a JSON Schema nor the name of one that the host has registered";
            let start: String = text.chars().take(40).collect();
            Err(refused(format!("`schema` {problem}: `{start}`")))
        }
    }
}

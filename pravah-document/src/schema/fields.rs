//! Which fields the values have that a schema describes, and of which types they are.

use serde_json::{Map, Value};

/// A field that values do not have.
pub(crate) struct Missing<'a> {
    /// The field.
    pub(crate) name: &'a str,
    /// The fields that there are instead.
    pub(crate) known: Vec<&'a str>,
}

/// How many schemas deep fields are looked for.
const MAX_DEPTH: usize = 32;

/// The first field of a path that no value has which fits the schema, as far as the schema says. `root` is what its
/// references are into.
pub(crate) fn missing_field<'a>(
    root: &'a Value,
    schema: &'a Value,
    path: &[&'a str],
    depth: usize,
) -> Option<Missing<'a>> {
    let (first, rest) = path.split_first()?;
    if depth > MAX_DEPTH {
        return None;
    }
    let inner = |schema: &'a Value, path| missing_field(root, schema, path, depth + 1);
    if let Some(reference) = schema.get("$ref").and_then(Value::as_str) {
        let target = root.pointer(reference.strip_prefix('#')?)?;
        return inner(target, path);
    }
    for keyword in ["anyOf", "oneOf"] {
        if let Some(schemas) = schema.get(keyword).and_then(Value::as_array) {
            let mut missing: Vec<_> = schemas.iter().map(|it| inner(it, path)).collect();
            let is_in_none = missing.iter().all(Option::is_some);
            return missing.pop().flatten().filter(|_| is_in_none);
        }
    }
    match schema.get("type")?.as_str()? {
        "array" => match *first {
            "length" => None,
            _ => inner(schema.get("items")?, rest),
        },
        "object" => {
            let properties = schema.get("properties")?.as_object()?;
            if let Some(property) = properties.get(*first) {
                return inner(property, rest);
            }
            let is_open = schema
                .get("additionalProperties")
                .is_some_and(|it| *it != false);
            let is_known = !is_open && schema.get("patternProperties").is_none();
            is_known.then(|| Missing {
                name: first,
                known: properties.keys().map(String::as_str).collect(),
            })
        }
        "string" if *first == "length" => None,
        "string" | "number" | "integer" | "boolean" | "null" => Some(Missing {
            name: first,
            known: Vec::new(),
        }),
        _ => None,
    }
}

/// The types that a schema names.
pub(super) fn types(schema: &Map<String, Value>) -> Option<Vec<&str>> {
    match schema.get("type")? {
        Value::String(name) => Some(vec![name]),
        Value::Array(names) => Some(names.iter().filter_map(Value::as_str).collect()),
        _ => None,
    }
}

/// The types that the part of a value may be of that a path leads to, as far as its schema says.
pub(crate) fn types_at<'a>(
    root: &'a Value,
    schema: &'a Value,
    path: &[&str],
    depth: usize,
) -> Option<Vec<&'a str>> {
    if depth > MAX_DEPTH {
        return None;
    }
    let inner = |schema: &'a Value, path| types_at(root, schema, path, depth + 1);
    if let Some(reference) = schema.get("$ref").and_then(Value::as_str) {
        return inner(root.pointer(reference.strip_prefix('#')?)?, path);
    }
    let Some((first, rest)) = path.split_first() else {
        return types(schema.as_object()?);
    };
    match (schema.get("type")?.as_str()?, *first) {
        ("array" | "string", "length") if rest.is_empty() => Some(vec!["integer"]),
        ("array", _) => inner(schema.get("items")?, rest),
        ("object", _) => inner(schema.get("properties")?.get(first)?, rest),
        _ => None,
    }
}

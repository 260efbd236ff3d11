//! Whether a schema is valid.

use std::borrow::Cow;

use regex_lite::Regex;
use serde_json::{Map, Value};

use super::truncated;

/// The most characters of a part of the schema that a message shows.
const LONGEST: usize = 200;

const TYPES: [&str; 7] = [
    "null", "boolean", "integer", "number", "string", "array", "object",
];

/// The keywords whose value is a schema, a list of schemas, or an object of schemas.
const SCHEMA: [&str; 9] = [
    "items",
    "additionalProperties",
    "propertyNames",
    "contains",
    "not",
    "if",
    "then",
    "else",
    "additionalItems",
];
const SCHEMAS: [&str; 4] = ["allOf", "anyOf", "oneOf", "prefixItems"];
const NAMED_SCHEMAS: [&str; 5] = [
    "properties",
    "patternProperties",
    "dependentSchemas",
    "$defs",
    "definitions",
];
const COUNTS: [&str; 8] = [
    "minLength",
    "maxLength",
    "minItems",
    "maxItems",
    "minProperties",
    "maxProperties",
    "minContains",
    "maxContains",
];
const NUMBERS: [&str; 4] = ["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"];

/// Why a schema is invalid, or `None`.
///
/// It is the first mistake that is found: an unknown type, a keyword with a value of the wrong kind, a `$ref` that the
/// schema does not contain, a pattern that the crate `regex-lite` does not support. Keywords that are not implemented are
/// ignored, and not reported.
///
/// ```
/// use pravah_document::schema_error;
/// use serde_json::json;
///
/// assert_eq!(schema_error(&json!({ "type": "object" })), None);
/// let problem = schema_error(&json!({ "properties": { "age": { "type": "int" } } }));
/// assert_eq!(problem.as_deref(), Some("`properties.age.type` is `int`, and there is no such type"));
/// ```
pub fn schema_error(schema: &Value) -> Option<String> {
    let checker = SchemaChecker { root: schema };
    checker.schema(schema, &mut Vec::new()).err()
}

struct SchemaChecker<'a> {
    root: &'a Value,
}

/// Where in the schema something is.
type Path<'a> = Vec<Cow<'a, str>>;

impl<'a> SchemaChecker<'a> {
    fn schema(&self, schema: &'a Value, at: &mut Path<'a>) -> Result<(), String> {
        let keywords = match schema {
            Value::Bool(_) => return Ok(()),
            Value::Object(keywords) => keywords,
            _ => return error_at(at, "is not a schema, which is an object, `true` or `false`"),
        };
        for (keyword, value) in keywords {
            at.push(keyword.into());
            self.keyword(keyword, value, at)?;
            at.pop();
        }
        Ok(())
    }

    fn keyword(&self, keyword: &str, value: &'a Value, at: &mut Path<'a>) -> Result<(), String> {
        let is_one_of = |keywords: &[&str]| keywords.contains(&keyword);
        if is_one_of(&SCHEMA) {
            return self.schema(value, at);
        }
        if is_one_of(&SCHEMAS) {
            let Some(schemas) = value.as_array() else {
                return error_at(at, "is not a list of schemas");
            };
            for (index, schema) in schemas.iter().enumerate() {
                at.push(index.to_string().into());
                self.schema(schema, at)?;
                at.pop();
            }
            return Ok(());
        }
        if is_one_of(&NAMED_SCHEMAS) {
            return self.named(keyword, value, at);
        }
        let is_right = match keyword {
            "type" => return types(value, at),
            "$ref" => return self.reference(value, at),
            "pattern" => return pattern(value.as_str(), at),
            "required" => are_names(value),
            "dependentRequired" => value
                .as_object()
                .is_some_and(|it| it.values().all(are_names)),
            "multipleOf" => value.as_f64().is_some_and(|step| step > 0.0),
            "enum" => value.is_array(),
            "uniqueItems" => value.is_boolean(),
            _ if is_one_of(&COUNTS) => crate::compare::whole(value).is_some(),
            _ if is_one_of(&NUMBERS) => value.is_number(),
            _ => true,
        };
        match is_right {
            true => Ok(()),
            false => error_at(at, format!("cannot be `{value}`")),
        }
    }

    fn named(&self, keyword: &str, value: &'a Value, at: &mut Path<'a>) -> Result<(), String> {
        let schemas: &'a Map<String, Value> = match value {
            Value::Object(schemas) => schemas,
            _ => return error_at(at, "is not an object of schemas"),
        };
        for (name, schema) in schemas {
            at.push(name.into());
            if keyword == "patternProperties" {
                pattern(Some(name), at)?;
            }
            self.schema(schema, at)?;
            at.pop();
        }
        Ok(())
    }

    fn reference(&self, value: &Value, at: &Path<'_>) -> Result<(), String> {
        let Some(reference) = value.as_str() else {
            return error_at(at, "is not a string");
        };
        let target = reference.strip_prefix('#');
        match target.and_then(|pointer| self.root.pointer(pointer)) {
            Some(_) => Ok(()),
            None => error_at(
                at,
                format!("is `{reference}`, which the schema does not have"),
            ),
        }
    }
}

fn are_names(value: &Value) -> bool {
    let names = value.as_array();
    names.is_some_and(|names| names.iter().all(Value::is_string))
}

fn types(value: &Value, at: &Path<'_>) -> Result<(), String> {
    let names = match value {
        Value::Array(names) => names,
        name => std::slice::from_ref(name),
    };
    let is_type = |name: &Value| name.as_str().is_some_and(|name| TYPES.contains(&name));
    let Some(wrong) = names.iter().find(|name| !is_type(name)) else {
        return Ok(());
    };
    match wrong.as_str() {
        Some(name) => error_at(at, format!("is `{name}`, and there is no such type")),
        None => error_at(at, format!("cannot be `{wrong}`")),
    }
}

fn pattern(pattern: Option<&str>, at: &Path<'_>) -> Result<(), String> {
    match pattern {
        Some(pattern) => match Regex::new(pattern) {
            Ok(_) => Ok(()),
            Err(error) => error_at(at, format!("is a pattern that cannot be read: {error}")),
        },
        None => error_at(at, "is not a string"),
    }
}

fn error_at(at: &Path<'_>, what: impl std::fmt::Display) -> Result<(), String> {
    // The schema may be whatever a model has written.
    let what = truncated(&what.to_string(), LONGEST);
    Err(match at.is_empty() {
        true => format!("the schema {what}"),
        false => format!("`{}` {what}", truncated(&at.join("."), LONGEST)),
    })
}

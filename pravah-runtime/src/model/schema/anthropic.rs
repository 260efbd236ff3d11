//! Anthropic's dialect.
//!
//! Its strict mode knows few keywords and no recursion. What it does not know about is said in the
//! description, as its own SDK does; what it cannot express is an error.
//! <https://docs.anthropic.com/en/docs/build-with-claude/structured-outputs>

use serde_json::{Map, Value, json};

use super::{SchemaError, dialect::Lowered, is_object, tell};

/// The formats of texts that it knows.
const FORMATS: [&str; 10] = [
    "date",
    "date-time",
    "duration",
    "email",
    "hostname",
    "ipv4",
    "ipv6",
    "time",
    "uri",
    "uuid",
];

/// The most properties of one request that may be left out.
pub(in crate::model) const MAX_OPTIONAL: usize = 24;
/// The most places of one request that take one of several forms.
pub(in crate::model) const MAX_UNIONS: usize = 16;

pub(super) fn lower(schema: &Value) -> Result<Lowered, SchemaError> {
    let mut walk = Walk::default();
    let schema = walk.schema(schema)?;
    if walk.optional > MAX_OPTIONAL {
        return Err(walk.error(format!(
            "Anthropic takes at most {MAX_OPTIONAL} properties that may be left out, and these are {}",
            walk.optional
        )));
    }
    if walk.unions > MAX_UNIONS {
        return Err(walk.error(format!(
            "Anthropic takes at most {MAX_UNIONS} places with several forms, and these are {}",
            walk.unions
        )));
    }
    Ok(Lowered {
        schema,
        strict: true,
        optional: walk.optional,
        unions: walk.unions,
    })
}

#[derive(Default)]
struct Walk {
    path: Vec<String>,
    optional: usize,
    unions: usize,
}

impl Walk {
    fn schema(&mut self, schema: &Value) -> Result<Value, SchemaError> {
        let Value::Object(keywords) = schema else {
            return Err(self.error("Anthropic cannot be asked for any JSON"));
        };
        if keywords.contains_key("$ref") {
            return Err(self.error("Anthropic takes no type that contains itself"));
        }
        let mut out = Map::new();
        let mut told = Vec::new();
        for (key, value) in keywords {
            self.keyword(key, value, &mut out, &mut told)?;
        }
        if out.contains_key("properties") || is_object(&out) {
            self.object(keywords, &mut out)?;
        }
        let says_what = ["type", "anyOf", "allOf", "enum", "const"];
        if !says_what.iter().any(|key| out.contains_key(*key)) {
            return Err(self.error("Anthropic cannot be asked for any JSON"));
        }
        if out.contains_key("anyOf") || matches!(out.get("type"), Some(Value::Array(_))) {
            self.unions += 1;
        }
        tell(&mut out, &told);
        Ok(Value::Object(out))
    }

    fn keyword(
        &mut self,
        key: &str,
        value: &Value,
        out: &mut Map<String, Value>,
        told: &mut Vec<String>,
    ) -> Result<(), SchemaError> {
        let (key, value) = match (key, value) {
            ("additionalProperties" | "default", _) => return Ok(()),
            ("patternProperties", _) => {
                return Err(self.error("Anthropic takes no map: use a list of pairs"));
            }
            ("type" | "description" | "enum" | "const" | "required", value) => (key, value.clone()),
            ("format", Value::String(format)) if FORMATS.contains(&format.as_str()) => {
                (key, value.clone())
            }
            ("minItems", value) if matches!(value.as_u64(), Some(0 | 1)) => (key, value.clone()),
            ("properties", Value::Object(parts)) => {
                let mut lowered = Map::new();
                for (name, part) in parts {
                    self.path.push(name.clone());
                    lowered.insert(name.clone(), self.schema(part)?);
                    self.path.pop();
                }
                (key, Value::Object(lowered))
            }
            ("items", value @ Value::Object(_)) => (key, self.schema(value)?),
            ("anyOf" | "oneOf" | "allOf", Value::Array(parts)) => {
                let parts = parts.iter().map(|part| self.schema(part));
                let parts = parts.collect::<Result<_, _>>()?;
                let key = if key == "oneOf" { "anyOf" } else { key };
                (key, Value::Array(parts))
            }
            (key, value) => {
                told.push(format!("{key}: {value}"));
                return Ok(());
            }
        };
        out.insert(key.to_owned(), value);
        Ok(())
    }

    fn object(
        &mut self,
        keywords: &Map<String, Value>,
        out: &mut Map<String, Value>,
    ) -> Result<(), SchemaError> {
        if let Some(Value::Object(_) | Value::Bool(true)) = keywords.get("additionalProperties") {
            return Err(self.error("Anthropic takes no map: use a list of pairs"));
        }
        out.insert("additionalProperties".to_owned(), json!(false));
        let properties = out.get("properties").and_then(Value::as_object);
        let required = out.get("required").and_then(Value::as_array);
        let all = properties.map_or(0, Map::len);
        self.optional += all.saturating_sub(required.map_or(0, Vec::len));
        Ok(())
    }

    fn error(&self, why: impl Into<String>) -> SchemaError {
        SchemaError::new(&self.path, why)
    }
}

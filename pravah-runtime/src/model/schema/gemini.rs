//! Gemini's dialect: a list of keywords, and no type that must contain itself.
//!
//! <https://ai.google.dev/api/generate-content#FIELDS.response_json_schema>

use serde_json::{Map, Value, json};

use super::{SchemaError, tell};

pub(super) fn lower(schema: &Value) -> Result<Value, SchemaError> {
    let mut walk = Walk {
        path: Vec::new(),
        optional: 0,
    };
    walk.schema(schema)
}

struct Walk {
    path: Vec<String>,
    /// How many of the properties around may be left out.
    optional: usize,
}

impl Walk {
    fn schema(&mut self, schema: &Value) -> Result<Value, SchemaError> {
        let Value::Object(keywords) = schema else {
            return match schema {
                Value::Bool(true) => Ok(json!({})),
                _ => Err(self.error("Gemini cannot be told that nothing fits")),
            };
        };
        if let Some(reference) = keywords.get("$ref") {
            if self.optional == 0 {
                return Err(self.error(
                    "Gemini takes a type that contains itself only in a property that may be left out",
                ));
            }
            return Ok(json!({ "$ref": reference }));
        }
        let mut out = Map::new();
        let mut told = Vec::new();
        for (key, value) in keywords {
            self.keyword(key, value, keywords, &mut out, &mut told)?;
        }
        tell(&mut out, &told);
        Ok(Value::Object(out))
    }

    fn keyword(
        &mut self,
        key: &str,
        value: &Value,
        beside: &Map<String, Value>,
        out: &mut Map<String, Value>,
        told: &mut Vec<String>,
    ) -> Result<(), SchemaError> {
        let (key, value) = match (key, value) {
            ("default", _) => return Ok(()),
            (
                "type" | "description" | "enum" | "required" | "minItems" | "maxItems" | "minimum"
                | "maximum",
                value,
            ) => (key, value.clone()),
            ("format", Value::String(format))
                if matches!(format.as_str(), "date-time" | "date" | "time") =>
            {
                (key, value.clone())
            }
            ("const", value) => ("enum", json!([value])),
            ("properties", Value::Object(parts)) => {
                (key, self.properties(parts, beside.get("required"))?)
            }
            ("$defs", Value::Object(parts)) => {
                let mut lowered = Map::new();
                for (name, part) in parts {
                    let around = std::mem::take(&mut self.optional);
                    lowered.insert(name.clone(), self.schema(part)?);
                    self.optional = around;
                }
                (key, Value::Object(lowered))
            }
            ("items" | "additionalProperties", Value::Object(_)) => (key, self.schema(value)?),
            ("additionalProperties", Value::Bool(_)) => (key, value.clone()),
            ("anyOf" | "oneOf" | "prefixItems", Value::Array(parts)) => {
                let parts = parts.iter().map(|part| self.schema(part));
                (key, Value::Array(parts.collect::<Result<_, _>>()?))
            }
            ("allOf", Value::Array(parts)) => {
                for part in parts {
                    self.merge(part, out)?;
                }
                return Ok(());
            }
            (key, value) => {
                told.push(format!("{key}: {value}"));
                return Ok(());
            }
        };
        out.insert(key.to_owned(), value);
        Ok(())
    }

    fn properties(
        &mut self,
        parts: &Map<String, Value>,
        required: Option<&Value>,
    ) -> Result<Value, SchemaError> {
        let required = required.and_then(Value::as_array);
        let mut lowered = Map::new();
        for (name, part) in parts {
            let is_optional = !required.is_some_and(|names| names.iter().any(|r| r == name));
            self.path.push(name.clone());
            self.optional += usize::from(is_optional);
            lowered.insert(name.clone(), self.schema(part)?);
            self.optional -= usize::from(is_optional);
            self.path.pop();
        }
        Ok(Value::Object(lowered))
    }

    /// Takes over the keywords of a part that must fit as well.
    fn merge(&mut self, part: &Value, out: &mut Map<String, Value>) -> Result<(), SchemaError> {
        let Value::Object(part) = self.schema(part)? else {
            return Ok(());
        };
        for (key, value) in part {
            match (key.as_str(), out.get_mut(&key), value) {
                ("properties", Some(Value::Object(into)), Value::Object(more)) => into.extend(more),
                ("required", Some(Value::Array(into)), Value::Array(more)) => into.extend(more),
                (_, Some(into), value) if *into == value => {}
                ("description", Some(_), _) => {}
                (_, Some(_), _) => {
                    return Err(self.error(format!("Gemini cannot be told two `{key}` at once")));
                }
                (_, None, value) => {
                    out.insert(key, value);
                }
            }
        }
        Ok(())
    }

    fn error(&self, why: impl Into<String>) -> SchemaError {
        SchemaError::new(&self.path, why)
    }
}

//! JSON Schemas in OpenAI's dialect.
//!
//! A schema is sent as strict where that changes nothing about which values fit: every property is
//! required or takes `null`, there are no maps and no keywords that strict mode refuses and that cannot
//! be said in words. Any other schema is sent as it is, and not as strict.

use serde_json::{Map, Value, json};

use super::{is_object, tell};

/// The formats that strict mode knows. Others, such as `uint32`, are left out in any case.
const FORMATS: [&str; 9] = [
    "date",
    "date-time",
    "duration",
    "email",
    "hostname",
    "ipv4",
    "ipv6",
    "time",
    "uuid",
];

/// Keywords that say nothing about which values fit, or that providers refuse.
const LEFT_OUT: [&str; 8] = [
    "$schema",
    "$id",
    "$comment",
    "title",
    "default",
    "examples",
    "deprecated",
    "readOnly",
];

/// Keywords that strict mode refuses, and that can be said in words.
const TOLD: [&str; 8] = [
    "minLength",
    "maxLength",
    "uniqueItems",
    "minContains",
    "maxContains",
    "unevaluatedItems",
    "minProperties",
    "maxProperties",
];

/// Other keywords that strict mode refuses.
const NOT_STRICT: [&str; 12] = [
    "allOf",
    "not",
    "if",
    "then",
    "else",
    "dependentRequired",
    "dependentSchemas",
    "patternProperties",
    "propertyNames",
    "unevaluatedProperties",
    "prefixItems",
    "contains",
];

/// The schema as it is sent, and whether it is strict.
pub(super) fn lower(schema: &Value) -> (Value, bool) {
    let mut walk = Walk {
        strict: true,
        fits: true,
    };
    let strict = walk.schema(schema);
    if walk.fits {
        return (strict, true);
    }
    walk.strict = false;
    (walk.schema(schema), false)
}

struct Walk {
    /// Whether to make the schema strict.
    strict: bool,
    /// Whether all that was seen can be strict.
    fits: bool,
}

impl Walk {
    fn schema(&mut self, schema: &Value) -> Value {
        let Value::Object(schema) = schema else {
            // `true` and `false` take anything and nothing.
            self.fits = false;
            return schema.clone();
        };
        let (mut out, mut told) = (Map::new(), Vec::new());
        for (key, value) in schema {
            match self.strict && TOLD.contains(&key.as_str()) {
                true => told.push(format!("{key}: {value}")),
                false => self.keyword(key, value, &mut out),
            }
        }
        tell(&mut out, &told);
        if out.contains_key("properties") || is_object(&out) {
            self.object(&mut out);
        }
        if !["type", "$ref", "anyOf", "enum", "const"]
            .iter()
            .any(|key| out.contains_key(*key))
        {
            self.fits = false;
        }
        if self.strict
            && out.len() > 1
            && let Some(reference) = out.remove("$ref")
        {
            // A `$ref` takes no neighbours.
            self.fits &= !out.contains_key("anyOf");
            out.insert("anyOf".to_owned(), json!([{ "$ref": reference }]));
        }
        Value::Object(out)
    }

    fn keyword(&mut self, key: &str, value: &Value, out: &mut Map<String, Value>) {
        if NOT_STRICT.contains(&key) {
            self.fits = false;
        }
        let (key, value) = match (key, value) {
            _ if LEFT_OUT.contains(&key) => return,
            ("format", Value::String(format)) if !FORMATS.contains(&format.as_str()) => return,
            (
                "properties" | "patternProperties" | "$defs" | "definitions",
                Value::Object(parts),
            ) => {
                let parts = parts
                    .iter()
                    .map(|(name, part)| (name.clone(), self.schema(part)));
                (key, parts.collect())
            }
            ("items" | "not" | "if" | "then" | "else", Value::Object(_)) => {
                (key, self.schema(value))
            }
            ("additionalProperties", Value::Object(_)) => {
                self.fits = false;
                (key, self.schema(value))
            }
            ("anyOf" | "oneOf" | "allOf" | "prefixItems", Value::Array(parts)) => {
                // Strict mode knows no `oneOf`; the variants of an enum exclude each other anyway.
                let key = match key {
                    "oneOf" if self.strict => "anyOf",
                    key => key,
                };
                self.fits &= !out.contains_key(key);
                (key, parts.iter().map(|part| self.schema(part)).collect())
            }
            _ => (key, value.clone()),
        };
        out.insert(key.to_owned(), value);
    }

    /// Makes every property required and allows no others, or finds that this would change
    /// which values fit.
    fn object(&mut self, out: &mut Map<String, Value>) {
        if out
            .get("additionalProperties")
            .is_some_and(|more| more != &Value::Bool(false))
        {
            self.fits = false;
        }
        let properties = match out.get("properties") {
            Some(Value::Object(properties)) => properties.clone(),
            _ => Map::new(),
        };
        let required = match out.get("required") {
            Some(Value::Array(required)) => required.clone(),
            _ => Vec::new(),
        };
        for (name, schema) in &properties {
            self.fits &= required.iter().any(|r| r == name) || takes_null(schema);
        }
        if self.strict {
            // A list is compared in its order: the same whether serde_json sorts keys or keeps the order of the source.
            let mut names: Vec<String> = properties.keys().cloned().collect();
            names.sort_unstable();
            out.insert("required".to_owned(), names.into());
            out.insert("properties".to_owned(), Value::Object(properties));
            out.insert("additionalProperties".to_owned(), Value::Bool(false));
        }
    }
}

fn takes_null(schema: &Value) -> bool {
    match (schema.get("type"), schema.get("anyOf")) {
        (Some(Value::Array(types)), _) => types.iter().any(|ty| ty == "null"),
        (Some(ty), _) => ty == "null",
        (None, Some(Value::Array(forms))) => forms.iter().any(takes_null),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use schemars::{JsonSchema, schema_for};
    use serde_json::{Value, json};

    use super::lower;

    fn schema_of<T: JsonSchema>() -> Value {
        schema_for!(T).to_value()
    }

    #[test]
    fn all_properties_become_required_where_missing_ones_may_be_null() {
        #[derive(JsonSchema)]
        #[expect(dead_code, reason = "only its schema is used")]
        struct Verdict {
            // In the order of their names, which is that of a map too without `serde_json/preserve_order`.
            count: u32,
            note: Option<String>,
            urgent: bool,
        }

        assert_eq!(
            lower(&schema_of::<Verdict>()),
            (
                json!({
                    "type": "object",
                    "properties": {
                        "urgent": { "type": "boolean" },
                        "count": { "type": "integer", "minimum": 0 },
                        "note": { "type": ["string", "null"] },
                    },
                    "required": ["count", "note", "urgent"],
                    "additionalProperties": false,
                }),
                true
            )
        );
    }

    #[test]
    fn a_property_with_a_default_is_not_strict() {
        let schema =
            json!({ "type": "object", "properties": { "n": { "type": "integer", "default": 1 } } });
        let lowered = json!({ "type": "object", "properties": { "n": { "type": "integer" } } });
        assert_eq!(lower(&schema), (lowered, false));
    }

    #[test]
    fn a_map_is_not_strict() {
        let schema = json!({ "type": "object", "additionalProperties": { "type": "integer", "format": "int32" } });
        let lowered = json!({ "type": "object", "additionalProperties": { "type": "integer" } });
        assert_eq!(lower(&schema), (lowered, false));
    }

    #[test]
    fn any_json_is_not_strict() {
        let schema = json!({ "type": "object", "properties": { "x": true }, "required": ["x"] });
        assert_eq!(lower(&schema), (schema.clone(), false));
    }

    // S3.14, S3.15
    #[test]
    fn a_property_may_be_called_like_a_keyword() {
        let schema = json!({
            "type": "object",
            "properties": { "title": { "type": "string", "enum": ["title"] } },
            "required": ["title"],
            "additionalProperties": false,
        });
        assert_eq!(lower(&schema), (schema.clone(), true));
    }

    #[test]
    fn a_described_reference_stands_alone() {
        let schema = json!({
            "type": "object",
            "properties": { "a": { "$ref": "#/$defs/A", "description": "it" } },
            "required": ["a"],
            "$defs": { "A": { "oneOf": [{ "const": 1 }, { "const": 2 }] } },
        });
        let (lowered, strict) = lower(&schema);
        assert!(strict);
        assert_eq!(
            lowered["properties"]["a"],
            json!({ "anyOf": [{ "$ref": "#/$defs/A" }], "description": "it" })
        );
        assert_eq!(
            lowered["$defs"]["A"],
            json!({ "anyOf": [{ "const": 1 }, { "const": 2 }] })
        );
    }
}

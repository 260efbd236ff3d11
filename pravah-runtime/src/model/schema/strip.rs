//! What of a schema a model is told: what fits and what it means, without the definitions around it.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use super::SchemaError;

/// Keywords that hold no schemas and are kept as they are.
const KEPT: [&str; 20] = [
    "type",
    "description",
    "minimum",
    "maximum",
    "exclusiveMinimum",
    "exclusiveMaximum",
    "multipleOf",
    "minLength",
    "maxLength",
    "minItems",
    "maxItems",
    "minProperties",
    "maxProperties",
    "uniqueItems",
    "pattern",
    "enum",
    "const",
    "default",
    "required",
    "format",
];

/// Formats that say how a number is held in memory.
const OF_NUMBERS: [&str; 16] = [
    "int", "int8", "int16", "int32", "int64", "int128", "uint", "uint8", "uint16", "uint32",
    "uint64", "uint128", "float", "double", "float32", "float64",
];

/// The most keywords that a schema may have once its definitions are put in place.
const MOST: usize = 50_000;

/// Strips a schema. Definitions are put where they are referred to; of a type that contains itself
/// one definition stays.
pub(crate) fn strip(schema: &Value) -> Result<Value, SchemaError> {
    let mut strip = Strip {
        root: schema,
        stack: Vec::new(),
        path: Vec::new(),
        kept: BTreeMap::new(),
        size: 0,
    };
    let mut stripped = strip.at_root(schema)?;
    if !strip.kept.is_empty() {
        let defs = strip.kept.into_values().collect::<Map<_, _>>();
        if let Value::Object(fields) = &mut stripped {
            fields.insert("$defs".to_owned(), Value::Object(defs));
        }
    }
    Ok(stripped)
}

struct Strip<'a> {
    root: &'a Value,
    /// The definitions that are being put in place, outermost first.
    stack: Vec<String>,
    /// The fields around.
    path: Vec<String>,
    /// The definitions that stay, by reference: their names and what they are.
    kept: BTreeMap<String, (String, Value)>,
    size: usize,
}

impl Strip<'_> {
    fn at_root(&mut self, schema: &Value) -> Result<Value, SchemaError> {
        self.stack.push("#".to_owned());
        let stripped = self.schema(schema);
        self.stack.pop();
        stripped
    }

    fn schema(&mut self, schema: &Value) -> Result<Value, SchemaError> {
        let Value::Object(keywords) = schema else {
            return Ok(schema.clone());
        };
        self.size += keywords.len();
        if self.size > MOST {
            return Err(self.error("the schema is too large once its definitions are in place"));
        }
        let mut stripped = Map::new();
        for (key, value) in keywords {
            self.keyword(key, value, &mut stripped)?;
        }
        match keywords.get("$ref") {
            Some(target) => self.reference(target, stripped),
            None => Ok(Value::Object(stripped)),
        }
    }

    fn keyword(
        &mut self,
        key: &str,
        value: &Value,
        out: &mut Map<String, Value>,
    ) -> Result<(), SchemaError> {
        let stripped = match (key, value) {
            ("format", Value::String(format)) if OF_NUMBERS.contains(&format.as_str()) => {
                return Ok(());
            }
            (key, value) if KEPT.contains(&key) => value.clone(),
            ("properties" | "patternProperties", Value::Object(parts)) => {
                let mut stripped = Map::new();
                for (name, part) in parts {
                    self.path.push(name.clone());
                    stripped.insert(name.clone(), self.schema(part)?);
                    self.path.pop();
                }
                Value::Object(stripped)
            }
            ("items" | "prefixItems" | "anyOf" | "oneOf" | "allOf", Value::Array(parts)) => {
                let parts = parts.iter().map(|part| self.schema(part));
                Value::Array(parts.collect::<Result<_, _>>()?)
            }
            ("items" | "additionalProperties" | "not" | "contains", value) => self.schema(value)?,
            // What is malformed is for the provider to refuse.
            (
                "properties" | "patternProperties" | "prefixItems" | "anyOf" | "oneOf" | "allOf",
                value,
            ) => value.clone(),
            _ => return Ok(()),
        };
        out.insert(key.to_owned(), stripped);
        Ok(())
    }

    /// What a reference stands for, with the keywords beside it.
    fn reference(
        &mut self,
        target: &Value,
        beside: Map<String, Value>,
    ) -> Result<Value, SchemaError> {
        let target = target.as_str().unwrap_or_default();
        let root = self.root;
        let pointer = target.strip_prefix('#').map(decoded);
        let Some(definition) = pointer.and_then(|pointer| root.pointer(&pointer)) else {
            return Err(self.error(format!("`{target}` refers to nothing in the schema")));
        };
        if self.stack.iter().any(|open| open == target) {
            let reference = self.keep(target, definition)?;
            return Ok(beside_reference(reference, beside));
        }
        self.stack.push(target.to_owned());
        let inlined = self.schema(definition);
        self.stack.pop();
        Ok(match inlined? {
            Value::Object(mut inlined) => {
                inlined.extend(beside);
                Value::Object(inlined)
            }
            // `true` takes anything, and so only what is beside it counts.
            Value::Bool(true) => Value::Object(beside),
            other => other,
        })
    }

    /// Keeps a definition that contains itself.
    fn keep(&mut self, target: &str, definition: &Value) -> Result<Value, SchemaError> {
        if let Some((name, _)) = self.kept.get(target) {
            return Ok(json!({ "$ref": format!("#/$defs/{name}") }));
        }
        let wanted = match target.rsplit('/').next() {
            Some(name) if !name.is_empty() && name != "#" => super::name(name),
            _ => "Whole".to_owned(),
        };
        let is_taken = |name: &str| self.kept.values().any(|(taken, _)| taken == name);
        let name = std::iter::once(wanted.clone())
            .chain((2..).map(|n| format!("{wanted}{n}")))
            .find(|name| !is_taken(name))
            .unwrap_or(wanted);
        let reference = json!({ "$ref": format!("#/$defs/{name}") });
        // It is known from here on, so that it ends where it comes to itself.
        self.kept
            .insert(target.to_owned(), (name.clone(), Value::Null));
        let (stack, path) = (std::mem::take(&mut self.stack), self.path.clone());
        self.stack.push(target.to_owned());
        let stripped = self.schema(definition);
        (self.stack, self.path) = (stack, path);
        self.kept.insert(target.to_owned(), (name, stripped?));
        Ok(reference)
    }

    fn error(&self, why: impl Into<String>) -> SchemaError {
        SchemaError::new(&self.path, why)
    }
}

/// A part of a web address, without its percent signs.
fn decoded(text: &str) -> String {
    let mut parts = text.split('%');
    let mut bytes = parts.next().unwrap_or_default().as_bytes().to_vec();
    for part in parts {
        let code = part
            .get(..2)
            .and_then(|code| u8::from_str_radix(code, 16).ok());
        match (code, part.get(2..)) {
            (Some(code), Some(rest)) => {
                bytes.push(code);
                bytes.extend_from_slice(rest.as_bytes());
            }
            _ => {
                bytes.push(b'%');
                bytes.extend_from_slice(part.as_bytes());
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// Providers take no keywords beside a reference.
fn beside_reference(reference: Value, mut beside: Map<String, Value>) -> Value {
    beside.remove("description");
    beside.remove("default");
    if beside.is_empty() {
        return reference;
    }
    let key = match beside.contains_key("anyOf") {
        true => "allOf",
        false => "anyOf",
    };
    beside.insert(key.to_owned(), json!([reference]));
    Value::Object(beside)
}

#[cfg(test)]
mod tests;

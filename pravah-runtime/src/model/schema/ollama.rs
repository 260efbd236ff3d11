//! Ollama's dialect of tools: it reads a list of plain properties, and nothing else.
//!
//! Outputs are sent as they are: they become a grammar.
//! <https://github.com/ollama/ollama/blob/main/docs/api.md>

use serde_json::{Map, Value, json};

use super::tell;

/// What it reads of a property.
const KNOWN: [&str; 4] = ["type", "items", "description", "enum"];

pub(super) fn lower_tool(schema: &Value) -> Value {
    let Value::Object(keywords) = schema else {
        return json!({ "type": "object" });
    };
    let mut out = Map::new();
    for (key, value) in keywords {
        match (key.as_str(), value) {
            ("properties", Value::Object(parts)) => {
                let parts = parts
                    .iter()
                    .map(|(name, part)| (name.clone(), property(part)));
                out.insert(key.clone(), parts.collect());
            }
            ("type" | "required" | "$defs", value) => {
                out.insert(key.clone(), value.clone());
            }
            _ => {}
        }
    }
    Value::Object(out)
}

fn property(schema: &Value) -> Value {
    let Value::Object(keywords) = schema else {
        return json!({});
    };
    let mut out = Map::new();
    let mut told = Vec::new();
    for (key, value) in keywords {
        match key.as_str() {
            key if KNOWN.contains(&key) => {
                out.insert(key.to_owned(), value.clone());
            }
            "const" => {
                out.insert("enum".to_owned(), json!([value]));
            }
            "additionalProperties" if value.is_boolean() => {}
            "default" => {}
            key => told.push(format!("{key}: {value}")),
        }
    }
    tell(&mut out, &told);
    Value::Object(out)
}

//! The fields in which two forms of a state differ.

use serde_json::{Map, Value, json};

use crate::quoted::quoted;

/// The fields in which two forms of a state differ.
#[derive(Debug, Default)]
pub(crate) struct FieldChanges {
    /// The fields of the state as it was stored.
    stored: Vec<String>,
    /// Those of them, and of structs in it, that are gone.
    gone: Vec<String>,
    /// The fields that have to be there, and were not stored.
    new: Vec<String>,
    /// Such a field, with one that is gone and has the same type.
    renamed: Option<(String, String)>,
}

impl FieldChanges {
    /// Between the schemas of two forms.
    pub(crate) fn of_schemas(stored: &Value, now: &Value) -> Self {
        let mut changes = Self::default();
        let (root, root_now) = (resolved(stored, stored), resolved(now, now));
        changes.stored = names(root)
            .map(|it| it.cloned().collect())
            .unwrap_or_default();
        changes.add(root, root_now);
        let definitions = stored.get("$defs").and_then(Value::as_object);
        for (name, definition) in definitions.into_iter().flatten() {
            if let Some(definition_now) = now.pointer(&format!("/$defs/{name}")) {
                changes.add(definition, definition_now);
            }
        }
        changes
    }

    /// Between a value and the schema of its type.
    pub(crate) fn of_value(stored: &Value, now: &Value) -> Self {
        let fields = stored.as_object();
        let properties = fields.into_iter().flatten().map(|(name, value)| {
            let of_type = match value {
                Value::Null => "null",
                Value::Bool(_) => "boolean",
                Value::Number(number) if number.is_f64() => "number",
                Value::Number(_) => "integer",
                Value::String(_) => "string",
                Value::Array(_) => "array",
                Value::Object(_) => "object",
            };
            (name.clone(), json!({ "type": of_type }))
        });
        let properties: Map<String, Value> = properties.collect();
        Self::of_schemas(&json!({ "properties": properties }), now)
    }

    fn add(&mut self, stored: &Value, now: &Value) {
        let (Some(before), Some(after)) = (properties(stored), properties(now)) else {
            return;
        };
        let required = now.get("required").and_then(Value::as_array);
        let is_required =
            |name: &str| required.is_some_and(|all| all.iter().any(|it| it.as_str() == Some(name)));
        let gone = || before.iter().filter(|(name, _)| !after.contains_key(*name));
        let new = || {
            let new = after.iter().filter(|(name, _)| !before.contains_key(*name));
            new.filter(|(name, _)| is_required(name))
        };
        for (name, schema) in new() {
            let same = gone().find(|(_, gone)| have_one_type(gone, schema));
            let renamed = same.map(|(gone, _)| (name.clone(), gone.clone()));
            self.renamed = self.renamed.take().or(renamed);
            self.new.push(name.clone());
        }
        self.gone.extend(gone().map(|(name, _)| name.clone()));
    }

    /// The fields of the state as it was stored.
    pub(crate) fn stored(&self) -> &[String] {
        &self.stored
    }

    /// What lets the state be read, or else a migration.
    pub(crate) fn help(&self, migration: &str) -> String {
        let Self {
            gone, new, renamed, ..
        } = self;
        if let Some((new, gone)) = renamed {
            return format!(
                "if `{new}` is the field that was called `{gone}`, write `#[serde(alias = \"{gone}\")]` above it, since `#[serde(default)]` would lose what was stored; otherwise {migration}"
            );
        }
        match (new.as_slice(), gone.as_slice()) {
            ([], _) => migration.to_owned(),
            ([new], []) => {
                format!("write `#[serde(default)]` above the new field `{new}`, or {migration}")
            }
            (new, []) => format!(
                "write `#[serde(default)]` above each of the new fields {}, or {migration}",
                quoted(new)
            ),
            (_, gone) => format!(
                "{migration}; `#[serde(default)]` would lose what was stored in {}",
                quoted(gone)
            ),
        }
    }
}

fn properties(schema: &Value) -> Option<&Map<String, Value>> {
    schema.get("properties")?.as_object()
}

fn names(schema: &Value) -> Option<serde_json::map::Keys<'_>> {
    Some(properties(schema)?.keys())
}

/// The schema itself, or the definition that it refers to.
fn resolved<'a>(schema: &'a Value, whole: &'a Value) -> &'a Value {
    let reference = schema.get("$ref").and_then(Value::as_str);
    let target = reference.and_then(|it| whole.pointer(it.trim_start_matches('#')));
    target.unwrap_or(schema)
}

/// Whether a value may be of both schemas, as far as their types say.
fn have_one_type(one: &Value, other: &Value) -> bool {
    if let (Some(one), Some(other)) = (one.get("$ref"), other.get("$ref")) {
        return one == other;
    }
    let types = types(other);
    self::types(one)
        .iter()
        .any(|it| *it != "null" && types.contains(it))
}

fn types(schema: &Value) -> Vec<&str> {
    match schema.get("type") {
        Some(Value::Array(types)) => types.iter().filter_map(Value::as_str).collect(),
        Some(Value::String(of_type)) => vec![of_type],
        _ => Vec::new(),
    }
}

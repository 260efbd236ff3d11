//! Reading and writing parts of JSON that others made.

use serde::Serialize;
use serde_json::{Map, Value};

use crate::model::Arguments;
pub(super) use crate::model::options::merge_fields;

/// The text at a JSON pointer.
pub(super) fn text<'a>(value: &'a Value, pointer: &str) -> Option<&'a str> {
    value.pointer(pointer)?.as_str()
}

/// The list at a JSON pointer; nothing there counts as an empty one.
pub(super) fn list<'a>(value: &'a Value, pointer: &str) -> &'a [Value] {
    match value.pointer(pointer) {
        Some(Value::Array(items)) => items,
        _ => &[],
    }
}

/// The number at a JSON pointer; nothing there counts as 0.
pub(super) fn count(value: &Value, pointer: &str) -> u64 {
    value
        .pointer(pointer)
        .and_then(Value::as_u64)
        .unwrap_or_default()
}

/// The fields of an object that was just written.
pub(super) fn fields(value: Value) -> Map<String, Value> {
    match value {
        Value::Object(fields) => fields,
        _ => Map::new(),
    }
}

/// Writes a field that may be left out.
pub(super) fn set(fields: &mut Map<String, Value>, key: &str, value: Option<impl Serialize>) {
    if let Some(value) = value {
        fields.insert(key.to_owned(), serde_json::json!(value));
    }
}

/// Changes the object that a value is; anything else becomes an empty one first.
pub(super) fn edit<T>(value: &mut Value, change: impl FnOnce(&mut Map<String, Value>) -> T) -> T {
    let mut fields = fields(value.take());
    let changed = change(&mut fields);
    *value = Value::Object(fields);
    changed
}

/// Changes the item of the list that a value is, which grows to hold it. Anything but a list becomes
/// an empty one first.
pub(super) fn edit_item(value: &mut Value, index: usize, change: impl FnOnce(&mut Value)) {
    let mut items = match value.take() {
        Value::Array(items) => items,
        _ => Vec::new(),
    };
    if items.len() <= index {
        items.resize(index + 1, Value::Null);
    }
    if let Some(item) = items.get_mut(index) {
        change(item);
    }
    *value = Value::Array(items);
}

/// Adds to the list that a value is; anything else becomes an empty one first.
pub(super) fn push(value: &mut Value, item: Value) {
    match value {
        Value::Array(items) => items.push(item),
        value => *value = Value::Array(vec![item]),
    }
}

/// A field of an object, made if it is not there.
pub(super) fn field<'a>(fields: &'a mut Map<String, Value>, key: &str) -> &'a mut Value {
    fields.entry(key).or_insert(Value::Null)
}

/// Adds to the text that a value is.
pub(super) fn append(value: &mut Value, more: &str) {
    match value {
        Value::String(text) => text.push_str(more),
        value => *value = Value::String(more.to_owned()),
    }
}

/// Takes over the fields of `from` that are not `null`.
pub(super) fn update(value: &mut Value, from: &Value) {
    let Value::Object(from) = from else { return };
    edit(value, |into| {
        let there = from.iter().filter(|(_, value)| !value.is_null());
        into.extend(there.map(|(key, value)| (key.clone(), value.clone())));
    });
}

/// The items of a stream in which some numbers were left out.
pub(super) fn without_gaps(items: &[Value]) -> Value {
    items
        .iter()
        .filter(|item| !item.is_null())
        .cloned()
        .collect()
}

/// Arguments that some send as a text with JSON in it, and some as the JSON itself.
pub(super) fn arguments(value: Option<&Value>) -> Arguments {
    match value {
        Some(Value::String(text)) => Arguments::parse(text),
        Some(Value::Null) | None => Arguments::parse(""),
        Some(value) => Arguments::Json(value.clone()),
    }
}

/// Arguments for an interface that takes a text.
pub(super) fn arguments_text(arguments: &Arguments) -> String {
    match arguments {
        Arguments::Json(value) => value.to_string(),
        Arguments::Text(text) => text.clone(),
    }
}

/// Arguments for an interface that takes an object only.
pub(super) fn arguments_object(arguments: &Arguments) -> Value {
    match arguments {
        Arguments::Json(value @ Value::Object(_)) => value.clone(),
        Arguments::Json(value) => serde_json::json!({ "value": value }),
        Arguments::Text(text) => serde_json::json!({ "value": text }),
    }
}

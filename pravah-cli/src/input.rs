//! What a run starts with: `--input services.auth.enabled=false`.

use std::{fs, path::Path};

use pravah_document::json_value;
use serde_json::{Map, Value};

use crate::failure::Failure;

/// The input of a run: a file, or nothing, with these values put into it one after another. `default` is the document's
/// own input, which it is merged into: a path into one of its lists is an error.
pub(crate) fn read(
    file: Option<&Path>,
    values: &[String],
    default: &Value,
) -> Result<Value, Failure> {
    let mut input = match file {
        None => Value::Object(Map::new()),
        Some(path) => from_file(path)?,
    };
    for value in values {
        let Some((path, text)) = value.split_once('=') else {
            let message = format!("`{value}` is not an input: write `path=value`");
            return Err(Failure::Message(message));
        };
        put(&mut input, path.trim(), as_value(text), default)
            .map_err(|problem| Failure::Message(format!("`{value}`: {problem}")))?;
    }
    Ok(input)
}

fn from_file(path: &Path) -> Result<Value, Failure> {
    let shown = path.display();
    let text = fs::read_to_string(path)
        .map_err(|error| Failure::Message(format!("`{shown}` cannot be read: {error}")))?;
    json_value(&text)
        .map_err(|error| Failure::Message(format!("`{shown}` is not valid JSON: {error}")))
}

/// JSON where it is that, and otherwise a text.
pub(crate) fn as_value(text: &str) -> Value {
    json_value(text).unwrap_or_else(|_| Value::from(text))
}

fn put(input: &mut Value, path: &str, value: Value, default: &Value) -> Result<(), String> {
    if path.is_empty() {
        *input = value;
        return Ok(());
    }
    let (mut at, mut default) = (input, Some(default));
    let mut end = 0;
    for segment in path.split('.') {
        if segment.is_empty() {
            return Err("a part of the path is empty".to_owned());
        }
        if default.is_some_and(Value::is_array) {
            let list = match path.get(..end).map(|list| list.trim_end_matches('.')) {
                None | Some("") => "the input".to_owned(),
                Some(list) => format!("`{list}`"),
            };
            return Err(format!(
                "{list} is a list, of which no single item can be set: give the whole list as JSON"
            ));
        }
        default = default.and_then(|value| value.get(segment));
        end += segment.len() + 1;
        if at.is_null() {
            *at = Value::Object(Map::new());
        }
        let Value::Object(fields) = at else {
            return Err(format!(
                "`{segment}` cannot be set in a value that is not an object"
            ));
        };
        at = fields.entry(segment).or_insert(Value::Null);
    }
    *at = value;
    Ok(())
}

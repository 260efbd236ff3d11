//! `data.set`: an object with one value set.

use pravah_document::kind;
use serde_json::{Map, Value, json};

use super::{refused, text};
use crate::error::BoxError;

/// The most segments of a path: no snapshot carries a value that is nested more deeply.
const MAX_DEPTH: usize = 128;

pub(super) fn set(mut input: Value) -> Result<Value, BoxError> {
    let path = text(&input, "path").trim().to_owned();
    let segments: Vec<&str> = path.split('.').collect();
    if segments.iter().any(|segment| segment.is_empty()) {
        return Err(refused(format!("a segment of the path `{path}` is empty")));
    }
    if segments.len() > MAX_DEPTH {
        let problem = format!("the path has more than {MAX_DEPTH} segments");
        return Err(refused(problem));
    }
    let value = input.get_mut("value").map(Value::take);
    let mut object = input.get_mut("object").map(Value::take).unwrap_or_default();
    let mut at = &mut object;
    for segment in segments {
        make(at, segment);
        at = part(at, segment).map_err(|problem| refused(format!("`{path}`: {problem}")))?;
    }
    *at = value.unwrap_or_default();
    Ok(json!({ "object": object }))
}

/// Makes what is not there: a list where an index follows, an object where a name does.
fn make(value: &mut Value, next: &str) {
    if value.is_null() {
        *value = match index(next) {
            Some(_) => Value::Array(Vec::new()),
            None => Value::Object(Map::new()),
        };
    }
}

/// The part of a value, which may be new: a field, or an item that is there or follows the last one.
fn part<'a>(value: &'a mut Value, segment: &str) -> Result<&'a mut Value, String> {
    match value {
        Value::Object(fields) => Ok(fields.entry(segment).or_insert(Value::Null)),
        Value::Array(items) => {
            let index = index(segment).ok_or_else(|| format!("`{segment}` is not an index"))?;
            let length = items.len();
            if index == length {
                items.push(Value::Null);
            }
            let item = items.get_mut(index);
            item.ok_or_else(|| format!("there is no item {index} in a list of {length}"))
        }
        other => Err(format!("there is no `{segment}` in {}", kind(other))),
    }
}

fn index(segment: &str) -> Option<usize> {
    let is_plain = segment.bytes().all(|byte| byte.is_ascii_digit());
    segment.parse().ok().filter(|_| is_plain)
}

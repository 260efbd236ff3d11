//! How deep JSON may be nested.

use serde_json::Value;

/// Far below what `serde_json` reads, which is 128: a snapshot holds it within other JSON.
const MAX_DEPTH: usize = 64;

/// Whether a value is nested more deeply than a snapshot can carry.
pub(crate) fn is_deep(value: &Value) -> bool {
    !fits(value, MAX_DEPTH)
}

fn fits(value: &Value, depth: usize) -> bool {
    let Some(left) = depth.checked_sub(1) else {
        return false;
    };
    match value {
        Value::Array(items) => items.iter().all(|item| fits(item, left)),
        Value::Object(fields) => fields.values().all(|field| fits(field, left)),
        _ => true,
    }
}

//! `data.reduce`: one value of a list.

use std::cmp::Ordering;

use pravah_document::{kind, order};
use serde_json::{Map, Number, Value, json};

use super::{items, refused, text};
use crate::error::BoxError;

pub(super) fn reduce(input: &Value) -> Result<Value, BoxError> {
    let (list, initial) = (items(input, "list"), input.get("initial"));
    let value = match text(input, "op") {
        "sum" => sum(list, initial),
        "count" => sum(&[Value::from(list.len())], initial),
        "concat" => concat(list, initial),
        "merge" => merge(list, initial),
        "min" => extreme(list, initial, Ordering::Less),
        _ => extreme(list, initial, Ordering::Greater),
    };
    Ok(json!({ "value": value? }))
}

/// The initial value and the items, each with what messages call it.
fn named<'a>(
    list: &'a [Value],
    initial: Option<&'a Value>,
) -> impl Iterator<Item = (String, &'a Value)> {
    let initial = initial.map(|value| ("`initial`".to_owned(), value));
    let items = list.iter().enumerate();
    initial
        .into_iter()
        .chain(items.map(|(index, item)| (format!("item {index}"), item)))
}

/// Why a value cannot be used that has to be something else.
fn wrong_type(name: &str, value: &Value, expected: &str) -> BoxError {
    refused(format!(
        "{name} is {}, and has to be {expected}",
        kind(value)
    ))
}

/// Whole numbers stay whole as long as JSON can carry them.
fn sum(list: &[Value], initial: Option<&Value>) -> Result<Value, BoxError> {
    let (mut whole, mut all) = (Some(0_i128), 0.0);
    for (name, value) in named(list, initial) {
        let number = value
            .as_f64()
            .ok_or_else(|| wrong_type(&name, value, "a number"))?;
        all += number;
        whole = whole.and_then(|sum| sum.checked_add(integer(value)?));
    }
    let sum = whole.and_then(Number::from_i128);
    let sum = sum.or_else(|| Number::from_f64(all));
    sum.map(Value::Number)
        .ok_or_else(|| refused("the sum is not a number that JSON can carry"))
}

fn integer(value: &Value) -> Option<i128> {
    let signed = value.as_i64().map(i128::from);
    signed.or_else(|| value.as_u64().map(i128::from))
}

/// Strings or lists, by what comes first.
fn concat(list: &[Value], initial: Option<&Value>) -> Result<Value, BoxError> {
    let is_of_lists = initial.or(list.first()).is_some_and(Value::is_array);
    if !is_of_lists {
        let texts = named(list, initial).map(|(name, value)| {
            value
                .as_str()
                .ok_or_else(|| wrong_type(&name, value, "a string"))
        });
        return Ok(Value::String(texts.collect::<Result<String, _>>()?));
    }
    let mut all = Vec::new();
    for (name, value) in named(list, initial) {
        let items = value
            .as_array()
            .ok_or_else(|| wrong_type(&name, value, "a list"))?;
        all.extend(items.iter().cloned());
    }
    Ok(Value::Array(all))
}

fn merge(list: &[Value], initial: Option<&Value>) -> Result<Value, BoxError> {
    let mut merged = Map::new();
    for (name, value) in named(list, initial) {
        let fields = value.as_object();
        let fields = fields.ok_or_else(|| wrong_type(&name, value, "an object"))?;
        merged.extend(
            fields
                .iter()
                .map(|(key, value)| (key.clone(), value.clone())),
        );
    }
    Ok(Value::Object(merged))
}

/// The least or the greatest of numbers, or of strings; the first of those that are equal.
fn extreme(list: &[Value], initial: Option<&Value>, wanted: Ordering) -> Result<Value, BoxError> {
    let mut best: Option<&Value> = None;
    for (name, value) in named(list, initial) {
        if !value.is_number() && !value.is_string() {
            return Err(wrong_type(&name, value, "a number or a string"));
        }
        let Some(known) = best else {
            best = Some(value);
            continue;
        };
        if order(value, known)
            .ok_or_else(|| refused(format!("{name} cannot be compared with those before it")))?
            == wanted
        {
            best = Some(value);
        }
    }
    let empty = || refused("`list` is empty, and there is no `initial`");
    best.cloned().ok_or_else(empty)
}

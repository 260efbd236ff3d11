//! What runs the types of the standard catalogue.

mod basics;
mod data;
mod integration;
mod system;
mod tutorial;

use serde_json::Value;

use super::{invoke, registry::Implementation};
use crate::error::{BoxError, NodeDataError};

/// What runs the nodes of a standard type.
pub(super) fn implementation(name: &str) -> Implementation {
    let families = [
        invoke::implementation,
        basics::implementation,
        data::implementation,
        system::implementation,
        integration::implementation,
        tutorial::implementation,
    ];
    let mut found = families.iter().filter_map(|family| family(name));
    found.next().unwrap_or(Implementation::Unknown)
}

/// A field of an input, or null: what is required is there, as the input fits its type.
fn field<'a>(input: &'a Value, name: &str) -> &'a Value {
    input.get(name).unwrap_or(&Value::Null)
}

fn text<'a>(input: &'a Value, name: &str) -> &'a str {
    field(input, name).as_str().unwrap_or_default()
}

/// Why an input is of no use: another attempt would not change that.
fn refused(problem: impl Into<String>) -> BoxError {
    NodeDataError::input(problem).into()
}

//! The state of a run, which its nodes read and set: `system.state`.

use std::sync::Arc;

use serde::Serialize;
use serde_json::{Map, Value};

use crate::{
    error::NodeDataError,
    node::{Emitted, Inputs},
    state::Live,
};

/// A value to be set, which the rules of the node take out of its output.
#[derive(Serialize)]
pub(super) struct StateValue {
    key: Arc<str>,
    value: Value,
}

impl StateValue {
    pub(super) fn parts(&self) -> (Arc<str>, Live) {
        (Arc::clone(&self.key), Live::new(self.value.clone()))
    }
}

/// `system.state.get`: from here on every body starts with what was set before it.
pub(super) fn get(input: &Value, inputs: &Inputs<'_>) -> Result<Value, NodeDataError> {
    let value = inputs.value(key(input)).map(Live::to_value).transpose();
    let value = value.map_err(|error| NodeDataError::input(error.to_string()))?;
    let field = value.map(|value| ("value".to_owned(), value));
    Ok(Value::Object(field.into_iter().collect::<Map<_, _>>()))
}

/// `system.state.set`.
pub(super) fn set(mut input: Value) -> Emitted {
    let value = input.get_mut("value").map(Value::take);
    Emitted::only(Live::new(StateValue {
        key: key(&input).into(),
        value: value.unwrap_or_default(),
    }))
}

fn key(input: &Value) -> &str {
    input.get("key").and_then(Value::as_str).unwrap_or_default()
}

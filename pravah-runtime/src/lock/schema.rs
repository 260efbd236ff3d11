//! Whether states that were stored can be read as they are now.

use schemars::Schema;
use serde_json::Value;

use super::{sample::samples, version::whole_schema};
use crate::{
    graph::StateEntry,
    state::{Live, StateType},
};

/// Why states with this schema cannot be read as the type of a state, if that is known to be so. Values that the schema
/// allows are read as that type, since a schema does not say all that serde does, such as other names of a field. Where
/// even those of the type's own schema are refused, nothing is known.
pub(super) fn unreadable(stored: &Schema, state: &StateEntry) -> Option<String> {
    let (schema, type_of) = (state.schema?, state.type_of?);
    let schema = whole_schema(schema);
    if schema == *stored {
        return None;
    }
    let own = samples(schema.as_value());
    if own.iter().any(|value| error(value, type_of()).is_some()) {
        return None;
    }
    let stored = samples(stored.as_value());
    stored.iter().find_map(|value| error(value, type_of()))
}

fn error(value: &Value, as_type: StateType) -> Option<String> {
    let raw = serde_json::from_value(value.clone()).ok()?;
    let error = Live::raw(raw).check(as_type).err()?;
    // The place in a value that nobody has written says nothing.
    let text = error.to_string();
    let text = text.split(" at line ").next().unwrap_or_default();
    Some(text.to_owned())
}

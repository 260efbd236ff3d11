//! Whether states that were stored can be read as they are now.

use schemars::Schema;
use serde_json::Value;

use super::{sample::samples, version::whole_schema};
use crate::{
    engine::LoadOptions,
    state::{Live, SchemaOf, StateType},
};

/// Why states with this schema cannot be read as this type, if that is known to be so. Values that the schema
/// allows are read as that type, since a schema does not say all that serde does, such as other names of a field. Where
/// even those of the type's own schema are refused, nothing is known. What a migration reads can be read.
pub(super) fn unreadable(
    stored: &Schema,
    (schema, of_type): (SchemaOf, StateType),
    options: &LoadOptions,
) -> Option<String> {
    let schema = whole_schema(schema);
    if schema == *stored {
        return None;
    }
    let own = samples(schema.as_value());
    let mut own = own.iter().filter_map(live);
    if own.any(|live| live.check(of_type).is_err()) {
        return None;
    }
    let stored = samples(stored.as_value());
    let mut stored = stored.iter().filter_map(live);
    stored.find_map(|live| {
        let error = live.check(of_type).err()?;
        // The place in a value that nobody has written says nothing.
        let text = error.to_string();
        let text = text.split(" at line ").next().unwrap_or_default();
        (!options.can_migrate(&live, of_type)).then(|| text.to_owned())
    })
}

/// A value as a state of a snapshot.
fn live(value: &Value) -> Option<Live> {
    serde_json::from_value(value.clone()).ok().map(Live::raw)
}

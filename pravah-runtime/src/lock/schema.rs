//! Whether states that were stored can be read as they are now.

use schemars::Schema;
use serde_json::Value;

use super::{sample::samples, version::whole_schema};
use crate::{
    engine::{
        LoadOptions, SlotMigration,
        load_help::{self, FieldChanges},
    },
    state::{Live, SchemaOf, StateType},
};

/// Why states that were stored cannot be read.
pub(super) struct Unreadable {
    pub(super) why: String,
    /// Why migrations that look as if they were for it do not help.
    pub(super) migrations: Vec<String>,
    pub(super) help: String,
}

/// Why states under `key` with this schema cannot be read as this type, if that is known to be so. Values that the schema
/// allows are read as that type, since a schema does not say all that serde does, such as other names of a field. Where
/// even those of the type's own schema are refused, nothing is known. What a migration reads can be read.
pub(super) fn unreadable(
    (key, stored): (&str, &Schema),
    (schema, of_type): (SchemaOf, StateType),
    options: &LoadOptions,
) -> Option<Unreadable> {
    let schema = whole_schema(schema);
    if schema == *stored || refuses_its_own(&schema, of_type) {
        return None;
    }
    lives(stored).into_iter().find_map(|live| {
        let why = live.check(of_type).err()?.to_string();
        if options.can_migrate(&live, of_type) {
            return None;
        }
        let migrations = options.migrations();
        let fields = FieldChanges::of_schemas(stored.as_value(), schema.as_value());
        let has_migration = migrations.has_any_to(of_type);
        Some(Unreadable {
            migrations: migrations.why_not_migrated(key, &live, of_type),
            help: load_help::where_unreadable(key, &why, &fields, has_migration),
            why,
        })
    })
}

/// Why a migration cannot move states under a key with this schema, if that is known to be so.
pub(super) fn unmovable(
    (key, stored): (&str, &Schema),
    moving: &SlotMigration,
    options: &LoadOptions,
) -> Option<Unreadable> {
    let mut found = unreadable((key, stored), moving.form(), options)?;
    let reason = format!("{}, which moves it, takes another form", moving.name());
    found.migrations.insert(0, reason);
    let fields = FieldChanges::of_schemas(stored.as_value(), stored.as_value());
    found.help = load_help::for_migration(key, &fields);
    Some(found)
}

/// Whether a type refuses values of its schema, as one with a parser of its own may: then a schema says little of it.
pub(super) fn refuses_its_own(schema: &Schema, of_type: StateType) -> bool {
    let mut own = lives(schema).into_iter();
    own.any(|live| live.check(of_type).is_err())
}

/// Values of a schema, as states of a snapshot.
pub(super) fn lives(schema: &Schema) -> Vec<Live> {
    let samples = samples(schema.as_value());
    samples.iter().filter_map(live).collect()
}

/// A value as a state of a snapshot.
fn live(value: &Value) -> Option<Live> {
    serde_json::from_value(value.clone()).ok().map(Live::raw)
}

//! States, as the flow takes them.

use super::{
    super::stored::{Loaded, StoredState},
    Loader,
};
use crate::{
    engine::load_help::{self, FieldChanges},
    error::ErrorText,
    graph::{StateIx, Table},
    lock::whole_schema,
    state::Live,
};

impl Loader<'_> {
    /// A state of this type.
    pub(super) fn live(
        &mut self,
        table: &Table,
        state: StateIx,
        stored: StoredState<'_>,
    ) -> Loaded<Live> {
        self.as_state(table, state, stored.into_live())
    }

    /// The same state, or what a migration makes of it, where it cannot be read as this type.
    pub(super) fn as_state(&mut self, table: &Table, state: StateIx, live: Live) -> Loaded<Live> {
        let Err(error) = self.check_state(table, state, &live) else {
            return Ok(live);
        };
        let to = table.state(state).type_of.map(|type_of| type_of());
        match to.and_then(|to| self.migrations.migrate(&live, to)) {
            None => Err(self.unreadable((table, state), &live, error)),
            Some(migrated) => {
                if self.migrated.last() != Some(&self.at) {
                    self.migrated.push(self.at.clone());
                }
                migrated
            }
        }
    }

    /// Fails where the snapshot may be of another version and the state cannot be read as this type.
    fn check_state(
        &self,
        table: &Table,
        state: StateIx,
        live: &Live,
    ) -> Result<(), serde_json::Error> {
        let type_of = table.state(state).type_of.filter(|_| self.revalidates);
        type_of.map_or(Ok(()), |type_of| live.check(type_of()))
    }

    /// That a state cannot be read, and what would let it be.
    fn unreadable(
        &self,
        (table, state): (&Table, StateIx),
        live: &Live,
        error: serde_json::Error,
    ) -> ErrorText {
        let key = table.state_key(state);
        let entry = table.state(state);
        let fields = || {
            let schema = whole_schema(entry.schema?);
            let stored = serde_json::to_value(live).ok()?;
            Some(FieldChanges::of_value(&stored, schema.as_value()))
        };
        let fields = fields().unwrap_or_default();
        let to = entry.type_of.map(|type_of| type_of());
        let has_migration = to.is_some_and(|to| self.migrations.has_any_to(to));
        let why = error.to_string();
        let help = load_help::where_unreadable(key, &why, &fields, has_migration);
        let mut text = ErrorText::new(format!("`{key}` cannot be read"), error);
        let reasons = to.map(|to| self.migrations.why_not_migrated(key, live, to));
        for reason in reasons.into_iter().flatten() {
            text = text.followed_by(format_args!("; {reason}"));
        }
        text.with_help(help)
    }
}

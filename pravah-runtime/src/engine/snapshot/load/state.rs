//! States, as the flow takes them.

use super::{
    super::stored::{Loaded, StoredState},
    Loader,
};
use crate::{
    engine::load_help,
    error::ErrorText,
    graph::{StateIx, Table},
    state::Live,
};

impl Loader {
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
        let Err(why) = self.check_state(table, state, &live) else {
            return Ok(live);
        };
        let to = table.state(state).type_of.map(|type_of| type_of());
        match to.and_then(|to| self.migrations.migrate(&live, to)) {
            None => Err(why),
            Some(migrated) => {
                if self.migrated.last() != Some(&self.at) {
                    self.migrated.push(self.at.clone());
                }
                migrated
            }
        }
    }

    /// Fails where the snapshot may be of another version and the state cannot be read as this type.
    fn check_state(&self, table: &Table, state: StateIx, live: &Live) -> Loaded<()> {
        let type_of = table.state(state).type_of.filter(|_| self.revalidates);
        let checked = type_of.map_or(Ok(()), |type_of| live.check(type_of()));
        checked.map_err(|error| {
            let key = table.state_key(state);
            let text = ErrorText::new(format!("`{key}` cannot be read"), error);
            text.with_help(load_help::where_unreadable(key))
        })
    }
}

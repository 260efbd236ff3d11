//! What a run has returned.

use super::{
    super::{
        collect::enter,
        map::Map,
        migrate::SlotMigration,
        stored::{Key, Loaded, StoredState, sections},
    },
    Loader,
};
use crate::{engine::load_help, error::ErrorText, graph::Table, state::Live};

impl Loader<'_> {
    pub(super) fn output(
        &mut self,
        table: &Table,
        stored: Map<Key<'_>, StoredState<'_>>,
    ) -> Loaded<Option<Live>> {
        let mut output = None;
        for (key, state) in stored {
            let around = enter(&mut self.at, sections::output, &key);
            let live = match *key == **table.state_key(table.output) {
                true => state.into_live(),
                false => self.moved_output(table, &key, state.into_live())?,
            };
            output = Some(self.as_state(table, table.output, live)?.in_cell());
            self.at.truncate(around);
        }
        Ok(output)
    }

    /// What a migration makes of the output of a version that returned another state.
    fn moved_output(&mut self, table: &Table, key: &str, live: Live) -> Loaded<Live> {
        let output = table.state_key(table.output);
        let is_meant = |moving: &SlotMigration| moving.place() == **output;
        let Some(moving) = self.migrations.moving_to(key, &live, is_meant) else {
            let why = format!("the run has returned `{key}`, and the flow returns `{output}`");
            let why = ErrorText::from(why).with_help(load_help::where_output_differs(key, output));
            return Err(self.not_moved(table, key, why));
        };
        self.migrated.push(self.at.clone());
        self.migrations.move_state(moving, &live)
    }
}

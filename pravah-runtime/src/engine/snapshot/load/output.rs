//! What a run has returned.

use super::{
    super::{
        super::state::{End, RunState},
        collect::enter,
        map::Map,
        migrate::SlotMigration,
        stored::{Key, Loaded, StoredState, sections},
    },
    Loader,
};
use crate::{engine::load_help, error::ErrorText, graph::Table, state::Live};

/// Ends the run with the output of its flow, if there is one, or keeps that while the run waits for detached tasks.
pub(super) fn set_end(
    state: &mut RunState,
    output: Option<Live>,
    awaits_tasks: bool,
) -> Loaded<()> {
    match (output.is_some(), state.root.tokens.is_empty()) {
        (true, false) => return Err("it is finished, and yet states wait".into()),
        (false, true) => return Err("it is not finished, and yet no state waits".into()),
        _ => {}
    }
    match (awaits_tasks, output) {
        (true, None) => {
            Err("it waits for detached tasks, and the output of its flow is missing".into())
        }
        // None of them may be open: the host may have cancelled the last one, and the next step ends the run.
        (true, output) => {
            state.detached.returned = output;
            Ok(())
        }
        (false, Some(_)) if state.detached.has_open() => {
            Err("it is finished, and yet detached tasks go on".into())
        }
        (false, Some(output)) => {
            // A run that was cancelled stays so.
            state.end.get_or_insert(End::Done(output));
            Ok(())
        }
        (false, None) => Ok(()),
    }
}

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

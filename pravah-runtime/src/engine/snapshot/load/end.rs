//! How a run has ended.

use crate::{
    engine::{
        snapshot::stored::Loaded,
        state::{End, RunState},
    },
    state::Live,
};

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

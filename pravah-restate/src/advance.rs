//! The handler that runs a step and writes its result.

use std::{mem::take, sync::Arc, time::Duration};

use pravah_store::Status;
use restate_sdk::errors::TerminalError;

use crate::{
    cancel::CancelSignal,
    invocation::Invocation,
    message::Ended,
    object::{Handled, RunObject, send_tick},
    record::Record,
    state,
    step::{StepOutcome, StepWrites, Task},
};

impl RunObject {
    /// Runs a step, unless a later tick was sent.
    pub(crate) async fn tick(&self, call: &Invocation<'_>, number: u64) -> Handled<()> {
        let Some(mut record) = state::record(call).await? else {
            return Ok(());
        };
        if record.tick != number || record.status.has_ended() {
            return Ok(());
        }
        // Whoever cancels the run reads it while the step is running.
        call.set(state::INVOCATION, &call.id())?;
        let outcome = self.step(call, &record).await;
        // Also where somebody has cancelled this invocation, and not the run.
        let outcome = outcome.unwrap_or_else(|error| StepOutcome::Unreadable {
            error: error.message().to_owned(),
            at: record.updated_at,
        });
        match outcome {
            StepOutcome::Completed(writes) => write_step(call, record, *writes),
            StepOutcome::Unreadable { error, at } => {
                (record.status, record.updated_at) = (Status::Failed, at);
                (record.wake_at, record.is_tick_due) = (None, false);
                record.error = Some(error.clone());
                call.set(state::RECORD, &record)?;
                Err(TerminalError::new(error))
            }
            StepOutcome::NotInMemory => Err(TerminalError::new("the entries were not read")),
        }
    }

    /// Runs a step with the run that is in memory, or else with its entries.
    ///
    /// Which of the two it is is journaled, too: another attempt, perhaps in a process that does not have the run, asks
    /// Restate for the same in the same order.
    async fn step(&self, call: &Invocation<'_>, record: &Record) -> Handled<StepOutcome> {
        let inbox = state::inbox(call, record).await?;
        let info = record.info(state::run_key(call.key())?, None);
        let mut cancel = CancelSignal::new(call);
        let mut entries = None;
        loop {
            let is_read = entries.is_some();
            let task = Task {
                object: call.key().to_owned(),
                info: info.clone(),
                commit: record.commit.clone(),
                inbox: inbox.clone(),
                entries: entries.take(),
                cancel: cancel.receiver(),
            };
            let stepper = Arc::clone(&self.stepper);
            let step = call.run("step", async move || stepper.step(task).await);
            let outcome = cancel.watch(step).await?;
            if is_read || !matches!(outcome, StepOutcome::NotInMemory) {
                return Ok(outcome);
            }
            entries = Some(state::entries(call).await?);
        }
    }
}

/// Writes the result of a step.
fn write_step(call: &Invocation<'_>, mut record: Record, mut writes: StepWrites) -> Handled<()> {
    for key in &writes.cleared {
        call.clear(&state::of_entry(key));
    }
    for (key, json) in &writes.put {
        call.set(&state::of_entry(key), json)?;
    }
    remove_commands(call, &mut record, &mut writes);
    record.last_command = record.last_command.max(writes.seen);
    record.step = record.step.saturating_add(u64::from(writes.is_step));
    (record.status, record.updated_at) = (writes.status, writes.at);
    (record.wake_at, record.questions) = (writes.wake_at, writes.questions);
    (record.error, record.failed_steps) = (writes.error, writes.failed_steps);
    (record.commit, record.is_tick_due) = (writes.commit, false);
    if let Some(output) = &writes.output {
        call.set(state::OUTPUT, output)?;
    }
    if let Some(wait) = writes.next_tick {
        send_tick(call, &mut record, Duration::from_millis(wait));
    }
    if record.status.has_ended() {
        let ended = Ended::new(&record, writes.output);
        for id in take(&mut record.watchers) {
            call.resolve(&id, &ended);
        }
    }
    call.set(state::RECORD, &record)
}

/// Removes the commands that the run has taken or refused; all of them, if it has ended.
fn remove_commands(call: &Invocation<'_>, record: &mut Record, writes: &mut StepWrites) {
    let refused = take(&mut writes.refused);
    for refusal in &refused {
        let (number, error) = (refusal.number, &refusal.error);
        tracing::info!(run = call.key(), number, error, "a command was refused");
    }
    let (has_ended, inbox) = (writes.status.has_ended(), take(&mut record.inbox));
    let is_removed = |number: &u64| {
        let is_refused = refused.iter().any(|refusal| refusal.number == *number);
        has_ended || is_refused || writes.taken.contains(number)
    };
    let (removed, waiting): (Vec<u64>, Vec<u64>) = inbox.into_iter().partition(is_removed);
    for number in removed {
        call.clear(&state::of_command(number));
    }
    record.inbox = waiting;
    record.refuse(refused);
}

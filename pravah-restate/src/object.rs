//! The object that a run is: what its handlers do. Steps are in [`advance`](crate::advance).

use std::{collections::BTreeMap, sync::Arc, time::Duration};

use pravah_store::{
    Command, NewRun, Status, StoreError,
    host::{check_command, retry_after},
};
use restate_sdk::errors::TerminalError;
use serde_json::value::RawValue;

use crate::{
    cancel::CancelSignal,
    invocation::Invocation,
    message::{Answer, Cancel, CancelStep, Ended, RunStatus, Start},
    record::Record,
    start::{Started, Starter, start_run},
    state::{self, bad_request, conflict},
    step::Stepper,
};

/// A run as an object of Restate.
#[derive(Debug)]
pub(crate) struct RunObject {
    /// By the ids of flows.
    pub(crate) starters: BTreeMap<String, Starter>,
    pub(crate) stepper: Arc<Stepper>,
}

/// How often a cancel looks for a step to abort: for an hour and a half, as long as the run has not ended.
const MAX_CANCELS: u32 = 100;

/// What handlers return. No error of theirs is tried again.
pub(crate) type Handled<T> = Result<T, TerminalError>;

impl RunObject {
    /// Starts a run. Returns whether there was none of this key: otherwise nothing has changed.
    pub(crate) async fn start(&self, call: &Invocation<'_>, start: Start) -> Handled<bool> {
        if let Some(record) = state::record(call).await? {
            if record.flow == start.flow {
                return Ok(false);
            }
            let flow = record.flow;
            return Err(conflict(format!(
                "the run exists, and is of the flow `{flow}`"
            )));
        }
        let key = state::run_key(call.key())?;
        let Start { flow, input, tags } = start;
        let starter = *self.starters.get(&flow).ok_or_else(|| {
            TerminalError::new_with_code(404, format!("the flow `{flow}` is not served here"))
        })?;
        let new = NewRun::new(key.clone(), &*flow, Default::default());
        new.with_tags(tags.clone()).map_err(bad_request)?;
        // Another attempt would start it at another time.
        let started = call.run("start", async || start_run(starter, input, &key));
        let (entries, at) = match started.await? {
            Started::Entries { entries, at } => (entries, at),
            Started::Refused(error) => return Err(bad_request(error)),
        };
        for (key, json) in &entries {
            call.set(&state::of_entry(key), json)?;
        }
        let mut record = Record::start(flow, tags, at);
        send_tick(call, &mut record, Duration::ZERO);
        call.set(state::RECORD, &record)?;
        Ok(true)
    }

    /// Tells a run something. Returns the number of the command.
    pub(crate) async fn send(call: &Invocation<'_>, command: Command) -> Handled<u64> {
        let mut record = state::started(call).await?;
        check_not_ended(&record)?;
        push(call, &mut record, command).await
    }

    /// Answers a question that is open and has no answer.
    pub(crate) async fn answer(call: &Invocation<'_>, answer: Answer) -> Handled<u64> {
        let mut record = state::started(call).await?;
        check_not_ended(&record)?;
        let id = answer.question;
        let is_meant = |number: u64| answer.number.is_none_or(|meant| meant == number);
        let open = record.questions.iter().filter(|open| open.id == id);
        let open = open.map(|open| open.number);
        let mut open: Vec<u64> = open.filter(|number| is_meant(*number)).collect();
        if open.is_empty() {
            return Err(conflict(format!("no such question `{id}` is open")));
        }
        for row in state::inbox(call, &record).await? {
            if let Command::Answer { number, .. } = row.command {
                open.retain(|open| Some(*open) != number);
            }
        }
        let Some(&number) = open.first() else {
            return Err(conflict(format!("the question `{id}` is answered already")));
        };
        let command = Command::Answer {
            id,
            number: Some(number),
            answer: answer.answer,
        };
        push(call, &mut record, command).await
    }

    /// Ends a run: the running step is aborted.
    pub(crate) async fn cancel(call: &Invocation<'_>, cancel: Cancel) -> Handled<()> {
        let record = state::started(call).await?;
        check_not_ended(&record)?;
        // If no step is running.
        call.send("cancel_later", &cancel, Duration::ZERO);
        let reason = cancel.reason;
        let first = CancelStep {
            reason,
            told: None,
            attempt: 0,
        };
        Self::cancel_step(call, first).await
    }

    /// Aborts the running step. It comes back as long as the run has not ended: the next step may have been
    /// on its way, and what ends the run between two steps comes after it.
    pub(crate) async fn cancel_step(call: &Invocation<'_>, cancel: CancelStep) -> Handled<()> {
        let record = state::record(call).await?;
        if record.is_none_or(|record| record.status.has_ended()) {
            return Ok(());
        }
        let making: Option<String> = call.get(state::INVOCATION).await?;
        if let Some(making) = making
            .as_ref()
            .filter(|making| cancel.told.as_ref() != Some(*making))
        {
            CancelSignal::send(call, making, &cancel.reason);
        }
        if cancel.attempt < MAX_CANCELS {
            let next = CancelStep {
                told: making,
                attempt: cancel.attempt.saturating_add(1),
                ..cancel
            };
            call.send("cancel_step", &next, retry_after(next.attempt));
        }
        Ok(())
    }

    /// Ends a run between two steps, if it has not ended.
    pub(crate) async fn cancel_later(call: &Invocation<'_>, cancel: Cancel) -> Handled<()> {
        let record = state::record(call).await?;
        if let Some(mut record) = record.filter(|record| !record.status.has_ended()) {
            let reason = cancel.reason;
            push(call, &mut record, Command::Cancel { reason }).await?;
        }
        Ok(())
    }

    /// Resumes a failed run where it failed, and one whose tick was lost.
    pub(crate) async fn retry(call: &Invocation<'_>) -> Handled<()> {
        let mut record = state::started(call).await?;
        if !matches!(record.status, Status::Failed | Status::Ready) {
            return Err(wrong_status(&record));
        }
        (record.status, record.failed_steps) = (Status::Ready, 0);
        send_tick(call, &mut record, Duration::ZERO);
        call.set(state::RECORD, &record)
    }

    /// Where a run is.
    pub(crate) async fn status(call: &Invocation<'_>) -> Handled<RunStatus> {
        let record = state::started(call).await?;
        let output = output(call, &record).await?;
        Ok(RunStatus::new(record, output))
    }

    /// The output of a run, once it has ended.
    pub(crate) async fn result(call: &Invocation<'_>) -> Handled<Box<RawValue>> {
        let record = state::started(call).await?;
        let ended = match record.status.has_ended() {
            true => Ended::new(&record, output(call, &record).await?),
            false => {
                let (id, ended) = call.awakeable::<Ended>();
                call.send("watch", &id, Duration::ZERO);
                ended.await?
            }
        };
        ended.output.ok_or_else(|| {
            let (status, reason) = (ended.status, ended.error.unwrap_or_default());
            conflict(format!("the run is {status}: {reason}"))
        })
    }

    /// Tells an awakeable how the run ends.
    pub(crate) async fn watch(call: &Invocation<'_>, id: String) -> Handled<()> {
        let Some(mut record) = state::record(call).await? else {
            let gone = TerminalError::new_with_code(404, "the run was deleted");
            call.reject(&id, gone);
            return Ok(());
        };
        if record.status.has_ended() {
            let output = output(call, &record).await?;
            call.resolve(&id, &Ended::new(&record, output));
            return Ok(());
        }
        record.watchers.push(id);
        call.set(state::RECORD, &record)
    }

    /// Forgets a run that has ended.
    pub(crate) async fn delete(call: &Invocation<'_>) -> Handled<()> {
        let record = state::started(call).await?;
        if !record.status.has_ended() {
            return Err(wrong_status(&record));
        }
        call.clear_all();
        Ok(())
    }
}

/// Puts a command into the inbox, and sends a tick for a step that may take it.
async fn push(call: &Invocation<'_>, record: &mut Record, command: Command) -> Handled<u64> {
    let waiting = state::inbox(call, record).await?;
    let waiting = waiting.iter().map(|row| &row.command);
    let key = state::run_key(call.key())?;
    check_command(key.id(), &command, waiting).map_err(|error| match error {
        full @ StoreError::InboxFull { .. } => TerminalError::new_with_code(429, full.to_string()),
        error => bad_request(error),
    })?;
    record.last_command = record.last_command.saturating_add(1);
    let number = record.last_command;
    record.inbox.push(number);
    call.set(&state::of_command(number), &command)?;
    // Any step of a run that has failed would be another try.
    let may_step = record.status != Status::Failed || matches!(command, Command::Cancel { .. });
    if may_step && !record.is_tick_due {
        send_tick(call, record, Duration::ZERO);
    }
    call.set(state::RECORD, record)?;
    Ok(number)
}

/// Sends the next tick, after which all earlier ones do nothing.
pub(crate) fn send_tick(call: &Invocation<'_>, record: &mut Record, wait: Duration) {
    record.tick = record.tick.saturating_add(1);
    record.is_tick_due = wait.is_zero();
    call.send("tick", &record.tick, wait);
}

/// The output of a run that is done.
async fn output(call: &Invocation<'_>, record: &Record) -> Handled<Option<Box<RawValue>>> {
    match record.status {
        Status::Done => call.get(state::OUTPUT).await,
        _ => Ok(None),
    }
}

fn check_not_ended(record: &Record) -> Handled<()> {
    match record.status.has_ended() {
        true => Err(wrong_status(record)),
        false => Ok(()),
    }
}

fn wrong_status(record: &Record) -> TerminalError {
    conflict(format!("the run is {}", record.status))
}

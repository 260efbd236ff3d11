//! Which parts of what a store keeps are payloads.

use pravah_runtime::{Changes, Entries};
use serde_json::{Value, value::RawValue};

use super::{
    DecryptionError,
    envelope::{Envelope, as_json, is_encrypted},
    place::Place,
};
use crate::{
    Command, Commit, HistoryRow, InboxRow, LoadedRun, NewRun, Release, RunInfo, RunKey, StoreError,
    error::with_sources, json,
};

/// What goes into a store.
impl Envelope {
    pub(super) fn encrypt_start(&self, mut run: NewRun) -> Result<NewRun, StoreError> {
        run.entries = self.encrypt_changes(&run.key, &run.entries)?;
        Ok(run)
    }

    fn encrypt_changes(&self, run: &RunKey, changes: &Changes) -> Result<Changes, StoreError> {
        changes.try_map_values(|key, json| {
            let text = self.encrypt((run, Place::Entry(key)), json)?;
            let value = RawValue::from_string(as_json(&text));
            value.map_err(|error| StoreError::not_storable("an entry", error))
        })
    }

    pub(super) fn encrypt_commit(
        &self,
        run: &RunKey,
        mut commit: Commit,
    ) -> Result<Commit, StoreError> {
        commit.changes = self.encrypt_changes(run, &commit.changes)?;
        // What is nested too deeply is text once it is encrypted, and would be found when it is read.
        json::to_round_trip_json("the questions of a run", &commit.questions)?;
        for question in &mut commit.questions {
            let place = Place::Question(question.number);
            let text = self.encrypt((run, place), &question.value.to_string())?;
            question.value = Value::String(text);
        }
        for refusal in &mut commit.refused {
            let place = Place::Refusal(refusal.number);
            refusal.error = self.encrypt((run, place), &refusal.error)?;
        }
        if let Some(output) = commit.output.take() {
            let text = self.encrypt((run, Place::Output), &output)?;
            commit.output = Some(as_json(&text));
        }
        if let Some(error) = commit.error.take() {
            commit.error = Some(self.encrypt_error(run, &error)?);
        }
        Ok(commit)
    }

    pub(super) fn encrypt_release(
        &self,
        run: &RunKey,
        release: Release,
    ) -> Result<Release, StoreError> {
        Ok(match release {
            Release::Stopped => Release::Stopped,
            Release::Failed { error, retry_at } => Release::Failed {
                error: self.encrypt_error(run, &error)?,
                retry_at,
            },
            Release::Parked { error } => Release::Parked {
                error: self.encrypt_error(run, &error)?,
            },
        })
    }

    fn encrypt_error(&self, run: &RunKey, error: &str) -> Result<String, StoreError> {
        self.encrypt((run, Place::Error), error)
    }

    /// A command with what a store looks at, and all of it as the encrypted payload.
    pub(super) fn encrypt_command(
        &self,
        run: &RunKey,
        command: &Command,
    ) -> Result<Command, StoreError> {
        if matches!(command, Command::Pause | Command::Unpause) {
            return Ok(command.clone());
        }
        let text = self.encrypt((run, Place::Command), &command.to_json()?)?;
        Ok(covered(command, text))
    }
}

/// What comes out of a store.
impl Envelope {
    pub(super) fn decrypt_loaded(&self, loaded: LoadedRun) -> Result<LoadedRun, StoreError> {
        let info = self.decrypt_info(loaded.info)?;
        let entries = self.decrypt_entries(&info.key, &loaded.entries)?;
        let inbox = self.decrypt_inbox(&info.key, loaded.inbox)?;
        Ok(LoadedRun::new(info, entries, inbox))
    }

    pub(super) fn decrypt_entries(
        &self,
        run: &RunKey,
        entries: &Entries,
    ) -> Result<Entries, StoreError> {
        let mut decrypted = Entries::default();
        for (key, json) in entries {
            let value = self.decrypt_json((run, Place::Entry(key)), json)?;
            let inserted = decrypted.insert(key, value);
            inserted.map_err(|error| StoreError::corrupt("an entry", error))?;
        }
        Ok(decrypted)
    }

    pub(super) fn decrypt_inbox(
        &self,
        run: &RunKey,
        rows: Vec<InboxRow>,
    ) -> Result<Vec<InboxRow>, StoreError> {
        // A run that is cancelled needs no other command.
        let is_cancelled = rows.iter().any(|row| row.command.is_cancel());
        let rows = rows.into_iter().map(|row| self.decrypt_row(run, row));
        rows.filter(|row| row.is_ok() || !is_cancelled).collect()
    }

    /// A command that was given without the cipher, or changed, or encrypted with other bytes under the id of a known key, is
    /// one that no run takes: it does not stand in the way of others. What is encrypted with a key of another id can be read by
    /// a worker that has that.
    fn decrypt_row(&self, run: &RunKey, row: InboxRow) -> Result<InboxRow, StoreError> {
        let command = match self.decrypt_command(run, &row.command) {
            Ok(command) => command,
            // Its kind says enough: a run that cannot be decrypted can still be cancelled.
            Err(error) if row.command.is_cancel() => {
                let why = with_sources(&error);
                let reason = format!("it was cancelled, and the reason cannot be read: {why}");
                Command::Cancel { reason }
            }
            Err(error) if is_permanent(&error) => return Ok(row.with_error(with_sources(&error))),
            Err(error) => return Err(error),
        };
        Ok(InboxRow { command, ..row })
    }

    fn decrypt_command(&self, run: &RunKey, command: &Command) -> Result<Command, StoreError> {
        let text = match command {
            Command::Answer { answer: value, .. } | Command::Emit { value, .. } => value.as_str(),
            Command::Message { text, .. } | Command::Cancel { reason: text } => Some(&**text),
            Command::Pause | Command::Unpause => return Ok(command.clone()),
        };
        let Some(json) = self.decrypt((run, Place::Command), text)? else {
            return Ok(command.clone());
        };
        let sent = serde_json::from_str(&json);
        let sent = sent.map_err(|error| StoreError::corrupt("a command", error))?;
        let text = text.unwrap_or_default().to_owned();
        if covered(&sent, text) != *command {
            let error = DecryptionError::WrongCommand;
            return Err(StoreError::decryption(Place::Command.to_string(), error));
        }
        Ok(sent)
    }

    pub(super) fn decrypt_info(&self, mut info: RunInfo) -> Result<RunInfo, StoreError> {
        match self.decrypt_info_in_place(&mut info) {
            Some(error) => Err(error),
            None => Ok(info),
        }
    }

    /// What can be decrypted of a run; its error says what cannot, which hides no other run.
    pub(super) fn decrypt_listed(&self, mut info: RunInfo) -> RunInfo {
        if let Some(error) = self.decrypt_info_in_place(&mut info) {
            info.error = Some(with_sources(&error));
        }
        info
    }

    /// Leaves out what cannot be decrypted, and returns the first error.
    fn decrypt_info_in_place(&self, info: &mut RunInfo) -> Option<StoreError> {
        let mut problem = None;
        info.questions.retain_mut(|question| {
            let place = (&info.key, Place::Question(question.number));
            let value = self.decrypt_value(place, &question.value);
            let value = value.map_err(|error| problem.get_or_insert(error));
            value.map(|value| question.value = value).is_ok()
        });
        info.output = info.output.take().and_then(|output| {
            let output = self.decrypt_json((&info.key, Place::Output), &output);
            output.map_err(|error| problem.get_or_insert(error)).ok()
        });
        info.error = info
            .error
            .take()
            .map(|error| self.decrypt_error(&info.key, error));
        problem
    }

    /// Stores have errors of their own, without payloads. An error is read by people only: one that cannot be decrypted,
    /// because a worker with another key has written it, keeps no run from being resumed.
    fn decrypt_error(&self, run: &RunKey, error: String) -> String {
        if !is_encrypted(&error) {
            return error;
        }
        match self.decrypt((run, Place::Error), Some(&error)) {
            Ok(decrypted) => decrypted.unwrap_or(error),
            Err(problem) if is_of_another_key(&problem) => format!(
                "the error was written with another key: a worker with another key could not read this run ({})",
                with_sources(&problem)
            ),
            Err(problem) => with_sources(&problem),
        }
    }

    pub(super) fn decrypt_history(
        &self,
        run: &RunKey,
        mut rows: Vec<HistoryRow>,
    ) -> Result<Vec<HistoryRow>, StoreError> {
        for refusal in rows.iter_mut().flat_map(|row| &mut row.refused) {
            let place = Place::Refusal(refusal.number);
            if let Some(error) = self.decrypt((run, place), Some(&refusal.error))? {
                refusal.error = error;
            }
        }
        Ok(rows)
    }

    fn decrypt_json(&self, place: (&RunKey, Place<'_>), json: &str) -> Result<String, StoreError> {
        let text = json.strip_prefix('"').and_then(|it| it.strip_suffix('"'));
        let decrypted = self.decrypt(place, text)?;
        Ok(decrypted.unwrap_or_else(|| json.to_owned()))
    }

    fn decrypt_value(
        &self,
        (run, place): (&RunKey, Place<'_>),
        value: &Value,
    ) -> Result<Value, StoreError> {
        match self.decrypt((run, place), value.as_str())? {
            Some(json) => serde_json::from_str(&json)
                .map_err(|error| StoreError::decryption(place.to_string(), error)),
            None => Ok(value.clone()),
        }
    }
}

/// Whether a command will not be read, of a run that can be.
fn is_permanent(error: &StoreError) -> bool {
    matches!(
        reason(error),
        Some(
            DecryptionError::NotEncrypted
                | DecryptionError::NotAuthentic { .. }
                | DecryptionError::Damaged
                | DecryptionError::WrongCommand
        )
    )
}

/// Whether another key may have written what cannot be read.
fn is_of_another_key(error: &StoreError) -> bool {
    matches!(
        reason(error),
        Some(DecryptionError::UnknownKey { .. } | DecryptionError::NotAuthentic { .. })
    )
}

fn reason(error: &StoreError) -> Option<&DecryptionError> {
    match error {
        StoreError::Decryption { source, .. } => source.downcast_ref(),
        _ => None,
    }
}

/// A command of which only this can be read: its kind, and what it is for. `text` is in place of its payload.
fn covered(command: &Command, text: String) -> Command {
    match command {
        Command::Answer { id, number, .. } => Command::Answer {
            id: id.clone(),
            number: *number,
            answer: Value::String(text),
        },
        // The name of an event may have data in it: `paid:7`.
        Command::Emit { .. } => Command::Emit {
            name: String::new(),
            value: Value::String(text),
        },
        Command::Message { node, .. } => Command::Message {
            node: node.clone(),
            text,
        },
        Command::Cancel { .. } => Command::Cancel { reason: text },
        Command::Pause => Command::Pause,
        Command::Unpause => Command::Unpause,
    }
}

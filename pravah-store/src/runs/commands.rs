//! Commands to runs.

use serde::Serialize;
use serde_json::Value;

use super::Runs;
#[cfg(doc)]
use crate::HistoryRow;
use crate::{Command, InboxRow, RunInfo, StoreError};

/// Commands: each returns once it is stored.
impl Runs {
    /// Answers a question. If one of this id is open, the answer is for that one and no later one; otherwise it waits
    /// until one is asked. It returns once the answer is stored: its result is in the
    /// [`history`](Self::history), as [taken](HistoryRow::taken) or [refused](HistoryRow::refused) under the number
    /// that this returns.
    ///
    /// An answer whose id is misspelt waits for its question until the run ends: [`answer_open`](Self::answer_open) refuses
    /// it.
    ///
    /// # Errors
    ///
    /// Those of [`send`](Self::send); [`StoreError::NotStorable`] if the answer cannot be written as JSON.
    pub async fn answer(
        &self,
        id: &str,
        question: &str,
        answer: impl Serialize,
    ) -> Result<u64, StoreError> {
        let answer = to_json(answer)?;
        let info = self.status(id).await?;
        let number = number_of(&info, question);
        self.send(id, answer_to(question, number, answer)).await
    }

    /// Answers a question that is open: [`answer`](Self::answer) for whoever has seen it.
    ///
    /// # Errors
    ///
    /// Those of [`answer`](Self::answer); [`StoreError::NotAsked`] if no question of this id is open.
    pub async fn answer_open(
        &self,
        id: &str,
        question: &str,
        answer: impl Serialize,
    ) -> Result<u64, StoreError> {
        let answer = to_json(answer)?;
        let info = self.status(id).await?;
        if info.status.has_ended() {
            return Err(StoreError::wrong_status("push a command", id, info.status));
        }
        let Some(number) = number_of(&info, question) else {
            let open = info.questions.into_iter().map(|open| open.id);
            return Err(StoreError::not_asked(id, question, open.collect()));
        };
        let command = answer_to(question, Some(number), answer);
        self.send(id, command).await
    }

    /// Emits an event, which the first gate that waits for its name takes; see
    /// [`Hub::emit`](pravah_runtime::Hub::emit).
    ///
    /// # Errors
    ///
    /// Those of [`send`](Self::send); [`StoreError::NotStorable`] if the value cannot be written as JSON.
    pub async fn emit(
        &self,
        id: &str,
        name: impl Into<String>,
        value: impl Serialize,
    ) -> Result<u64, StoreError> {
        let (name, value) = (name.into(), to_json(value)?);
        self.send(id, Command::Emit { name, value }).await
    }

    /// Ends a run: a step that is being executed is aborted.
    ///
    /// # Errors
    ///
    /// Those of [`send`](Self::send).
    pub async fn cancel(&self, id: &str, reason: impl Into<String>) -> Result<u64, StoreError> {
        let reason = reason.into();
        self.send(id, Command::Cancel { reason }).await
    }

    /// Puts any command into the inbox of a run, and returns its number there.
    ///
    /// # Errors
    ///
    /// [`StoreError::NotFound`]; [`StoreError::WrongStatus`] if the run has ended; [`StoreError::InboxFull`];
    /// [`StoreError::NotStorable`] if it is nested so deeply that it could not be read again.
    pub async fn send(&self, id: &str, command: Command) -> Result<u64, StoreError> {
        self.store.push(&self.key(id)?, command).await
    }

    /// The commands that wait in the inbox of a run, in their order: it has neither taken nor refused them yet. An answer
    /// to a question that is never asked stays here.
    ///
    /// # Errors
    ///
    /// [`StoreError::NotFound`]; [`StoreError::Corrupt`] or [`StoreError::Decryption`] if one of them cannot be read.
    pub async fn commands(&self, id: &str) -> Result<Vec<InboxRow>, StoreError> {
        self.store.inbox(&self.key(id)?, 0).await
    }

    /// Lets a run that has failed try again where it failed.
    ///
    /// # Errors
    ///
    /// [`StoreError::NotFound`]; [`StoreError::WrongStatus`] if it has not failed.
    pub async fn retry(&self, id: &str) -> Result<(), StoreError> {
        self.store.retry(&self.key(id)?).await
    }
}

/// The number of the first open question of this id.
fn number_of(info: &RunInfo, question: &str) -> Option<u64> {
    let open = info.questions.iter().find(|open| open.id == question);
    open.map(|open| open.number)
}

fn answer_to(question: &str, number: Option<u64>, answer: Value) -> Command {
    Command::Answer {
        id: question.to_owned(),
        number,
        answer,
    }
}

fn to_json(value: impl Serialize) -> Result<Value, StoreError> {
    serde_json::to_value(value).map_err(|error| StoreError::not_storable("a value", error))
}

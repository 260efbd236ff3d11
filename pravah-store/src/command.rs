//! Commands to runs.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{Status, StoreError, json};

/// How many commands may wait in the inbox of a run. One to cancel it may come on top.
const MAX_COMMANDS: usize = 1024;

/// How many answers may wait for questions that are not asked yet: others have room for theirs.
const MAX_EARLY_ANSWERS: usize = 256;

/// How many commands wait in the inbox of a run.
pub(crate) struct Waiting {
    pub(crate) all: usize,
    pub(crate) cancels: usize,
    /// The answers to questions that were not open when they came.
    pub(crate) early: usize,
}

impl Waiting {
    /// Counts commands.
    pub(crate) fn of<'a>(commands: impl Iterator<Item = &'a Command> + Clone) -> Self {
        Self {
            all: commands.clone().count(),
            cancels: commands.clone().filter(|it| it.is_cancel()).count(),
            early: commands.filter(|it| it.is_early()).count(),
        }
    }
}

/// What anybody may send to a run, whether or not somebody executes its steps. Stores keep commands in their order; a step
/// that takes one removes it in its own commit.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
#[non_exhaustive]
pub enum Command {
    /// Answers a question.
    Answer {
        /// Its id.
        id: String,
        /// Which of the questions of the run it is. Without it the answer waits until a question of this id is asked.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        number: Option<u64>,
        /// The answer.
        answer: Value,
    },
    /// Emits an event; see [`Hub::emit`](pravah_runtime::Hub::emit).
    Emit {
        /// Its name.
        name: String,
        /// Its value.
        value: Value,
    },
    /// Sends a message to the agent at a node; see [`Hub::send_to`](pravah_runtime::Hub::send_to).
    Message {
        /// The node.
        node: String,
        /// The message.
        text: String,
    },
    /// Pauses the run: it executes no further step.
    Pause,
    /// Resumes a run that was paused.
    Unpause,
    /// Ends the run.
    Cancel {
        /// Why.
        reason: String,
    },
}

impl Command {
    /// Whether it is an answer to a question that was not open when it came.
    pub(crate) fn is_early(&self) -> bool {
        matches!(self, Self::Answer { number: None, .. })
    }

    /// Its JSON, if that can be read again.
    pub(crate) fn to_json(&self) -> Result<String, StoreError> {
        json::to_round_trip_json("a command", self)
    }

    /// Fails where the inbox of a run has no room for it.
    pub(crate) fn check_room(&self, run: &str, waiting: &Waiting) -> Result<(), StoreError> {
        let is_first_cancel = self.is_cancel() && waiting.cancels == 0;
        if self.is_early() && waiting.early >= MAX_EARLY_ANSWERS {
            return Err(StoreError::inbox_full(run, MAX_EARLY_ANSWERS));
        }
        if waiting.all >= MAX_COMMANDS && !is_first_cancel {
            return Err(StoreError::inbox_full(run, MAX_COMMANDS));
        }
        Ok(())
    }

    /// Whether it is a reason to claim a run in this status. Any step of a run that has failed would be another try.
    pub(crate) fn wakes(&self, status: Status) -> bool {
        status != Status::Failed || self.is_cancel()
    }

    pub(crate) fn is_cancel(&self) -> bool {
        matches!(self, Self::Cancel { .. })
    }
}

/// A command in the inbox of a run.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct InboxRow {
    /// Its number in the run, from 1.
    pub number: u64,
    /// The command.
    pub command: Command,
    /// Why no run can take it, now or later: it is refused.
    pub error: Option<String>,
}

impl InboxRow {
    /// A command with its number.
    pub fn new(number: u64, command: Command) -> Self {
        Self {
            number,
            command,
            error: None,
        }
    }

    /// The same command, which no run can take.
    #[must_use]
    pub fn with_error(mut self, error: impl Into<String>) -> Self {
        self.error = Some(error.into());
        self
    }
}

/// A command that the run could not take.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Refusal {
    /// Its number in the inbox.
    pub number: u64,
    /// Why.
    pub error: String,
}

impl Refusal {
    /// A refusal of the command of this number.
    pub fn new(number: u64, error: impl Into<String>) -> Self {
        let error = error.into();
        Self { number, error }
    }
}

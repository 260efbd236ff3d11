//! What handlers take and return, as JSON.

use std::collections::BTreeMap;

use pravah_store::{Question, Refusal, RunInfo, RunKey, Status};
use serde::{Deserialize, Serialize};
use serde_json::{Value, value::RawValue};

use crate::record::Record;

/// What `start` takes.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Start {
    /// The id of the flow.
    pub(crate) flow: String,
    pub(crate) input: Value,
    #[serde(default)]
    pub(crate) tags: BTreeMap<String, String>,
}

/// What `answer` takes.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Answer {
    /// The id of the question.
    pub(crate) question: String,
    /// Which one, where several of that id are open; otherwise the first without an answer.
    #[serde(default)]
    pub(crate) number: Option<u64>,
    pub(crate) answer: Value,
}

/// What `cancel` takes.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Cancel {
    #[serde(default)]
    pub(crate) reason: String,
}

/// What `cancel_step` takes.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct CancelStep {
    pub(crate) reason: String,
    /// The invocation that was told already.
    pub(crate) told: Option<String>,
    /// How often this was asked before.
    pub(crate) attempt: u32,
}

/// What `status` returns. Times are in milliseconds since 1970.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct RunStatus {
    pub(crate) flow: String,
    pub(crate) status: Status,
    #[serde(default)]
    pub(crate) tags: BTreeMap<String, String>,
    pub(crate) step: u64,
    #[serde(default)]
    pub(crate) questions: Vec<Question>,
    #[serde(default)]
    pub(crate) error: Option<String>,
    pub(crate) created_at: u64,
    pub(crate) updated_at: u64,
    #[serde(default)]
    pub(crate) wake_at: Option<u64>,
    #[serde(default)]
    pub(crate) failed_steps: u32,
    #[serde(default)]
    pub(crate) refused: Vec<Refusal>,
    #[serde(default)]
    pub(crate) output: Option<Box<RawValue>>,
}

impl RunStatus {
    pub(crate) fn new(record: Record, output: Option<Box<RawValue>>) -> Self {
        Self {
            flow: record.flow,
            status: record.status,
            tags: record.tags,
            step: record.step,
            questions: record.questions,
            error: record.error,
            created_at: record.created_at,
            updated_at: record.updated_at,
            wake_at: record.wake_at,
            failed_steps: record.failed_steps,
            refused: record.refused,
            output,
        }
    }

    /// The same as stores say it.
    pub(crate) fn info(self, key: RunKey) -> RunInfo {
        let mut record = Record::start(self.flow, self.tags, self.created_at);
        record.status = self.status;
        record.step = self.step;
        record.questions = self.questions;
        record.error = self.error;
        record.updated_at = self.updated_at;
        record.wake_at = self.wake_at;
        record.failed_steps = self.failed_steps;
        let output = self.output.map(|json| String::from(Box::<str>::from(json)));
        record.info(key, output)
    }
}

/// How a run has ended, as those hear who wait for it.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Ended {
    pub(crate) status: Status,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) output: Option<Box<RawValue>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) error: Option<String>,
}

impl Ended {
    pub(crate) fn new(record: &Record, output: Option<Box<RawValue>>) -> Self {
        Self {
            status: record.status,
            output,
            error: record.error.clone(),
        }
    }
}

//! What is kept of a run beside its entries.

use std::{
    collections::BTreeMap,
    time::{Duration, SystemTime, UNIX_EPOCH},
};

use pravah_store::{Question, Refusal, RunInfo, RunKey, Status};
use serde::{Deserialize, Serialize};

/// The newest format that this version reads and writes.
pub(crate) const FORMAT: u32 = 1;

/// How many refused commands are remembered.
const KEPT_REFUSALS: usize = 16;

/// What is known of a run without its entries, output and commands. Times are in milliseconds since 1970.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Record {
    pub(crate) format: u32,
    pub(crate) flow: String,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub(crate) tags: BTreeMap<String, String>,
    pub(crate) status: Status,
    pub(crate) created_at: u64,
    pub(crate) updated_at: u64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) wake_at: Option<u64>,
    /// How many steps were committed.
    pub(crate) step: u64,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) questions: Vec<Question>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) error: Option<String>,
    /// How many steps in a row could not run.
    #[serde(default)]
    pub(crate) failed_steps: u32,
    /// The number of the last tick that was sent. Earlier ones do nothing.
    pub(crate) tick: u64,
    /// Whether that tick was sent without a delay, and was not taken yet.
    pub(crate) is_tick_due: bool,
    /// Another text after each step: a run in the memory of a process is the one of this record if it has the same.
    pub(crate) commit: String,
    /// The number of the last command that came.
    pub(crate) last_command: u64,
    /// The numbers of the commands that the run has not taken, in order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) inbox: Vec<u64>,
    /// The last commands that the run could not take.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) refused: Vec<Refusal>,
    /// The awakeables of those who wait for the end.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) watchers: Vec<String>,
}

impl Record {
    /// That of a run before its first step, whose first tick is sent.
    pub(crate) fn start(flow: String, tags: BTreeMap<String, String>, now: u64) -> Self {
        Self {
            format: FORMAT,
            flow,
            tags,
            status: Status::Ready,
            created_at: now,
            updated_at: now,
            wake_at: None,
            step: 0,
            questions: Vec::new(),
            error: None,
            failed_steps: 0,
            tick: 0,
            is_tick_due: false,
            commit: String::new(),
            last_command: 0,
            inbox: Vec::new(),
            refused: Vec::new(),
            watchers: Vec::new(),
        }
    }

    pub(crate) fn refuse(&mut self, refused: Vec<Refusal>) {
        self.refused.extend(refused);
        let surplus = self.refused.len().saturating_sub(KEPT_REFUSALS);
        self.refused.drain(..surplus);
    }

    /// The same as stores say it.
    pub(crate) fn info(&self, key: RunKey, output: Option<String>) -> RunInfo {
        let created_at = to_time(self.created_at);
        let mut info = RunInfo::new(key, self.flow.clone(), self.status, created_at);
        info.tags = self.tags.clone();
        info.updated_at = to_time(self.updated_at);
        info.wake_at = self.wake_at.map(to_time);
        info.step = self.step;
        info.questions = self.questions.clone();
        info.output = output;
        info.error = self.error.clone();
        info.failed_claims = self.failed_steps;
        info
    }
}

pub(crate) fn to_millis(time: SystemTime) -> u64 {
    let since = time.duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
}

fn to_time(millis: u64) -> SystemTime {
    let since = Duration::from_millis(millis);
    UNIX_EPOCH.checked_add(since).unwrap_or(UNIX_EPOCH)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_record_of_an_earlier_version_is_read() {
        let json = r#"{
            "format": 1, "flow": "Order", "status": "suspended", "created_at": 5, "updated_at": 7,
            "step": 2, "tick": 3, "is_tick_due": false, "commit": "c", "last_command": 0
        }"#;
        let record: Record = serde_json::from_str(json).unwrap();
        let info = record.info(RunKey::new("7").unwrap(), None);
        assert_eq!((info.status, info.step), (Status::Suspended, 2));
        assert_eq!(info.updated_at, UNIX_EPOCH + Duration::from_millis(7));
    }

    #[test]
    fn only_the_last_refusals_are_kept() {
        let mut record = Record::start("Order".into(), BTreeMap::new(), 0);
        for number in 1..=20 {
            record.refuse(vec![Refusal::new(number, "no")]);
        }
        let numbers: Vec<_> = record.refused.iter().map(|it| it.number).collect();
        assert_eq!(numbers, (5..=20).collect::<Vec<_>>());
    }
}

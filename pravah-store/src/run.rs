//! What a store knows of a run.

use std::{collections::BTreeMap, fmt, time::SystemTime};

use pravah_runtime::{Changes, Entries, StepKind, Suspension};
use serde::{Deserialize, Serialize, Serializer, ser::Error as _};
use serde_json::{Value, value::RawValue};

use crate::{InboxRow, Refusal, RunKey, StoreError, key::check_tags, time};

/// Where a run is, in one word.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Status {
    /// A step can be executed.
    Ready,
    /// It waits for a time.
    Waiting,
    /// It waits for answers.
    Suspended,
    /// It executes no step until it is resumed.
    Paused,
    /// A node failed with nothing left to try, or no worker could execute a step: it waits for a
    /// [retry](crate::Runs::retry).
    Failed,
    /// It has its output.
    Done,
    /// It was cancelled.
    Cancelled,
}

impl Status {
    const ALL: [Self; 7] = [
        Self::Ready,
        Self::Waiting,
        Self::Suspended,
        Self::Paused,
        Self::Failed,
        Self::Done,
        Self::Cancelled,
    ];

    /// Whether the run will never execute a step again.
    pub fn has_ended(self) -> bool {
        matches!(self, Self::Done | Self::Cancelled)
    }

    /// The status that has this [`name`](Self::name).
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|status| status.name() == name)
    }

    /// The word for it, such as `suspended`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Ready => "ready",
            Self::Waiting => "waiting",
            Self::Suspended => "suspended",
            Self::Paused => "paused",
            Self::Failed => "failed",
            Self::Done => "done",
            Self::Cancelled => "cancelled",
        }
    }
}

impl fmt::Display for Status {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A question that a run has asked, and that is open.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Question {
    /// What to answer it under.
    pub id: String,
    /// Which of the questions of the run it is, from 0: an id may be asked under again, a number is not.
    pub number: u64,
    /// What it asks; that of a gate is a [`GateQuestion`](pravah_runtime::GateQuestion).
    pub value: Value,
    /// When it fails if nobody has answered.
    #[serde(
        default,
        with = "time::optional",
        skip_serializing_if = "Option::is_none"
    )]
    pub until: Option<SystemTime>,
}

impl From<Suspension> for Question {
    fn from(suspension: Suspension) -> Self {
        Self {
            id: suspension.tool_id,
            number: suspension.number,
            value: suspension.value,
            until: suspension.until,
        }
    }
}

/// What a store knows of a run without its entries. As JSON its times are in milliseconds since 1970.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct RunInfo {
    /// Its id and tenant.
    #[serde(flatten)]
    pub key: RunKey,
    /// The id of its flow.
    pub flow: String,
    /// The tags that it was started with.
    pub tags: BTreeMap<String, String>,
    /// Where it is.
    pub status: Status,
    /// When it was started.
    #[serde(serialize_with = "time::serialize")]
    pub created_at: SystemTime,
    /// When a step was last committed, or its status last changed.
    #[serde(serialize_with = "time::serialize")]
    pub updated_at: SystemTime,
    /// From when a worker may claim it; `None` where only a command helps.
    #[serde(with = "time::optional")]
    pub wake_at: Option<SystemTime>,
    /// How many steps were committed.
    pub step: u64,
    /// The questions that are open, in the order in which they were asked.
    pub questions: Vec<Question>,
    /// Its output as JSON, once it is done.
    #[serde(serialize_with = "json")]
    pub output: Option<String>,
    /// Why it has failed or was cancelled, or why the last worker that claimed it executed no step.
    pub error: Option<String>,
    /// How many claims in a row have committed nothing, with the one that is being executed.
    pub failed_claims: u32,
    /// The run that it was forked from, and after which of its steps.
    pub forked_from: Option<(String, u64)>,
}

impl RunInfo {
    /// A run that was started at `created_at`, and of which nothing else is known.
    pub fn new(
        key: RunKey,
        flow: impl Into<String>,
        status: Status,
        created_at: SystemTime,
    ) -> Self {
        Self {
            key,
            flow: flow.into(),
            tags: BTreeMap::new(),
            status,
            created_at,
            updated_at: created_at,
            wake_at: None,
            step: 0,
            questions: Vec::new(),
            output: None,
            error: None,
            failed_claims: 0,
            forked_from: None,
        }
    }
}

/// A text that is JSON, as what it means.
fn json<S: Serializer>(text: &Option<String>, serializer: S) -> Result<S::Ok, S::Error> {
    let value = text.as_deref().map(serde_json::from_str::<&RawValue>);
    let value = value.transpose().map_err(S::Error::custom)?;
    value.serialize(serializer)
}

/// A run that is about to start.
#[derive(Clone, Debug)]
pub struct NewRun {
    pub(crate) key: RunKey,
    pub(crate) flow: String,
    pub(crate) tags: BTreeMap<String, String>,
    pub(crate) entries: Changes,
}

impl NewRun {
    /// A run of the flow of this id, with the [changes](pravah_runtime::FlowRuntime::take_changes) of a run that
    /// has executed no step.
    pub fn new(key: RunKey, flow: impl Into<String>, entries: Changes) -> Self {
        Self {
            key,
            flow: flow.into(),
            tags: BTreeMap::new(),
            entries,
        }
    }

    /// The same with these tags.
    ///
    /// # Errors
    ///
    /// [`StoreError::InvalidName`] if there are more than 32, or one is empty, longer than 256 bytes, or has a control
    /// character.
    pub fn with_tags(mut self, tags: BTreeMap<String, String>) -> Result<Self, StoreError> {
        check_tags(tags.iter())?;
        self.tags = tags;
        Ok(self)
    }

    /// Its id and tenant.
    pub fn key(&self) -> &RunKey {
        &self.key
    }

    /// The id of its flow.
    pub fn flow(&self) -> &str {
        &self.flow
    }

    /// The tags.
    pub fn tags(&self) -> &BTreeMap<String, String> {
        &self.tags
    }

    /// The first entries.
    pub fn entries(&self) -> &Changes {
        &self.entries
    }
}

/// All that is needed to resume a run.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct LoadedRun {
    /// What is known of it.
    pub info: RunInfo,
    /// Its entries as of the last commit.
    pub entries: Entries,
    /// The commands that it has not taken, in their order.
    pub inbox: Vec<InboxRow>,
}

impl LoadedRun {
    /// A run that a store has read.
    pub fn new(info: RunInfo, entries: Entries, inbox: Vec<InboxRow>) -> Self {
        Self {
            info,
            entries,
            inbox,
        }
    }
}

/// One commit of a run. As JSON its time is in milliseconds since 1970.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct HistoryRow {
    /// Which one, from 1; 0 is the start.
    pub step: u64,
    /// When it was committed.
    #[serde(serialize_with = "time::serialize")]
    pub at: SystemTime,
    /// The node whose step it was, and what kind of step; `None` for the start, where only commands were taken, and
    /// where a run of an earlier version of its flow was stored as one of this version.
    pub node: Option<StepNode>,
    /// The status that the run had after it.
    pub status: Status,
    /// The numbers of the commands that it took.
    pub taken: Vec<u64>,
    /// The commands that were removed because the run could not take them.
    pub refused: Vec<Refusal>,
}

impl HistoryRow {
    /// A commit that took no commands, and was of no node.
    pub fn new(step: u64, at: SystemTime, status: Status) -> Self {
        Self {
            step,
            at,
            node: None,
            status,
            taken: Vec::new(),
            refused: Vec::new(),
        }
    }
}

/// The node of a step.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct StepNode {
    /// The id of the node.
    pub id: String,
    /// The indices of the items of the lists around it, outermost first.
    pub items: Vec<usize>,
    /// What kind of step it was.
    pub kind: StepKind,
}

impl StepNode {
    /// A step of the node of this id.
    pub fn new(id: impl Into<String>, items: Vec<usize>, kind: StepKind) -> Self {
        let id = id.into();
        Self { id, items, kind }
    }
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, UNIX_EPOCH};

    use serde_json::{json, to_value};

    use super::*;

    #[test]
    fn a_run_is_json_with_its_output_as_it_is() {
        let key = RunKey::new("7").and_then(|key| key.of_tenant("acme"));
        let at = UNIX_EPOCH + Duration::from_millis(1_500);
        let mut info = RunInfo::new(key.unwrap(), "support", Status::Done, at);
        info.output = Some(r#"{ "reply": 1.10 }"#.to_owned());
        let expected = r#""output":{ "reply": 1.10 }"#;
        let json = serde_json::to_string(&info).unwrap();
        assert!(json.contains(expected), "{json}");
        let json = to_value(&info).unwrap();
        assert_eq!(
            (&json["id"], &json["tenant"]),
            (&json!("7"), &json!("acme"))
        );
        assert_eq!(
            (&json["created_at"], &json["wake_at"]),
            (&json!(1500), &json!(null))
        );
    }

    #[test]
    fn a_row_of_the_history_is_json() {
        let mut row = HistoryRow::new(2, UNIX_EPOCH, Status::Ready);
        row.node = Some(StepNode::new("brew", vec![], StepKind::Node));
        let json = json!({
            "step": 2, "at": 0, "node": { "id": "brew", "items": [], "kind": "node" },
            "status": "ready", "taken": [], "refused": [],
        });
        assert_eq!(to_value(&row).unwrap(), json);
    }
}

//! What the columns of databases mean: the same for each.

use pravah_runtime::{Changes, Entries};
use serde::{Serialize, de::DeserializeOwned};

use crate::{
    Command, Commit, HistoryRow, InboxRow, RunInfo, RunKey, Status, StepNode, StoreError,
    command::Waiting, error::with_sources, json, time,
};

/// A run whose row was found.
pub(crate) struct RunRow {
    pub(crate) seq: i64,
    pub(crate) flow: String,
    pub(crate) status: Status,
    pub(crate) step: i64,
    pub(crate) last_command: i64,
}

impl RunRow {
    fn wrong_status(&self, action: &'static str, key: &RunKey) -> StoreError {
        StoreError::wrong_status(action, key.id(), self.status)
    }

    /// Fails where the run takes no command any more.
    pub(crate) fn check_not_ended(&self, key: &RunKey) -> Result<(), StoreError> {
        if self.status.has_ended() {
            return Err(self.wrong_status("push a command", key));
        }
        Ok(())
    }

    /// Fails where the run has not failed.
    pub(crate) fn check_failed(&self, key: &RunKey) -> Result<(), StoreError> {
        match self.status {
            Status::Failed => Ok(()),
            _ => Err(self.wrong_status("retry it", key)),
        }
    }

    /// Fails where the run has no such step.
    pub(crate) fn check_step(&self, key: &RunKey, step: u64) -> Result<(), StoreError> {
        if signed(step) > self.step {
            return Err(StoreError::no_such_step(key.id(), step));
        }
        Ok(())
    }

    /// The number and the JSON of a command that is pushed to the run, if it may be.
    pub(crate) fn check_push(
        &self,
        key: &RunKey,
        command: &Command,
        waiting: &Waiting,
    ) -> Result<(i64, String), StoreError> {
        let json = command.to_json()?;
        command.check_room(key.id(), waiting)?;
        Ok((self.last_command.saturating_add(1), json))
    }
}

/// What is known of a run, as it is stored.
pub(crate) struct InfoColumns {
    pub(crate) tenant: String,
    pub(crate) id: String,
    pub(crate) flow: String,
    pub(crate) status: String,
    pub(crate) created_at: i64,
    pub(crate) updated_at: i64,
    pub(crate) wake_at: Option<i64>,
    pub(crate) step: i64,
    pub(crate) questions: String,
    pub(crate) output: Option<String>,
    pub(crate) error: Option<String>,
    pub(crate) failed_claims: i64,
    pub(crate) forked_from: Option<String>,
    pub(crate) forked_step: Option<i64>,
    pub(crate) tags: String,
}

impl InfoColumns {
    /// All that is known of the run.
    pub(crate) fn read(self) -> Result<RunInfo, StoreError> {
        let mut problem = None;
        let info = self.read_noting(&mut problem)?;
        match problem {
            Some(problem) => Err(problem),
            None => Ok(info),
        }
    }

    /// What can be read of the run, for lists: what cannot be read of one hides no other.
    pub(crate) fn read_for_list(self) -> Result<RunInfo, StoreError> {
        let mut problem = None;
        let mut info = self.read_noting(&mut problem)?;
        if let Some(problem) = problem {
            info.error = Some(with_sources(&problem));
        }
        Ok(info)
    }

    /// Reads the run, and notes in `problem` what of it cannot be read.
    fn read_noting(self, problem: &mut Option<StoreError>) -> Result<RunInfo, StoreError> {
        let key = key(self.tenant, self.id)?;
        let status = noted(status(&self.status), problem).unwrap_or(Status::Failed);
        let mut info = RunInfo::new(key, self.flow, status, time::from_millis(self.created_at));
        info.updated_at = time::from_millis(self.updated_at);
        info.wake_at = self.wake_at.map(time::from_millis);
        info.step = unsigned(self.step);
        let questions = from_json("the questions of a run", &self.questions);
        info.questions = noted(questions, problem).unwrap_or_default();
        info.output = self.output;
        info.error = self.error;
        info.failed_claims = u32::try_from(self.failed_claims).unwrap_or(u32::MAX);
        info.forked_from = self.forked_from.zip(self.forked_step.map(unsigned));
        let tags = from_json("the tags of a run", &self.tags);
        info.tags = noted(tags, problem).unwrap_or_default();
        Ok(info)
    }
}

/// What was read; otherwise the first problem is noted.
fn noted<T>(read: Result<T, StoreError>, problem: &mut Option<StoreError>) -> Option<T> {
    match read {
        Ok(read) => Some(read),
        Err(error) => {
            problem.get_or_insert(error);
            None
        }
    }
}

fn key(tenant: String, id: String) -> Result<RunKey, StoreError> {
    let key = RunKey::new(id).and_then(|key| match &*tenant {
        "" => Ok(key),
        _ => key.of_tenant(tenant),
    });
    key.map_err(|error| StoreError::corrupt("the id of a run", error))
}

/// What a commit sets in the row of its run.
pub(crate) struct CommitColumns {
    pub(crate) status: &'static str,
    pub(crate) questions: String,
    pub(crate) is_progress: bool,
    pub(crate) seen: i64,
    /// Whether only a command to cancel it wakes the run.
    pub(crate) has_failed: bool,
}

impl CommitColumns {
    pub(crate) fn of(commit: &Commit) -> Result<Self, StoreError> {
        Ok(Self {
            status: commit.status.name(),
            questions: json::to_round_trip_json("the questions of a run", &commit.questions)?,
            is_progress: commit.is_progress(),
            seen: signed(commit.seen),
            has_failed: commit.status == Status::Failed,
        })
    }
}

/// What a step writes in its row of the history, beside its number, its time and the status after it.
pub(crate) struct StepColumns {
    pub(crate) node: Option<String>,
    pub(crate) taken: String,
    pub(crate) refused: String,
    pub(crate) changes: String,
}

impl StepColumns {
    pub(crate) fn of(commit: &Commit) -> Result<Self, StoreError> {
        let to_node = |node: &StepNode| to_json("the node of a step", node);
        Ok(Self {
            node: commit.node.as_ref().map(to_node).transpose()?,
            taken: to_json("the commands of a step", &commit.taken)?,
            refused: to_json("the commands of a step", &commit.refused)?,
            changes: changes_to_json(&commit.changes)?,
        })
    }
}

/// A row of the history, as it is stored.
pub(crate) struct HistoryColumns {
    pub(crate) step: i64,
    pub(crate) at: i64,
    pub(crate) status: String,
    pub(crate) node: Option<String>,
    pub(crate) taken: String,
    pub(crate) refused: String,
}

impl HistoryColumns {
    pub(crate) fn read(self) -> Result<HistoryRow, StoreError> {
        const WHAT: &str = "a row of the history";
        let (step, at) = (unsigned(self.step), time::from_millis(self.at));
        let mut row = HistoryRow::new(step, at, status(&self.status)?);
        let node = self.node.map(|node| from_json(WHAT, &node));
        row.node = node.transpose()?;
        row.taken = from_json(WHAT, &self.taken)?;
        row.refused = from_json(WHAT, &self.refused)?;
        Ok(row)
    }
}

/// The changes of a step, as a row of the history has them.
pub(crate) fn changes_to_json(changes: &Changes) -> Result<String, StoreError> {
    to_json("the changes of a step", changes)
}

/// Applies what a row of the history says has changed.
pub(crate) fn apply_changes(entries: &mut Entries, json: &str) -> Result<(), StoreError> {
    entries.apply(from_json("the changes of a step", json)?);
    Ok(())
}

pub(crate) fn insert_entry(
    entries: &mut Entries,
    key: String,
    json: String,
) -> Result<(), StoreError> {
    let inserted = entries.insert(key, json);
    inserted.map_err(|error| StoreError::corrupt("an entry", error))
}

pub(crate) fn inbox_row(number: i64, command: &str) -> Result<InboxRow, StoreError> {
    let command = from_json("a command", command)?;
    Ok(InboxRow::new(unsigned(number), command))
}

pub(crate) fn status(name: &str) -> Result<Status, StoreError> {
    let unknown = || StoreError::corrupt("the status of a run", format!("no status is `{name}`"));
    Status::from_name(name).ok_or_else(unknown)
}

pub(crate) fn waiting((all, cancels, early): (i64, i64, i64)) -> Waiting {
    let count = |count| usize::try_from(count).unwrap_or(usize::MAX);
    Waiting {
        all: count(all),
        cancels: count(cancels),
        early: count(early),
    }
}

/// How many rows, as databases count.
pub(crate) fn limit(limit: usize) -> i64 {
    i64::try_from(limit).unwrap_or(i64::MAX)
}

pub(crate) fn to_json<T: Serialize + ?Sized>(
    what: &'static str,
    value: &T,
) -> Result<String, StoreError> {
    serde_json::to_string(value).map_err(|error| StoreError::not_storable(what, error))
}

fn from_json<T: DeserializeOwned>(what: &'static str, json: &str) -> Result<T, StoreError> {
    serde_json::from_str(json).map_err(|error| StoreError::corrupt(what, error))
}

/// Databases have no unsigned numbers.
pub(crate) fn signed(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

pub(crate) fn unsigned(number: i64) -> u64 {
    u64::try_from(number).unwrap_or_default()
}

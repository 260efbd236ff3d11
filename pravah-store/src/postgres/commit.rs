//! What the statements of a commit are given.

use std::borrow::Cow;

use pravah_runtime::Changes;

use super::{rows::without_nul, statements, transaction::Param};
use crate::{
    Commit, StoreError,
    columns::{CommitColumns, StepColumns, signed},
    lease::Claimable,
    time,
};

/// A statement with its parameters.
type Statement<'a> = (&'static str, Vec<Param<'a>>);

/// All that a commit writes, as the database takes it.
pub(super) struct CommitParams<'a> {
    commit: &'a Commit,
    run: CommitColumns,
    step: Option<StepColumns>,
    /// How many that is.
    steps: i64,
    is_claimable_at_once: bool,
    wake_at: Option<i64>,
    error: Option<Cow<'a, str>>,
    /// The numbers of the commands that are removed.
    removed: Vec<i64>,
    /// The ranges of keys that are deleted.
    deleted: (Vec<Vec<u8>>, Vec<Vec<u8>>),
    /// The keys and values that are put.
    put: (Vec<&'a [u8]>, Vec<&'a str>),
}

impl<'a> CommitParams<'a> {
    pub(super) fn of(commit: &'a Commit) -> Result<Self, StoreError> {
        let (is_claimable_at_once, wake_at) = match commit.claimable() {
            Claimable::AtOnce => (true, None),
            Claimable::At(time) => (false, Some(time::to_millis(time))),
            Claimable::Never => (false, None),
        };
        let step = commit.is_step().then(|| StepColumns::of(commit));
        Ok(Self {
            commit,
            run: CommitColumns::of(commit)?,
            steps: i64::from(commit.is_step()),
            step: step.transpose()?,
            is_claimable_at_once,
            wake_at,
            error: commit.error.as_deref().map(without_nul),
            removed: commit.removed().map(signed).collect(),
            deleted: deleted_ranges(&commit.changes),
            put: put(&commit.changes),
        })
    }

    /// The statements that have something to write.
    pub(super) fn statements(&self) -> Vec<Statement<'_>> {
        let (starts, ends) = &self.deleted;
        let (keys, values) = &self.put;
        let mut all: Vec<Statement<'_>> = Vec::with_capacity(5);
        if self.commit.status.has_ended() {
            all.push((statements::DELETE_ALL_COMMANDS, vec![]));
        } else if !self.removed.is_empty() {
            all.push((statements::DELETE_COMMANDS, vec![&self.removed]));
        }
        if !starts.is_empty() {
            all.push((statements::DELETE_ENTRIES, vec![starts, ends]));
        }
        if !keys.is_empty() {
            all.push((statements::PUT_ENTRIES, vec![keys, values]));
        }
        if let Some(step) = &self.step {
            all.push((statements::INSERT_HISTORY, self.history(step)));
        }
        all.push((statements::COMMIT_RUN, self.run()));
        all
    }

    fn history<'b>(&'b self, step: &'b StepColumns) -> Vec<Param<'b>> {
        vec![
            &self.run.status,
            &step.node,
            &step.taken,
            &step.refused,
            &step.changes,
        ]
    }

    fn run(&self) -> Vec<Param<'_>> {
        vec![
            &self.steps,
            &self.run.status,
            &self.wake_at,
            &self.run.questions,
            &self.commit.output,
            &self.error,
            &self.run.is_progress,
            &self.run.seen,
            &self.run.has_failed,
            &self.is_claimable_at_once,
            &self.commit.release,
        ]
    }
}

/// An output is JSON, which has no such character.
pub(super) fn check_output(output: Option<&str>) -> Result<(), StoreError> {
    if output.is_some_and(|output| output.contains('\0')) {
        let why = "it has a U+0000 in it";
        return Err(StoreError::not_storable("the output of a run", why));
    }
    Ok(())
}

/// The keys and values that are put.
pub(super) fn put(changes: &Changes) -> (Vec<&[u8]>, Vec<&str>) {
    let put = changes.put();
    put.map(|(key, value)| (key.as_bytes(), value)).unzip()
}

/// The ranges of keys that are deleted: for each key itself, and all that start with it and a `/`. None has its end in it.
fn deleted_ranges(changes: &Changes) -> (Vec<Vec<u8>>, Vec<Vec<u8>>) {
    let (mut starts, mut ends) = (Vec::new(), Vec::new());
    let with = |key: &str, last: u8| [key.as_bytes(), &[last]].concat();
    for key in changes.deleted() {
        // The first key after another is that with a zero; `0` follows `/`.
        starts.extend([key.as_bytes().to_vec(), with(key, b'/')]);
        ends.extend([with(key, 0), with(key, b'0')]);
    }
    (starts, ends)
}

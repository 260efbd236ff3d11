//! Runs one step. Its result is one value, which Restate journals: a journaled step is never run again.

use std::{
    collections::BTreeMap,
    io::{self, Write},
    ops::Bound,
    sync::Arc,
    time::SystemTime,
};

use pravah_runtime::{BoxError, Clock, Context, Entries, SystemClock};
use pravah_store::{
    Command, Commit, InboxRow, LoadedRun, Question, Refusal, RunInfo, Status, StepNode, StoreError,
    host::{Flows, HostedRun, cancel_unread, retry_after, with_sources},
};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use tokio::sync::oneshot;
use uuid::Uuid;

use crate::{
    live::{Live, LiveRuns},
    record::to_millis,
};

/// How many steps in a row may fail to run before the run has failed.
const MAX_FAILED_STEPS: u32 = 10;

/// How many bytes a step may write: Restate takes no message of more than 32 MiB unless it is told otherwise, and calls for
/// ever for one that it does not take.
const MAX_BYTES: usize = 31 * 1024 * 1024;

/// Runs the steps of this process.
#[derive(Debug)]
pub(crate) struct Stepper {
    pub(crate) flows: Flows,
    pub(crate) ctx: Context,
    pub(crate) live: LiveRuns,
}

/// What a step needs.
pub(crate) struct Task {
    /// The key of the object.
    pub(crate) object: String,
    pub(crate) info: RunInfo,
    /// The commit that the record names.
    pub(crate) commit: String,
    pub(crate) inbox: Vec<InboxRow>,
    /// Nothing if only a run in memory may be used.
    pub(crate) entries: Option<Entries>,
    /// The reason of a cancel that comes during the step.
    pub(crate) cancel: oneshot::Receiver<String>,
}

/// The result of a step.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum StepOutcome {
    /// The run is not in memory: its entries have to be read.
    NotInMemory,
    /// What to write.
    Completed(Box<StepWrites>),
    /// The run cannot be read or written.
    Unreadable { error: String, at: u64 },
}

/// What to write after a step. Times are in milliseconds since 1970.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct StepWrites {
    /// The keys of the entries that are gone.
    pub(crate) cleared: Vec<String>,
    /// The entries that are new or have changed.
    pub(crate) put: BTreeMap<String, Box<RawValue>>,
    pub(crate) status: Status,
    pub(crate) node: Option<StepNode>,
    pub(crate) questions: Vec<Question>,
    pub(crate) output: Option<Box<RawValue>>,
    pub(crate) error: Option<String>,
    pub(crate) taken: Vec<u64>,
    pub(crate) refused: Vec<Refusal>,
    /// The number of the last command that the run has seen.
    pub(crate) seen: u64,
    pub(crate) wake_at: Option<u64>,
    /// How long from now the next tick is, in milliseconds, if there is one.
    pub(crate) next_tick: Option<u64>,
    pub(crate) is_step: bool,
    pub(crate) failed_steps: u32,
    /// The commit that it is.
    pub(crate) commit: String,
    pub(crate) at: u64,
}

impl Stepper {
    pub(crate) async fn step(&self, task: Task) -> StepOutcome {
        let outcome = self.run_step(task).await;
        outcome.unwrap_or_else(|error| StepOutcome::Unreadable {
            error: with_sources(&error),
            at: to_millis(SystemTime::now()),
        })
    }

    async fn run_step(&self, task: Task) -> Result<StepOutcome, StoreError> {
        let failed_steps = task.info.failed_claims;
        let mut live = match self.live.take(&task.object, &task.commit) {
            Some(mut live) => {
                live.run.commands().add(task.inbox);
                live
            }
            None => {
                let Some(entries) = task.entries else {
                    return Ok(StepOutcome::NotInMemory);
                };
                match self.restore(task.info, entries, task.inbox)? {
                    RestoreOutcome::Live(live) => *live,
                    RestoreOutcome::Cancelled(commit) => {
                        return completed(*commit, Vec::new(), failed_steps);
                    }
                }
            }
        };
        let commit = match live.run.take_upgrade()? {
            Some(upgrade) => upgrade,
            None => self.commit_step(&mut live.run, task.cancel).await?,
        };
        let cleared = live.apply(&commit);
        let stays = !commit.release;
        let outcome = completed(commit, cleared, failed_steps)?;
        if let StepOutcome::Completed(writes) = &outcome
            && stays
        {
            live.commit = writes.commit.clone();
            self.live.put(task.object, live);
        }
        Ok(outcome)
    }

    /// Runs steps until there is something to write.
    async fn commit_step(
        &self,
        run: &mut HostedRun,
        mut cancel: oneshot::Receiver<String>,
    ) -> Result<Commit, StoreError> {
        let mut may_cancel = true;
        loop {
            let (mut step, mut commands) = run.next_step(self.ctx.clone());
            let result = loop {
                tokio::select! {
                    biased;
                    reason = &mut cancel, if may_cancel => {
                        may_cancel = false;
                        if let Ok(reason) = reason {
                            let number = commands.seen().saturating_add(1);
                            commands.add(vec![InboxRow::new(number, Command::Cancel { reason })]);
                        }
                    }
                    result = &mut step => break result,
                }
            };
            drop(step);
            let commit = run.commit(result)?;
            if commit.release || commit.is_step() {
                return Ok(commit);
            }
        }
    }

    fn restore(
        &self,
        info: RunInfo,
        entries: Entries,
        inbox: Vec<InboxRow>,
    ) -> Result<RestoreOutcome, StoreError> {
        let keys = entries.iter().map(|(key, _)| key.to_owned()).collect();
        let loaded = LoadedRun::new(info, entries, inbox);
        let clock: Arc<dyn Clock> = Arc::new(SystemClock::new());
        match self.flows.restore(&loaded, clock) {
            Ok(run) => Ok(RestoreOutcome::Live(Box::new(Live {
                run,
                keys,
                commit: String::new(),
            }))),
            Err(error) => match cancel_unread(loaded.inbox) {
                Some(commit) => Ok(RestoreOutcome::Cancelled(Box::new(commit))),
                None => Err(error),
            },
        }
    }
}

enum RestoreOutcome {
    Live(Box<Live>),
    /// It cannot be read, and is cancelled all the same.
    Cancelled(Box<Commit>),
}

impl Live {
    /// Brings the keys up to date, and returns those that are gone.
    fn apply(&mut self, commit: &Commit) -> Vec<String> {
        let mut cleared = Vec::new();
        for key in commit.changes.deleted() {
            let within = format!("{key}/");
            let under = (Bound::Included(within.as_str()), Bound::Unbounded);
            let under = self.keys.range::<str, _>(under);
            let under = under.take_while(|key| key.starts_with(&within)).cloned();
            let mut gone: Vec<String> = under.collect();
            gone.extend(self.keys.get(key).cloned());
            gone.iter().for_each(|key| {
                self.keys.remove(key);
            });
            cleared.extend(gone);
        }
        let put = commit.changes.put().map(|(key, _)| key.to_owned());
        self.keys.extend(put);
        // What is put in place of what is gone need not be cleared first.
        cleared.retain(|key| !self.keys.contains(key));
        cleared
    }
}

/// What to write for a commit.
fn completed(
    mut commit: Commit,
    cleared: Vec<String>,
    failed_steps: u32,
) -> Result<StepOutcome, StoreError> {
    let now = SystemTime::now();
    let failed_steps = match commit.is_progress() {
        true => 0,
        false => failed_steps.saturating_add(1),
    };
    if failed_steps >= MAX_FAILED_STEPS {
        commit.status = Status::Failed;
    } else if failed_steps > 0 {
        commit.wake_at = now.checked_add(retry_after(failed_steps));
    }
    let put = commit.changes.put().map(|(key, json)| {
        let json = json_of("an entry", json.to_owned())?;
        Ok((key.to_owned(), json))
    });
    let next_tick = commit.claimable_at(now).map(|at| {
        // A millisecond is the smallest wait: none of them may be too short.
        let wait = at.duration_since(now).unwrap_or_default();
        let millis = u64::try_from(wait.as_millis()).unwrap_or(u64::MAX);
        millis.saturating_add(u64::from(wait.subsec_nanos() % 1_000_000 > 0))
    });
    let is_step = commit.is_step();
    let output = commit.output.map(|json| json_of("the output", json));
    let writes = StepWrites {
        cleared,
        put: put.collect::<Result<_, StoreError>>()?,
        status: commit.status,
        node: commit.node,
        questions: commit.questions,
        output: output.transpose()?,
        error: commit.error,
        taken: commit.taken,
        refused: commit.refused,
        seen: commit.seen,
        wake_at: commit.wake_at.map(to_millis),
        next_tick,
        is_step,
        failed_steps,
        commit: Uuid::now_v7().to_string(),
        at: to_millis(now),
    };
    check_size(&writes)?;
    Ok(StepOutcome::Completed(Box::new(writes)))
}

/// Fails where Restate would not take what a step writes.
fn check_size(writes: &StepWrites) -> Result<(), StoreError> {
    let not_storable = |why: BoxError| StoreError::not_storable("the step", why);
    let mut size = Size(0);
    serde_json::to_writer(&mut size, writes).map_err(|error| not_storable(error.into()))?;
    let Size(bytes) = size;
    if bytes <= MAX_BYTES {
        return Ok(());
    }
    let why = format!("it has {bytes} bytes, and may have {MAX_BYTES}");
    Err(not_storable(why.into()))
}

/// Counts what is written: Restate's SDK writes the step itself.
struct Size(usize);

impl Write for Size {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0 = self.0.saturating_add(bytes.len());
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

pub(crate) fn json_of(what: &'static str, json: String) -> Result<Box<RawValue>, StoreError> {
    RawValue::from_string(json).map_err(|error| StoreError::not_storable(what, error))
}

//! Runs of any flow, without its type, and set up.

use std::sync::Arc;

use pravah_runtime::{
    Changes, Clock, Entries, FlowEnds, FlowError, FlowRuntime, FlowSnapshot, Hub, LoadOptions,
    LoadReport, RunStatus, StepInfo, Suspension,
};

use super::host::StepFuture;
use crate::{LoadedRun, RunInfo, RunKey, StoreError, entries::replace_all, is_encrypted};

/// A run in this process.
pub(super) trait LiveRun: Send {
    fn next(&mut self, ctx: pravah_runtime::Context) -> StepFuture<'_>;
    fn hub(&mut self) -> Hub;
    fn status(&self) -> RunStatus;
    fn suspensions(&self) -> Vec<Suspension>;
    fn last_step(&self) -> Option<StepInfo>;
    fn take_changes(&mut self) -> Result<Changes, FlowError>;
    fn output(&self) -> Result<Option<String>, FlowError>;
}

impl<F: FlowEnds> LiveRun for FlowRuntime<F> {
    fn next(&mut self, ctx: pravah_runtime::Context) -> StepFuture<'_> {
        let next = Self::next(self, ctx);
        Box::pin(async move { next.await.map(drop) })
    }

    fn hub(&mut self) -> Hub {
        Self::hub(self)
    }

    fn status(&self) -> RunStatus {
        Self::status(self)
    }

    fn suspensions(&self) -> Vec<Suspension> {
        Self::suspensions(self)
    }

    fn last_step(&self) -> Option<StepInfo> {
        Self::last_step(self)
    }

    fn take_changes(&mut self) -> Result<Changes, FlowError> {
        Self::take_changes(self)
    }

    fn output(&self) -> Result<Option<String>, FlowError> {
        let output = Self::output(self)?;
        let json = output.map(|output| serde_json::to_string(&*output));
        json.transpose()
            .map_err(|error| FlowError::SerializeError(error.into()))
    }
}

/// A run that a worker resumes.
pub(super) struct Restored {
    pub(super) run: Box<dyn LiveRun>,
    /// What the store needs so as to have the run as it is now: no changes, but for one of another version of its flow.
    pub(super) upgrade: Changes,
}

/// Restores runs of one flow, and sets them up.
pub(super) type Restore = Arc<
    dyn Fn(&LoadedRun, &LoadOptions, Arc<dyn Clock>) -> Result<Restored, StoreError> + Send + Sync,
>;

/// `restore` reads a snapshot, and `set_up` is the user's.
pub(super) fn restore_with<F: FlowEnds>(
    restore: impl Fn(FlowSnapshot, &LoadOptions) -> Result<FlowRuntime<F>, FlowError>
    + Send
    + Sync
    + 'static,
    set_up: impl Fn(FlowRuntime<F>, &RunInfo) -> Result<FlowRuntime<F>, FlowError>
    + Send
    + Sync
    + 'static,
) -> Restore {
    Arc::new(move |loaded, options, clock| {
        let run_id = loaded.info.key.run_id();
        let snapshot = FlowSnapshot::from_entries(&loaded.entries);
        let run = snapshot.and_then(|snapshot| restore(snapshot, options));
        let mut run = run.map_err(|error| not_read(loaded, error))?;
        // The first changes are everything, which the store has unless it was of another version. They come before the
        // set-up: a budget, say, is a change of the run.
        let all = run.take_changes()?;
        let upgrade = match run.load_report() {
            Some(report) => upgrade(&loaded.info.key, report, &loaded.entries, all)?,
            None => Changes::default(),
        };
        // The id of a fork is still that of the run that it comes from. Step keys and leases rest on the id and the clock.
        let run = set_up(run.with_run_id(&*run_id), &loaded.info)?;
        let run = Box::new(run.with_run_id(run_id).with_clock(clock));
        Ok(Restored { run, upgrade })
    })
}

/// Why a run cannot be read. One that is encrypted is no snapshot, which would not say what to do about it.
fn not_read(loaded: &LoadedRun, error: FlowError) -> StoreError {
    if is_encrypted(&loaded.entries) {
        StoreError::encrypted(loaded.info.key.id())
    } else {
        error.into()
    }
}

/// What has changed with the version of the flow.
fn upgrade(
    key: &RunKey,
    report: &LoadReport,
    stored: &Entries,
    all: Changes,
) -> Result<Changes, StoreError> {
    let mut entries = Entries::default();
    entries.apply(all);
    if entries.iter().eq(stored.iter()) {
        return Ok(Changes::default());
    }
    let (skipped, dropped) = (&report.skipped, &report.dropped);
    tracing::info!(run = %key, ?skipped, ?dropped, "the run is of another version of its flow");
    replace_all(stored, &entries)
}

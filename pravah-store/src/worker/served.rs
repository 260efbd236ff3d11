//! Runs of any flow, without its type.

use std::{future::Future, pin::Pin, sync::Arc};

use pravah_runtime::{
    Changes, Clock, Entries, FlowDef, FlowError, FlowRuntime, FlowSnapshot, Hub, RunStatus,
    StepInfo, Suspension,
};

use crate::RunKey;

/// A step that was made, or the error of one.
pub(super) type StepFuture<'a> = Pin<Box<dyn Future<Output = Result<(), FlowError>> + Send + 'a>>;

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

impl<F: FlowDef> LiveRun for FlowRuntime<F> {
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

/// Restores a run of one flow.
pub(super) type Restore =
    fn(&Entries, &RunKey, Arc<dyn Clock>) -> Result<Box<dyn LiveRun>, FlowError>;

pub(super) fn restore<F: FlowDef>(
    entries: &Entries,
    key: &RunKey,
    clock: Arc<dyn Clock>,
) -> Result<Box<dyn LiveRun>, FlowError> {
    let snapshot = FlowSnapshot::from_entries(entries)?;
    let run = FlowRuntime::<F>::from_snapshot(snapshot)?;
    // The id of a fork is still that of the run that it comes from.
    let mut run = run.with_run_id(key.run_id()).with_clock(clock);
    // The first changes are everything, which the store has.
    run.take_changes()?;
    Ok(Box::new(run))
}

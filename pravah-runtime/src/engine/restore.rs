//! Going on with a run that was stored.

#[cfg(feature = "documents")]
use std::sync::Arc;

#[cfg(feature = "documents")]
use serde::Serialize;

#[cfg(feature = "documents")]
use super::state::RunState;
use super::{
    load_report::{LoadOptions, LoadReport},
    run::Run,
    runtime::FlowRuntime,
    snapshot::FlowSnapshot,
};
use crate::{
    error::FlowError,
    flow::{FlowDef, graph_of},
};
#[cfg(feature = "documents")]
use crate::{flow::Known, graph::FailedBody, node::LatestStates, state::Live};

// With a bound of its own on each function rustc says what `F` has to be in our words.
impl<F> FlowRuntime<F> {
    /// Goes on with a run where `snapshot` left it.
    ///
    /// Options (history, factory, models, limits) are not in a snapshot: give them again.
    ///
    /// # Errors
    ///
    /// [`FlowError::SnapLoadError`] if the snapshot is of another flow, if its run could not go on to the
    /// end, or if it does not hold together; and those of [`new`](Self::new).
    pub fn from_snapshot(snapshot: FlowSnapshot) -> Result<Self, FlowError>
    where
        F: FlowDef,
    {
        Self::from_snapshot_with(snapshot, &LoadOptions::new())
    }

    /// Goes on with a run where `snapshot` left it, as `options` allow.
    ///
    /// # Errors
    ///
    /// Those of [`from_snapshot`](Self::from_snapshot).
    ///
    /// ```
    /// use pravah_runtime::prelude::*;
    ///
    /// # #[state] struct Order { cups: u32 }
    /// # #[state] struct Served { cups: u32 }
    /// # #[node] fn serve(order: Order) -> Served { Served { cups: order.cups } }
    /// # #[flow] fn coffee(order: Order) -> Served { flow! { serve } }
    /// # let stored = serde_json::to_string(&FlowRuntime::new(Order { cups: 2 })?.snapshot()).unwrap();
    /// let snapshot: FlowSnapshot = serde_json::from_str(&stored).unwrap();
    /// let options = LoadOptions::new().drop_progress();
    /// let run = FlowRuntime::<Order>::from_snapshot_with(snapshot, &options)?;
    /// for dropped in run.load_report().into_iter().flat_map(|report| &report.dropped) {
    ///     println!("{}: {}", dropped.entry, dropped.why);
    /// }
    /// # Ok::<(), FlowError>(())
    /// ```
    pub fn from_snapshot_with(
        snapshot: FlowSnapshot,
        options: &LoadOptions,
    ) -> Result<Self, FlowError>
    where
        F: FlowDef,
    {
        let known = graph_of::<F>()?;
        let (state, report) = snapshot.restore(&known.graph.table, &known.id, options)?;
        let mut run = Run::new(known, state);
        if let Some(report) = report {
            run.memory.load_report = Some(report);
        }
        Ok(Self::around(run))
    }
}

#[cfg(feature = "documents")]
impl<F> FlowRuntime<F> {
    /// A run of a flow that no type stands for.
    pub(crate) fn start_known(
        known: Arc<Known>,
        input: impl Serialize + Send + Sync + 'static,
    ) -> Self {
        let state = RunState::start(&known.graph.table, Live::new(input));
        Self::around(Run::new(known, state))
    }

    /// Says to observers that the run has ended with an error.
    pub(crate) fn end_failed(&mut self, error: &FlowError) {
        self.run.notify_failed_end(&error.to_string());
    }

    /// The time, in milliseconds since 1970.
    pub(crate) fn now(&self) -> u64 {
        self.run.now()
    }

    /// What nodes have left to be read so far.
    pub(crate) fn latest(&self) -> &LatestStates {
        &self.run.state.root.latest
    }

    /// The nodes that have failed with nothing left to try, those in regions too.
    pub(crate) fn failed_nodes(&self) -> Vec<(Arc<str>, FailedBody)> {
        let state = &self.run.state;
        let failed = state.waits.failed().filter_map(|path| {
            let frame = state.root.at(&path.frame)?;
            let failed = frame.progress.failed.get(&path.node)?;
            let id = Arc::clone(&frame.table.node(path.node).id);
            // The words of the error name the node.
            let message = failed
                .message
                .strip_prefix(&*format!("node `{id}` failed: "));
            let body = FailedBody {
                kind: failed.kind,
                message: message.unwrap_or(&failed.message).to_owned(),
                attempts: failed.attempts,
            };
            Some((id, body))
        });
        failed.collect()
    }

    /// Goes on with one.
    pub(crate) fn restore_known(
        known: Arc<Known>,
        snapshot: FlowSnapshot,
        options: &LoadOptions,
    ) -> Result<Self, FlowError> {
        let (state, report) = snapshot.restore(&known.graph.table, &known.id, options)?;
        let mut run = Run::new(known, state);
        run.memory.load_report = report.or(run.memory.load_report.take());
        Ok(Self::around(run))
    }
}

impl<F> FlowRuntime<F> {
    /// What became of the run when it was restored from a snapshot of another version of its flow, or with
    /// [`drop_progress`](LoadOptions::drop_progress). `None` for a snapshot of the same version, and for one
    /// taken in this process.
    pub fn load_report(&self) -> Option<&LoadReport> {
        self.run.memory.load_report.as_deref()
    }
}

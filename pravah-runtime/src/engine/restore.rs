//! Storing a run, and going on with one that was stored.

use std::sync::Arc;

use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error as _};

use super::{
    load_report::{LoadOptions, LoadReport},
    run::Run,
    runtime::FlowRuntime,
    snapshot::{FlowSnapshot, write_run},
};
use crate::{
    error::FlowError,
    flow::{FlowDef, Known, graph_of},
};

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
        Self::from_snapshot_with(snapshot, LoadOptions::default_ref())
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
        Self::restore_with(graph_of::<F>()?, snapshot, options)
    }

    /// Goes on with a run of this flow.
    #[inline]
    pub(crate) fn restore_with(
        known: Arc<Known>,
        snapshot: FlowSnapshot,
        options: &LoadOptions,
    ) -> Result<Self, FlowError> {
        let options = known.graph.upgrades.and(options);
        let (state, report) = snapshot.restore(&known.graph.table, &known.id, &options)?;
        let mut run = Run::restored(known, state);
        if let Some(report) = report {
            run.memory.load_report = Some(report);
        }
        Ok(Self::around(run))
    }
}

impl<F> FlowRuntime<F> {
    /// What became of the run when it was restored from a snapshot of another version of its flow, with
    /// [`drop_progress`](LoadOptions::drop_progress), or with migrations. `None` for a snapshot of the same version, and for one
    /// taken in this process.
    pub fn load_report(&self) -> Option<&LoadReport> {
        self.inner.memory.load_report.as_deref()
    }
}

/// A run is serialised as its [`snapshot`](FlowRuntime::snapshot), to be deserialised, or restored with
/// [`from_snapshot`](FlowRuntime::from_snapshot). It fails where a state cannot be written.
impl<F> Serialize for FlowRuntime<F> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let run = &self.inner;
        // The commands that wait are in the inbox and not in the state.
        match run.has_inbox() {
            true => self.snapshot().serialize(serializer),
            false => write_run(&run.known.id, &run.state, serializer),
        }
    }
}

/// A run goes on where it was serialised. [`from_snapshot`](FlowRuntime::from_snapshot) does the same, and fails with a
/// [`FlowError`] where this has its text; [`from_snapshot_with`](FlowRuntime::from_snapshot_with) takes options. What
/// is not in a snapshot has to be set again here too.
///
/// ```
/// use pravah_runtime::prelude::*;
///
/// # #[state] struct Order { cups: u32 }
/// # #[state] struct Served { cups: u32 }
/// # #[node] fn serve(order: Order) -> Served { Served { cups: order.cups } }
/// # #[flow] fn coffee(order: Order) -> Served { flow! { serve } }
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let stored = serde_json::to_string(&FlowRuntime::new(Order { cups: 2 })?)?;
/// let mut run: FlowRuntime<Order> = serde_json::from_str(&stored)?;
/// let RunOut::Done(served) = run.run(Context::default()).await? else { unreachable!() };
/// assert_eq!(served.cups, 2);
/// # Ok(()) }
/// ```
impl<'de, F: FlowDef> Deserialize<'de> for FlowRuntime<F> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let snapshot = FlowSnapshot::deserialize(deserializer)?;
        Self::from_snapshot(snapshot).map_err(D::Error::custom)
    }
}

//! What a caller sees of a run, without moving it.

use std::sync::Arc;

use super::{last_step::StepInfo, runtime::FlowRuntime, status::RunStatus, suspension::Suspension};
use crate::{agent::ClientHistory, error::FlowError, flow::FlowEnds, model::Usage};

impl<F> FlowRuntime<F> {
    /// What the flow returned, if it is done; a finished run keeps it, also in its snapshot.
    ///
    /// # Errors
    ///
    /// [`FlowError::DeserializeError`] if it was restored from a snapshot, and is not that type any more.
    pub fn output(&self) -> Result<Option<Arc<F::Output>>, FlowError>
    where
        F: FlowEnds,
    {
        let output = self.inner.state.output().map(|live| live.get());
        let output = output.transpose();
        output.map_err(|error| FlowError::DeserializeError(error.into()))
    }

    /// Where the run is, without moving anything.
    pub fn status(&self) -> RunStatus {
        self.inner.status()
    }

    /// The id of the run: a UUID of version 7, unless [`with_run_id`](Self::with_run_id) gave one.
    pub fn run_id(&self) -> &str {
        self.inner.state.id.get()
    }

    /// What waits to be resumed, in the order in which it was suspended.
    pub fn suspensions(&self) -> Vec<Suspension> {
        self.inner.suspensions()
    }

    /// What the last step was; nothing before the first, and right after a restore.
    pub fn last_step(&self) -> Option<StepInfo> {
        self.inner.last_step()
    }

    /// What the run's model calls have cost so far, all nodes together.
    pub fn usage(&self) -> Usage {
        let mut total = Usage::default();
        for usage in self.inner.state.spending.usage.values() {
            total += *usage;
        }
        total
    }

    /// The same by node.
    pub fn usage_by_node(&self) -> impl Iterator<Item = (&str, Usage)> {
        self.inner
            .state
            .spending
            .usage
            .iter()
            .map(|(node, usage)| (&**node, *usage))
    }

    /// How many model calls were paid for in the run, including answers that broke off.
    pub fn model_calls(&self) -> u64 {
        self.inner.state.spending.calls
    }

    /// The conversations of the run's agents. They are not part of a snapshot: store them beside
    /// it, and give them back with [`with_history`](Self::with_history).
    pub fn history(&self) -> &ClientHistory {
        &self.inner.memory.history
    }
}

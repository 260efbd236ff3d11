//! The flows whose steps a host executes.

use std::{collections::BTreeMap, fmt, sync::Arc};

use pravah_runtime::{Clock, FlowDef, FlowError, FlowRuntime, LoadOptions};

use super::{
    super::served::{Restore, restore_with},
    HostedRun,
};
use crate::{LoadedRun, RunInfo, StoreError};

/// The flows whose steps a host executes, by their ids, and how their runs are loaded.
#[derive(Clone, Default)]
pub struct Flows {
    restore: BTreeMap<String, Restore>,
    load_options: BTreeMap<String, LoadOptions>,
}

impl Flows {
    /// No flow yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// The same with the flow `F`, in place of an earlier one of its id.
    #[must_use]
    pub fn serve<F: FlowDef>(self) -> Self {
        self.serve_with::<F>(|run, _| Ok(run))
    }

    /// The same with each run set up by `set_up` after it was loaded; see
    /// [`Worker::serve_with`](crate::Worker::serve_with).
    #[must_use]
    pub fn serve_with<F: FlowDef>(
        mut self,
        set_up: impl Fn(FlowRuntime<F>, &RunInfo) -> Result<FlowRuntime<F>, FlowError>
        + Send
        + Sync
        + 'static,
    ) -> Self {
        let restore = restore_with(FlowRuntime::from_snapshot_with, set_up);
        self.insert(F::node_id(), restore);
        self
    }

    /// Adds the flow of this id, in place of another one of that id.
    pub(in crate::worker) fn insert(&mut self, flow: String, restore: Restore) {
        self.restore.insert(flow, restore);
    }

    /// How runs of the flow `F` are loaded that another version of it has stored.
    #[must_use]
    pub fn with_load_options<F: FlowDef>(self, options: LoadOptions) -> Self {
        self.with_load_options_of(F::node_id(), options)
    }

    /// The same for the flow of this id.
    #[must_use]
    pub fn with_load_options_of(mut self, flow: impl Into<String>, options: LoadOptions) -> Self {
        self.load_options.insert(flow.into(), options);
        self
    }

    /// The ids of the flows, in order.
    pub fn ids(&self) -> impl Iterator<Item = &str> {
        self.restore.keys().map(String::as_str)
    }

    /// The ids of the flows that have load options and are not served.
    pub(in crate::worker) fn unserved_load_options(&self) -> impl Iterator<Item = &str> {
        let flows = self.load_options.keys();
        flows.filter(|flow| !self.serves(flow)).map(String::as_str)
    }

    /// Whether there is none.
    pub(in crate::worker) fn is_empty(&self) -> bool {
        self.restore.is_empty()
    }

    /// Whether the flow of this id is one of them.
    pub fn serves(&self, flow: &str) -> bool {
        self.restore.contains_key(flow)
    }

    /// A run as of its last commit, with the commands that it has not taken, and with its times from `clock`.
    ///
    /// # Errors
    ///
    /// [`StoreError::NotServed`] if its flow is not one of these; [`StoreError::Flow`] if its entries cannot be read, or it
    /// cannot be set up; [`StoreError::Encrypted`] if they are encrypted.
    pub fn restore(
        &self,
        loaded: &LoadedRun,
        clock: Arc<dyn Clock>,
    ) -> Result<HostedRun, StoreError> {
        let flow = &loaded.info.flow;
        let restore = self.restore.get(flow);
        let restore = restore.ok_or_else(|| StoreError::not_served(flow))?;
        let default = LoadOptions::new();
        let options = self.load_options.get(flow).unwrap_or(&default);
        let restored = restore(loaded, options, clock)?;
        Ok(HostedRun::new(
            restored,
            &loaded.entries,
            loaded.inbox.clone(),
        ))
    }
}

impl fmt::Debug for Flows {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.ids()).finish()
    }
}

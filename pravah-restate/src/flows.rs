//! Serving flows to Restate.

use std::{collections::BTreeMap, fmt, future::Future, sync::Arc, time::Duration};

use pravah_runtime::{Context, FlowDef, FlowError, FlowRuntime, LoadOptions};
use pravah_store::{RunInfo, host::Flows};
use restate_sdk::{endpoint::Endpoint, service::ServiceDefinition};
use tokio::net::TcpListener;

use crate::{
    RestateError,
    listen::listen,
    live::LiveRuns,
    object::RunObject,
    service,
    start::{Starter, starter},
    step::Stepper,
};

/// What the object of runs is called unless it has another name.
pub(crate) const DEFAULT_NAME: &str = "PravahRun";

/// Flows that Restate has runs of: each run is a virtual object, each step a short invocation of it.
///
/// ```no_run
/// use pravah_restate::RestateFlows;
/// use pravah_runtime::prelude::*;
///
/// #[state] struct Order { cups: u32 }
/// #[state] struct Served { cups: u32 }
/// #[node] fn serve(order: Order) -> Served { Served { cups: order.cups } }
/// #[flow] fn coffee(order: Order) -> Served { flow! { serve } }
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let flows = RestateFlows::new().serve::<Order>().with_context(Context::default());
/// let listener = tokio::net::TcpListener::bind("127.0.0.1:9080").await?;
/// // Restate is told once: `restate deployments register http://127.0.0.1:9080`.
/// flows.listen(listener, async { drop(tokio::signal::ctrl_c().await) }).await?;
/// # Ok(()) }
/// ```
#[must_use = "it serves when it listens, or is a part of an endpoint"]
pub struct RestateFlows {
    name: String,
    flows: Flows,
    starters: BTreeMap<String, Starter>,
    ctx: Context,
    live_runs: usize,
    journal_retention: Duration,
}

impl RestateFlows {
    /// No flow yet, under the name `PravahRun`.
    pub fn new() -> Self {
        Self {
            name: DEFAULT_NAME.to_owned(),
            flows: Flows::new(),
            starters: BTreeMap::new(),
            ctx: Context::default(),
            live_runs: 1_000,
            journal_retention: Duration::ZERO,
        }
    }

    /// Serves the flow `F`, too: its input, or with `#[flow(named)]` its name.
    pub fn serve<F: FlowDef>(self) -> Self {
        self.serve_with::<F>(|run, _| Ok(run))
    }

    /// The same, with each run set up by `set_up` when it was read; see
    /// [`Worker::serve_with`](pravah_store::Worker::serve_with).
    pub fn serve_with<F: FlowDef>(
        mut self,
        set_up: impl Fn(FlowRuntime<F>, &RunInfo) -> Result<FlowRuntime<F>, FlowError>
        + Send
        + Sync
        + 'static,
    ) -> Self {
        self.flows = self.flows.serve_with(set_up);
        self.starters.insert(F::node_id(), starter::<F>);
        self
    }

    /// How runs of the flow `F` are read that another version of it has written; see [`LoadOptions`].
    pub fn with_load_options<F: FlowDef>(mut self, options: LoadOptions) -> Self {
        self.flows = self.flows.with_load_options::<F>(options);
        self
    }

    /// What the nodes of all runs may reach.
    pub fn with_context(mut self, ctx: Context) -> Self {
        self.ctx = ctx;
        self
    }

    /// What the object is called in Restate. Programs that serve different flows to one Restate need different names: the
    /// program that registers a name last gets all its runs. The [client](crate::RestateRuns::with_name) needs the same.
    ///
    /// Restate takes letters, digits, `_`, `-` and `.`, with a letter first.
    pub fn with_name(mut self, name: impl Into<String>) -> Self {
        self.name = name.into();
        self
    }

    /// How many runs with a next step stay in memory between two steps: 1,000 unless set. The others are read for each
    /// step, and bodies of theirs that run side by side start again after each step.
    pub fn with_live_runs(mut self, runs: usize) -> Self {
        self.live_runs = runs;
        self
    }

    /// For how long Restate keeps the journals of completed steps: not at all unless set.
    pub fn with_journal_retention(mut self, retention: Duration) -> Self {
        self.journal_retention = retention;
        self
    }

    /// The object, for an endpoint of your own, with other services beside it or with the keys that callers must have. The
    /// endpoint has to be reached over HTTP/2 with streams in both directions, as that of [`listen`](Self::listen) is.
    ///
    /// # Errors
    ///
    /// [`RestateError::ObjectName`] if Restate does not take the name.
    pub fn into_service(self) -> Result<ServiceDefinition, RestateError> {
        let object = RunObject {
            starters: self.starters,
            stepper: Arc::new(Stepper {
                flows: self.flows,
                ctx: self.ctx,
                live: LiveRuns::new(self.live_runs),
            }),
        };
        service::define(object, &self.name, self.journal_retention)
    }

    /// Serves until `shutdown` completes. Running steps have ten seconds then; a step that was not journaled runs again in
    /// another process, or in this one when it is back.
    ///
    /// # Errors
    ///
    /// Those of [`into_service`](Self::into_service).
    pub async fn listen(
        self,
        listener: TcpListener,
        shutdown: impl Future<Output = ()>,
    ) -> Result<(), RestateError> {
        let endpoint = Endpoint::builder().bind(self.into_service()?).build();
        listen(endpoint, listener, shutdown).await;
        Ok(())
    }
}

impl Default for RestateFlows {
    fn default() -> Self {
        Self::new()
    }
}

impl fmt::Debug for RestateFlows {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RestateFlows")
            .field("name", &self.name)
            .field("flows", &self.flows)
            .finish_non_exhaustive()
    }
}

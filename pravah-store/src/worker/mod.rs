//! What executes the steps of stored runs.

pub mod host;
mod inbox;
mod keeper;
mod retention;
mod served;
mod session;

use std::{fmt, future::Future, pin::pin, sync::Arc, time::Duration};

use pravah_runtime::{Context, FlowDef, FlowError, FlowRuntime, LoadOptions, LoadedFlow};
use tokio::{
    sync::watch,
    task::JoinSet,
    time::{Instant, sleep},
};
use uuid::Uuid;

use self::{
    host::Flows,
    retention::prune_regularly,
    served::restore_with,
    session::{Shared, drive},
};
use crate::{ClaimRequest, Notifications, Retention, RunInfo, RunStore, time};

/// Claims runs of a store and executes their steps, each in a commit of its own. There may be any number of workers, in any
/// number of processes, and each run is leased by one.
///
/// It is set up like a builder, and is no future itself: [`run`](Self::run) is what is awaited or spawned, with a future
/// that ends when the worker is to shut down.
///
/// ```
/// use pravah_runtime::prelude::*;
/// use pravah_store::{MemoryStore, Runs, Status, Worker};
///
/// #[state] struct Order { cups: u32 }
/// #[state] #[derive(Debug, PartialEq)] struct Served { cups: u32 }
/// #[node] fn serve(order: Order) -> Served { Served { cups: order.cups } }
/// #[flow] fn coffee(order: Order) -> Served { flow! { serve } }
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let store = MemoryStore::new();
/// let (stop, stopped) = tokio::sync::oneshot::channel::<()>();
/// let worker = Worker::new(store.clone()).serve::<Order>().with_slots(8);
/// let worker = tokio::spawn(worker.run(async { drop(stopped.await) }));
///
/// let runs = Runs::new(store);
/// let id = runs.start::<Order>(Order { cups: 2 }).await?;
/// # while runs.status(&id).await?.status != Status::Done { tokio::task::yield_now().await; }
/// assert_eq!(runs.output::<Order>(&id).await?, Some(Served { cups: 2 }));
///
/// drop(stop); // A program would wait for a signal to end.
/// worker.await?;
/// # Ok(()) }
/// ```
#[must_use = "a worker executes no steps until `run` is awaited"]
pub struct Worker {
    store: Arc<dyn RunStore>,
    flows: Flows,
    ctx: Context,
    slots: usize,
    lease: Duration,
    poll: Duration,
    max_failed_claims: u32,
    retention: Option<Retention>,
}

impl Worker {
    /// A worker that serves no flow yet.
    pub fn new(store: impl RunStore) -> Self {
        Self {
            store: Arc::new(store),
            flows: Flows::new(),
            ctx: Context::default(),
            slots: 16,
            lease: Duration::from_secs(30),
            poll: Duration::from_secs(1),
            max_failed_claims: 10,
            retention: Some(Retention::default()),
        }
    }

    /// Takes runs of the flow `F`, too: its input, or with `#[flow(named)]` its name. Runs of other flows are left to
    /// other workers.
    ///
    /// A flow that is served again replaces the earlier one of its id, with its set-up.
    pub fn serve<F: FlowDef>(self) -> Self {
        self.serve_with::<F>(|run, _| Ok(run))
    }

    /// The same, with each run set up by `set_up` before its first step here: its concurrency, budget, limit of steps,
    /// models, observers and runners of remote agents, none of which is stored but the budget. What is known of the run
    /// says whose it is. Its id and clock are the store's, whatever is set.
    ///
    /// A run that cannot be set up is claimed again later, like one that cannot be read.
    ///
    /// ```
    /// use pravah_runtime::{Budget, prelude::*};
    /// use pravah_store::Worker;
    ///
    /// # use pravah_store::MemoryStore;
    /// # #[state] struct Order { cups: u32 }
    /// # #[state] struct Served { cups: u32 }
    /// # #[node] fn serve(order: Order) -> Served { Served { cups: order.cups } }
    /// # #[flow] fn coffee(order: Order) -> Served { flow! { serve } }
    /// # let store = MemoryStore::new();
    /// let worker = Worker::new(store).serve_with::<Order>(|run, info| {
    ///     let tokens = match info.key.tenant() {
    ///         Some("acme") => 1_000_000,
    ///         _ => 50_000,
    ///     };
    ///     Ok(run.with_concurrency(4).with_budget(Budget::new().tokens(tokens)))
    /// });
    /// ```
    pub fn serve_with<F: FlowDef>(
        mut self,
        set_up: impl Fn(FlowRuntime<F>, &RunInfo) -> Result<FlowRuntime<F>, FlowError>
        + Send
        + Sync
        + 'static,
    ) -> Self {
        self.flows = self.flows.serve_with::<F>(set_up);
        self
    }

    /// Takes runs of a flow that was read from a document, too: those of its `flow.name`. Of two flows of one name the
    /// one that was given last is served, also where the other is annotated.
    ///
    /// ```
    /// use pravah_runtime::document::{DocumentFlow, NodeRegistry};
    /// use pravah_store::{MemoryStore, Runs, Status, Worker};
    /// use serde_json::json;
    ///
    /// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let text = r#"
    /// flow: { name: greet, input: { name: World } }
    /// nodes: [{ id: hello, type: echo, input: { text: "Hello, {{ flow.input.name }}!" } }]
    /// edges: []
    /// "#;
    /// let greet = DocumentFlow::read("greet.yaml", text, &NodeRegistry::standard())?;
    /// let store = MemoryStore::new();
    /// let worker = Worker::new(store.clone()).serve_document(greet.clone());
    /// tokio::spawn(worker.run(std::future::pending()));
    ///
    /// let runs = Runs::new(store);
    /// let id = runs.start_document(&greet, json!({ "name": "Ada" })).await?;
    /// # while runs.status(&id).await?.status != Status::Done { tokio::task::yield_now().await; }
    /// let output = runs.output_of_document(&greet, &id).await?.ok_or("it is not done")?;
    /// assert_eq!(output.outputs["hello"], json!({ "text": "Hello, Ada!" }));
    /// # Ok(()) }
    /// ```
    pub fn serve_document<F: LoadedFlow>(self, flow: F) -> Self {
        self.serve_document_with(flow, |run, _| Ok(run))
    }

    /// The same, with each run set up by `set_up`, as [`serve_with`](Self::serve_with) does.
    pub fn serve_document_with<F: LoadedFlow>(
        mut self,
        flow: F,
        set_up: impl Fn(FlowRuntime<F>, &RunInfo) -> Result<FlowRuntime<F>, FlowError>
        + Send
        + Sync
        + 'static,
    ) -> Self {
        let id = flow.flow_id().to_owned();
        let restore = restore_with(
            move |snapshot, options| flow.restore_run(snapshot, options),
            set_up,
        );
        self.flows.insert(id, restore);
        self
    }

    /// How runs of the flow `F` are loaded that another version of it has stored; see [`LoadOptions`]. Such a run is
    /// stored as this version has it, in a commit of its own before its next step.
    pub fn with_load_options<F: FlowDef>(self, options: LoadOptions) -> Self {
        self.with_load_options_of(F::node_id(), options)
    }

    /// The same for the flow of this id, such as the `flow.name` of a document.
    pub fn with_load_options_of(mut self, flow: impl Into<String>, options: LoadOptions) -> Self {
        self.flows = self.flows.with_load_options_of(flow, options);
        self
    }

    /// What the nodes of all runs may reach.
    pub fn with_context(mut self, ctx: Context) -> Self {
        self.ctx = ctx;
        self
    }

    /// How many runs it may lease at the same time: 16 unless set. 0 counts as 1. Runs that wait take none.
    pub fn with_slots(mut self, slots: usize) -> Self {
        self.slots = slots.max(1);
        self
    }

    /// How long a run is this worker's without a sign of life: 30 seconds unless set. Leases are renewed after a third
    /// of that. After a crash it is how long others wait; a pause of the process that is longer costs it the step. Less than
    /// 100 milliseconds count as that.
    pub fn with_lease(mut self, lease: Duration) -> Self {
        self.lease = lease.max(Duration::from_millis(100));
        self
    }

    /// How often to look for runs whose time has come, or that another process has started: once a second unless
    /// set, and up to a quarter earlier or later, so that workers do not all ask at once. What happens in this process is
    /// noticed at once. Less than 10 milliseconds count as that, and more than a day as a day.
    pub fn with_poll_interval(mut self, poll: Duration) -> Self {
        self.poll = poll.max(Duration::from_millis(10));
        self
    }

    /// How often in a row a run may be claimed without a step being committed, because it cannot be read or
    /// because its workers crash: 10 unless set. Then it has [failed](crate::Status::Failed), and waits for a
    /// [retry](crate::Runs::retry). 0 counts as 1.
    pub fn with_max_failed_claims(mut self, claims: u32) -> Self {
        self.max_failed_claims = claims.max(1);
        self
    }

    /// Which runs that have ended are kept, whoever they belong to: all of the last 30 days unless set. The worker deletes
    /// the others with their histories, at its start and every hour.
    pub fn with_retention(mut self, retention: Retention) -> Self {
        self.retention = Some(retention);
        self
    }

    /// Keeps all runs that have ended, until somebody [prunes](crate::Runs::prune) them.
    pub fn without_retention(mut self) -> Self {
        self.retention = None;
        self
    }

    /// Executes steps until `shutdown` ends. Steps that are being executed then are aborted, without a commit, and their
    /// runs released for other workers at once. Dropping the future aborts them too, but others wait for the ends of
    /// their leases.
    ///
    /// Where the store fails the worker logs it, and asks again. One that serves no flow logs that, and takes no runs.
    pub async fn run(self, shutdown: impl Future<Output = ()>) {
        self.log_flows();
        let (stop, stopped) = watch::channel(false);
        let shared = Arc::new(Shared {
            store: Arc::clone(&self.store),
            ctx: self.ctx.clone(),
            flows: self.flows.clone(),
            lease: self.lease,
            max_failed_claims: self.max_failed_claims,
            stop: stopped,
        });
        // A name of its own for each worker: the lease of another process is never taken for one's own.
        let request = ClaimRequest::new(
            Uuid::now_v7().to_string(),
            self.flows.ids().map(str::to_owned),
        );
        let request = request.with_lease(self.lease);
        let mut notifications = self.store.notifications();
        // Dropped with this future.
        let mut pruning = JoinSet::new();
        if let Some(retention) = self.retention {
            pruning.spawn(prune_regularly(Arc::clone(&self.store), retention));
        }
        let (mut sessions, mut shutdown) = (JoinSet::new(), pin!(shutdown));
        loop {
            // All notifications until now are seen now.
            notifications.clear();
            {
                let mut claiming = pin!(self.claim_runs(&request, &shared, &mut sessions));
                tokio::select! {
                    biased;
                    () = &mut claiming => {}
                    // It is polled here too: it may be next in line for what the store gives to one at a time.
                    () = &mut shutdown => {
                        // A run that was claimed has to be released.
                        claiming.await;
                        break;
                    }
                }
            }
            tokio::select! {
                biased;
                () = &mut shutdown => break,
                () = self.wait(&mut notifications, &mut sessions) => {}
            }
        }
        stop.send_replace(true);
        while sessions.join_next().await.is_some() {}
    }

    /// Logs which flows are served, and what of the set-up can have no effect.
    fn log_flows(&self) {
        if self.flows.is_empty() {
            tracing::warn!(
                "the worker serves no flow, so it takes no runs: `Worker::serve` adds one"
            );
        } else {
            tracing::info!(flows = ?self.flows, slots = self.slots, "the worker starts");
        }
        for flow in self.flows.unserved_load_options() {
            tracing::warn!(
                flow,
                "the worker has load options for a flow that it does not serve"
            );
        }
    }

    /// Starts a session for each run that can be claimed, as far as there are slots.
    async fn claim_runs(
        &self,
        request: &ClaimRequest,
        shared: &Arc<Shared>,
        sessions: &mut JoinSet<()>,
    ) {
        let free = self.slots.saturating_sub(sessions.len());
        if free == 0 {
            return;
        }
        let claimed = Instant::now();
        let claims = match self.store.claim(request.clone().with_limit(free)).await {
            Ok(claims) => claims,
            Err(error) => return tracing::warn!(%error, "no runs could be claimed"),
        };
        for claim in claims {
            if self.flows.serves(&claim.info.flow) {
                sessions.spawn(drive(Arc::clone(shared), claim, claimed));
            }
        }
    }

    /// Waits until there may be something to claim, and a slot for it.
    async fn wait(&self, notifications: &mut Notifications, sessions: &mut JoinSet<()>) {
        let has_room = sessions.len() < self.slots;
        tokio::select! {
            Some(ended) = sessions.join_next(), if !sessions.is_empty() => {
                if let Err(error) = ended {
                    // The lease ends by itself.
                    tracing::error!(%error, "a worker's session ended early");
                }
            }
            _ = notifications.next(), if has_room => {}
            () = sleep(time::jittered(self.poll)), if has_room => {}
        }
    }
}

impl fmt::Debug for Worker {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Worker")
            .field("flows", &self.flows)
            .field("slots", &self.slots)
            .finish_non_exhaustive()
    }
}

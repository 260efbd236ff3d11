//! The handle with which programs reach stored runs.

mod commands;
mod events;
mod start;

use std::{fmt, sync::Arc, time::Duration};

use pravah_runtime::{Entries, FlowDef, FlowRuntime, LoadedFlow};
use serde::de::DeserializeOwned;

pub use self::{
    events::RunEvents,
    start::{StartOutcome, StartRun},
};
use crate::{
    Filter, HistoryRow, Page, Retention, RunInfo, RunKey, RunStore, StoreError, TenantFilter,
    is_encrypted_text, key::check_tenant,
};

/// Starts runs, sends them commands, and reads their results, whether or not a [`Worker`](crate::Worker) has them at
/// the moment. It can be cloned: it is what the handlers of a web server hold.
///
/// A flow is named by its input, `Runs::start::<Order>`, or with `#[flow(named)]` by its name.
///
/// ```
/// use pravah_runtime::prelude::*;
/// use pravah_store::{MemoryStore, Runs, Status, Worker};
///
/// #[state] struct Draft { text: String }
/// #[state] #[derive(Debug, PartialEq)] struct Decided { published: bool }
///
/// #[gate(prompt = "Publish this?")]
/// fn approve(_draft: &Draft, yes: bool) -> Decided { Decided { published: yes } }
///
/// #[flow]
/// fn publish(draft: Draft) -> Decided { flow! { approve } }
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), pravah_store::StoreError> {
/// let store = MemoryStore::new();
/// tokio::spawn(Worker::new(store.clone()).serve::<Draft>().run(std::future::pending()));
///
/// let runs = Runs::new(store);
/// let id = runs.start::<Draft>(Draft { text: "…".into() }).with_id("draft-7").await?;
/// runs.answer(&id, "approve", true).await?; // Also before it is asked.
/// # while runs.status(&id).await?.status != Status::Done { tokio::task::yield_now().await; }
/// assert_eq!(runs.output::<Draft>(&id).await?, Some(Decided { published: true }));
/// # Ok(()) }
/// ```
#[derive(Clone)]
pub struct Runs {
    store: Arc<dyn RunStore>,
    tenant: Option<String>,
    poll: Duration,
}

impl Runs {
    /// A handle to the runs of a store that belong to no tenant.
    pub fn new(store: impl RunStore) -> Self {
        Self {
            store: Arc::new(store),
            tenant: None,
            poll: Duration::from_secs(1),
        }
    }

    /// How often [`events`](Self::events) ask the store for what other processes have committed: once a second unless
    /// set, and up to a quarter earlier or later. What happens in this process is noticed at once.
    #[must_use]
    pub fn with_poll_interval(mut self, poll: Duration) -> Self {
        self.poll = poll;
        self
    }

    /// A handle to the runs of this tenant. Another tenant's run is reported exactly like a missing one
    /// ([`NotFound`](StoreError::NotFound)), and the same id may be another run of each tenant.
    ///
    /// # Errors
    ///
    /// [`StoreError::InvalidName`] if `tenant` is empty, longer than 256 bytes, or has a control character or a `/`.
    pub fn of_tenant(&self, tenant: impl Into<String>) -> Result<Self, StoreError> {
        let tenant = tenant.into();
        check_tenant(&tenant)?;
        Ok(Self {
            store: Arc::clone(&self.store),
            tenant: Some(tenant),
            poll: self.poll,
        })
    }

    /// Starts a run of the flow `F`, which has to be named: `runs.start::<Order>(…)`. It starts when this is awaited, which
    /// returns its id: that of [`StartRun::with_id`], or a UUID of version 7.
    ///
    /// ```
    /// # use pravah_runtime::prelude::*;
    /// # use pravah_store::{MemoryStore, Runs};
    /// # #[state] struct Order { cups: u32 }
    /// # #[state] struct Served { cups: u32 }
    /// # #[node] fn serve(order: Order) -> Served { Served { cups: order.cups } }
    /// # #[flow] fn coffee(order: Order) -> Served { flow! { serve } }
    /// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), pravah_store::StoreError> {
    /// # let runs = Runs::new(MemoryStore::new());
    /// let start = || runs.start::<Order>(Order { cups: 2 }).with_id("order-7").with_tag("shop", "north");
    /// let id = start().await?;
    /// assert_eq!(start().await?, id); // There is one run.
    /// assert!(!start().outcome().await?.is_new);
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    ///
    /// [`StoreError::Flow`] if the flow cannot be built; [`StoreError::InvalidName`]; [`StoreError::AlreadyExists`] if
    /// a run of the id exists and is of another flow. A run of the same flow is left as it is, whatever its input:
    /// [`StartRun::outcome`] says whether there was one.
    pub fn start<F: FlowDef>(&self, input: F::Input) -> StartRun<'_, F> {
        StartRun::new(self, F::node_id(), FlowRuntime::start(input))
    }

    /// The same of a flow that was read from a document. `input` is merged into the input that the document has.
    ///
    /// ```
    /// use pravah_runtime::document::{DocumentFlow, NodeRegistry};
    /// # use pravah_store::{MemoryStore, Runs};
    /// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// # let runs = Runs::new(MemoryStore::new());
    /// # let text = "flow: { name: greet }\nnodes: [{ id: hello, type: echo, input: { text: Hello } }]\nedges: []\n";
    /// let greet = DocumentFlow::read("greet.yaml", text, &NodeRegistry::standard())?;
    /// let input = serde_json::json!({ "name": "Ada" });
    /// let id = runs.start_document(&greet, input).with_id("greet-7").await?;
    /// assert_eq!(runs.status(&id).await?.flow, "greet");
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    ///
    /// Those of [`start`](Self::start).
    pub fn start_document<F: LoadedFlow>(&self, flow: &F, input: F::Input) -> StartRun<'_, F> {
        StartRun::new(self, flow.flow_id().to_owned(), flow.start_run(input))
    }

    /// Where a run is: its status, what it waits for, the questions that are open, and why it has failed.
    ///
    /// # Errors
    ///
    /// [`StoreError::NotFound`].
    pub async fn status(&self, id: &str) -> Result<RunInfo, StoreError> {
        self.store.get(&self.key(id)?).await
    }

    /// What a run of the flow `F` returned; `None` before it is done.
    ///
    /// # Errors
    ///
    /// [`StoreError::NotFound`]; [`StoreError::OtherFlow`] if the run is of another flow; [`StoreError::Corrupt`] if the
    /// output is not of this type any more; [`StoreError::Encrypted`] if it was read without its
    /// [`EncryptedStore`](crate::EncryptedStore).
    pub async fn output<F: FlowDef>(&self, id: &str) -> Result<Option<F::Output>, StoreError> {
        self.read_output(&F::node_id(), id).await
    }

    /// The same of a flow that was read from a document.
    ///
    /// # Errors
    ///
    /// Those of [`output`](Self::output).
    pub async fn output_of_document<F: LoadedFlow>(
        &self,
        flow: &F,
        id: &str,
    ) -> Result<Option<F::Output>, StoreError> {
        self.read_output(flow.flow_id(), id).await
    }

    async fn read_output<T: DeserializeOwned>(
        &self,
        flow: &str,
        id: &str,
    ) -> Result<Option<T>, StoreError> {
        let info = self.status(id).await?;
        if info.flow != flow {
            return Err(StoreError::OtherFlow {
                run: id.to_owned(),
                flow: info.flow,
                asked: flow.to_owned(),
            });
        }
        let Some(json) = info.output else {
            return Ok(None);
        };
        let output = serde_json::from_str(&json);
        output.map(Some).map_err(|error| {
            if is_encrypted_text(&json) {
                StoreError::encrypted(id)
            } else {
                StoreError::corrupt("the output of a run", error)
            }
        })
    }

    /// The runs that pass a filter, the newest first. A handle [of a tenant](Self::of_tenant) lists those of its own only:
    /// a filter for another one finds nothing.
    ///
    /// # Errors
    ///
    /// [`StoreError::InvalidName`] if the filter has a tag or tenant that no run can have.
    pub async fn list(&self, filter: Filter) -> Result<Page, StoreError> {
        let Some(tenant) = &self.tenant else {
            return self.store.list(filter).await;
        };
        filter.check()?;
        // Runs of others are as good as missing, whether or not there are any.
        match &filter.tenant {
            TenantFilter::Of(other) if other != tenant => Ok(Page::of(Vec::new(), filter.limit)),
            _ => self.store.list(filter.with_tenant(tenant)).await,
        }
    }

    /// The steps of a run, the first first.
    ///
    /// # Errors
    ///
    /// [`StoreError::NotFound`].
    pub async fn history(&self, id: &str) -> Result<Vec<HistoryRow>, StoreError> {
        self.store.history(&self.key(id)?, 0, usize::MAX).await
    }

    /// What the [`history`](Self::history) of a run says, a row for each commit, from the first on and as it grows. It
    /// ends when the run has ended; one that has failed may resume. Whichever process executes the steps, no row is left out.
    ///
    /// ```
    /// # use pravah_runtime::prelude::*;
    /// # use pravah_store::{MemoryStore, Runs, Worker};
    /// # #[state] struct Order { cups: u32 }
    /// # #[state] struct Served { cups: u32 }
    /// # #[node] fn serve(order: Order) -> Served { Served { cups: order.cups } }
    /// # #[flow] fn coffee(order: Order) -> Served { flow! { serve } }
    /// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), pravah_store::StoreError> {
    /// # let store = MemoryStore::new();
    /// # tokio::spawn(Worker::new(store.clone()).serve::<Order>().run(std::future::pending()));
    /// # let runs = Runs::new(store);
    /// let id = runs.start::<Order>(Order { cups: 2 }).await?;
    /// let mut events = runs.events(&id);
    /// while let Some(row) = events.next().await {
    ///     let row = row?;
    ///     println!("{}. {}", row.step, row.status);
    /// }
    /// # Ok(()) }
    /// ```
    pub fn events(&self, id: &str) -> RunEvents {
        self.events_from(id, 0)
    }

    /// The same from a step on, so as to continue after the last that was seen.
    pub fn events_from(&self, id: &str, step: u64) -> RunEvents {
        match self.key(id) {
            Ok(key) => RunEvents::follow(Arc::clone(&self.store), key, step, self.poll),
            Err(error) => RunEvents::failed(error),
        }
    }

    /// What was stored of a run after a step; see [`Entries`].
    ///
    /// # Errors
    ///
    /// [`StoreError::NotFound`]; [`StoreError::NoSuchStep`].
    pub async fn entries_at(&self, id: &str, step: u64) -> Result<Entries, StoreError> {
        self.store.entries_at(&self.key(id)?, step).await
    }

    /// Starts a run from where another was after a step, and returns its id. The other stays as it is. The
    /// fork has step keys of its own: effects of the steps that it executes again happen again.
    ///
    /// # Errors
    ///
    /// [`StoreError::NotFound`]; [`StoreError::NoSuchStep`].
    pub async fn fork(&self, id: &str, step: u64) -> Result<String, StoreError> {
        let fork = start::new_id();
        let key = self.key(id)?;
        self.store.fork(&key, step, fork.clone()).await?;
        Ok(fork)
    }

    /// Deletes runs that have ended, with their histories, and returns how many. Without a [tenant](Self::of_tenant)
    /// they are those that belong to none.
    ///
    /// # Errors
    ///
    /// [`StoreError::Database`].
    pub async fn prune(&self, retention: Retention) -> Result<u64, StoreError> {
        let tenant = match &self.tenant {
            Some(tenant) => TenantFilter::Of(tenant.clone()),
            None => TenantFilter::Nobody,
        };
        self.store.prune(&tenant, retention).await
    }

    /// The key of the run of this id. What no run can be called is not found, rather than refused.
    fn key(&self, id: &str) -> Result<RunKey, StoreError> {
        let key = RunKey::new(id).and_then(|key| self.own(key));
        key.map_err(|_| StoreError::not_found(id))
    }

    fn own(&self, key: RunKey) -> Result<RunKey, StoreError> {
        match &self.tenant {
            Some(tenant) => key.of_tenant(tenant),
            None => Ok(key),
        }
    }
}

impl fmt::Debug for Runs {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Runs")
            .field("tenant", &self.tenant)
            .finish_non_exhaustive()
    }
}

//! The runtime as its users see it: typed at both ends.

use std::{future::poll_fn, marker::PhantomData, sync::Arc};

use schemars::JsonSchema;
use serde::{Serialize, de::DeserializeOwned};

use super::{
    futures::{AnswerFuture, RunFuture, StepFuture},
    preflight::Unmet,
    run::Run,
    snapshot::{self, Changes, FlowSnapshot},
    state::RunState,
};
use crate::{
    context::Context,
    error::FlowError,
    flow::{Flow, FlowDef, Known, graph_of},
    graph::Place,
    node::Token,
    state::Live,
};

// The methods that make steps have no bound on `F`; the futures that they return have. Where `F` is no flow, rustc then
// reports it once, at the `.await`, with our message. With the bound on the method, or with `F::Output` in the return
// type, it reports the type, the call and the `.await`, or lists the traits behind the bound.

/// One run of the flow `F`.
///
/// [`next`](Self::next) makes one bounded step and commits it, or fails and changes nothing but what models
/// were asked and paid; after every step [`snapshot`](Self::snapshot) holds the whole run.
/// [`run`](Self::run) makes steps to the end, and [`with_factory`](Self::with_factory), or a
/// [`ClientFactory`](crate::ClientFactory) in the context, says where agents find their models. A flow
/// that is [`named`](macro@crate::flow) is started with `name::start(input)`.
///
/// ```
/// use pravah_runtime::prelude::*;
///
/// #[state] struct Order { cups: u32 }
/// #[state] struct Brewed { cups: u32 }
/// #[state] #[derive(Debug, PartialEq)] struct Served { cups: u32 }
///
/// #[node] fn brew(order: Order) -> Brewed { Brewed { cups: order.cups } }
/// #[node] fn serve(brewed: &Brewed) -> Served { Served { cups: brewed.cups } }
///
/// #[flow]
/// fn coffee(order: Order) -> Served { flow! { brew -> serve } }
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let ctx = Context::default();
/// let mut run = FlowRuntime::new(Order { cups: 2 })?;
/// assert_eq!(run.next(ctx.clone()).await?, RunOut::Continue);
///
/// // The process may end here.
/// let saved = serde_json::to_string(&run)?;
///
/// let mut run = FlowRuntime::<Order>::from_snapshot(serde_json::from_str(&saved)?)?;
/// assert_eq!(run.next(ctx).await?, RunOut::Done(Served { cups: 2 }));
/// # Ok(()) }
/// ```
pub struct FlowRuntime<F> {
    pub(super) inner: Run,
    flow: PhantomData<fn() -> F>,
}

// The bounds are those of the functions, so that rustc says of each what its trait does; what needs none has none, so
// that it is not reported where the run was.
impl<F> FlowRuntime<F> {
    /// A run that is about to start with `input`.
    ///
    /// # Errors
    ///
    /// Whatever [`Flow::build`] returns. A flow made by the macros fails here only for what no compiler
    /// sees, such as a model URL that is computed.
    pub fn new(input: F) -> Result<Self, FlowError>
    where
        F: Flow,
    {
        // Not through `start`: rustc shows the call of the function that holds the constant.
        const { <F as FlowDef>::KNOWN_TOPOLOGY.check_start() };
        Self::start_unchecked(input)
    }

    /// A run of a flow made with `#[flow(named)]` that is about to start with `input`; for other
    /// flows the same as [`new`](Self::new).
    ///
    /// # Errors
    ///
    /// Those of [`new`](Self::new).
    pub fn start(input: F::Input) -> Result<Self, FlowError>
    where
        F: FlowDef,
    {
        const { F::KNOWN_TOPOLOGY.check_start() };
        Self::start_unchecked(input)
    }

    /// A run of this flow that is about to start.
    #[inline]
    pub(crate) fn start_with(known: Arc<Known>, input: Live) -> Self {
        let state = RunState::start(&known.graph.table, input);
        Self::around(Run::new(known, state))
    }

    pub(super) fn around(run: Run) -> Self {
        Self {
            inner: run,
            flow: PhantomData,
        }
    }

    /// The same, of a flow of which it is known that it may be started.
    #[doc(hidden)]
    pub fn start_unchecked(input: F::Input) -> Result<Self, FlowError>
    where
        F: FlowDef,
    {
        Ok(Self::start_with(graph_of::<F>()?, Live::new(input)))
    }

    /// Makes one step: the node that became ready first runs, and what it returned is committed. For
    /// whoever stores the run at every step; [`run`](Self::run) does the rest by itself.
    ///
    /// Nothing here sleeps: where only time helps it returns [`RunOut::Waiting`](crate::RunOut::Waiting) at once, and
    /// calling it again right away would only ask again. [`wait`](Self::wait) until then:
    ///
    /// ```
    /// # use pravah_runtime::prelude::*;
    /// # #[state] struct Order { cups: u32 }
    /// # #[state] struct Served { cups: u32 }
    /// # #[node] fn serve(order: Order) -> Served { Served { cups: order.cups } }
    /// # #[flow] fn coffee(order: Order) -> Served { flow! { serve } }
    /// # fn store(_: FlowSnapshot) {}
    /// # async fn ask(_: serde_json::Value) -> bool { true }
    /// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), FlowError> {
    /// let ctx = Context::default();
    /// let mut run = FlowRuntime::new(Order { cups: 2 })?;
    /// let mut out = run.next(ctx.clone()).await?;
    /// let served = loop {
    ///     store(run.snapshot());
    ///     out = match out {
    ///         RunOut::Done(served) => break served,
    ///         RunOut::Suspend { value, tool_id } => {
    ///             run.answer(ctx.clone(), &tool_id, ask(value).await).await?
    ///         }
    ///         RunOut::Waiting { .. } => {
    ///             run.wait().await;
    ///             run.next(ctx.clone()).await?
    ///         }
    ///         _ => run.next(ctx.clone()).await?,
    ///     };
    /// };
    /// assert_eq!(served.cups, 2);
    /// # Ok(()) }
    /// ```
    ///
    /// A [paused](Self::pause) run is `Waiting` until nothing (`None`): leave such a loop then.
    ///
    /// A run of nodes that never await lets other tasks have their turn now and then: the future is
    /// pending then, and is woken at once.
    ///
    /// Dropping the future changes nothing; the same step is next.
    ///
    /// # Errors
    ///
    /// The node's error, with the run where it was before, so that calling `next` again makes the
    /// step again: a node that takes a state by value gets a clone then, or for a type that is not
    /// `Clone` a value rebuilt from its `Serialize` output. [`FlowError::ResumeRequired`] when nothing
    /// can move before an open suspension is resumed, and [`FlowError::Finished`] once the run was done.
    pub fn next(&mut self, ctx: Context) -> StepFuture<'_, F> {
        StepFuture::new(&mut self.inner, ctx)
    }

    /// Lists what the nodes of the flow ask for and `ctx` lacks, before any of them is reached: dependencies
    /// by their types, models without a key, inputs of flows that are not there, `Http` and `Commands` where the
    /// context allows no host or no command. Nested flows and tools of agents are looked into; what a function
    /// takes out of a whole [`Context`] is not seen. Nothing is sent.
    ///
    /// ```
    /// use pravah_runtime::prelude::*;
    ///
    /// struct Prices { cents: u32 }
    ///
    /// #[state] struct Order { cups: u32 }
    /// #[state] struct Bill { cents: u32 }
    ///
    /// #[node]
    /// fn price(order: Order, prices: Dep<Prices>) -> Bill { Bill { cents: order.cups * prices.cents } }
    ///
    /// #[flow]
    /// fn coffee(order: Order) -> Bill { flow! { price } }
    ///
    /// let run = FlowRuntime::new(Order { cups: 2 })?;
    /// let unmet = run.preflight(&Context::default());
    /// assert!(matches!(&unmet[..], [Unmet::Dep { node, .. }] if node == "price"));
    /// assert!(run.preflight(&Context::default().with_dep(Prices { cents: 250 })).is_empty());
    /// # Ok::<(), FlowError>(())
    /// ```
    pub fn preflight(&self, ctx: &Context) -> Vec<Unmet> {
        self.inner.preflight(ctx)
    }

    /// Answers the question `id`, which is open, with `payload`, and makes the step that waited for
    /// it. If that step fails, or the future is dropped, the payload is kept, and [`next`](Self::next) makes
    /// it again. Of a run that is paused it makes no step: the payload is kept until then.
    ///
    /// A gate whose time is over takes an answer until a step is made: the first of the two counts. The payload is
    /// written as JSON at once; all else happens when the future is polled.
    ///
    /// ```
    /// use pravah_runtime::prelude::*;
    ///
    /// #[state] struct Draft { text: String }
    /// #[state] struct Decided { published: bool }
    ///
    /// #[gate(prompt = "Publish this?")]
    /// fn approve(_draft: &Draft, yes: bool) -> Decided { Decided { published: yes } }
    ///
    /// #[flow]
    /// fn publish(draft: Draft) -> Decided { flow! { approve } }
    ///
    /// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), FlowError> {
    /// let ctx = Context::default();
    /// let mut run = FlowRuntime::new(Draft { text: "…".into() })?;
    /// let RunOut::Suspend { tool_id, .. } = run.run(ctx.clone()).await? else { unreachable!() };
    /// let RunOut::Done(decided) = run.answer(ctx, &tool_id, true).await? else { unreachable!() };
    /// assert!(decided.published);
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    ///
    /// [`FlowError::UnexpectedResumption`] if nothing is open, [`FlowError::ResumeMismatchError`]
    /// with the open ids if `id` is another one, [`FlowError::AlreadyAnswered`] if it was answered
    /// before in this process, and [`FlowError::ResumePayload`] if the payload is not what is waited for:
    /// in each case the run is as it was.
    // `&str`: with a generic id, rustc takes the payload for the id where the context is left out.
    pub fn answer(
        &mut self,
        ctx: Context,
        id: &str,
        payload: impl Serialize,
    ) -> AnswerFuture<'_, F> {
        let payload =
            serde_json::to_value(payload).map_err(|e| FlowError::SerializeError(e.into()));
        AnswerFuture::new(&mut self.inner, ctx, id.to_owned(), payload)
    }

    /// The same as [`answer`](Self::answer), with the id and the payload as a pair.
    ///
    /// # Errors
    ///
    /// Those of [`answer`](Self::answer).
    pub fn resume(
        &mut self,
        ctx: Context,
        (tool_id, payload): (impl AsRef<str>, impl Serialize),
    ) -> AnswerFuture<'_, F> {
        self.answer(ctx, tool_id.as_ref(), payload)
    }

    /// Sleeps until the time that [`RunOut::Waiting`](crate::RunOut::Waiting) named, or until a [`Hub`](crate::Hub) sends
    /// a command. Where something can move, or no time would help, it returns at once.
    ///
    /// It needs tokio's timer, unless the run has [another clock](Self::with_clock). Dropping the future
    /// changes nothing.
    pub async fn wait(&mut self) {
        let run = &mut self.inner;
        if let Some(mut sleep) = run.sleep() {
            // `move`: with `&run` in it the future would not be `Send`.
            poll_fn(move |task| {
                let _ = run.poll_remote_cancels(task);
                run.poll_sleep(&mut sleep, task)
            })
            .await;
        }
    }

    /// Makes steps until the flow is done or nothing but open questions is left, and sleeps out waits. It
    /// does not wait for the timeouts of questions: [`suspensions`](Self::suspensions) says when each
    /// ends.
    ///
    /// # Errors
    ///
    /// Those of [`next`](Self::next).
    pub fn run(&mut self, ctx: Context) -> RunFuture<'_, F> {
        RunFuture::new(&mut self.inner, ctx)
    }

    /// The run as it is, to be written or restored later. This copies no payload and makes no JSON: that happens when
    /// the snapshot is serialised. To write it now, serialise the run itself, which makes the same JSON in less time.
    pub fn snapshot(&self) -> FlowSnapshot {
        FlowSnapshot::take(&self.inner.known.id, self.inner.stored_state())
    }

    /// What has changed in the run's snapshot since this was last called, or everything the first time:
    /// [applied](crate::Entries::apply) to the entries of the snapshot then, it gives those of the
    /// [`snapshot`](Self::snapshot) now. Its size is that of what the steps since put, however large the
    /// run is.
    ///
    /// A restored run counts everything as changed. Where a store has it all, take that as soon as the run is loaded: what is
    /// set later, such as a [budget](Self::with_budget), is a change of its own.
    ///
    /// # Errors
    ///
    /// [`FlowError::SerializeError`] if a state cannot be written as JSON; nothing counts as taken then.
    pub fn take_changes(&mut self) -> Result<Changes, FlowError> {
        let run = &mut self.inner;
        let state = run.stored_state();
        let changes = snapshot::changes(&run.known.id, &state, run.memory.changes_base.as_deref())?;
        run.memory.changes_base = Some(state);
        Ok(changes)
    }

    /// The waiting state of type `S`, if there is one that can be read: in the flow or one inlined
    /// in it, not in an item of a list.
    pub fn peek<S>(&self) -> Option<Arc<S>>
    where
        S: JsonSchema + Serialize + DeserializeOwned + Send + Sync + 'static,
    {
        let name = S::schema_name();
        let root = &self.inner.state.root;
        let is_s = |(place, _): &(Place, &Token)| {
            let Some(state) = root.table.state_at(*place) else {
                return false;
            };
            let key = root.table.state_key(state);
            key.strip_suffix(&*name)
                .is_some_and(|prefix| prefix.is_empty() || prefix.ends_with("::"))
        };
        let (_, token) = root.waiting().find(is_s)?;
        token.live.get().ok()
    }
}

impl<F> std::fmt::Debug for FlowRuntime<F> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("FlowRuntime")
            .field("flow", &self.inner.known.id)
            .field("run_id", self.inner.state.id.get())
            .field("steps", &self.inner.state.steps)
            .field("finished", &self.inner.state.end.is_some())
            .finish_non_exhaustive()
    }
}

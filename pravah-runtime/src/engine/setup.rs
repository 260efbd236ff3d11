//! What a caller sets for a run before its next step. None of it is in a snapshot.

use std::sync::Arc;

use super::{
    clock::{Clock, RunClock},
    factory::Factory,
    runtime::FlowRuntime,
    state::budget::Budget,
};
use crate::{
    agent::ClientHistory,
    error::{ErrorText, FlowError},
    events::{Events, FlowObserver, Observers},
    invocation::{Runner, Runners},
    model::{ClientFactory, ModelOptions, ModelUrl},
};

impl<F> FlowRuntime<F> {
    /// Goes on recording conversations in `history`.
    #[must_use]
    pub fn with_history(mut self, history: ClientHistory) -> Self {
        self.inner.memory.history = history;
        self
    }

    /// Takes clients for models from `factory`: a [`ClientFactory`], or a [`ScriptedModel`](crate::ScriptedModel), which
    /// answers in place of every model. Without it agents use the one or the other that is in the context
    /// (`Context::default().with_dep(factory)`), and otherwise the models that their URLs name. A run whose script answers for
    /// nodes that it does not have makes no step: [`next`](Self::next) is [`FlowError::UnknownAgents`].
    #[must_use]
    pub fn with_factory(mut self, factory: impl Into<ClientFactory>) -> Self {
        self.inner.factory = Factory::of_run(factory.into());
        self
    }

    /// Runs the agent `node` on another model than it names, in this run. Its fallbacks stay.
    ///
    /// # Errors
    ///
    /// [`FlowError::NotFound`] if the flow has no agent `node`, with those that it has;
    /// [`FlowError::BuildError`] if `url` is not a model URL.
    pub fn with_model(mut self, node: impl Into<String>, url: &str) -> Result<Self, FlowError> {
        let node = node.into();
        self.inner.check_agent(&node)?;
        let url = ModelUrl::custom(url).map_err(|error| {
            let text = format!("the model of agent `{node}`");
            FlowError::BuildError(ErrorText::new(text, error))
        })?;
        self.inner.options.models.insert(node, url);
        Ok(self)
    }

    /// Sets what the requests of the agent `node` say, in this run: what is set here comes before what
    /// the agent itself and the client factory set.
    ///
    /// # Errors
    ///
    /// [`FlowError::NotFound`] if the flow has no agent `node`, [`FlowError::BuildError`] if an option
    /// has a value that none can have.
    pub fn with_options(
        mut self,
        node: impl Into<String>,
        options: ModelOptions,
    ) -> Result<Self, FlowError> {
        let node = node.into();
        self.inner.check_agent(&node)?;
        if let Some(problem) = options.problems().into_iter().next() {
            let problem = format!("the options of agent `{node}`: {problem}");
            return Err(FlowError::BuildError(problem.into()));
        }
        self.inner.options.model_options.insert(node, options);
        Ok(self)
    }

    /// Limits what the run may spend on models. An agent that would go beyond fails with
    /// [`FlowError::Limit`] before it asks; the run can go on with a larger budget, unless a `catch`
    /// takes that failure as it takes any other. The budget is part of the snapshot, and what was spent
    /// before counts.
    #[must_use]
    pub fn with_budget(mut self, budget: Budget) -> Self {
        self.inner.state.spending.budget = budget;
        self
    }

    /// Lets up to `bodies` bodies run at the same time, 1 unless set: those of branches, of the items of
    /// lists and of agents that others have called that are ready, on the task that drives the run. Their
    /// results are committed one by one, in the order in which they end, one for each call of
    /// [`next`](Self::next); bodies that still run then go on in the next call. The tools that one answer of
    /// a model asks for run side by side whatever the number is. 0 counts as 1.
    ///
    /// Of more than eight bodies that run, only those are polled whose waker was woken: a future that waits for
    /// something that wakes nobody does not go on because others do.
    #[must_use]
    pub fn with_concurrency(mut self, bodies: usize) -> Self {
        self.inner.concurrency = bodies.max(1);
        self
    }

    /// Takes the time from `clock`.
    #[must_use]
    pub fn with_clock(mut self, clock: impl Clock + 'static) -> Self {
        self.inner.clock = RunClock::of(clock);
        self
    }

    /// Tells `observer` what the run does, in this process. There may be several. An observer is called within
    /// the step; [`events`](Self::events) are for whoever may be slow.
    #[must_use]
    pub fn with_observer(mut self, observer: impl FlowObserver + 'static) -> Self {
        self.watched().add(Arc::new(observer));
        self
    }

    /// What the run does from now on, in this process, as a stream for another task. There may be any number of
    /// them, and none slows the run: see [`Events`] for one that is not read in time.
    ///
    /// ```
    /// use pravah_runtime::prelude::*;
    ///
    /// #[state] struct Order { cups: u32 }
    /// #[state] struct Served { cups: u32 }
    ///
    /// #[node] fn serve(order: Order) -> Served { Served { cups: order.cups } }
    /// #[flow] fn coffee(order: Order) -> Served { flow! { serve } }
    ///
    /// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let mut run = FlowRuntime::new(Order { cups: 2 })?.with_run_id("order-7");
    /// let mut events = run.events();
    /// let log = tokio::spawn(async move {
    ///     let mut names = Vec::new();
    ///     while let Some(event) = events.next().await {
    ///         names.push(event.kind.name().to_owned());
    ///     }
    ///     names
    /// });
    /// run.run(Context::default()).await?;
    /// let names = ["harness:start", "task:start", "step", "task:complete", "harness:complete"];
    /// assert_eq!(log.await?, names);
    /// # Ok(()) }
    /// ```
    pub fn events(&mut self) -> Events {
        self.watched().stream(false)
    }

    /// The same with [the text of models](crate::EventKind::AgentText) as it comes. Only then, or for an observer that
    /// [asks for it](FlowObserver::wants_text), are models asked for a stream.
    pub fn events_with_text(&mut self) -> Events {
        self.watched().stream(true)
    }

    fn watched(&mut self) -> &mut Observers {
        if self.inner.options.observers.is_empty() {
            self.inner.start_notifying();
        }
        &mut self.inner.options.observers
    }

    /// Adds a runner for remote agents that name its kind: those of `#[agent(runner = …)]`, or
    /// [`AgentConfig::remote`](crate::AgentConfig::remote). A run of an
    /// [`AgentRegistry`](crate::invocation::AgentRegistry) has the runners of that from the start. Of two runners of one
    /// kind the later is used.
    ///
    /// A run that is restored needs it again.
    #[must_use]
    pub fn with_runner(mut self, runner: impl Runner) -> Self {
        self.inner.options.runners.add(Arc::new(runner));
        // It may be able to cancel what no other one could.
        if let Some(memory) = self.inner.memory.get_mut() {
            memory.cancelling = None;
        }
        self
    }

    /// Replaces the runners, unless there are none to set.
    pub(crate) fn with_runners(mut self, runners: &Runners) -> Self {
        if !runners.is_empty() {
            self.inner.options.runners = runners.clone();
        }
        self
    }

    /// Names the run. It is part of step keys, so set it before the first step.
    #[must_use]
    pub fn with_run_id(mut self, id: impl Into<String>) -> Self {
        self.inner.set_id(&id.into());
        self
    }

    /// Ends the run with [`FlowError::MaxSteps`] when it has made `limit` steps, counting those
    /// before a restore. Without it there is no limit.
    #[must_use]
    pub fn with_max_steps(mut self, limit: u64) -> Self {
        self.inner.options.max_steps = Some(limit);
        self
    }
}

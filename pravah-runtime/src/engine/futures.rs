//! The futures that callers await. They know the flow's types, which they only need for its output; the steps that they
//! make do not, so that those are compiled once for all flows.

use std::{
    future::Future,
    marker::PhantomData,
    panic::{AssertUnwindSafe, catch_unwind},
    pin::Pin,
    task::{Context as Task, Poll, ready},
};

use serde_json::Value;

use super::{
    run::{Out, Run},
    run_out::RunOut,
    state::End,
    step::Step,
    steps::{AnsweredStep, Steps},
};
use crate::{
    context::Context,
    error::{FlowError, panicked},
    flow::FlowEnds,
    graph::Data,
    state::{AsNoted, Unknown},
};

/// What [`FlowRuntime::next`](crate::FlowRuntime::next) returns: a future of one step. Nothing is committed before it
/// is done, so it can be dropped at any time.
#[must_use = "futures do nothing unless you `.await` or poll them"]
pub struct StepFuture<'a, F> {
    step: Step<'a>,
    flow: PhantomData<fn() -> F>,
}

impl<'a, F> StepFuture<'a, F> {
    pub(super) fn new(run: &'a mut Run, ctx: Context) -> Self {
        Self {
            step: Step::new(run, ctx),
            flow: PhantomData,
        }
    }
}

impl<F: FlowEnds> Future for StepFuture<'_, F> {
    type Output = Result<RunOut<F::Output>, FlowError>;

    fn poll(mut self: Pin<&mut Self>, task: &mut Task<'_>) -> Poll<Self::Output> {
        let out = ready!(self.step.poll(task));
        Poll::Ready(self.step.run().typed(out))
    }
}

/// What [`FlowRuntime::run`](crate::FlowRuntime::run) returns: a future of the output, or of what the run stops at.
/// Dropping it changes nothing that is committed.
#[must_use = "futures do nothing unless you `.await` or poll them"]
pub struct RunFuture<'a, F> {
    steps: Steps<'a>,
    flow: PhantomData<fn() -> F>,
}

impl<'a, F> RunFuture<'a, F> {
    pub(super) fn new(run: &'a mut Run, ctx: Context) -> Self {
        Self {
            steps: Steps::new(run, ctx),
            flow: PhantomData,
        }
    }
}

impl<F: FlowEnds> Future for RunFuture<'_, F> {
    type Output = Result<RunOut<F::Output>, FlowError>;

    fn poll(mut self: Pin<&mut Self>, task: &mut Task<'_>) -> Poll<Self::Output> {
        let out = ready!(self.steps.poll(task));
        Poll::Ready(self.steps.run().typed(out))
    }
}

/// What [`FlowRuntime::answer`](crate::FlowRuntime::answer) returns: a future of the step that waited.
#[must_use = "futures do nothing unless you `.await` or poll them"]
pub struct AnswerFuture<'a, F> {
    step: AnsweredStep<'a>,
    flow: PhantomData<fn() -> F>,
}

impl<'a, F> AnswerFuture<'a, F> {
    pub(super) fn new(
        run: &'a mut Run,
        ctx: Context,
        id: String,
        payload: Result<Value, FlowError>,
    ) -> Self {
        Self {
            step: AnsweredStep::new(run, ctx, id, payload),
            flow: PhantomData,
        }
    }
}

impl<F: FlowEnds> Future for AnswerFuture<'_, F> {
    type Output = Result<RunOut<F::Output>, FlowError>;

    fn poll(mut self: Pin<&mut Self>, task: &mut Task<'_>) -> Poll<Self::Output> {
        let out = ready!(self.step.poll(task));
        Poll::Ready(self.step.run().typed(out))
    }
}

impl Run {
    /// Reads the output, where a step returned it. The run keeps a copy.
    #[inline]
    fn typed<O: Data>(&mut self, out: Result<Out, FlowError>) -> Result<RunOut<O>, FlowError> {
        Ok(match out? {
            Out::Continue => RunOut::Continue,
            Out::Suspend { value, tool_id } => RunOut::Suspend { value, tool_id },
            Out::Waiting { until, why } => RunOut::Waiting { until, why },
            Out::Done(()) => RunOut::Done(self.take_output()?),
        })
    }

    fn take_output<O: Data>(&mut self) -> Result<O, FlowError> {
        let Some(End::Done(live)) = &mut self.state.end else {
            return Err(FlowError::Finished);
        };
        let output = catch_unwind(AssertUnwindSafe(|| {
            match self.known.output.downcast_ref::<AsNoted<O>>() {
                Some(copies) => live.take(copies),
                None => live.take(&Unknown),
            }
        }));
        let output = output.map_err(|panic| {
            // By the table: the item of a list that the last step was of is gone.
            let last = self.last_step().map(|last| last.node);
            panicked(&last.unwrap_or_default(), panic)
        })?;
        output.map_err(|error| FlowError::DeserializeError(error.into()))
    }
}

//! A step as the future that the caller awaits.

use std::{
    future::Future,
    marker::PhantomData,
    panic::{AssertUnwindSafe, catch_unwind},
    pin::Pin,
    task::{Context as Task, Poll},
};

use serde::{Serialize, de::DeserializeOwned};

use super::{
    RunOut,
    outcome::StepOutcome,
    run::{NodePath, Out, Run},
    turns::Nested,
};
use crate::{
    agent::AgentFuture,
    context::Context,
    error::{FlowError, quietly},
    node::{BodyFuture, Emission, Emitted},
};

/// One step of a run. Nothing is committed before it is done, so it can be dropped at any time.
pub(super) struct Step<'a, O> {
    run: &'a mut Run,
    stage: Stage,
    ctx: Option<Context>,
    output: PhantomData<fn() -> O>,
}

pub(super) enum Stage {
    /// It has not started. Without a path it is the step that is next.
    New(Option<NodePath>),
    Pending(NodePath, Pending),
    /// It is made. Whoever polls once more waits, and makes no second one.
    Ended,
}

/// A step that awaits. It holds nothing of the run.
pub(super) enum Pending {
    Body(BodyFuture),
    Agent(AgentFuture),
}

impl<'a, O> Step<'a, O> {
    pub(super) fn new(run: &'a mut Run, path: Option<NodePath>, ctx: Context) -> Self {
        Self {
            run,
            stage: Stage::New(path),
            ctx: Some(ctx),
            output: PhantomData,
        }
    }
}

impl<O> Future for Step<'_, O>
where
    O: Serialize + DeserializeOwned + Send + Sync + 'static,
{
    type Output = Result<RunOut<O>, FlowError>;

    fn poll(mut self: Pin<&mut Self>, task: &mut Task<'_>) -> Poll<Self::Output> {
        let Self {
            run, stage, ctx, ..
        } = &mut *self;
        let polled = run.poll_step(stage, ctx, task);
        if polled.is_ready() {
            let ended = std::mem::replace(stage, Stage::Ended);
            quietly(|| drop(ended));
            if !run.options.observers.is_empty() {
                run.tell_step();
            }
        }
        match polled {
            // Most steps end here; through `typed` each would take a tenth longer.
            Poll::Ready(Ok(Out::Continue)) => Poll::Ready(Ok(RunOut::Continue)),
            Poll::Ready(out) => Poll::Ready(out.and_then(typed)),
            Poll::Pending => Poll::Pending,
        }
    }
}

impl Run {
    fn poll_step(
        &mut self,
        stage: &mut Stage,
        ctx: &mut Option<Context>,
        task: &mut Task<'_>,
    ) -> Poll<Result<Out, FlowError>> {
        let _nested = match Nested::enter() {
            Ok(nested) => nested,
            Err(error) => return Poll::Ready(Err(error)),
        };
        if let Stage::New(path) = stage {
            if !self.may_step(task) {
                return Poll::Pending;
            }
            if let Err(error) = self.check_script(ctx.as_ref()) {
                return Poll::Ready(Err(error));
            }
            let started = match self.fast_node() {
                Some(node) if path.is_none() => self.start_fast(node, ctx, stage),
                _ => {
                    let path = path.take();
                    self.start_step(path, ctx, stage)
                }
            };
            if let Some(out) = started {
                return Poll::Ready(out);
            }
        }
        match stage {
            Stage::Pending(path, pending) => self.poll_pending(path, pending, task),
            Stage::New(_) | Stage::Ended => Poll::Pending,
        }
    }

    fn poll_pending(
        &mut self,
        path: &mut NodePath,
        pending: &mut Pending,
        task: &mut Task<'_>,
    ) -> Poll<Result<Out, FlowError>> {
        match pending {
            Pending::Body(body) => {
                match catch_unwind(AssertUnwindSafe(|| body.as_mut().poll(task))) {
                    Ok(Poll::Pending) => Poll::Pending,
                    Ok(Poll::Ready(Ok(Emitted(Emission::Way(0, live)))))
                        if path.items_path.is_empty() =>
                    {
                        Poll::Ready(self.commit_plain(path.node, live))
                    }
                    Ok(Poll::Ready(emitted)) => Poll::Ready(self.end_body(path, Ok(emitted))),
                    Err(panic) => Poll::Ready(self.end_body(path, Err(panic))),
                }
            }
            Pending::Agent(step) => {
                match catch_unwind(AssertUnwindSafe(|| step.as_mut().poll(task))) {
                    Ok(polled) => {
                        polled.map(|step| self.commit_or_catch(path, step.map(StepOutcome::from)))
                    }
                    Err(panic) => Poll::Ready(self.end_body(path, Err(panic))),
                }
            }
        }
    }
}

/// Reads the output, where a step returned it.
fn typed<O>(out: Out) -> Result<RunOut<O>, FlowError>
where
    O: Serialize + DeserializeOwned + Send + Sync + 'static,
{
    Ok(match out {
        Out::Continue => RunOut::Continue,
        Out::Suspend { value, tool_id } => RunOut::Suspend { value, tool_id },
        Out::Waiting { until } => RunOut::Waiting { until },
        Out::Done(live) => match live.into_inner() {
            Ok(output) => RunOut::Done(output),
            Err(error) => return Err(FlowError::DeserializeError(error.into())),
        },
    })
}

//! Several steps, or one that an answer was given to, as the future that the caller awaits.

use std::{
    future::Future,
    mem,
    pin::Pin,
    task::{Context as Task, Poll, ready},
};

use serde_json::Value;

use super::{
    clock::Sleep,
    run::{Out, Run},
    run_out::RunOut,
    state::{RunState, path::NodePath, progress::WaitReason},
    step::StepFuture,
};
use crate::{context::Context, error::FlowError, flow::FlowEnds};

/// What [`FlowRuntime::run`](crate::FlowRuntime::run) returns: a future of the output, or of what the run stops at.
/// Dropping it changes nothing that is committed.
#[must_use = "futures do nothing unless you `.await` or poll them"]
pub struct RunFuture<'a, F> {
    step: StepFuture<'a, F>,
    ctx: Context,
    wait: Option<Sleep>,
    rest: Rest,
}

/// Why no step is made any more.
enum Rest {
    None,
    /// Nothing is left but open questions.
    Suspended,
    Failed(FlowError),
    Paused,
}

impl<F> Drop for RunFuture<'_, F> {
    /// An error that was not returned is returned by the next step.
    fn drop(&mut self) {
        if let Rest::Failed(error) = mem::replace(&mut self.rest, Rest::None) {
            self.step.run().memory.untold_error = Some(error);
        }
    }
}

impl<'a, F> RunFuture<'a, F> {
    pub(super) fn new(run: &'a mut Run, ctx: Context) -> Self {
        Self {
            step: StepFuture::new(run, ctx.clone()),
            ctx,
            wait: None,
            rest: Rest::None,
        }
    }
}

impl<F: FlowEnds> Future for RunFuture<'_, F> {
    type Output = Result<RunOut<F::Output>, FlowError>;

    fn poll(mut self: Pin<&mut Self>, task: &mut Task<'_>) -> Poll<Self::Output> {
        let Self {
            step,
            ctx,
            wait,
            rest,
        } = &mut *self;
        loop {
            if !matches!(rest, Rest::None) {
                // Nobody may poll the run again for a long time.
                ready!(step.run().poll_remote_cancels(task));
                match mem::replace(rest, Rest::None) {
                    Rest::Failed(error) => return Poll::Ready(Err(error)),
                    Rest::Paused => {
                        let (until, why) = (None, WaitReason::Paused);
                        return Poll::Ready(Ok(RunOut::Waiting { until, why }));
                    }
                    Rest::None | Rest::Suspended => {}
                }
                if let Some(out) = step.run().first_question() {
                    return Poll::Ready(step.run().typed(out));
                }
                step.restart(ctx.clone());
            }
            if let Some(sleep) = wait {
                let _ = step.run().poll_remote_cancels(task);
                ready!(step.run().poll_sleep(sleep, task));
            }
            *wait = None;
            match ready!(Pin::new(&mut *step).poll(task)) {
                Ok(RunOut::Continue | RunOut::Suspend { .. }) => {}
                Ok(RunOut::Waiting { until: Some(_), .. }) => *wait = step.run().sleep(),
                Ok(RunOut::Waiting {
                    why: WaitReason::Paused,
                    ..
                }) => {
                    *rest = Rest::Paused;
                    continue;
                }
                // It was announced before, or in another process.
                Err(FlowError::ResumeRequired(_)) => {
                    if step.run().state.questions().next().is_some() {
                        *rest = Rest::Suspended;
                        continue;
                    }
                }
                Err(error) => {
                    *rest = Rest::Failed(error);
                    continue;
                }
                out => return Poll::Ready(out),
            }
            step.restart(ctx.clone());
        }
    }
}

/// What [`FlowRuntime::answer`](crate::FlowRuntime::answer) returns: a future of the step that waited.
#[must_use = "futures do nothing unless you `.await` or poll them"]
pub struct AnswerFuture<'a, F> {
    step: StepFuture<'a, F>,
    id: String,
    stage: Stage,
}

enum Stage {
    New(Result<Value, FlowError>),
    /// The step at `path` has the answer; `before` is the run without it.
    Answered {
        path: NodePath,
        before: Box<RunState>,
    },
    Ended,
}

impl<'a, F> AnswerFuture<'a, F> {
    pub(super) fn new(
        run: &'a mut Run,
        ctx: Context,
        id: String,
        payload: Result<Value, FlowError>,
    ) -> Self {
        Self {
            step: StepFuture::new(run, ctx),
            id,
            stage: Stage::New(payload),
        }
    }

    /// Gives the answer to the run. Returns the outcome if the run is paused, so that no step is made.
    fn give(&mut self, payload: Result<Value, FlowError>) -> Result<Option<Out>, FlowError> {
        let run = self.step.run();
        let payload = payload?;
        // Cheap: it shares what the run holds.
        let before = run.state.clone();
        let path = run.answer(&self.id, payload)?;
        if run.state.is_paused {
            return run.idle().map(Some);
        }
        self.step.aim_at(path.clone());
        self.stage = Stage::Answered { path, before };
        Ok(None)
    }
}

impl<F: FlowEnds> Future for AnswerFuture<'_, F> {
    type Output = Result<RunOut<F::Output>, FlowError>;

    fn poll(mut self: Pin<&mut Self>, task: &mut Task<'_>) -> Poll<Self::Output> {
        if let Stage::New(payload) = &mut self.stage {
            let payload = mem::replace(payload, Ok(Value::Null));
            self.stage = Stage::Ended;
            if let Some(out) = self.give(payload).transpose() {
                return Poll::Ready(out.and_then(|out| self.step.run().typed(out)));
            }
        }
        let Self { step, id, stage } = &mut *self;
        let Stage::Answered { path, before } = stage else {
            return Poll::Pending;
        };
        let out = match ready!(Pin::new(&mut *step).poll(task)) {
            // Only the tool that takes the payload can say whether it fits.
            Err(FlowError::ResumePayload { source, .. }) => {
                step.run().ask_again(id, path, before);
                let id = mem::take(id);
                Err(FlowError::ResumePayload { id, source })
            }
            out => out,
        };
        *stage = Stage::Ended;
        Poll::Ready(out)
    }
}

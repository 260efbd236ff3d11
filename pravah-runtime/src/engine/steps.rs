//! Several steps of a run, or one that an answer was given to.

use std::{
    mem,
    task::{Context as Task, Poll, ready},
};

use serde_json::Value;

use super::{
    clock::Sleep,
    run::{Out, Run},
    state::{RunState, path::NodePath, progress::WaitReason},
    step::Step,
};
use crate::{context::Context, error::FlowError};

/// The steps up to the output, or to what the run stops at.
pub(super) struct Steps<'a> {
    step: Step<'a>,
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

impl Drop for Steps<'_> {
    #[inline]
    fn drop(&mut self) {
        if let Rest::Failed(_) = self.rest {
            self.keep_error();
        }
    }
}

impl<'a> Steps<'a> {
    pub(super) fn new(run: &'a mut Run, ctx: Context) -> Self {
        Self {
            step: Step::new(run, ctx),
            wait: None,
            rest: Rest::None,
        }
    }

    /// An error that was not returned is returned by the next step.
    #[cold]
    fn keep_error(&mut self) {
        if let Rest::Failed(error) = mem::replace(&mut self.rest, Rest::None) {
            self.step.run().memory.untold_error = Some(error);
        }
    }

    pub(super) fn run(&mut self) -> &mut Run {
        self.step.run()
    }

    pub(super) fn poll(&mut self, task: &mut Task<'_>) -> Poll<Result<Out, FlowError>> {
        let Self { step, wait, rest } = self;
        loop {
            if !matches!(rest, Rest::None) {
                // Nobody may poll the run again for a long time.
                ready!(step.run().poll_remote_cancels(task));
                match mem::replace(rest, Rest::None) {
                    Rest::Failed(error) => return Poll::Ready(Err(error)),
                    Rest::Paused => {
                        let (until, why) = (None, WaitReason::Paused);
                        return Poll::Ready(Ok(Out::Waiting { until, why }));
                    }
                    Rest::None | Rest::Suspended => {}
                }
                if let Some(out) = step.run().first_question() {
                    return Poll::Ready(Ok(out));
                }
                step.restart();
            }
            if let Some(sleep) = wait {
                let _ = step.run().poll_remote_cancels(task);
                ready!(step.run().poll_sleep(sleep, task));
            }
            *wait = None;
            match ready!(step.poll(task)) {
                Ok(Out::Continue | Out::Suspend { .. }) => {}
                Ok(Out::Waiting { until: Some(_), .. }) => *wait = step.run().sleep(),
                Ok(Out::Waiting {
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
            step.restart();
        }
    }
}

/// The step that waited for an answer.
pub(super) struct AnsweredStep<'a> {
    step: Step<'a>,
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

impl<'a> AnsweredStep<'a> {
    pub(super) fn new(
        run: &'a mut Run,
        ctx: Context,
        id: String,
        payload: Result<Value, FlowError>,
    ) -> Self {
        Self {
            step: Step::new(run, ctx),
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
        let path = run.answer(&self.id, payload, true)?;
        if run.state.is_paused {
            return run.idle().map(Some);
        }
        self.step.aim_at(path.clone());
        self.stage = Stage::Answered { path, before };
        Ok(None)
    }

    pub(super) fn run(&mut self) -> &mut Run {
        self.step.run()
    }

    pub(super) fn poll(&mut self, task: &mut Task<'_>) -> Poll<Result<Out, FlowError>> {
        if let Stage::New(payload) = &mut self.stage {
            let payload = mem::replace(payload, Ok(Value::Null));
            self.stage = Stage::Ended;
            if let Some(out) = self.give(payload).transpose() {
                return Poll::Ready(out);
            }
        }
        let Self { step, id, stage } = self;
        let Stage::Answered { path, before } = stage else {
            return Poll::Pending;
        };
        let out = match ready!(step.poll(task)) {
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

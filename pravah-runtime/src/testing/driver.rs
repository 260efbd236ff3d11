//! Drives a run step by step.

use std::{
    future::{Future, poll_fn},
    pin::pin,
    task::Poll,
    time::{SystemTime, UNIX_EPOCH},
};

use serde_json::Value;

use super::{CrashTest, CrashTestError, Effects, START, effects::EffectLog};
use crate::{
    Clock as _, Context, FlowEnds, FlowError, FlowRuntime, FlowSnapshot, ManualClock, RunOut,
    Suspension,
};

/// The id of all runs: effects of two of them have the same keys.
const RUN_ID: &str = "crash-test";

/// A process that runs the steps of a run.
pub(super) struct Driver<'a, F: FlowEnds> {
    test: &'a CrashTest<F>,
    run: FlowRuntime<F>,
    outside: Outside,
}

/// What outlives a process.
#[derive(Clone)]
struct Outside {
    ctx: Context,
    clock: ManualClock,
    effects: Effects,
}

/// The result of a step.
pub(super) enum StepResult {
    Continued,
    /// The flow has this output.
    Finished(Value),
    /// The future of the step was dropped.
    Dropped,
}

impl<'a, F: FlowEnds> Driver<'a, F> {
    /// A run that is about to start.
    pub(super) fn start(test: &'a CrashTest<F>) -> Result<Self, CrashTestError> {
        let effects = Effects::default();
        let outside = Outside {
            ctx: (test.context)(&effects),
            clock: ManualClock::new(UNIX_EPOCH + START),
            effects,
        };
        let run = (test.start)().map_err(CrashTestError::Run)?;
        Ok(Self::of(test, run, outside))
    }

    fn of(test: &'a CrashTest<F>, run: FlowRuntime<F>, outside: Outside) -> Self {
        let run = (test.set_up)(run).with_run_id(RUN_ID);
        let run = run.with_clock(outside.clock.clone());
        Self { test, run, outside }
    }

    /// The run as it is stored.
    pub(super) fn stored(&self) -> Result<String, CrashTestError> {
        let stored = serde_json::to_string(&self.run);
        stored.map_err(|error| CrashTestError::Run(FlowError::SerializeError(error.into())))
    }

    /// Another process beside this one, which resumes what was stored. The clock of each moves when that process waits, and
    /// not while the other one has something to do.
    pub(super) fn beside(&self, stored: &str) -> Result<Self, CrashTestError> {
        let mut outside = self.outside.clone();
        outside.clock = ManualClock::new(self.outside.clock.now());
        Self::load(self.test, stored, outside)
    }

    /// Another process, which resumes what was stored.
    pub(super) fn restored(&self, stored: &str) -> Result<Self, CrashTestError> {
        Self::load(self.test, stored, self.outside.clone())
    }

    fn load(
        test: &'a CrashTest<F>,
        stored: &str,
        outside: Outside,
    ) -> Result<Self, CrashTestError> {
        let snapshot: Result<FlowSnapshot, _> = serde_json::from_str(stored);
        let snapshot = snapshot.map_err(|error| FlowError::SnapLoadError(error.into()));
        let run = snapshot.and_then(&test.restore);
        let run = run.map_err(CrashTestError::Run)?;
        Ok(Self::of(test, run, outside))
    }

    pub(super) fn effects(&self) -> EffectLog {
        self.outside.effects.snapshot()
    }

    /// The last step.
    pub(super) fn last_step(&self) -> String {
        let last = self.run.last_step();
        last.map_or_else(String::new, |step| step.to_string())
    }

    /// Runs a step.
    pub(super) async fn step(&mut self) -> Result<StepResult, CrashTestError> {
        self.step_until(usize::MAX).await
    }

    /// Runs a step, whose future is dropped when it has been pending so many times.
    pub(super) async fn step_until(
        &mut self,
        pending: usize,
    ) -> Result<StepResult, CrashTestError> {
        loop {
            let ctx = self.outside.ctx.clone();
            let out = poll_until_pending(self.run.next(ctx), pending).await;
            let waits = matches!(
                out,
                Some(Err(FlowError::ResumeRequired(_)) | Ok(RunOut::Waiting { .. }))
            );
            // Whoever is asked answers at once, also where the run waits for something else.
            let out = match waits.then(|| self.answer_to_one()).flatten() {
                Some((id, answer)) => {
                    let answering = self.run.answer(self.outside.ctx.clone(), &id, answer);
                    poll_until_pending(answering, pending).await
                }
                None => out,
            };
            return match out {
                None => Ok(StepResult::Dropped),
                Some(Ok(RunOut::Done(output))) => {
                    let output = serde_json::to_value(output);
                    let output = output.map_err(|error| FlowError::SerializeError(error.into()));
                    output
                        .map(StepResult::Finished)
                        .map_err(CrashTestError::Run)
                }
                Some(Ok(RunOut::Waiting {
                    until: Some(until), ..
                })) => {
                    self.pass_time(until);
                    continue;
                }
                Some(Ok(_)) => Ok(StepResult::Continued),
                Some(Err(FlowError::ResumeRequired(_))) => {
                    self.pass_time(self.end_of_questions()?);
                    continue;
                }
                Some(Err(error)) => Err(CrashTestError::Run(error)),
            };
        }
    }
}

impl<F: FlowEnds> Driver<'_, F> {
    /// The first open question that somebody answers, with the answer.
    fn answer_to_one(&self) -> Option<(String, Value)> {
        let open = self.run.suspensions();
        let answer = |question: &Suspension| {
            let answer = (self.test.answer)(question)?;
            Some((question.tool_id.clone(), answer))
        };
        open.iter().find_map(answer)
    }

    /// When the time of the first question is over that nobody answers.
    fn end_of_questions(&self) -> Result<SystemTime, CrashTestError> {
        let open = self.run.suspensions();
        let first = open.iter().filter_map(|question| question.until).min();
        first.ok_or_else(|| CrashTestError::NoAnswer {
            question: open
                .first()
                .map_or_else(String::new, |first| first.tool_id.clone()),
        })
    }

    fn pass_time(&self, until: SystemTime) {
        let clock = &self.outside.clock;
        clock.set(until.max(clock.now()));
    }
}

/// Polls a future until it is ready, or drops it when it has been pending so many times (`None`).
async fn poll_until_pending<T>(future: impl Future<Output = T>, times: usize) -> Option<T> {
    let mut future = pin!(future);
    let mut pending = 0;
    poll_fn(|task| match future.as_mut().poll(task) {
        Poll::Ready(returned) => Poll::Ready(Some(returned)),
        Poll::Pending => {
            pending += 1;
            if pending >= times {
                Poll::Ready(None)
            } else {
                Poll::Pending
            }
        }
    })
    .await
}

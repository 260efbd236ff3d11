//! Runs with a fault at one step.

use serde_json::Value;

use super::{
    CrashTest, CrashTestError, Fault,
    difference::{Finished, difference},
    driver::{Driver, StepResult},
    error::FaultKind,
};
use crate::FlowEnds;

/// How often the future of a step is dropped at most: when it is pending for the first time, the second, and so on.
const MAX_DROPS: usize = 16;

/// A step at which faults are injected.
pub(super) struct FaultSite<'a, F: FlowEnds> {
    pub(super) test: &'a CrashTest<F>,
    /// The result of the run without faults.
    pub(super) baseline: &'a Finished,
    /// How many steps are before it.
    pub(super) index: usize,
    /// What the step is called.
    pub(super) step: &'a str,
}

impl<F: FlowEnds> FaultSite<'_, F> {
    /// Injects each kind of fault. Returns how many runs that took.
    pub(super) async fn inject(&self) -> Result<usize, CrashTestError> {
        let mut runs = 0;
        for kind in [
            FaultKind::Restored,
            FaultKind::Lost,
            FaultKind::TwoProcesses,
        ] {
            self.check(kind).await?;
            runs += 1;
        }
        for pending in 1..=MAX_DROPS {
            // The step was pending less often and is done, so there was no fault.
            if !self.check(FaultKind::Dropped { pending }).await? {
                break;
            }
            self.check(FaultKind::Killed { pending }).await?;
            runs += 2;
        }
        Ok(runs)
    }

    /// Compares a run with a fault to the baseline. Returns whether its future was dropped.
    async fn check(&self, kind: FaultKind) -> Result<bool, CrashTestError> {
        let differs = |difference: String| CrashTestError::Differs {
            fault: Fault {
                step: self.step.to_owned(),
                kind,
            },
            difference,
        };
        match self.run(kind).await {
            Ok((finished, was_dropped)) => match difference(self.baseline, &finished) {
                Some(difference) => Err(differs(difference)),
                None => Ok(was_dropped),
            },
            Err(CrashTestError::Run(error)) => Err(differs(format!("the run fails: {error}"))),
            Err(CrashTestError::NoEnd { steps }) => Err(differs(format!(
                "the run has not ended after {steps} steps"
            ))),
            Err(error @ (CrashTestError::Differs { .. } | CrashTestError::SharedKey { .. })) => {
                Err(error)
            }
            Err(CrashTestError::NoAnswer { question }) => Err(differs(format!(
                "nobody answers the question `{question}`, which was answered in the baseline run"
            ))),
        }
    }

    /// Runs the flow with the fault.
    async fn run(&self, kind: FaultKind) -> Result<(Finished, bool), CrashTestError> {
        let mut driver = Driver::start(self.test)?;
        for _ in 0..self.index {
            // There may be fewer steps: how many a remote agent takes is up to its server.
            if let StepResult::Finished(output) = driver.step().await? {
                return Ok((finished(&driver, output), false));
            }
        }
        let stored = driver.stored()?;
        let mut was_dropped = false;
        match kind {
            FaultKind::Restored => driver = driver.restored(&stored)?,
            FaultKind::Lost => {
                driver.step().await?;
                driver = driver.restored(&stored)?;
            }
            FaultKind::TwoProcesses => return self.run_twice(driver, &stored).await,
            FaultKind::Dropped { pending } | FaultKind::Killed { pending } => {
                match driver.step_until(pending).await? {
                    StepResult::Dropped => was_dropped = true,
                    StepResult::Finished(output) => return Ok((finished(&driver, output), false)),
                    StepResult::Continued => {}
                }
                if let FaultKind::Killed { .. } = kind {
                    driver = driver.restored(&stored)?;
                }
            }
        }
        let output = self.finish(&mut driver).await?;
        Ok((finished(&driver, output), was_dropped))
    }

    async fn finish(&self, driver: &mut Driver<'_, F>) -> Result<Value, CrashTestError> {
        for _ in 0..self.test.max_steps {
            if let StepResult::Finished(output) = driver.step().await? {
                return Ok(output);
            }
        }
        Err(self.no_end())
    }

    /// Lets two processes resume the run and take turns. Both have to finish with the same output.
    async fn run_twice(
        &self,
        mut first: Driver<'_, F>,
        stored: &str,
    ) -> Result<(Finished, bool), CrashTestError> {
        let mut second = first.beside(stored)?;
        let mut outputs = [None, None];
        for _ in 0..self.test.max_steps {
            for (driver, output) in [&mut first, &mut second].into_iter().zip(&mut outputs) {
                if output.is_none()
                    && let StepResult::Finished(ended) = driver.step().await?
                {
                    *output = Some(ended);
                }
            }
            if let [Some(one), Some(other)] = &outputs {
                let differs = *one != self.baseline.output;
                let output = if differs { one } else { other }.clone();
                return Ok((finished(&first, output), false));
            }
        }
        Err(self.no_end())
    }

    fn no_end(&self) -> CrashTestError {
        let steps = self.test.max_steps;
        CrashTestError::NoEnd { steps }
    }
}

fn finished<F: FlowEnds>(driver: &Driver<'_, F>, output: Value) -> Finished {
    let effects = driver.effects();
    Finished { output, effects }
}

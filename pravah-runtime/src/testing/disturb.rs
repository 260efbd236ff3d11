//! Runs that are disturbed at one step.

use serde_json::Value;

use super::{
    CrashTest, CrashTestError, Disturbance,
    difference::{Ended, difference},
    driver::{Driver, Moved},
    error::How,
};
use crate::FlowEnds;

/// How often the future of a step is dropped at most: when it is pending for the first time, the second, and so on.
const MAX_DROPS: usize = 16;

/// A step at which runs are disturbed.
pub(super) struct Point<'a, F: FlowEnds> {
    pub(super) test: &'a CrashTest<F>,
    /// What the run comes to that nothing disturbs.
    pub(super) calm: &'a Ended,
    /// How many steps are before it.
    pub(super) index: usize,
    /// What the step is called.
    pub(super) step: &'a str,
}

impl<F: FlowEnds> Point<'_, F> {
    /// Disturbs the step in each way. Returns how many runs that took.
    pub(super) async fn disturb(&self) -> Result<usize, CrashTestError> {
        let mut runs = 0;
        for how in [How::Restored, How::Lost, How::TwoProcesses] {
            self.check(how).await?;
            runs += 1;
        }
        for pending in 1..=MAX_DROPS {
            // A step that was not pending so often is through, and nothing was disturbed.
            if !self.check(How::Dropped { pending }).await? {
                break;
            }
            self.check(How::Killed { pending }).await?;
            runs += 2;
        }
        Ok(runs)
    }

    /// Compares a run that is disturbed. Returns whether its future was dropped.
    async fn check(&self, how: How) -> Result<bool, CrashTestError> {
        let differs = |difference: String| CrashTestError::Differs {
            disturbance: Disturbance {
                step: self.step.to_owned(),
                how,
            },
            difference,
        };
        match self.run(how).await {
            Ok((ended, was_dropped)) => match difference(self.calm, &ended) {
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
                "nobody answers the question `{question}`, which was answered in the undisturbed run"
            ))),
        }
    }

    /// Makes the run that is disturbed.
    async fn run(&self, how: How) -> Result<(Ended, bool), CrashTestError> {
        let mut driver = Driver::start(self.test)?;
        for _ in 0..self.index {
            // There may be fewer steps: how many a remote agent takes is up to its server.
            if let Moved::Ended(output) = driver.step().await? {
                return Ok((ended(&driver, output), false));
            }
        }
        let stored = driver.stored()?;
        let mut was_dropped = false;
        match how {
            How::Restored => driver = driver.restored(&stored)?,
            How::Lost => {
                driver.step().await?;
                driver = driver.restored(&stored)?;
            }
            How::TwoProcesses => return self.run_twice(driver, &stored).await,
            How::Dropped { pending } | How::Killed { pending } => {
                match driver.step_until(pending).await? {
                    Moved::Dropped => was_dropped = true,
                    Moved::Ended(output) => return Ok((ended(&driver, output), false)),
                    Moved::On => {}
                }
                if let How::Killed { .. } = how {
                    driver = driver.restored(&stored)?;
                }
            }
        }
        let output = self.finish(&mut driver).await?;
        Ok((ended(&driver, output), was_dropped))
    }

    async fn finish(&self, driver: &mut Driver<'_, F>) -> Result<Value, CrashTestError> {
        for _ in 0..self.test.max_steps {
            if let Moved::Ended(output) = driver.step().await? {
                return Ok(output);
            }
        }
        Err(self.no_end())
    }

    /// Lets two processes go on with the run in turn. Both have to come to the same output.
    async fn run_twice(
        &self,
        mut first: Driver<'_, F>,
        stored: &str,
    ) -> Result<(Ended, bool), CrashTestError> {
        let mut second = first.beside(stored)?;
        let mut outputs = [None, None];
        for _ in 0..self.test.max_steps {
            for (driver, output) in [&mut first, &mut second].into_iter().zip(&mut outputs) {
                if output.is_none()
                    && let Moved::Ended(ended) = driver.step().await?
                {
                    *output = Some(ended);
                }
            }
            if let [Some(one), Some(other)] = &outputs {
                let output = match *one == self.calm.output {
                    true => other.clone(),
                    false => one.clone(),
                };
                return Ok((ended(&first, output), false));
            }
        }
        Err(self.no_end())
    }

    fn no_end(&self) -> CrashTestError {
        let steps = self.test.max_steps;
        CrashTestError::NoEnd { steps }
    }
}

fn ended<F: FlowEnds>(driver: &Driver<'_, F>, output: Value) -> Ended {
    let effects = driver.effects();
    Ended { output, effects }
}

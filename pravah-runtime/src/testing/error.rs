//! What a test has found.

use std::fmt;

use crate::FlowError;

/// Why a [`CrashTest`](super::CrashTest) has failed.
#[derive(thiserror::Error)]
#[non_exhaustive]
pub enum CrashTestError {
    /// The undisturbed run fails.
    #[error("the flow fails without a disturbance")]
    Run(#[source] FlowError),
    /// Two different effects have one key, also where nothing is disturbed.
    #[error(
        "the effects {effects} have one key, `{key}`: the other side would take the second for a repetition"
    )]
    #[non_exhaustive]
    SharedKey {
        /// The key.
        key: String,
        /// The effects, as JSON.
        effects: String,
    },
    /// A question was asked that nobody answers, and whose time never ends.
    #[error("nobody answers the question `{question}`: give an answer with `answering`")]
    #[non_exhaustive]
    NoAnswer {
        /// Its id.
        question: String,
    },
    /// The undisturbed run has come to no end.
    #[error("the flow has not ended after {steps} steps: `with_max_steps` allows more")]
    #[non_exhaustive]
    NoEnd {
        /// How many steps it has made.
        steps: usize,
    },
    /// A run came to something else when it was disturbed.
    #[error("{disturbance}: {difference}")]
    #[non_exhaustive]
    Differs {
        /// What was done to the run.
        disturbance: Disturbance,
        /// What is different.
        difference: String,
    },
}

/// As text: it is what `unwrap` shows.
impl fmt::Debug for CrashTestError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)?;
        let mut cause = std::error::Error::source(self);
        while let Some(error) = cause {
            write!(f, ": {error}")?;
            cause = error.source();
        }
        Ok(())
    }
}

/// What was done to a run.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Disturbance {
    /// At which step, as [`last_step`](crate::FlowRuntime::last_step) calls it.
    pub step: String,
    pub(super) how: How,
}

/// What is done at a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum How {
    /// The run is restored before it.
    Restored,
    /// It is made and lost, and made again.
    Lost,
    /// From it on two processes go on with the run.
    TwoProcesses,
    /// Its future is dropped after it was pending so often, and it is made again.
    Dropped { pending: usize },
    /// The same, and the run is restored.
    Killed { pending: usize },
}

impl fmt::Display for Disturbance {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { step, how } = self;
        match how {
            How::Restored => write!(f, "the run was restored before `{step}`"),
            How::Lost => write!(f, "`{step}` was made, lost, and made again"),
            How::TwoProcesses => write!(f, "two processes went on with the run at `{step}`"),
            How::Dropped { pending } => write!(
                f,
                "the future of `{step}` was dropped when it had been pending {pending} times, and made again"
            ),
            How::Killed { pending } => write!(
                f,
                "the process ended when `{step}` had been pending {pending} times"
            ),
        }
    }
}

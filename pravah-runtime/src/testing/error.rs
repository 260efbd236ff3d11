//! Why a crash test fails.

use std::{error::Error, fmt};

use crate::FlowError;

/// Why a [`CrashTest`](super::CrashTest) has failed.
#[derive(thiserror::Error)]
#[non_exhaustive]
pub enum CrashTestError {
    /// The run without faults fails.
    #[error("the flow fails without any fault")]
    Run(#[source] FlowError),
    /// Two different effects have one key, also without any fault.
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
    /// The run without faults has not ended.
    #[error("the flow has not ended after {steps} steps: `with_max_steps` allows more")]
    #[non_exhaustive]
    NoEnd {
        /// How many steps it has run.
        steps: usize,
    },
    /// A run with a fault had another result.
    #[error("{fault}: {difference}")]
    #[non_exhaustive]
    Differs {
        /// The fault.
        fault: Fault,
        /// What is different.
        difference: String,
    },
}

/// As text, with the causes: it is what `unwrap` shows.
impl fmt::Debug for CrashTestError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)?;
        let mut cause = Error::source(self);
        while let Some(error) = cause {
            write!(f, ": {error}")?;
            cause = error.source();
        }
        Ok(())
    }
}

/// A fault that was injected into a run.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Fault {
    /// At which step, as [`last_step`](crate::FlowRuntime::last_step) calls it.
    pub step: String,
    pub(super) kind: FaultKind,
}

/// What happens at a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FaultKind {
    /// The run is restored before it.
    Restored,
    /// Its result is lost, and it runs again.
    Lost,
    /// From it on two processes run the same run.
    TwoProcesses,
    /// Its future is dropped after it was pending so often, and it runs again.
    Dropped { pending: usize },
    /// The same, and the run is restored.
    Killed { pending: usize },
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { step, kind } = self;
        match kind {
            FaultKind::Restored => write!(f, "the run was restored before `{step}`"),
            FaultKind::Lost => write!(f, "the result of `{step}` was lost, and it ran again"),
            FaultKind::TwoProcesses => write!(f, "two processes resumed the run at `{step}`"),
            FaultKind::Dropped { pending } => write!(
                f,
                "the future of `{step}` was dropped when it had been pending {pending} times, and it ran again"
            ),
            FaultKind::Killed { pending } => write!(
                f,
                "the process ended when `{step}` had been pending {pending} times"
            ),
        }
    }
}

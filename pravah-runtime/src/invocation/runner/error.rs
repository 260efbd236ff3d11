//! Why a runner could not do what it was asked.

use std::{error::Error, fmt, time::Duration};

use crate::{
    error::{BoxError, brief},
    quoted::quoted,
};

/// Why a [`Runner`](super::Runner) could not do what it was asked.
///
/// ```
/// use pravah_runtime::invocation::{RunnerError, RunnerErrorKind};
///
/// let error = RunnerError::new(RunnerErrorKind::Unavailable, "the connection broke");
/// assert!(error.is_retryable());
/// assert_eq!(error.to_string(), "the connection broke");
/// ```
#[derive(Debug)]
pub struct RunnerError {
    kind: RunnerErrorKind,
    message: String,
    retry_after: Option<Duration>,
    cause: Option<BoxError>,
}

/// What kind of failure a [`RunnerError`] is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum RunnerErrorKind {
    /// The host has no runner of this kind.
    UnknownRunner,
    /// The settings of the runner are wrong or incomplete.
    Config,
    /// There is no such agent where the task is to run.
    UnknownAgent,
    /// The task, or what was wanted of it, was refused.
    Refused,
    /// An answer is not what the task has asked for.
    Answer,
    /// The task is not known, or not any more.
    UnknownTask,
    /// The connection failed or broke, or the other side is overloaded: another try may work.
    Unavailable,
    /// What came back is not what the protocol promises.
    Malformed,
    /// The task has returned what is no output of its agent.
    Output,
    /// The task has failed where it ran.
    TaskFailed,
    /// The task was cancelled where it ran.
    TaskCancelled,
}

impl RunnerError {
    /// An error of `kind`.
    pub fn new(kind: RunnerErrorKind, message: impl Into<String>) -> Self {
        Self {
            kind,
            message: message.into(),
            retry_after: None,
            cause: None,
        }
    }

    pub(super) fn unknown_runner(kind: &str, known: &[String]) -> Self {
        let message = match known {
            [] => format!("there is no runner `{kind}`: the host has none"),
            known => format!(
                "there is no runner `{kind}`: the host has {}",
                quoted(known)
            ),
        };
        Self::new(RunnerErrorKind::UnknownRunner, message)
    }

    /// The same error with its cause, which `Display` says after the message.
    ///
    /// ```
    /// use pravah_runtime::invocation::{RunnerError, RunnerErrorKind};
    ///
    /// let cause = std::io::Error::other("no route to host");
    /// let error = RunnerError::new(RunnerErrorKind::Unavailable, "the archive is away").with_cause(cause);
    /// assert_eq!(error.to_string(), "the archive is away: no route to host");
    /// ```
    #[must_use]
    pub fn with_cause(mut self, cause: impl Into<BoxError>) -> Self {
        self.cause = Some(cause.into());
        self
    }

    /// The cause, if there is one: `Display` has said what it says.
    pub fn get_ref(&self) -> Option<&(dyn Error + 'static)> {
        self.cause.as_deref().map(|cause| cause as _)
    }

    /// The same error, after which nothing is to be tried for this long.
    #[must_use]
    pub fn with_retry_after(mut self, wait: Duration) -> Self {
        self.retry_after = Some(wait);
        self
    }

    /// What kind of failure it is.
    pub fn kind(&self) -> RunnerErrorKind {
        self.kind
    }

    /// Whether another try may work.
    pub fn is_retryable(&self) -> bool {
        self.kind == RunnerErrorKind::Unavailable
    }

    /// How long nothing is to be tried, if the other side has said so.
    pub fn retry_after(&self) -> Option<Duration> {
        self.retry_after
    }

    /// Whether the task has ended, or is not there.
    pub(crate) const fn has_ended_task(&self) -> bool {
        matches!(
            self.kind,
            RunnerErrorKind::Output
                | RunnerErrorKind::TaskFailed
                | RunnerErrorKind::TaskCancelled
                | RunnerErrorKind::UnknownTask
        )
    }
}

impl fmt::Display for RunnerError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)?;
        match &self.cause {
            Some(cause) => write!(f, ": {}", brief(&cause.to_string())),
            None => Ok(()),
        }
    }
}

impl Error for RunnerError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        self.get_ref()?.source()
    }
}

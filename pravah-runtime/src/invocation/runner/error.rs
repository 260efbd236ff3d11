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
pub struct RunnerError(Box<Inner>);

/// Boxed, since every error of a flow is as large as the largest.
#[derive(Debug)]
struct Inner {
    kind: RunnerErrorKind,
    message: String,
    retry_after: Option<Duration>,
    cause: Option<BoxError>,
}

/// What kind of failure a [`RunnerError`] is. [`Unavailable`](Self::Unavailable) alone is tried again by itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum RunnerErrorKind {
    /// The run has no runner of this kind. The run itself makes this error, and stops with it.
    UnknownRunner,
    /// The configuration of the runner is wrong or incomplete.
    InvalidConfig,
    /// There is no such agent where the task is to run.
    UnknownAgent,
    /// The task, or what was wanted of it, was refused.
    Refused,
    /// An answer is not what the task has asked for.
    InvalidAnswer,
    /// The task is not known, or not any more.
    UnknownTask,
    /// The connection failed or broke, or the other side is overloaded: another try may work.
    Unavailable,
    /// What came back is not what the protocol promises.
    Malformed,
    /// The task has returned what is no output of its agent. The run itself makes this error.
    InvalidOutput,
    /// The task has failed where it ran. The run makes this error of an update that says so.
    TaskFailed,
    /// The task was cancelled where it ran. The run makes this error of an update that says so.
    TaskCancelled,
}

impl RunnerError {
    /// An error of `kind`.
    pub fn new(kind: RunnerErrorKind, message: impl Into<String>) -> Self {
        Self(Box::new(Inner {
            kind,
            message: message.into(),
            retry_after: None,
            cause: None,
        }))
    }

    pub(super) fn unknown_runner(kind: &str, known: &[String]) -> Self {
        let message = format!(
            "it needs the runner `{kind}`, and there is {}: add it with `with_runner`, also after a restore",
            quoted(known)
        );
        Self::new(RunnerErrorKind::UnknownRunner, message)
    }

    /// The same error with its cause, which `Display` says after the message.
    ///
    /// ```
    /// use pravah_runtime::invocation::{RunnerError, RunnerErrorKind};
    ///
    /// let cause = std::io::Error::other("no route to host");
    /// let error = RunnerError::new(RunnerErrorKind::Unavailable, "the archive is unreachable").with_source(cause);
    /// assert_eq!(error.to_string(), "the archive is unreachable: no route to host");
    /// ```
    #[must_use]
    pub fn with_source(mut self, source: impl Into<BoxError>) -> Self {
        self.0.cause = Some(source.into());
        self
    }

    /// The cause, if there is one: `Display` has said what it says.
    pub fn get_ref(&self) -> Option<&(dyn Error + 'static)> {
        self.0.cause.as_deref().map(|cause| cause as _)
    }

    /// The same error with the time to wait before a retry, if the other side has named one.
    #[must_use]
    pub fn with_retry_after(mut self, wait: Option<Duration>) -> Self {
        self.0.retry_after = wait;
        self
    }

    /// What kind of failure it is.
    pub fn kind(&self) -> RunnerErrorKind {
        self.0.kind
    }

    /// Whether another try may work.
    pub fn is_retryable(&self) -> bool {
        self.0.kind == RunnerErrorKind::Unavailable
    }

    /// The time to wait before a retry, if the other side has named one.
    pub fn retry_after(&self) -> Option<Duration> {
        self.0.retry_after
    }

    /// The same error after so many tries.
    pub(crate) fn after(mut self, tries: u32) -> Self {
        if tries > 1 {
            self.0.message = format!("after {tries} tries: {}", self.0.message);
        }
        self
    }

    /// Whether the task has ended, or is not there.
    pub(crate) const fn has_ended_task(&self) -> bool {
        matches!(
            self.0.kind,
            RunnerErrorKind::InvalidOutput
                | RunnerErrorKind::TaskFailed
                | RunnerErrorKind::TaskCancelled
                | RunnerErrorKind::UnknownTask
        )
    }
}

impl fmt::Display for RunnerError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.message)?;
        match &self.0.cause {
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

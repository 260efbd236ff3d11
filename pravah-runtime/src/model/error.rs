//! Why a model did not answer.

use std::{error::Error, fmt, time::Duration};

#[cfg(feature = "providers")]
use super::redact::hide_secret;
use super::{Usage, redact::public_address};
use crate::error::{BoxError, brief};

/// Why a model did not answer. It never holds a key.
#[derive(Debug)]
pub struct ModelError {
    kind: ModelErrorKind,
    message: String,
    status: Option<u16>,
    address: Option<Box<str>>,
    /// Boxed, as `usage` is.
    cause: Option<Box<Cause>>,
    retry_after: Option<Duration>,
    retryable: Option<bool>,
    /// Boxed, since every error of a flow is as large as the largest.
    usage: Option<Box<Usage>>,
    attempts: Option<Box<Attempts>>,
}

/// How often a model was asked in vain.
#[derive(Clone, Copy, Debug)]
struct Attempts {
    count: u32,
    time: Duration,
}

/// What caused a [`ModelError`].
#[derive(Debug)]
struct Cause {
    error: BoxError,
    /// What it says; nothing where the message says all that there is to say of it.
    text: Option<String>,
}

/// What kind of failure a [`ModelError`] is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ModelErrorKind {
    /// The client is not set up: a key is missing, a scheme unknown.
    Config,
    /// What the caller put in cannot be asked, and nothing was sent. It is the one kind whose message
    /// a model may read, as `invalid input: {message}`: a provider's words do not belong in it.
    InvalidInput,
    /// The provider does not accept the request.
    InvalidRequest,
    /// The provider does not accept the key.
    Auth,
    /// Too many requests in too short a time.
    RateLimited,
    /// The money or the quota is used up.
    Quota,
    /// The provider failed or is overloaded.
    Upstream,
    /// The connection failed or broke.
    Transport,
    /// The request was sent, and no answer came in time. It may have been served, and paid for, so it is
    /// not sent again by itself.
    TimedOut,
    /// The answer is not what the provider's interface promises.
    Malformed,
}

impl ModelErrorKind {
    /// The word for it, in traces.
    ///
    /// ```
    /// assert_eq!(pravah_runtime::ModelErrorKind::RateLimited.name(), "rate_limited");
    /// ```
    pub const fn name(self) -> &'static str {
        match self {
            Self::Config => "config",
            Self::InvalidInput => "invalid_input",
            Self::InvalidRequest => "invalid_request",
            Self::Auth => "auth",
            Self::RateLimited => "rate_limited",
            Self::Quota => "quota",
            Self::Upstream => "upstream",
            Self::Transport => "transport",
            Self::TimedOut => "timeout",
            Self::Malformed => "malformed",
        }
    }
}

impl ModelError {
    /// An error of `kind`.
    ///
    /// ```
    /// use pravah_runtime::{ModelError, ModelErrorKind};
    ///
    /// let error = ModelError::new(ModelErrorKind::Upstream, "the model is asleep");
    /// assert!(error.is_retryable());
    /// assert_eq!(error.to_string(), "the model is asleep");
    /// ```
    pub fn new(kind: ModelErrorKind, message: impl Into<String>) -> Self {
        Self {
            kind,
            message: message.into(),
            status: None,
            address: None,
            cause: None,
            retry_after: None,
            retryable: None,
            usage: None,
            attempts: None,
        }
    }

    /// The same error with its cause, which `Display` says after the message.
    ///
    /// ```
    /// use pravah_runtime::{ModelError, ModelErrorKind};
    ///
    /// let cause = std::io::Error::other("no route to host");
    /// let error = ModelError::new(ModelErrorKind::Transport, "nobody answers").with_source(cause);
    /// assert_eq!(error.to_string(), "nobody answers: no route to host");
    /// ```
    #[must_use]
    pub fn with_source(mut self, source: impl Into<BoxError>) -> Self {
        let error = source.into();
        let text = Some(brief(&error.to_string()).into_owned());
        self.cause = Some(Box::new(Cause { error, text }));
        self
    }

    /// The same error with its cause, of which the message says all that there is to say.
    pub(super) fn with_told_source(mut self, source: impl Into<BoxError>) -> Self {
        let error = source.into();
        self.cause = Some(Box::new(Cause { error, text: None }));
        self
    }

    /// The cause, if it is known: `Display` has said what it says, and a program can examine it.
    pub fn get_ref(&self) -> Option<&(dyn Error + Send + Sync + 'static)> {
        Some(&*self.cause.as_ref()?.error)
    }

    /// The same error with the time that the provider asks to wait.
    #[must_use]
    pub fn with_retry_after(mut self, wait: Option<Duration>) -> Self {
        self.retry_after = wait;
        self
    }

    /// The same error with the provider's own word on whether to try again.
    #[must_use]
    pub fn with_retryable(mut self, retryable: Option<bool>) -> Self {
        self.retryable = retryable;
        self
    }

    /// Adds the cost, as far as it is known, of an answer that the provider started and charges for.
    /// Budgets count it like an answer.
    #[must_use]
    pub fn with_usage(mut self, usage: Usage) -> Self {
        self.usage = Some(Box::new(usage));
        self
    }

    /// The error of a request that was sent and not answered in time. The provider goes on answering, so
    /// it counts as an answer of unknown cost.
    pub(super) fn timed_out(what: impl Into<String>) -> Self {
        Self::new(ModelErrorKind::TimedOut, what).with_usage(Usage::default())
    }

    /// The error of an answer that was not complete when the time of its call was over.
    pub(super) fn not_within(limit: Duration) -> Self {
        Self::timed_out(format!("the answer was not complete within {limit:?}"))
    }

    /// The same error without what was shown to the server: servers may quote what they got.
    #[cfg(feature = "providers")]
    pub(super) fn without_secrets<'a>(
        mut self,
        secrets: impl IntoIterator<Item = &'a str>,
    ) -> Self {
        for secret in secrets {
            let cause = self.cause.as_mut().and_then(|cause| cause.text.as_mut());
            for text in [Some(&mut self.message), cause].into_iter().flatten() {
                hide_secret(text, secret.trim());
            }
            if let Some(address) = &mut self.address {
                let mut text = address.to_string();
                hide_secret(&mut text, secret.trim());
                *address = text.into();
            }
        }
        self
    }

    /// The same error, with why access was refused if it was: `missing_key_help` says that no key was sent.
    /// What the server said comes after it, if that may be told.
    #[cfg(feature = "providers")]
    pub(super) fn with_why_refused(mut self, missing_key_help: Option<&str>) -> Self {
        if self.kind != ModelErrorKind::Auth {
            return self;
        }
        let why = match (missing_key_help, self.status) {
            (Some(help), _) => help,
            (None, Some(403)) => "access was denied",
            (None, _) => "the key was not accepted",
        };
        self.message = match self.message.is_empty() {
            true => why.to_owned(),
            false => format!("{why}; {}", self.message),
        };
        self
    }

    /// The same error with the status of the answer that it came with.
    #[must_use]
    pub fn with_status(mut self, status: u16) -> Self {
        self.status = Some(status);
        self
    }

    /// The status of the HTTP answer that it came with, if there was one.
    pub fn status(&self) -> Option<u16> {
        self.status
    }

    /// The same error with the address that was asked. Its user name, password, query and fragment are
    /// left out, since they may hold secrets.
    ///
    /// ```
    /// use pravah_runtime::{ModelError, ModelErrorKind};
    ///
    /// let error = ModelError::new(ModelErrorKind::Upstream, "overloaded")
    ///     .with_status(503)
    ///     .with_address("https://me:secret@models.example/v1/chat?key=secret");
    /// let text = "overloaded (status 503 at https://models.example/v1/chat)";
    /// assert_eq!(error.to_string(), text);
    /// ```
    #[must_use]
    pub fn with_address(mut self, address: &str) -> Self {
        self.address = Some(public_address(address).into());
        self
    }

    /// The address that was asked, if it is known, without user name, password, query and fragment.
    pub fn address(&self) -> Option<&str> {
        self.address.as_deref()
    }

    /// What it says, without the cause, the status and the address.
    pub(crate) fn message(&self) -> &str {
        &self.message
    }

    /// Whether its words may be the provider's.
    pub(crate) fn is_of_provider(&self) -> bool {
        match self.kind {
            ModelErrorKind::Config
            | ModelErrorKind::InvalidInput
            | ModelErrorKind::Transport
            | ModelErrorKind::TimedOut
            | ModelErrorKind::Malformed => false,
            ModelErrorKind::InvalidRequest => self.status.is_some() || self.address.is_some(),
            _ => true,
        }
    }

    /// Whether the request reached the provider, as far as can be told.
    pub(crate) fn was_sent(&self) -> bool {
        let may_be_ours = matches!(
            self.kind,
            ModelErrorKind::Config
                | ModelErrorKind::InvalidInput
                | ModelErrorKind::InvalidRequest
                | ModelErrorKind::Auth
                | ModelErrorKind::Transport
        );
        !may_be_ours || self.status.is_some() || self.usage.is_some()
    }

    /// The same error, of somebody else: `whose` comes before what it says.
    pub(crate) fn of(mut self, whose: &str) -> Self {
        self.message = format!("{whose}: {}", self.message);
        self
    }

    /// What kind of failure it is.
    pub fn kind(&self) -> ModelErrorKind {
        self.kind
    }

    /// The same error as the last of so many in a row.
    pub(crate) fn after(mut self, count: u32, time: Duration) -> Self {
        self.attempts = (count > 1).then(|| Box::new(Attempts { count, time }));
        self
    }

    /// How often the model was asked before this became the error of a run.
    pub fn attempts(&self) -> u32 {
        self.attempts.as_ref().map_or(1, |attempts| attempts.count)
    }

    /// How long these attempts took, with the waits between them; nothing if there was one.
    pub fn attempts_duration(&self) -> Duration {
        let attempts = self.attempts.as_ref();
        attempts.map_or(Duration::ZERO, |attempts| attempts.time)
    }

    /// How long the provider asks to wait before the next try.
    pub fn retry_after(&self) -> Option<Duration> {
        self.retry_after
    }

    /// What is known of the cost, if the provider may have charged for an answer all the same.
    pub fn usage(&self) -> Option<Usage> {
        self.usage.as_deref().copied()
    }

    /// Whether the same request may succeed later.
    pub fn is_retryable(&self) -> bool {
        self.retryable.unwrap_or(matches!(
            self.kind,
            ModelErrorKind::RateLimited | ModelErrorKind::Upstream | ModelErrorKind::Transport
        ))
    }
}

impl fmt::Display for ModelError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)?;
        match (self.status, &self.address) {
            (Some(status), Some(address)) => write!(f, " (status {status} at {address})")?,
            (Some(status), None) => write!(f, " (status {status})")?,
            (None, Some(address)) => write!(f, " (at {address})")?,
            (None, None) => {}
        }
        if let Some(Attempts { count, time }) = self.attempts.as_deref() {
            let seconds = time.as_secs_f64();
            write!(f, ", after {count} attempts in {seconds:.1} s")?;
        }
        match self.cause.as_ref().and_then(|cause| cause.text.as_ref()) {
            Some(text) => write!(f, ": {text}"),
            None => Ok(()),
        }
    }
}

impl Error for ModelError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        let cause = self.cause.as_ref()?;
        // Where the message has told the cause, it has told what is beneath it too.
        cause.text.as_ref()?;
        cause.error.source()
    }
}

//! What can go wrong with runs on Restate.

use pravah_runtime::BoxError;
use pravah_store::StoreError;

/// Why Restate could not be asked, or did not do what it was asked.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RestateError {
    /// There is no run of this id, or its flow or the object is not served.
    #[error("the run `{run}`: {message}")]
    #[non_exhaustive]
    NotFound {
        /// The id of the run.
        run: String,
        /// What Restate said.
        message: String,
    },
    /// The run is of another flow than the one whose output was asked for.
    #[error("the run `{run}` is of the flow `{flow}`, not of `{asked}`")]
    #[non_exhaustive]
    OtherFlow {
        /// The id of the run.
        run: String,
        /// The flow that it is of.
        flow: String,
        /// The flow that was asked for.
        asked: String,
    },
    /// This cannot be done: the run has ended, a run of this id exists and is of another flow, or the question is not open,
    /// or is answered already.
    #[error("the run `{run}`: {message}")]
    #[non_exhaustive]
    Conflict {
        /// The id of the run.
        run: String,
        /// Why it cannot be done.
        message: String,
    },
    /// Restate, or a handler, refused the request.
    #[error("the run `{run}`: {message} (HTTP status {status})")]
    #[non_exhaustive]
    Refused {
        /// The id of the run.
        run: String,
        /// The HTTP status.
        status: u16,
        /// What Restate said.
        message: String,
    },
    /// Restate cannot be reached. Whether it has happened is not known.
    #[error("Restate cannot be reached")]
    #[non_exhaustive]
    Unreachable {
        /// What went wrong.
        source: BoxError,
    },
    /// What Restate said, or what it was to be told, is not what it should be.
    #[error("{what} cannot be read or written as JSON")]
    #[non_exhaustive]
    Json {
        /// What it is.
        what: &'static str,
        /// What does not fit.
        source: serde_json::Error,
    },
    /// Restate does not take the name of the object.
    #[error("`{name}` is not a valid name of a Restate object")]
    #[non_exhaustive]
    ObjectName {
        /// The name.
        name: String,
        /// What is wrong with it.
        source: serde_json::Error,
    },
    /// An id or a tenant breaks the [rules](pravah_store::RunKey) for it.
    #[error(transparent)]
    Name(#[from] StoreError),
}

impl RestateError {
    pub(crate) fn json(what: &'static str) -> impl FnOnce(serde_json::Error) -> Self {
        move |source| Self::Json { what, source }
    }

    pub(crate) fn unreachable(error: impl Into<BoxError>) -> Self {
        let source = error.into();
        Self::Unreachable { source }
    }

    /// What a handler failed with.
    pub(crate) fn of_response(run: &str, status: u16, message: String) -> Self {
        let run = run.to_owned();
        match status {
            404 => Self::NotFound { run, message },
            409 => Self::Conflict { run, message },
            status => Self::Refused {
                run,
                status,
                message,
            },
        }
    }
}

//! What can go wrong with stored runs.

use std::{error::Error as _, fmt, path::PathBuf};

use pravah_runtime::{BoxError, FlowError};

use crate::Status;

/// Why a store could not do what it was asked.
///
/// Nothing has changed in the store then, except after a [`Database`](Self::Database) error of a connection that broke
/// while it committed: there, look at the run.
///
/// Its `Debug` is its `Display` with those of its sources, so that a `main` which returns it prints a sentence.
#[derive(thiserror::Error)]
#[non_exhaustive]
pub enum StoreError {
    /// There is no run of this id, or it belongs to another tenant.
    #[error("there is no run `{run}`")]
    #[non_exhaustive]
    NotFound {
        /// The id that was asked for.
        run: String,
    },
    /// A run of this id exists, and it is of another flow than the one that was to be started.
    #[error("the run `{run}` exists, and is of the flow `{flow}`")]
    #[non_exhaustive]
    AlreadyExists {
        /// The id.
        run: String,
        /// The flow of the run that exists.
        flow: String,
    },
    /// The run is of another flow than the one whose output was asked for.
    #[error("the run `{run}` is of the flow `{flow}`, not of `{asked}`")]
    #[non_exhaustive]
    OtherFlow {
        /// The run.
        run: String,
        /// The flow that it is of.
        flow: String,
        /// The flow that was asked for.
        asked: String,
    },
    /// The run has no open question of this id.
    #[error("the run `{run}` asks no question `{question}`{}", asked(open))]
    #[non_exhaustive]
    NotAsked {
        /// The run.
        run: String,
        /// The id that was to be answered.
        question: String,
        /// The ids of the questions that are open.
        open: Vec<String>,
    },
    /// The lease has ended, or another worker has the run: nothing of the step was written.
    #[error("the lease of the run `{run}` is lost")]
    #[non_exhaustive]
    LeaseLost {
        /// The run.
        run: String,
    },
    /// The run is in a status in which this cannot be done: a command to a run that has ended, or a retry of one that
    /// has not failed.
    #[error("cannot {action}: the run `{run}` is {status}")]
    #[non_exhaustive]
    WrongStatus {
        /// What was to be done: "push a command", for example.
        action: &'static str,
        /// The run.
        run: String,
        /// Its status.
        status: Status,
    },
    /// The run is of a flow that is not served here.
    #[error("the flow `{flow}` is not served here")]
    #[non_exhaustive]
    NotServed {
        /// The id of the flow.
        flow: String,
    },
    /// The run has no such step.
    #[error("the run `{run}` has no step {step}")]
    #[non_exhaustive]
    NoSuchStep {
        /// The run.
        run: String,
        /// The step that was asked for.
        step: u64,
    },
    /// Too many commands wait in the inbox of the run: this one was not stored.
    #[error("{limit} commands wait in the inbox of the run `{run}`, and no more may")]
    #[non_exhaustive]
    InboxFull {
        /// The run.
        run: String,
        /// How many may wait.
        limit: usize,
    },
    /// A run id, a tenant, a tag or a cursor breaks the rules for it.
    #[error("{what} {why}")]
    #[non_exhaustive]
    InvalidName {
        /// What it is: "a run id", for example.
        what: &'static str,
        /// What is wrong with it.
        why: &'static str,
    },
    /// A newer version of this crate has written the store. This one leaves it alone.
    #[error("the store has schema version {found}, and this program knows up to {known}")]
    #[non_exhaustive]
    NewerSchema {
        /// The version of the store.
        found: i64,
        /// The newest version that this program knows.
        known: i64,
    },
    /// What was to be opened is no store.
    #[error("`{location}` is not a store of runs: {why}")]
    #[non_exhaustive]
    NotAStore {
        /// Where it is: the path of a file, or the name of a schema.
        location: String,
        /// What it is.
        why: &'static str,
    },
    /// The file of a store cannot be opened: its folder is missing, access is denied, or it is no database, for example.
    #[error("`{}` cannot be opened", path.display())]
    #[non_exhaustive]
    NotOpened {
        /// Where it is.
        path: PathBuf,
        /// The error of the database.
        source: BoxError,
    },
    /// What was to be stored cannot be: it is no JSON, or nested so deeply that it could not be read again.
    #[error("{what} cannot be stored")]
    #[non_exhaustive]
    NotStorable {
        /// What it is.
        what: &'static str,
        /// What is wrong with it.
        source: BoxError,
    },
    /// What the store has of a run cannot be read.
    #[error("{what} cannot be read")]
    #[non_exhaustive]
    Corrupt {
        /// What it is.
        what: &'static str,
        /// What does not fit.
        source: BoxError,
    },
    /// A payload could not be encrypted: nothing was stored.
    #[error("{what} cannot be encrypted")]
    #[non_exhaustive]
    Encryption {
        /// What it is.
        what: String,
        /// The error of the cipher.
        source: BoxError,
    },
    /// The run is encrypted, and it was read without an [`EncryptedStore`](crate::EncryptedStore).
    #[error("the run `{run}` is encrypted, and this store is not an `EncryptedStore`")]
    #[non_exhaustive]
    Encrypted {
        /// The run.
        run: String,
    },
    /// What is stored cannot be decrypted: there is no key for it, it was changed or moved, or it was never encrypted.
    #[error("{what} cannot be decrypted")]
    #[non_exhaustive]
    Decryption {
        /// What it is: "the entry `/states/Order`", for example.
        what: String,
        /// The error of the cipher, or a [`DecryptionError`](crate::DecryptionError).
        source: BoxError,
    },
    /// The database failed.
    #[error("the database failed to {action}")]
    #[non_exhaustive]
    Database {
        /// What it was to do.
        action: &'static str,
        /// Its error.
        source: BoxError,
    },
    /// The flow could not be built or started, or a run of it could not be restored.
    #[error(transparent)]
    Flow(#[from] FlowError),
}

impl fmt::Debug for StoreError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self}")?;
        let mut source = self.source();
        while let Some(error) = source {
            write!(f, ": {error}")?;
            source = error.source();
        }
        Ok(())
    }
}

/// For whoever implements a [`RunStore`](crate::RunStore).
impl StoreError {
    /// [`NotFound`](Self::NotFound).
    pub fn not_found(run: impl Into<String>) -> Self {
        Self::NotFound { run: run.into() }
    }

    /// [`AlreadyExists`](Self::AlreadyExists).
    pub fn already_exists(run: impl Into<String>, flow: impl Into<String>) -> Self {
        Self::AlreadyExists {
            run: run.into(),
            flow: flow.into(),
        }
    }

    /// [`NotAsked`](Self::NotAsked).
    pub fn not_asked(
        run: impl Into<String>,
        question: impl Into<String>,
        open: Vec<String>,
    ) -> Self {
        let (run, question) = (run.into(), question.into());
        Self::NotAsked {
            run,
            question,
            open,
        }
    }

    /// [`LeaseLost`](Self::LeaseLost).
    pub fn lease_lost(run: impl Into<String>) -> Self {
        Self::LeaseLost { run: run.into() }
    }

    /// [`WrongStatus`](Self::WrongStatus).
    pub fn wrong_status(action: &'static str, run: impl Into<String>, status: Status) -> Self {
        let run = run.into();
        Self::WrongStatus {
            action,
            run,
            status,
        }
    }

    /// [`NotServed`](Self::NotServed).
    pub fn not_served(flow: impl Into<String>) -> Self {
        Self::NotServed { flow: flow.into() }
    }

    /// [`NoSuchStep`](Self::NoSuchStep).
    pub fn no_such_step(run: impl Into<String>, step: u64) -> Self {
        let run = run.into();
        Self::NoSuchStep { run, step }
    }

    /// [`InboxFull`](Self::InboxFull).
    pub fn inbox_full(run: impl Into<String>, limit: usize) -> Self {
        let run = run.into();
        Self::InboxFull { run, limit }
    }

    /// [`NewerSchema`](Self::NewerSchema).
    pub fn newer_schema(found: i64, known: i64) -> Self {
        Self::NewerSchema { found, known }
    }

    /// [`NotAStore`](Self::NotAStore).
    pub fn not_a_store(location: impl Into<String>, why: &'static str) -> Self {
        let location = location.into();
        Self::NotAStore { location, why }
    }

    /// [`NotOpened`](Self::NotOpened).
    pub fn not_opened(path: impl Into<PathBuf>, source: impl Into<BoxError>) -> Self {
        let (path, source) = (path.into(), source.into());
        Self::NotOpened { path, source }
    }

    /// [`NotStorable`](Self::NotStorable).
    pub fn not_storable(what: &'static str, source: impl Into<BoxError>) -> Self {
        let source = source.into();
        Self::NotStorable { what, source }
    }

    /// [`Corrupt`](Self::Corrupt).
    pub fn corrupt(what: &'static str, source: impl Into<BoxError>) -> Self {
        let source = source.into();
        Self::Corrupt { what, source }
    }

    /// [`Encryption`](Self::Encryption).
    pub fn encryption(what: impl Into<String>, source: impl Into<BoxError>) -> Self {
        let (what, source) = (what.into(), source.into());
        Self::Encryption { what, source }
    }

    /// [`Encrypted`](Self::Encrypted).
    pub fn encrypted(run: impl Into<String>) -> Self {
        Self::Encrypted { run: run.into() }
    }

    /// [`Decryption`](Self::Decryption).
    pub fn decryption(what: impl Into<String>, source: impl Into<BoxError>) -> Self {
        let (what, source) = (what.into(), source.into());
        Self::Decryption { what, source }
    }

    /// [`Database`](Self::Database).
    pub fn database(action: &'static str, source: impl Into<BoxError>) -> Self {
        let source = source.into();
        Self::Database { action, source }
    }
}

/// What a run asks in place of what was thought.
fn asked(open: &[String]) -> String {
    if open.is_empty() {
        return "; no question is open".to_owned();
    }
    let open: Vec<_> = open.iter().map(|id| format!("`{id}`")).collect();
    format!("; open: {}", open.join(", "))
}

/// An error with its sources, in one line, as a run has its [error](crate::RunInfo::error). Some errors, such as those of
/// PostgreSQL, repeat their sources: each is there once.
pub fn with_sources(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut next = error.source();
    while let Some(source) = next {
        let message = source.to_string();
        if !text.contains(&message) {
            text = format!("{text}: {message}");
        }
        next = source.source();
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, thiserror::Error)]
    #[error("error connecting to server: {0}")]
    struct Repeats(#[source] std::fmt::Error);

    #[test]
    fn a_source_that_an_error_repeats_is_there_once() {
        let error = StoreError::database("connect", Repeats(std::fmt::Error));
        let expected = format!(
            "the database failed to connect: error connecting to server: {}",
            std::fmt::Error
        );
        assert_eq!(with_sources(&error), expected);
    }
}

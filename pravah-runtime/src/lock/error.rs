//! Errors of locks.

use std::{io, path::Path};

use thiserror::Error;

/// Why a lock cannot be read or written.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum LockError {
    /// The file cannot be read or written.
    #[error("the lock `{path}` cannot be read or written")]
    #[non_exhaustive]
    Io {
        /// The file.
        path: String,
        /// Why.
        source: io::Error,
    },
    /// It is not the JSON of a lock.
    #[error("this is no lock of a flow")]
    #[non_exhaustive]
    Invalid {
        /// Why.
        #[from]
        source: serde_json::Error,
    },
    /// A newer release of Pravah has written it.
    #[error("the lock has format {found}, and this release of Pravah reads up to {known}")]
    #[non_exhaustive]
    NewerFormat {
        /// The format of the lock.
        found: u32,
        /// The newest that this release knows.
        known: u32,
    },
}

impl LockError {
    pub(super) fn io(path: &Path, source: io::Error) -> Self {
        Self::Io {
            path: path.display().to_string(),
            source,
        }
    }
}

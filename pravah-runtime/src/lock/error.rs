//! Errors of lock files.

use std::{io, path::Path};

use thiserror::Error;

/// Why a lock file cannot be read or written.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum LockError {
    /// The file cannot be read or written.
    #[error("the lock file `{path}` cannot be read or written")]
    #[non_exhaustive]
    Io {
        /// The file.
        path: String,
        /// Why.
        source: io::Error,
    },
    /// It is not the JSON of a lock file.
    #[error("this is not a flow lock file")]
    #[non_exhaustive]
    Invalid {
        /// Why.
        #[from]
        source: serde_json::Error,
    },
    /// A newer release of Pravah has written it.
    #[error("the lock file has format {found}, and this release of Pravah reads up to {known}")]
    #[non_exhaustive]
    NewerFormat {
        /// The format of the file.
        found: u32,
        /// The newest that this release knows.
        known: u32,
    },
}

impl LockError {
    pub(super) fn from_invalid(source: serde_json::Error) -> Self {
        Self::Invalid { source }
    }

    pub(super) fn io(path: &Path, source: io::Error) -> Self {
        Self::Io {
            path: path.display().to_string(),
            source,
        }
    }
}

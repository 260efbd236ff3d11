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
    /// It is such JSON, and yet not a lock that Pravah has written.
    #[error("this is not a flow lock file: {}{problem}", in_version(release.as_deref()))]
    #[non_exhaustive]
    Malformed {
        /// The release in which the problem is, if it is in one.
        release: Option<String>,
        /// What is wrong.
        problem: String,
    },
    /// It has the conflict markers of a merge.
    #[error("the lock file has conflict markers: keep the versions of both sides")]
    Conflict,
    /// A newer release of Pravah has written it.
    #[error(
        "the lock file has format {found}, and this release of Pravah reads up to {known}: update Pravah"
    )]
    #[non_exhaustive]
    NewerFormat {
        /// The format of the file.
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

fn in_version(release: Option<&str>) -> String {
    release.map_or_else(String::new, |release| format!("in version {release} "))
}

//! The file of a store, as long as it is where it was opened.

#[cfg(unix)]
use std::{fs, io, os::unix::fs::MetadataExt as _, path::PathBuf};

use rusqlite::Connection;

use crate::tx_error::TxError;

/// A file that is open. On Unix it can be deleted or replaced all the same: SQLite goes on with the one that nobody finds
/// any more, and what it writes is lost.
#[derive(Debug)]
pub(super) struct OpenFile {
    /// Its path, and the device and the inode that were there. A database in memory has none.
    #[cfg(unix)]
    opened: Option<(PathBuf, (u64, u64))>,
}

#[cfg(unix)]
impl OpenFile {
    pub(super) fn of(connection: &Connection) -> io::Result<Self> {
        let path = connection.path().filter(|path| !path.is_empty());
        let opened = path.map(|path| Ok::<_, io::Error>((path.into(), id(path.as_ref())?)));
        Ok(Self {
            opened: opened.transpose()?,
        })
    }

    /// Fails where its path does not lead to it any more.
    pub(super) fn check(&self) -> Result<(), TxError> {
        let Some((path, opened)) = &self.opened else {
            return Ok(());
        };
        if id(path).is_ok_and(|found| found == *opened) {
            return Ok(());
        }
        let path = path.display();
        let problem = format!("{path} was deleted or replaced while it was open: open it again");
        Err(TxError::Database(problem.into()))
    }
}

#[cfg(unix)]
fn id(path: &std::path::Path) -> io::Result<(u64, u64)> {
    let found = fs::metadata(path)?;
    Ok((found.dev(), found.ino()))
}

#[cfg(not(unix))]
impl OpenFile {
    pub(super) fn of(_connection: &Connection) -> std::io::Result<Self> {
        Ok(Self {})
    }

    pub(super) fn check(&self) -> Result<(), TxError> {
        Ok(())
    }
}

//! What is kept on disk after every step, so that a run can go on after a crash.

use std::{error::Error, fs, io, path::Path};

use pravah_runtime::FlowSnapshot;
use serde::{Deserialize, Serialize};
use tempfile::NamedTempFile;

use crate::flow::Resolution;

/// How far the tickets have got.
#[derive(Default, Serialize, Deserialize)]
pub(crate) struct Saved {
    /// The tickets that are resolved, in order.
    pub(crate) done: Vec<Resolution>,
    /// The ticket at work, with its run.
    pub(crate) open: Option<(String, FlowSnapshot)>,
}

impl Saved {
    /// Reads what [`Saved::write`] wrote.
    pub(crate) fn read(path: &Path) -> Result<Self, Box<dyn Error>> {
        let named = |error: &dyn Error| format!("`{}` cannot be resumed: {error}", path.display());
        let json = fs::read(path).map_err(|e| named(&e))?;
        serde_json::from_slice(&json).map_err(|e| named(&e).into())
    }

    /// Writes the whole file or nothing: to a new file beside it, which takes its place once it is
    /// on the disk.
    pub(crate) fn write(&self, path: &Path) -> Result<(), Box<dyn Error>> {
        let directory = path
            .parent()
            .filter(|parent| !parent.as_os_str().is_empty());
        let directory = directory.unwrap_or(Path::new("."));
        replace(self, path, directory)
            .map_err(|e| format!("`{}` cannot be written: {e}", path.display()).into())
    }
}

fn replace(saved: &Saved, path: &Path, directory: &Path) -> io::Result<()> {
    let mut file = NamedTempFile::new_in(directory)?;
    serde_json::to_writer_pretty(&mut file, saved)?;
    file.as_file().sync_all()?;
    file.persist(path)?;
    // The new name is an entry of the directory, and has to reach the disk as well.
    if cfg!(unix) {
        fs::File::open(directory)?.sync_all()?;
    }
    Ok(())
}

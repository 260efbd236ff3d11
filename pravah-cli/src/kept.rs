//! A run that is kept in a file.

use std::{
    fmt, fs, io,
    path::{Path, PathBuf},
};

use pravah_runtime::{
    FlowRuntime, FlowSnapshot,
    document::{DocumentFlow, Session},
};

use crate::failure::Failure;

/// The file that a run is kept in, locked against other processes where the file system supports it.
pub(crate) struct KeptRun {
    /// As it was given.
    name: PathBuf,
    /// Where links lead.
    path: PathBuf,
    /// Unlocked when it is dropped.
    _lock: fs::File,
}

impl fmt::Display for KeptRun {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.name.display().fmt(f)
    }
}

impl KeptRun {
    pub(crate) fn open(name: &Path) -> Result<Self, Failure> {
        let shown = name.display();
        let path = followed(name);
        if path.exists() && !path.is_file() {
            let message = format!("`{shown}` is not a regular file: a run cannot be kept in it");
            return Err(Failure::Message(message));
        }
        Ok(Self {
            _lock: lock(&path, name)?,
            name: name.to_owned(),
            path,
        })
    }

    pub(crate) fn has_run(&self) -> bool {
        self.path.is_file()
    }

    pub(crate) fn load(&self, flow: &DocumentFlow) -> Result<FlowRuntime<DocumentFlow>, Failure> {
        let text = fs::read_to_string(&self.path)
            .map_err(|error| Failure::Message(format!("`{self}` cannot be read: {error}")))?;
        let snapshot: FlowSnapshot = serde_json::from_str(&text)
            .map_err(|error| Failure::Message(format!("`{self}` is not a stored run: {error}")))?;
        Ok(flow.restore(snapshot)?)
    }

    pub(crate) fn store(&self, session: &Session) -> Result<(), Failure> {
        let json = serde_json::to_string(&session.snapshot());
        let stored = json
            .map_err(io::Error::from)
            .and_then(|json| replace(&self.path, &json));
        stored.map_err(|error| Failure::Message(format!("`{self}` cannot be written: {error}")))
    }

    /// Removes a run that has ended, if it was kept.
    pub(crate) fn remove(self) -> Result<(), Failure> {
        match fs::remove_file(&self.path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                let message = format!("`{self}` cannot be removed: {error}");
                Err(Failure::Message(message))
            }
            _ => Ok(()),
        }
    }
}

/// The file that a path leads to, over links also to a file that does not exist yet.
fn followed(name: &Path) -> PathBuf {
    const MOST_LINKS: usize = 40;
    let mut path = name.to_owned();
    for _ in 0..MOST_LINKS {
        let Ok(target) = fs::read_link(&path) else {
            break;
        };
        path = path.parent().unwrap_or(Path::new("")).join(target);
    }
    fs::canonicalize(&path).unwrap_or(path)
}

/// Locks a file beside the one of the run, which is called `shown` by whoever asked for it.
fn lock(path: &Path, shown: &Path) -> Result<fs::File, Failure> {
    let mut name = path.as_os_str().to_owned();
    name.push(".lock");
    let shown = shown.display();
    let failed =
        |error: io::Error| Failure::Message(format!("`{shown}` cannot be locked: {error}"));
    let file = fs::File::create(&name).map_err(failed)?;
    match file.try_lock() {
        Err(fs::TryLockError::WouldBlock) => Err(Failure::Message(format!(
            "another process is using the run in `{shown}`"
        ))),
        Err(fs::TryLockError::Error(error)) if error.kind() != io::ErrorKind::Unsupported => {
            Err(failed(error))
        }
        _ => Ok(file),
    }
}

/// Writes a file in one go: whoever reads it sees the old one or the new one.
fn replace(path: &Path, text: &str) -> io::Result<()> {
    let mut new = path.as_os_str().to_owned();
    new.push(".new");
    fs::write(&new, text)?;
    fs::rename(&new, path)
}

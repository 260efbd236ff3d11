//! Files of the working directory, opened so that no symbolic link can lead outside, not even one
//! that is swapped in between the check and the use.

use std::{
    error::Error,
    fmt,
    fs::File,
    io::{self, Read},
    path::Path,
};

use cap_std::fs::Dir;

use super::Context;
use crate::error::ToolError;

impl Context {
    /// Opens a file for reading.
    ///
    /// # Errors
    ///
    /// As for [`Context::resolve`], and [`ToolError::Io`] if the file cannot be opened.
    pub fn open(&self, path: impl AsRef<Path>) -> Result<File, ToolError> {
        self.at(path.as_ref(), |dir, path| dir.open(path))
            .map(cap_std::fs::File::into_std)
    }

    /// Reads a whole file as UTF-8 text.
    ///
    /// # Errors
    ///
    /// As for [`Context::open`], and [`ToolError::Io`] if it is not UTF-8.
    pub fn read_to_string(&self, path: impl AsRef<Path>) -> Result<String, ToolError> {
        let mut text = String::new();
        let read = self.open(&path)?.read_to_string(&mut text);
        read.map_err(|error| at_path(path.as_ref(), error))?;
        Ok(text)
    }

    /// Writes a whole file, in place of what was there. Its directory must exist.
    ///
    /// # Errors
    ///
    /// As for [`Context::resolve`], and [`ToolError::Io`] if the file cannot be written.
    pub fn write(
        &self,
        path: impl AsRef<Path>,
        contents: impl AsRef<[u8]>,
    ) -> Result<(), ToolError> {
        self.at(path.as_ref(), |dir, path| dir.write(path, &contents))
    }

    /// Makes a directory, and those above it.
    ///
    /// # Errors
    ///
    /// As for [`Context::resolve`], and [`ToolError::Io`] if it cannot be made.
    pub fn create_dir_all(&self, path: impl AsRef<Path>) -> Result<(), ToolError> {
        self.at(path.as_ref(), |dir, path| dir.create_dir_all(path))
    }

    /// The names of what is in a directory, in order. Names that are not UTF-8 are left out.
    ///
    /// # Errors
    ///
    /// As for [`Context::resolve`], and [`ToolError::Io`] if the directory cannot be read.
    pub fn read_dir(&self, path: impl AsRef<Path>) -> Result<Vec<String>, ToolError> {
        self.at(path.as_ref(), |dir, path| {
            let mut names = Vec::new();
            for entry in dir.read_dir(path)? {
                names.extend(entry?.file_name().into_string().ok());
            }
            names.sort_unstable();
            Ok(names)
        })
    }

    /// Does `work` on the path as seen from the working directory, which `work` cannot leave.
    pub(super) fn at<T>(
        &self,
        path: &Path,
        work: impl FnOnce(&Dir, &Path) -> io::Result<T>,
    ) -> Result<T, ToolError> {
        let root = self.shared.root()?;
        let inside = root.inside(path)?;
        let inside = match inside.as_os_str().is_empty() {
            true => Path::new("."),
            false => &inside,
        };
        work(&root.dir, inside).map_err(|error| {
            if is_escape(&error) {
                ToolError::PathEscape(path.display().to_string())
            } else {
                at_path(path, error).into()
            }
        })
    }
}

/// Whether `cap_std` refused to leave the directory. It says so with an error of its own; a
/// refusal of the system has a number.
fn is_escape(error: &io::Error) -> bool {
    error.kind() == io::ErrorKind::PermissionDenied && error.raw_os_error().is_none()
}

/// An error that names the file.
#[derive(Debug)]
struct AtPath {
    path: String,
    error: io::Error,
}

impl fmt::Display for AtPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}`: {}", self.path, self.error)
    }
}

impl Error for AtPath {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        self.error.source()
    }
}

/// The error, which says of which file it is.
pub(super) fn at_path(path: &Path, error: io::Error) -> io::Error {
    let path = path.display().to_string();
    io::Error::new(error.kind(), AtPath { path, error })
}

//! Files of the working directory, opened so that no symbolic link can lead outside, not even one
//! that is swapped in between the check and the use.

use std::{
    error::Error,
    fmt,
    fs::File,
    io::{self, Read},
    path::{Path, PathBuf},
    sync::Arc,
};

use cap_std::fs::Dir;

use super::{Context, Shared};
use crate::error::ToolError;

/// The files of the working directory, which no path leads out of: what a node or a tool asks for that
/// reads or writes some.
///
/// ```
/// use pravah_runtime::prelude::*;
///
/// /// Reads a file.
/// #[tool]
/// async fn read(
///     /// Its path.
///     path: String,
///     files: Files,
/// ) -> Result<String, ToolError> {
///     files.read_to_string(path)
/// }
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() {
/// let elsewhere = read("../elsewhere".to_owned(), Context::default().files()).await;
/// assert!(matches!(elsewhere, Err(ToolError::PathEscape(_))));
/// # }
/// ```
#[derive(Clone)]
pub struct Files(Arc<Shared>);

impl Files {
    /// Where `path` leads, without symbolic links, if that is inside the working directory. Nothing
    /// needs to be there yet. A relative path starts at the working directory.
    ///
    /// What the answer leads to may change before it is used. To open a file that a model named,
    /// use [`open`](Self::open), [`read_to_string`](Self::read_to_string) or [`write`](Self::write), which
    /// cannot be led astray.
    ///
    /// # Errors
    ///
    /// [`ToolError::PathEscape`] if the path leads outside: through `..`, by being absolute, or
    /// through a symbolic link. [`ToolError::Io`] if the directory or a link cannot be read.
    pub fn resolve(&self, path: impl AsRef<Path>) -> Result<PathBuf, ToolError> {
        let root = self.0.root()?;
        Ok(root.path.join(root.inside(path.as_ref())?))
    }

    /// Opens a file for reading.
    ///
    /// # Errors
    ///
    /// As for [`resolve`](Self::resolve), and [`ToolError::Io`] if the file cannot be opened.
    pub fn open(&self, path: impl AsRef<Path>) -> Result<File, ToolError> {
        self.at(path.as_ref(), |dir, path| dir.open(path))
            .map(cap_std::fs::File::into_std)
    }

    /// Reads a whole file as UTF-8 text.
    ///
    /// # Errors
    ///
    /// As for [`open`](Self::open), and [`ToolError::Io`] if it is not UTF-8.
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
    /// As for [`resolve`](Self::resolve), and [`ToolError::Io`] if the file cannot be written.
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
    /// As for [`resolve`](Self::resolve), and [`ToolError::Io`] if it cannot be made.
    pub fn create_dir_all(&self, path: impl AsRef<Path>) -> Result<(), ToolError> {
        self.at(path.as_ref(), |dir, path| dir.create_dir_all(path))
    }

    /// The names of what is in a directory, in order. Names that are not UTF-8 are left out.
    ///
    /// # Errors
    ///
    /// As for [`resolve`](Self::resolve), and [`ToolError::Io`] if the directory cannot be read.
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
        let root = self.0.root()?;
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

impl From<&Context> for Files {
    fn from(ctx: &Context) -> Self {
        Self(Arc::clone(&ctx.shared))
    }
}

impl fmt::Debug for Files {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Files")
            .field(&self.0.conf.working_dir)
            .finish()
    }
}

/// The same of the whole context.
impl Context {
    /// See [`Files::resolve`].
    ///
    /// # Errors
    ///
    /// The same.
    pub fn resolve(&self, path: impl AsRef<Path>) -> Result<PathBuf, ToolError> {
        self.files().resolve(path)
    }

    /// See [`Files::open`].
    ///
    /// # Errors
    ///
    /// The same.
    pub fn open(&self, path: impl AsRef<Path>) -> Result<File, ToolError> {
        self.files().open(path)
    }

    /// See [`Files::read_to_string`].
    ///
    /// # Errors
    ///
    /// The same.
    pub fn read_to_string(&self, path: impl AsRef<Path>) -> Result<String, ToolError> {
        self.files().read_to_string(path)
    }

    /// See [`Files::write`].
    ///
    /// # Errors
    ///
    /// The same.
    pub fn write(
        &self,
        path: impl AsRef<Path>,
        contents: impl AsRef<[u8]>,
    ) -> Result<(), ToolError> {
        self.files().write(path, contents)
    }

    /// See [`Files::create_dir_all`].
    ///
    /// # Errors
    ///
    /// The same.
    pub fn create_dir_all(&self, path: impl AsRef<Path>) -> Result<(), ToolError> {
        self.files().create_dir_all(path)
    }

    /// See [`Files::read_dir`].
    ///
    /// # Errors
    ///
    /// The same.
    pub fn read_dir(&self, path: impl AsRef<Path>) -> Result<Vec<String>, ToolError> {
        self.files().read_dir(path)
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

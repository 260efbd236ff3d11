//! What a host says about the documents that it takes.

use std::{fmt, fs, io, path::PathBuf};

use crate::catalogue::Catalogue;

/// What a document is checked against.
///
/// ```
/// use pravah_document::{Catalogue, Options};
///
/// let catalogue = Catalogue::standard();
/// let options = Options::new(&catalogue)
///     .packs(["core", "tutorial"])
///     .subflows(["billing"])
///     .model("openai://gpt-5");
/// ```
#[derive(Clone)]
pub struct Options<'a> {
    pub(crate) catalogue: &'a Catalogue,
    pub(crate) packs: Option<Vec<String>>,
    pub(crate) subflows: Option<Vec<String>>,
    pub(crate) model: Option<String>,
    pub(crate) check_model: Option<&'a CheckModel<'a>>,
    pub(crate) tools: Option<Vec<String>>,
    pub(crate) files: Option<&'a dyn Files>,
}

/// Says what is wrong with the address of a model.
pub type CheckModel<'a> = dyn Fn(&str) -> Result<(), String> + 'a;

impl<'a> Options<'a> {
    /// Checks against these types of nodes. All their packs are allowed, and there are no subflows, no model but
    /// those that nodes name, and no files; tools are not checked.
    pub fn new(catalogue: &'a Catalogue) -> Self {
        Self {
            catalogue,
            packs: None,
            subflows: Some(Vec::new()),
            model: None,
            check_model: None,
            tools: None,
            files: None,
        }
    }

    /// The packs that a document may use. `core` is among them only if it is named.
    #[must_use]
    pub fn packs<T: Into<String>>(mut self, packs: impl IntoIterator<Item = T>) -> Self {
        self.packs = Some(packs.into_iter().map(Into::into).collect());
        self
    }

    /// What the documents are called that `control.subflow` can run.
    #[must_use]
    pub fn subflows<T: Into<String>>(mut self, names: impl IntoIterator<Item = T>) -> Self {
        self.subflows = Some(names.into_iter().map(Into::into).collect());
        self
    }

    /// Leaves the names of subflows unchecked, for a host that registers them later.
    #[must_use]
    pub fn any_subflow(mut self) -> Self {
        self.subflows = None;
        self
    }

    /// The model of agents that name none.
    #[must_use]
    pub fn model(mut self, model: impl Into<String>) -> Self {
        self.model = Some(model.into());
        self
    }

    /// How the models that nodes name are checked.
    #[must_use]
    pub fn check_model(mut self, check: &'a CheckModel<'a>) -> Self {
        self.check_model = Some(check);
        self
    }

    /// The tools that agents can name.
    #[must_use]
    pub fn tools<T: Into<String>>(mut self, names: impl IntoIterator<Item = T>) -> Self {
        self.tools = Some(names.into_iter().map(Into::into).collect());
        self
    }

    /// Where the files of `promptFile` come from.
    #[must_use]
    pub fn files(mut self, files: &'a dyn Files) -> Self {
        self.files = Some(files);
        self
    }

    /// Whether documents may use this pack.
    pub(crate) fn allows(&self, pack: &str) -> bool {
        self.packs
            .as_ref()
            .is_none_or(|packs| packs.iter().any(|allowed| allowed == pack))
    }
}

impl fmt::Debug for Options<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Options")
            .field("packs", &self.packs)
            .field("subflows", &self.subflows)
            .field("model", &self.model)
            .field("tools", &self.tools)
            .finish_non_exhaustive()
    }
}

/// The files beside a document.
pub trait Files {
    /// Reads a file. The path is relative to the document's folder, with `/` between its parts, and has no `..`.
    ///
    /// # Errors
    ///
    /// A file that is missing, outside the folder, or not text.
    fn read(&self, path: &str) -> Result<String, FileError>;
}

/// Why a file beside a document cannot be read.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum FileError {
    /// There is no such file.
    Missing,
    /// It is outside the document's folder.
    Outside,
    /// Anything else.
    Unreadable(String),
}

impl fmt::Display for FileError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Missing => f.write_str("there is no such file"),
            Self::Outside => f.write_str("it is outside the folder of the document"),
            Self::Unreadable(reason) => f.write_str(reason),
        }
    }
}

impl std::error::Error for FileError {}

/// The folder that a document is in.
#[derive(Clone, Debug)]
pub struct Folder {
    path: PathBuf,
}

/// The longest prompt file, in bytes.
const MAX_FILE_BYTES: u64 = 1 << 20;

impl Folder {
    /// A folder of the file system; an empty path is the working directory.
    pub fn new(path: impl Into<PathBuf>) -> Self {
        let path = path.into();
        let is_empty = path.as_os_str().is_empty();
        let path = if is_empty { PathBuf::from(".") } else { path };
        Self { path }
    }
}

impl Files for Folder {
    fn read(&self, path: &str) -> Result<String, FileError> {
        let folder = fs::canonicalize(&self.path).map_err(unreadable)?;
        // Links count as what they lead to.
        let file = fs::canonicalize(folder.join(path)).map_err(unreadable)?;
        if !file.starts_with(&folder) {
            return Err(FileError::Outside);
        }
        let about = fs::metadata(&file).map_err(unreadable)?;
        if !about.is_file() {
            return Err(FileError::Unreadable("it is not a file".to_owned()));
        }
        if about.len() > MAX_FILE_BYTES {
            let reason = format!("it has more than {} MiB", MAX_FILE_BYTES >> 20);
            return Err(FileError::Unreadable(reason));
        }
        fs::read_to_string(&file).map_err(unreadable)
    }
}

fn unreadable(error: io::Error) -> FileError {
    match error.kind() {
        io::ErrorKind::NotFound => FileError::Missing,
        io::ErrorKind::InvalidData => FileError::Unreadable("it is not valid UTF-8".to_owned()),
        _ => FileError::Unreadable(error.to_string()),
    }
}

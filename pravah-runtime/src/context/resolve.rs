//! Where a path leads, symbolic links followed, and whether that is inside the working directory.

use std::{
    ffi::OsString,
    fs, io,
    path::{Component, Path, PathBuf},
    sync::Arc,
};

use cap_std::{ambient_authority, fs::Dir};

use super::{Shared, files::at_path};
use crate::error::ToolError;

/// How many symbolic links a path may lead through, as on Linux.
const MAX_LINKS: usize = 40;

/// The working directory, opened.
pub(super) struct Root {
    /// Without symbolic links.
    pub(super) path: PathBuf,
    pub(super) dir: Dir,
}

impl Shared {
    pub(super) fn root(&self) -> io::Result<Arc<Root>> {
        if let Some(root) = self.root.get() {
            return Ok(Arc::clone(root));
        }
        let working_dir = &self.conf.working_dir;
        let named = |error| at_path(working_dir, error);
        let path = fs::canonicalize(working_dir).map_err(named)?;
        let dir = Dir::open_ambient_dir(&path, ambient_authority()).map_err(named)?;
        Ok(Arc::clone(
            self.root.get_or_init(|| Arc::new(Root { path, dir })),
        ))
    }
}

impl Root {
    /// Where `path` leads, relative to the working directory.
    pub(super) fn inside(&self, path: &Path) -> Result<PathBuf, ToolError> {
        let escape = || ToolError::PathEscape(path.display().to_string());
        if path.as_os_str().as_encoded_bytes().contains(&0) {
            return Err(io::Error::new(io::ErrorKind::InvalidInput, "a path holds a NUL").into());
        }
        if !path.is_absolute() && climbs_out(path) {
            return Err(escape());
        }
        let found = self.follow(path).map_err(|error| at_path(path, error))?;
        match found.strip_prefix(&self.path) {
            Ok(inside) => Ok(inside.to_path_buf()),
            Err(_) => Err(escape()),
        }
    }

    /// Walks `path` as the system would, but on through what does not exist.
    fn follow(&self, path: &Path) -> io::Result<PathBuf> {
        let mut at = self.path.clone();
        let mut left = Vec::new();
        push(&mut left, path);
        let mut links = 0;
        while let Some(step) = left.pop() {
            match step {
                Step::Start(start) => at = start,
                Step::Up => {
                    at.pop();
                }
                Step::Down(name) => {
                    at.push(name);
                    if let Some(target) = link_at(&at)? {
                        links += 1;
                        if links > MAX_LINKS {
                            return Err(io::Error::other("too many symbolic links"));
                        }
                        at.pop();
                        push(&mut left, &target);
                    }
                }
            }
        }
        Ok(at)
    }
}

enum Step {
    Start(PathBuf),
    Up,
    Down(OsString),
}

/// Puts the steps of `path` on the stack, the first on top.
fn push(stack: &mut Vec<Step>, path: &Path) {
    let from = stack.len();
    let mut start = PathBuf::new();
    for component in path.components() {
        match component {
            Component::Prefix(_) | Component::RootDir => start.push(component),
            Component::CurDir => {}
            Component::ParentDir => stack.push(Step::Up),
            Component::Normal(name) => stack.push(Step::Down(name.to_owned())),
        }
    }
    if !start.as_os_str().is_empty() {
        stack.insert(from, Step::Start(start));
    }
    if let Some(new) = stack.get_mut(from..) {
        new.reverse();
    }
}

/// The target of the symbolic link at `path`, if one is there.
fn link_at(path: &Path) -> io::Result<Option<PathBuf>> {
    match fs::symlink_metadata(path) {
        Ok(meta) if meta.is_symlink() => fs::read_link(path).map(Some),
        Ok(_) => Ok(None),
        Err(error) => match error.kind() {
            io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => Ok(None),
            _ => Err(error),
        },
    }
}

/// Whether `..` leads above the start of `path`, as it is written.
fn climbs_out(path: &Path) -> bool {
    let mut depth = 0_usize;
    for component in path.components() {
        match component {
            Component::Normal(_) => depth += 1,
            Component::ParentDir => match depth.checked_sub(1) {
                Some(up) => depth = up,
                None => return true,
            },
            _ => {}
        }
    }
    false
}

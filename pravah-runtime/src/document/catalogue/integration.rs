//! Integration: HTTP, files and commands. The context says which hosts and commands are allowed, and where files are.

mod files;
#[cfg(feature = "providers")]
mod http;
mod shell;

use crate::{
    document::registry::Implementation,
    error::{BoxError, ToolError},
};

pub(super) fn implementation(name: &str) -> Option<Implementation> {
    Some(match name {
        #[cfg(feature = "providers")]
        "http.request" => Implementation::later(http::request),
        "file.read" => Implementation::later(files::read),
        "file.write" => Implementation::later(files::write),
        "shell.run" => Implementation::later(shell::run),
        _ => return None,
    })
}

/// Why something could not be done. What the host does not allow it will not allow at the next attempt either.
fn failed(error: ToolError) -> BoxError {
    match error {
        ToolError::PathEscape(_) | ToolError::ForbiddenCommand(_) | ToolError::ForbiddenHost(_) => {
            super::refused(error.to_string())
        }
        error => error.into(),
    }
}

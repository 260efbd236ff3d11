//! What is wrong with a binding, a template or a condition by itself.

use std::{error::Error, fmt};

/// A binding, a template or a condition that cannot be read.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct SyntaxError {
    /// What is wrong.
    pub message: String,
    /// What to do about it.
    pub help: Option<String>,
}

impl SyntaxError {
    pub(crate) fn new(message: impl Into<String>) -> Self {
        Self {
            message: message.into(),
            help: None,
        }
    }

    pub(crate) fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }
}

impl fmt::Display for SyntaxError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)?;
        self.help.iter().try_for_each(|help| write!(f, ": {help}"))
    }
}

impl Error for SyntaxError {}

/// A binding that names nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct BindingError {
    /// The path as it is written: `facts.capital`.
    pub path: String,
    /// How much of it names something: `facts`, or nothing.
    pub found: String,
}

impl fmt::Display for BindingError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { path, found } = self;
        write!(f, "the binding `{path}` names nothing")?;
        if !found.is_empty() {
            write!(f, ": there is only `{found}`")?;
        }
        Ok(())
    }
}

impl Error for BindingError {}

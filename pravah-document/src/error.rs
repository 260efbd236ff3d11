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
    /// Why it has no more, where its node did not return anything: it `was skipped`, or it `has failed`.
    pub reason: Option<&'static str>,
}

impl fmt::Display for BindingError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            path,
            found,
            reason,
        } = self;
        write!(f, "the binding `{path}` names nothing")?;
        match reason {
            Some(reason) => write!(f, ": `{found}` {reason}"),
            None if found.is_empty() => Ok(()),
            None => write!(f, ": there is only `{found}`"),
        }
    }
}

impl Error for BindingError {}

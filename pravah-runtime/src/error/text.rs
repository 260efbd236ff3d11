//! What an error says, with what is behind it.

use std::{fmt, ops::Deref};

use super::{BoxError, brief};
use crate::quoted::quoted;

/// The text of a [`FlowError`](crate::FlowError), with the error behind it, and with what there is in
/// place of what was not found. It can be read like a `str`.
///
/// ```
/// use pravah_runtime::FlowError;
///
/// let error = FlowError::BuildError("no model".into());
/// let FlowError::BuildError(text) = &error else { unreachable!() };
/// assert_eq!(text, "no model");
/// assert!(text.starts_with("no"));
/// ```
#[derive(Debug)]
pub struct ErrorText {
    text: String,
    known: Vec<String>,
    source: Option<BoxError>,
}

impl ErrorText {
    /// A text with the error behind it.
    pub fn new(text: impl Into<String>, source: impl Into<BoxError>) -> Self {
        Self {
            source: Some(source.into()),
            ..Self::from(text.into())
        }
    }

    /// What there is, where something else was asked for.
    pub fn known(&self) -> &[String] {
        &self.known
    }

    pub(crate) fn unknown<T: Into<String>>(
        text: impl Into<String>,
        known: impl IntoIterator<Item = T>,
    ) -> Self {
        Self {
            known: known.into_iter().map(Into::into).collect(),
            ..Self::from(text.into())
        }
    }

    /// What there is, as it follows the text.
    pub(super) fn hint(&self) -> String {
        match self.known.as_slice() {
            [] => String::new(),
            known => format!("; known: {}", quoted(known)),
        }
    }
}

impl fmt::Display for ErrorText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl std::error::Error for ErrorText {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        Some(self.source.as_deref()?)
    }
}

impl Deref for ErrorText {
    type Target = str;

    fn deref(&self) -> &str {
        &self.text
    }
}

impl PartialEq<str> for ErrorText {
    fn eq(&self, other: &str) -> bool {
        self.text == other
    }
}

impl PartialEq<&str> for ErrorText {
    fn eq(&self, other: &&str) -> bool {
        self.text == **other
    }
}

impl From<String> for ErrorText {
    fn from(text: String) -> Self {
        Self {
            text,
            known: Vec::new(),
            source: None,
        }
    }
}

impl From<&str> for ErrorText {
    fn from(text: &str) -> Self {
        text.to_owned().into()
    }
}

impl From<serde_json::Error> for ErrorText {
    fn from(error: serde_json::Error) -> Self {
        let text = error.to_string();
        Self::new(brief(&text), error)
    }
}

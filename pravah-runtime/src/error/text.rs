//! What an error says, with what is behind it.

use std::{error::Error, fmt};

use super::{BoxError, brief};
use crate::quoted::quoted;

/// The text of a [`FlowError`](crate::FlowError) or a [`ToolError`](crate::ToolError), with the error
/// that caused it, and with what there is in place of what was not found.
///
/// ```
/// use pravah_runtime::{ErrorText, FlowError};
///
/// let FlowError::BuildError(text) = FlowError::BuildError("no model".into()) else { unreachable!() };
/// assert_eq!(text.as_str(), "no model");
///
/// let disk = std::io::Error::other("the disk is full");
/// let text = ErrorText::new("the run `7` was not stored", disk);
/// assert_eq!(text.to_string(), "the run `7` was not stored: the disk is full");
/// assert!(text.get_ref().is_some_and(|cause| cause.is::<std::io::Error>()));
/// ```
#[derive(Debug)]
pub struct ErrorText {
    text: String,
    /// Boxed, as errors are to be small.
    known: Option<Box<Known>>,
    cause: Option<BoxError>,
}

/// What there is in place of what was not found, and what helps.
#[derive(Debug, Default)]
struct Known {
    listed: Vec<String>,
    /// Whether there are more than are listed.
    has_more: bool,
    /// What was asked for, where the text does not say it.
    sought: Option<String>,
    /// What a user can do about it.
    help: Option<String>,
}

impl ErrorText {
    /// A text followed by the cause. A long cause is shortened.
    pub fn new(text: impl fmt::Display, cause: impl Into<BoxError>) -> Self {
        let cause = cause.into();
        Self {
            text: format!("{text}: {}", brief(&cause.to_string())),
            known: None,
            cause: Some(cause),
        }
    }

    /// The whole text.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// What there is, where something else was asked for.
    pub fn known(&self) -> &[String] {
        self.known.as_ref().map_or(&[], |known| &known.listed)
    }

    /// The cause, if one is known.
    pub fn get_ref(&self) -> Option<&(dyn Error + Send + Sync + 'static)> {
        self.cause.as_deref()
    }

    pub(crate) fn unknown<T: Into<String>>(
        text: impl Into<String>,
        known: impl IntoIterator<Item = T>,
    ) -> Self {
        let listed = known.into_iter().map(Into::into).collect();
        Self::among(
            text.into(),
            Known {
                listed,
                ..Known::default()
            },
        )
    }

    /// The first of `open` as the text, and at most `most` of them listed, where `sought` was asked for. `None`
    /// where there are none.
    pub(super) fn in_place_of<T: fmt::Display>(
        sought: &str,
        open: impl IntoIterator<Item = T>,
        most: usize,
    ) -> Option<Self> {
        let mut rest = open.into_iter().map(|open| open.to_string());
        let listed: Vec<String> = rest.by_ref().take(most).collect();
        let known = Known {
            has_more: rest.next().is_some(),
            sought: Some(sought.to_owned()),
            help: None,
            listed,
        };
        Some(Self::among(known.listed.first()?.clone(), known))
    }

    fn among(text: String, known: Known) -> Self {
        Self {
            known: Some(Box::new(known)),
            ..Self::from(text)
        }
    }

    pub(super) fn sought(&self) -> Option<&str> {
        self.known.as_ref()?.sought.as_deref()
    }

    /// Whether there are more than [`known`](Self::known) lists.
    pub(super) fn has_more(&self) -> bool {
        self.known.as_ref().is_some_and(|known| known.has_more)
    }

    /// What the cause says, and nothing more.
    fn of(cause: impl Into<BoxError>) -> Self {
        let cause = cause.into();
        Self {
            text: brief(&cause.to_string()).into_owned(),
            known: None,
            cause: Some(cause),
        }
    }

    /// The same with more words behind.
    pub(crate) fn followed_by(mut self, words: fmt::Arguments<'_>) -> Self {
        self.text = format!("{}{words}", self.text);
        self
    }

    /// The same with what a user can do about it, which is no part of the text.
    pub(crate) fn with_help(mut self, help: String) -> Self {
        self.known.get_or_insert_default().help = Some(help);
        self
    }

    pub(crate) fn help(&self) -> Option<&str> {
        self.known.as_ref()?.help.as_deref()
    }

    /// The same text, not longer than an error may be.
    pub(crate) fn brief(mut self) -> Self {
        self.text = brief(&self.text).into_owned();
        self
    }

    /// What there is, as it follows the text.
    pub(super) fn hint(&self) -> String {
        match self.known() {
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

impl Error for ErrorText {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        self.cause.as_ref()?.source()
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
            known: None,
            cause: None,
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
        Self::of(error)
    }
}

impl From<crate::ModelUrlError> for ErrorText {
    fn from(error: crate::ModelUrlError) -> Self {
        Self::of(error)
    }
}

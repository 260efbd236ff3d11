//! Why a command could not do what it was asked for.

use std::{
    io::{self, IsTerminal as _},
    process::ExitCode,
};

use pravah_document::Problems;
use pravah_runtime::{FlowError, document::DocumentError};

use crate::output::say;

/// Why a command ends.
pub(crate) enum Failure {
    /// What the document has wrong with it, or where it cannot be read.
    Document(DocumentError),
    /// Anything else, in words.
    Message(String),
}

impl From<DocumentError> for Failure {
    fn from(error: DocumentError) -> Self {
        Self::Document(error)
    }
}

impl From<FlowError> for Failure {
    fn from(error: FlowError) -> Self {
        Self::Message(with_causes(&error))
    }
}

impl Failure {
    /// Writes it to the standard error.
    pub(crate) fn report(self) -> ExitCode {
        match self {
            Self::Document(DocumentError::Problems(problems)) => show(&problems),
            Self::Document(error) => say!("error: {}", with_causes(&error)),
            Self::Message(message) => say!("error: {message}"),
        }
        ExitCode::FAILURE
    }
}

/// Writes problems to the standard error, and how many they are.
pub(crate) fn show(problems: &Problems) {
    let styled = io::stderr().is_terminal();
    for drawing in problems.drawings(styled) {
        say!("{drawing}\n");
    }
    let warnings = problems.iter().filter(|it| it.is_warning).count();
    let errors = problems.len() - warnings;
    let counts = [(errors, "problem"), (warnings, "warning")];
    let counts = counts.into_iter().filter(|(count, _)| *count > 0);
    let words = counts.map(|(count, word)| match count {
        1 => format!("1 {word}"),
        count => format!("{count} {word}s"),
    });
    let words: Vec<String> = words.collect();
    say!("{}: {}", problems.name(), words.join(", "));
}

/// An error, and what is beneath it.
pub(crate) fn with_causes(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        let words = error.to_string();
        if !text.contains(&words) {
            text = format!("{text}: {words}");
        }
        cause = error.source();
    }
    text
}

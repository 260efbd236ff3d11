//! Why a command could not do what it was asked for.

use std::{
    fmt,
    io::{self, IsTerminal as _, Write as _},
    process::ExitCode,
};

use pravah_document::Problems;
use pravah_runtime::{FlowError, document::DocumentError};

/// Writes a line to the standard error. That nobody can read it changes nothing of what the command does.
macro_rules! say {
    ($($argument:tt)*) => {
        $crate::failure::say_line(format_args!($($argument)*))
    };
}
pub(crate) use say;

pub(crate) fn say_line(line: fmt::Arguments<'_>) {
    let _ = writeln!(io::stderr(), "{line}");
}

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

/// Writes a text to the standard output. Whoever reads it may have read enough.
pub(crate) fn print(text: &str) -> Result<ExitCode, Failure> {
    match write_out(text) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => Err(not_written(&error)),
        _ => Ok(ExitCode::SUCCESS),
    }
}

/// The same where all of it has to be read.
pub(crate) fn print_whole(text: &str) -> Result<ExitCode, Failure> {
    match write_out(text) {
        Err(error) => Err(not_written(&error)),
        Ok(()) => Ok(ExitCode::SUCCESS),
    }
}

fn write_out(text: &str) -> io::Result<()> {
    let mut out = io::stdout().lock();
    out.write_all(text.trim_end().as_bytes())?;
    out.write_all(b"\n")?;
    out.flush()
}

fn not_written(error: &io::Error) -> Failure {
    Failure::Message(format!("the output cannot be written: {error}"))
}

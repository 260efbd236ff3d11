//! The standard output and the standard error.

use std::{
    fmt,
    io::{self, Write as _},
    process::ExitCode,
};

use crate::failure::Failure;

/// Like `eprintln!`, but does not panic if the standard error is closed or full.
macro_rules! say {
    ($($argument:tt)*) => {
        $crate::output::say_line(format_args!($($argument)*))
    };
}
pub(crate) use say;

pub(crate) fn say_line(line: fmt::Arguments<'_>) {
    let _ = writeln!(io::stderr(), "{line}");
}

/// Writes a text to the standard output. A closed pipe is no error: whoever reads may have read enough.
pub(crate) fn print(text: &str) -> Result<ExitCode, Failure> {
    match write(text) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => Err(not_written(&error)),
        _ => Ok(ExitCode::SUCCESS),
    }
}

/// The same, where a closed pipe is an error too.
pub(crate) fn print_whole(text: &str) -> Result<(), Failure> {
    write(text).map_err(|error| not_written(&error))
}

fn write(text: &str) -> io::Result<()> {
    let mut out = io::stdout().lock();
    out.write_all(text.trim_end().as_bytes())?;
    out.write_all(b"\n")?;
    out.flush()
}

fn not_written(error: &io::Error) -> Failure {
    Failure::Message(format!("the output cannot be written: {error}"))
}

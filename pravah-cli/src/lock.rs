//! `pravah lock`: runs the tests that flows with a lock have.

use std::{
    env,
    ffi::OsString,
    process::{Command, ExitCode},
};

use clap::Args;

use crate::failure::Failure;

/// The names of the tests start so.
const TESTS: &str = "pravah_lock_of_";

/// What the tests do: they add versions with `write`, and fail where one is missing with `check`.
const VARIABLE: &str = "PRAVAH_LOCK";

/// What the versions are called.
const RELEASE: &str = "PRAVAH_LOCK_RELEASE";

#[derive(Args)]
pub(crate) struct Options {
    /// Only checks: fails where a lock file lacks the current version, and prints which new nodes earlier runs skip.
    #[arg(long)]
    check: bool,
    /// What to call the current version: that of its crate, unless given.
    #[arg(long, value_name = "NAME", conflicts_with = "check")]
    release: Option<String>,
    /// Options for `cargo test`: `-- -p my-crate`.
    #[arg(last = true, value_name = "CARGO OPTIONS")]
    cargo: Vec<OsString>,
}

/// Runs cargo in this folder, which prints what the tests say, and returns what it returns.
pub(crate) fn run(options: Options) -> Result<ExitCode, Failure> {
    let cargo = env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut command = Command::new(&cargo);
    command.arg("test").args(options.cargo);
    command.args([TESTS, "--", "--nocapture", "--test-threads=1"]);
    command.env(VARIABLE, if options.check { "check" } else { "write" });
    if let Some(release) = options.release {
        command.env(RELEASE, release);
    }
    let status = command.status().map_err(|error| {
        let cargo = cargo.display();
        Failure::Message(format!("`{cargo}` cannot be started: {error}"))
    })?;
    let code = status.code().and_then(|code| u8::try_from(code).ok());
    Ok(code.map_or(ExitCode::FAILURE, ExitCode::from))
}

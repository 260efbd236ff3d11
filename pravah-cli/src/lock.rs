//! `pravah lock`: runs the tests that flows with a lock have.

use std::{
    env,
    ffi::OsString,
    process::{Command, ExitCode},
};

use clap::Args;

use crate::failure::Failure;

/// The names of the tests start so.
const TESTS: &str = "lock_of_";

/// Set to `write`, the tests add versions.
const VARIABLE: &str = "PRAVAH_LOCK";

#[derive(Args)]
pub(crate) struct Options {
    /// Adds nothing, and says what becomes of the runs of locked versions.
    #[arg(long)]
    check: bool,
    /// What `cargo test` is told: `-- -p my-package`.
    #[arg(last = true, value_name = "CARGO OPTIONS")]
    cargo: Vec<OsString>,
}

/// Runs cargo in this folder, which prints what the tests say, and returns what it returns.
pub(crate) fn run(options: Options) -> Result<ExitCode, Failure> {
    let cargo = env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut command = Command::new(&cargo);
    command.arg("test").args(options.cargo);
    command.args([TESTS, "--", "--nocapture", "--test-threads=1"]);
    match options.check {
        true => command.env_remove(VARIABLE),
        false => command.env(VARIABLE, "write"),
    };
    let status = command.status().map_err(|error| {
        let cargo = cargo.display();
        Failure::Message(format!("`{cargo}` cannot be started: {error}"))
    })?;
    let code = status.code().and_then(|code| u8::try_from(code).ok());
    Ok(code.map_or(ExitCode::FAILURE, ExitCode::from))
}

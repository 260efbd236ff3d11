//! `pravah lock`: runs the tests that flows with a lock have.

use std::{
    env,
    ffi::OsString,
    io::{BufRead, BufReader},
    process::{ChildStdout, Command, ExitCode, Stdio},
};

use clap::Args;

use crate::{failure::Failure, output};

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
    let cannot_start = |error| {
        let cargo = cargo.display();
        Failure::Message(format!("`{cargo}` cannot be started: {error}"))
    };
    let mut child = command
        .stdout(Stdio::piped())
        .spawn()
        .map_err(cannot_start)?;
    let tests = child.stdout.take().map_or(0, pass_on);
    let status = child.wait().map_err(cannot_start)?;
    if status.success() && tests == 0 {
        return Err(Failure::Message(
            "no flow here has a lock file: write `#[flow(lock = \"name.lock\")]`, and create the file empty beside \
             `Cargo.toml`"
                .to_owned(),
        ));
    }
    let code = status.code().and_then(|code| u8::try_from(code).ok());
    Ok(code.map_or(ExitCode::FAILURE, ExitCode::from))
}

/// Passes on what cargo prints. Returns how many tests there were.
fn pass_on(stdout: ChildStdout) -> usize {
    let mut tests = 0;
    for line in BufReader::new(stdout).lines().map_while(Result::ok) {
        let running = line.strip_prefix("running ");
        let count = running.and_then(|rest| rest.split(' ').next()?.parse::<usize>().ok());
        tests += count.unwrap_or_default();
        output::say!("{line}");
    }
    tests
}

//! `shell.run`: a program that the host allows, without a shell.

use std::process::Stdio;

use serde_json::{Value, json};
use tokio::{
    io::{AsyncRead, AsyncReadExt as _},
    process::Command,
};

use super::failed;
use crate::{
    Context,
    document::catalogue::{field, refused, text},
    error::BoxError,
};

/// The most that a command may write to each of its outputs, in bytes.
const MAX_OUTPUT_BYTES: u64 = 1 << 20;

/// The variables of the host that a command sees: others may hold credentials.
const ENVIRONMENT: [&str; 10] = [
    "PATH",
    "HOME",
    "USER",
    "LANG",
    "LC_ALL",
    "TZ",
    "TERM",
    "TMPDIR",
    "TEMP",
    "SYSTEMROOT",
];

pub(super) async fn run(input: Value, ctx: Context) -> Result<Value, BoxError> {
    let name = text(&input, "command");
    let command = ctx.commands().command(name).map_err(failed)?;
    let mut child = start(command.into(), field(&input, "args"))
        .map_err(|error| format!("`{name}` could not be started: {error}"))?;
    let (stdout, stderr) = (child.stdout.take(), child.stderr.take());
    // Reading one after the other would deadlock if the command fills the second pipe.
    let read = tokio::try_join!(output(stdout, name), output(stderr, name));
    let (stdout, stderr) = read?;
    let status = child.wait().await?;
    let code = status.code();
    let code = code.ok_or_else(|| format!("`{name}` was ended by a signal"))?;
    Ok(json!({ "stdout": stdout, "stderr": stderr, "exitCode": code }))
}

/// Starts a command, which ends when nobody waits for it any more.
fn start(mut command: Command, args: &Value) -> std::io::Result<tokio::process::Child> {
    let args = args.as_array().map_or(&[][..], Vec::as_slice);
    command
        .args(args.iter().filter_map(Value::as_str))
        .env_clear();
    for name in ENVIRONMENT {
        if let Some(value) = std::env::var_os(name) {
            command.env(name, value);
        }
    }
    command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .kill_on_drop(true)
        .spawn()
}

/// All that a command writes; what is not valid UTF-8 in it is replaced.
async fn output(from: Option<impl AsyncRead + Unpin>, name: &str) -> Result<String, BoxError> {
    let mut written = Vec::new();
    if let Some(from) = from {
        let mut from = from.take(MAX_OUTPUT_BYTES.saturating_add(1));
        from.read_to_end(&mut written).await?;
    }
    if written.len() as u64 > MAX_OUTPUT_BYTES {
        return Err(refused(format!(
            "`{name}` wrote more than {MAX_OUTPUT_BYTES} bytes"
        )));
    }
    Ok(String::from_utf8_lossy(&written).into_owned())
}

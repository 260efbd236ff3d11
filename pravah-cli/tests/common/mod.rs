//! The command line, run as a process in a folder of its own.

#![expect(
    clippy::unwrap_used,
    reason = "a helper that fails is a test that fails"
)]
#![allow(dead_code, reason = "not every test uses all of it")]

use std::{
    fs,
    path::{Path, PathBuf},
    process::{Command, Output},
};

use tempfile::TempDir;

/// A document whose second node asks.
pub(crate) const GATE: &str = "
flow: { name: ask }
nodes:
  - { id: a, type: echo, input: { text: before } }
  - { id: ask, type: control.gate, input: { prompt: 'Go on?', choices: ['yes', 'no'] } }
edges: [{ from: a, to: ask }]
";

pub(crate) fn examples() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples/documents")
}

pub(crate) fn pravah(folder: &Path, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_pravah"))
        .args(arguments)
        .current_dir(folder)
        .output()
        .unwrap()
}

pub(crate) fn out(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).unwrap()
}

pub(crate) fn err(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).unwrap()
}

pub(crate) fn folder(files: &[(&str, &str)]) -> TempDir {
    let folder = TempDir::new().unwrap();
    for (name, text) in files {
        fs::write(folder.path().join(name), text).unwrap();
    }
    folder
}

//! What the compiler says about each mistake.

#![allow(
    clippy::unwrap_used,
    reason = "a helper that fails is a test that fails"
)]

use std::{fs, io::Write, path::Path, process::Command};

/// The compiler whose words the `.stderr` files hold.
const EXPECTED: &str = "1.95";

#[test]
fn every_mistake_gets_its_message() {
    if let Some(other) = other_compiler() {
        // Past the harness, which shows nothing of a test that passes.
        let _ = writeln!(
            std::io::stderr(),
            "skipped: the expected messages are those of rustc {EXPECTED}, and this is {other}"
        );
        return;
    }
    copy_locks();
    trybuild::TestCases::new().compile_fail("fail/*/*.rs");
}

/// Locks are beside the `Cargo.toml` of the crate, and that of the cases is one that `trybuild` makes.
fn copy_locks() {
    let [from, target] = [env!("CARGO_MANIFEST_DIR"), env!("CARGO_TARGET_TMPDIR")].map(Path::new);
    let crates = target.with_file_name("tests").join("trybuild");
    let to = crates.join(env!("CARGO_PKG_NAME")).join("locks");
    fs::create_dir_all(&to).unwrap();
    for file in fs::read_dir(from.join("locks")).unwrap() {
        let file = file.unwrap();
        fs::copy(file.path(), to.join(file.file_name())).unwrap();
    }
}

/// The version of the compiler, if it is not the expected one.
fn other_compiler() -> Option<String> {
    let rustc = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let output = Command::new(rustc).arg("--version").output();
    let version = output.map_or_else(
        |error| format!("an unknown one: {error}"),
        |output| String::from_utf8_lossy(&output.stdout).trim().to_owned(),
    );
    let expected = version.starts_with(&format!("rustc {EXPECTED}."));
    (!expected).then_some(version)
}

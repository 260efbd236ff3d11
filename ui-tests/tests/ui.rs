//! What the compiler says about each mistake.

use std::{io::Write, process::Command};

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
    trybuild::TestCases::new().compile_fail("fail/*/*.rs");
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

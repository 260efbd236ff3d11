//! A run as a trace. That it is what OpenTelemetry's receivers take is checked by `conformance/run`.
#![allow(
    clippy::unwrap_used,
    reason = "a helper that fails is a test that fails"
)]

use std::process::Command;

#[test]
fn each_span_is_printed_when_it_ends_and_the_run_has_one_before_and_one_after_the_question() {
    let output = Command::new(env!("CARGO_BIN_EXE_trace")).output().unwrap();
    assert!(output.status.success());
    let output = String::from_utf8(output.stdout).unwrap();
    let span = |line: &str| Some(line.strip_prefix("  ")?.to_owned());
    let ended = output.lines().filter_map(span);
    let ended: Vec<String> = ended.filter(|line| !line.starts_with(' ')).collect();
    assert_eq!(
        ended,
        [
            "chat gpt-4o-mini",
            "query",
            "execute_tool track",
            "chat gpt-4o-mini",
            "invoke_agent judge",
            "invoke_workflow refunds",
            "invoke_workflow refunds"
        ]
    );
    assert_eq!(output.matches("linked to").count(), 1);
    assert!(output.ends_with("refund: 15 euros\n"));
    assert!(!output.contains("three days late") && !output.contains("Where is my parcel"));
}

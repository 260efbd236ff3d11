//! The confidence contract.
#![allow(
    clippy::unwrap_used,
    reason = "a helper that fails is a test that fails"
)]

use std::process::Command;

fn output(review: &str) -> String {
    let output = Command::new(env!("CARGO_BIN_EXE_contract"))
        .args(["--review", review])
        .env_remove("OPENAI_API_KEY")
        .output()
        .unwrap();
    assert!(output.status.success());
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn the_sure_answer_goes_on_the_clueless_one_is_hidden_and_a_person_decides_the_rest() {
    for (review, letter) in [
        ("approve", "We refund 15 euros."),
        ("edit", "We refund 10 euros."),
        ("reject", "Please tell us more: a colleague has questions."),
    ] {
        let output = output(review);
        let letters: Vec<&str> = output
            .lines()
            .filter_map(|line| line.strip_prefix("  letter "))
            .collect();
        assert_eq!(
            letters,
            [
                "We refund 20 euros.",
                letter,
                "Please tell us more: we could not make sense of it."
            ]
        );
    }
}

#[test]
fn every_decision_is_in_the_audit_log() {
    let output = output("approve");
    let events: Vec<String> = output
        .lines()
        .filter_map(|line| line.strip_prefix("  audit "))
        .map(|line| {
            let entry: serde_json::Value = serde_json::from_str(line).unwrap();
            entry["event"].as_str().unwrap().to_owned()
        })
        .collect();
    assert_eq!(
        events,
        [
            "ai_invocation",
            "ai_routing_decision",
            "ai_invocation",
            "ai_routing_decision",
            "ai_review_required",
            "ai_review_resolved",
            "ai_invocation",
            "ai_routing_decision"
        ]
    );
}

//! A tape, without a model or a key.

use std::process::Command;

#[test]
fn a_tape_answers_in_place_of_a_model() {
    let output = Command::new(env!("CARGO_BIN_EXE_replay"))
        .env_remove("OPENAI_API_KEY")
        .output()
        .unwrap();
    assert_eq!(
        String::from_utf8(output.stdout).unwrap(),
        "* Leaks, breaks\n***** Fast and handsome\n"
    );
    assert!(output.status.success());
}

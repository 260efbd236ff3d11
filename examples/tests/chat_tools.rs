//! An agent with tools, watched.

use std::process::Command;

const OUTPUT: &str = "\
[openai://gpt-4o-mini: 0 tokens]
1. cook (model)
2. cook (tools)
[openai://gpt-4o-mini: 0 tokens]
3. cook (model)
4. cook (tools)
[openai://gpt-4o-mini: 0 tokens]
5. cook (model)
6. cook (tools)
[openai://gpt-4o-mini: 0 tokens]
7. cook (model) -> Answer
It takes about five minutes. (5.07 minutes)
";

#[test]
fn a_question_is_answered_with_tools() {
    let output = Command::new(env!("CARGO_BIN_EXE_chat_tools"))
        .output()
        .unwrap();
    assert_eq!(String::from_utf8(output.stdout).unwrap(), OUTPUT);
    assert!(output.status.success());
}

#[test]
fn a_model_that_is_none_is_refused() {
    let output = Command::new(env!("CARGO_BIN_EXE_chat_tools"))
        .args(["--model", "opneai://m"])
        .output()
        .unwrap();
    let error = String::from_utf8(output.stderr).unwrap();
    assert!(error.contains("did you mean `openai`?"), "{error}");
    assert!(!output.status.success());
}

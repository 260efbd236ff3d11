//! The options of `#[tool]`.

use super::{super::ToolOptions, read, refuses};

#[test]
fn a_tool_says_what_it_does_or_denies_it() {
    assert_eq!(read("", ToolOptions::parse), Some(ToolOptions::default()));
    let said = ToolOptions {
        destructive: Some(false),
        idempotent: Some(true),
        ..ToolOptions::default()
    };
    let options = "destructive = false, idempotent";
    assert_eq!(read(options, ToolOptions::parse), Some(said));
    read("read_only, destructive = false", ToolOptions::parse);
}

#[test]
fn a_tool_does_not_contradict_itself() {
    let fact = "a tool that is `read_only` is not `destructive`";
    for (options, label) in [
        ("read_only, destructive", "destructive"),
        ("destructive, idempotent, read_only = true", "read_only"),
    ] {
        refuses(options, label, fact, ToolOptions::parse);
    }
}

#[test]
fn an_option_that_no_tool_has_names_the_one_that_is_meant() {
    for (option, help) in [
        ("readonly", "did you mean `read_only`?"),
        ("destructiveHint", "did you mean `destructive`?"),
        ("name = \"find\"", "leave it out"),
        ("timeout = \"3s\"", "in the `#[agent(…)]` that has the tool"),
    ] {
        let label = option.split(' ').next().unwrap_or_default();
        let fact = format!("`{label}` is not an option of `tool`");
        let error = refuses(option, label, &fact, ToolOptions::parse);
        assert!(error.contains(help), "{error}");
    }
}

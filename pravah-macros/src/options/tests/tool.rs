//! The options of `#[tool]`, and `approve` of an agent.

use super::{
    super::{Approval, ToolOptions},
    agent, read, refuses,
};

#[test]
fn a_tool_says_what_it_does_or_denies_it() {
    assert_eq!(read("", ToolOptions::parse), Some(ToolOptions::default()));
    let said = ToolOptions {
        destructive: Some(false),
        idempotent: Some(true),
        approve: true,
        ..ToolOptions::default()
    };
    let options = "destructive = false, idempotent, approve";
    assert_eq!(read(options, ToolOptions::parse), Some(said));
    read("read_only, destructive = false", ToolOptions::parse);
}

#[test]
fn a_tool_does_not_contradict_itself() {
    let fact = "a tool that is `read_only` is not `destructive`";
    for (options, label) in [
        ("read_only, destructive", "destructive"),
        ("destructive, approve, read_only = true", "read_only"),
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
        ("confirm", "write `approve`"),
        ("safe", "write `read_only`"),
        ("timeout = \"3s\"", "in the `#[agent(…)]` that has the tool"),
    ] {
        let label = option.split(' ').next().unwrap_or_default();
        let fact = format!("`{label}` is not an option of `tool`");
        let error = refuses(option, label, &fact, ToolOptions::parse);
        assert!(error.contains(help), "{error}");
    }
}

fn approving(approve: &str) -> String {
    format!("model = MODEL, output = Out, tools = [look, shop::pay], {approve}")
}

#[test]
fn an_agent_names_the_tools_that_wait_or_says_which() {
    let approval = |approve: &str| {
        let options = read(&approving(approve), agent);
        options.and_then(|options| options.settings.approval)
    };
    let of = approval("approve = [shop::pay]").expect("it is there");
    assert!(of.names(&syn::parse_quote!(shop::pay)));
    assert!(!of.names(&syn::parse_quote!(look)));
    let word = approval("approve = destructive");
    assert!(matches!(word, Some(Approval::Destructive(_))));
    assert!(matches!(approval("approve = all"), Some(Approval::All)));
    assert!(approval("").is_none());
}

#[test]
fn what_is_approved_is_a_tool_of_the_agent() {
    for (approve, label, fact, help) in [
        (
            "approve = [lok]",
            "lok",
            "the agent has no tool `lok`",
            "did you mean `look`? its tools are `look`, `shop::pay`",
        ),
        (
            "approve = [pay]",
            "pay",
            "the agent has no tool `pay`",
            "write `shop::pay`, as in `tools`",
        ),
        (
            "approve = [xyz]",
            "xyz",
            "the agent has no tool `xyz`",
            "add it to `tools`, or leave it out",
        ),
        (
            "approve = [look, look]",
            "look",
            "`look` is approved twice",
            "keep one of them",
        ),
        (
            "approve",
            "approve",
            "`approve` names no tools",
            "approve = [pay]",
        ),
        (
            "approve = []",
            "[]",
            "`approve` names no tools",
            "approve = [pay]",
        ),
        (
            "approve = [\"look\"]",
            "\"look\"",
            "a tool is named by its path",
            "approve = [look]",
        ),
        (
            "approve = \"all\"",
            "\"all\"",
            "the value of `approve` is in quotes",
            "write `approve = all`",
        ),
        (
            "approve = destructiv",
            "destructiv",
            "`approve` is neither a list",
            "did you mean `destructive`?",
        ),
        (
            "approve = look",
            "look",
            "`approve` is neither a list",
            "write `approve = [look]`",
        ),
        (
            "approve = true",
            "true",
            "`approve` is neither a list",
            "approve = all",
        ),
        (
            "confirm = [look]",
            "confirm",
            "`confirm` is not an option of `agent`",
            "approve = [pay]",
        ),
    ] {
        let error = refuses(&approving(approve), label, fact, agent);
        assert!(error.contains(help), "{error}");
    }
    let none = "model = MODEL, output = Out, approve = all";
    refuses(
        none,
        "approve",
        "a person is to approve the calls of tools",
        agent,
    );
}

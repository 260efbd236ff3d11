//! What all attributes have in common, and the options of the smaller ones.

use super::{
    super::{FlowOptions, nothing, state_manual, words::nearest},
    gate, node, read, refuses, tokens,
};
use crate::diag::Diagnostics;

#[test]
fn an_unknown_key_is_answered_with_the_nearest_and_the_list() {
    let error = refuses(
        "max_vists = 3",
        "max_vists",
        "`max_vists` is not an option of `node`",
        node,
    );
    assert!(
        error.ends_with(
            "did you mean `max_visits`? the options are `timeout`, `total_timeout`, `retry`, `max_visits`, `pure`, `agents`, `on_done`"
        )
    );
    let error = refuses("colour", "colour", "`colour` is not an option", node);
    assert!(error.ends_with(
        "help: the options are `timeout`, `total_timeout`, `retry`, `max_visits`, `pure`, `agents`, `on_done`"
    ));
}

#[test]
fn a_key_stands_once() {
    refuses(
        "max_visits = 3, max_visits = 4",
        "max_visits",
        "`max_visits` is given twice",
        node,
    );
}

#[test]
fn mistakes_of_different_entries_are_reported_together() {
    let mut errors = Diagnostics::default();
    node(
        tokens("max_visits = 0, colour, timeout = \"x\""),
        &mut errors,
    );
    assert_eq!(errors.shown().len(), 3);
}

#[test]
fn a_gate_has_a_prompt() {
    let options = read("prompt = \"Publish?\", max_visits = 2", gate);
    assert_eq!(
        options.map(|options| options.policy.max_visits),
        Some(Some(syn::parse_quote!(2)))
    );
    refuses("", "", "the gate has no prompt", gate);
    refuses("prompt = 5", "5", "`prompt` is not a text", gate);
    refuses(
        "prompt = \"?\", assignee = true",
        "true",
        "`assignee` is not a text",
        gate,
    );
    refuses("prompt", "prompt", "`prompt` has no value", gate);
}

#[test]
fn a_state_leaves_out_the_derives_that_it_is_told() {
    assert_eq!(read("", state_manual), Vec::<String>::new());
    let manual = read("manual(Serialize, JsonSchema, Clone)", state_manual);
    assert_eq!(manual, ["Serialize", "JsonSchema", "Clone"]);
    refuses("manual", "manual", "`manual` names no derive", state_manual);
    refuses(
        "manual()",
        "manual",
        "`manual` names no derive",
        state_manual,
    );
    refuses(
        "manual(Copy)",
        "Copy",
        "`Copy` is not an option of `manual`",
        state_manual,
    );
}

#[test]
fn a_flow_may_be_named_and_go_on_after_failures() {
    let flow = FlowOptions::parse;
    for (options, named, fail_fast) in [
        ("", false, true),
        ("named", true, true),
        ("fail_fast = true", false, true),
        ("fail_fast = false", false, false),
        ("named, fail_fast = false", true, false),
        ("fail_fast = false, named,", true, false),
    ] {
        let options = read(options, flow);
        assert_eq!(
            (options.named.is_some(), options.fail_fast),
            (named, fail_fast)
        );
    }
    refuses("named = true", "named", "`named` has a value", flow);
    for (options, label, fact, help) in [
        (
            "nmed",
            "nmed",
            "`nmed` is not an option of `flow`",
            "did you mean `named`?",
        ),
        (
            "fail_fast",
            "fail_fast",
            "`fail_fast` has no value",
            "or `fail_fast = false`",
        ),
        (
            "fail_fast =",
            "fail_fast",
            "`fail_fast` has no value",
            "or `fail_fast = false`",
        ),
        (
            "fail_fast(false)",
            "fail_fast",
            "`fail_fast` is followed by parentheses",
            "write `fail_fast = false`",
        ),
        (
            "fail_fast = \"false\"",
            "\"false\"",
            "`fail_fast` is neither `true` nor `false`",
            "or `fail_fast = false`",
        ),
        (
            "fail_fast = no",
            "no",
            "`fail_fast` is neither `true` nor `false`",
            "or `fail_fast = false`",
        ),
        (
            "fail_fast = false, fail_fast = true",
            "fail_fast",
            "`fail_fast` is given twice",
            "keep one of them",
        ),
        (
            "failfast = false",
            "failfast",
            "`failfast` is not an option",
            "did you mean `fail_fast`?",
        ),
        (
            "continue_on_error = true",
            "continue_on_error",
            "`continue_on_error` is not an option",
            "write `fail_fast = false`",
        ),
        (
            "retry(max_attempts = 3)",
            "retry",
            "`retry` is not an option of `flow`",
            "write it in the `#[node(…)]` of a node in the flow",
        ),
    ] {
        let error = refuses(options, label, fact, flow);
        assert!(error.contains(help), "{error}");
    }
}

#[test]
fn an_attribute_without_options_says_so() {
    let choice = |options, errors: &mut Diagnostics| nothing(options, "choice", errors);
    read("", choice);
    let error = refuses(
        "name = \"x\"",
        "name",
        "`name` is not an option of `choice`",
        choice,
    );
    assert!(error.ends_with("`choice` takes no options"));
}

#[test]
fn what_is_no_entry_is_reported_once_and_the_others_are_read() {
    let mut errors = Diagnostics::default();
    let policy = node(tokens("= 5, max_visits = 3"), &mut errors);
    assert_eq!(
        (errors.shown().len(), policy.max_visits),
        (1, Some(syn::parse_quote!(3)))
    );
}

#[test]
fn letters_of_a_short_word_that_changed_places_are_a_slip() {
    assert_eq!(nearest("pya", &["look", "pay"]), Some("pay"));
    assert_eq!(nearest("pya", &["look", "refund"]), None);
    assert_eq!(nearest("a", &["b"]), None);
}

#[test]
fn a_value_in_the_wrong_form_is_shown_in_the_right_one() {
    // A block is an expression.
    read("prompt = \"?\", metadata = { \"high\" }", gate);
    for (options, label, fact, help) in [
        (
            "prompt = \"?\", metadata = { level: 2, \"of\": x }",
            "metadata",
            "`metadata` is not a value of Rust",
            "`metadata = json!({ \"level\": 2, \"of\": x })`",
        ),
        (
            "prompt(\"?\")",
            "prompt",
            "`prompt` is followed by parentheses",
            "write `prompt = \"?\"`",
        ),
        (
            "\"Publish?\"",
            "\"Publish?\"",
            "an option of `gate` has no name",
            "write `prompt = \"Publish?\"`",
        ),
    ] {
        let error = refuses(options, label, fact, gate);
        assert!(error.contains(help), "{error}");
    }
}

#[test]
fn a_word_in_quotes_is_shown_without_them() {
    let flow = |options, errors: &mut Diagnostics| drop(FlowOptions::parse(options, errors));
    for (options, label, fact, help) in [
        (
            "only(\"http\")",
            "\"http\"",
            "`http` is in quotes",
            "write `only(http)`",
        ),
        (
            "only(\"network\")",
            "\"network\"",
            "an option of `only` has no name",
            "write `http`",
        ),
        (
            "only(\"htp\")",
            "\"htp\"",
            "an option of `only` has no name",
            "did you mean `http`?",
        ),
    ] {
        let error = refuses(options, label, fact, flow);
        assert!(error.contains(help), "{error}");
    }
}

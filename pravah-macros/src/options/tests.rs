//! What attributes accept, and what they say of the rest.

use proc_macro2::{Span, TokenStream};

use super::{
    AgentOptions, GateOptions, NodeOptions, Policy, Provider, flow_named, nothing, state_manual,
};
use crate::diag::Diagnostics;

fn tokens(options: &str) -> TokenStream {
    options.parse().expect("options are Rust tokens")
}

/// Reads options that are in order.
#[track_caller]
fn read<T>(options: &str, parse: impl Fn(TokenStream, &mut Diagnostics) -> T) -> T {
    let mut errors = Diagnostics::default();
    let read = parse(tokens(options), &mut errors);
    assert_eq!(errors.shown(), Vec::<String>::new(), "{options}");
    read
}

/// Reads options with one mistake: labelled at `label`, saying `fact`.
#[track_caller]
fn refuses<T>(
    options: &str,
    label: &str,
    fact: &str,
    parse: impl Fn(TokenStream, &mut Diagnostics) -> T,
) -> String {
    let mut errors = Diagnostics::default();
    parse(tokens(options), &mut errors);
    let shown = errors.shown();
    let [one] = shown.as_slice() else {
        panic!("{options}: {shown:#?}")
    };
    assert!(
        one.starts_with(&format!("{label}: {fact}")),
        "{options}: {one:?}"
    );
    one.clone()
}

fn node(options: TokenStream, errors: &mut Diagnostics) -> Policy {
    NodeOptions::parse(options, errors)
}

fn agent(options: TokenStream, errors: &mut Diagnostics) -> Option<AgentOptions> {
    AgentOptions::parse(options, Span::call_site(), errors)
}

fn gate(options: TokenStream, errors: &mut Diagnostics) -> Option<GateOptions> {
    GateOptions::parse(options, Span::call_site(), errors)
}

#[test]
fn a_node_needs_no_options() {
    assert_eq!(read("", node), Policy::default());
    assert_eq!(
        read("max_visits = 10,", node).max_visits,
        Some(syn::parse_quote!(10))
    );
    assert!(
        read("max_visits = limits::VISITS", node)
            .max_visits
            .is_some()
    );
}

#[test]
fn visits_are_a_whole_number_from_one_on() {
    for value in ["0", "-1", "1.5", "\"3\"", "4294967296", "true"] {
        let options = format!("max_visits = {value}");
        refuses(
            &options,
            value,
            "`max_visits` is not a whole number from 1",
            node,
        );
    }
    refuses(
        "max_visits",
        "max_visits",
        "`max_visits` has no value",
        node,
    );
    refuses(
        "max_visits = ",
        "max_visits",
        "`max_visits` has no value",
        node,
    );
}

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
            "did you mean `max_visits`? the options are `timeout`, `retry`, `max_visits`"
        )
    );
    let error = refuses("colour", "colour", "`colour` is not an option", node);
    assert!(error.ends_with("help: the options are `timeout`, `retry`, `max_visits`"));
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
fn a_valid_timeout_or_retry_is_not_yet_supported() {
    for value in ["200ms", "30s", "5m", "1h"] {
        let options = format!("timeout = \"{value}\"");
        refuses(&options, "timeout", "`timeout` is not yet supported", node);
    }
    let retry =
        "retry(max_attempts = 3, backoff = \"200ms\", factor = 2.0, max_backoff = \"5s\", jitter)";
    for options in [
        "retry(max_attempts = 3)",
        "retry(max_attempts = 3, factor = 2)",
        retry,
    ] {
        refuses(options, "retry", "`retry` is not yet supported", node);
    }
}

#[test]
fn a_duration_that_is_none_is_said_first() {
    for (value, fact) in [
        ("30", "`30` is not a duration"),
        ("s", "`s` is not a duration"),
        ("30 s", "`30 s` is not a duration"),
        ("30d", "`30d` is not a duration"),
        ("1.5s", "`1.5s` is not a duration"),
        ("-1s", "`-1s` is not a duration"),
        ("0s", "`timeout` is zero"),
        (
            "99999999999999999999s",
            "`99999999999999999999s` is too long",
        ),
        (
            "18446744073709551615h",
            "`18446744073709551615h` is too long",
        ),
    ] {
        let options = format!("timeout = \"{value}\"");
        refuses(&options, &format!("\"{value}\""), fact, node);
    }
    refuses(
        "timeout = 30",
        "30",
        "`timeout` is not a literal text",
        node,
    );
}

#[test]
fn a_retry_that_is_none_is_said_first() {
    for (options, label, fact) in [
        ("retry", "retry", "`retry` has no options"),
        ("retry()", "retry", "`retry` has no `max_attempts`"),
        (
            "retry(backoff = \"1s\")",
            "retry",
            "`retry` has no `max_attempts`",
        ),
        (
            "retry(max_attempts = 0)",
            "0",
            "`max_attempts` is not a whole number from 1",
        ),
        (
            "retry(max_attempts = 3, backoff = \"0ms\")",
            "\"0ms\"",
            "`backoff` is zero",
        ),
        (
            "retry(max_attempts = 3, factor = 0.5)",
            "0.5",
            "`factor = 0.5` shortens the wait",
        ),
        (
            "retry(max_attempts = 3, factor = \"2\")",
            "\"2\"",
            "`factor` is not a number",
        ),
        (
            "retry(max_attempts = 3, jitter = true)",
            "jitter",
            "`jitter` has a value",
        ),
        (
            "retry(attempts = 3)",
            "attempts",
            "`attempts` is not an option of `retry`",
        ),
        (
            "retry(max_attempts = 3, backoff = \"2s\", max_backoff = \"1s\")",
            "max_backoff",
            "`max_backoff` is shorter than `backoff`",
        ),
    ] {
        refuses(options, label, fact, node);
    }
}

#[test]
fn an_agent_has_a_model_and_an_output() {
    let options = read(
        "model = \"openai://gpt-4o-mini\", preamble = \"You triage.\", output = Verdict,
         tools = [recent_orders, tools::search], max_turns = 8, max_repairs = 2, visit_tokens = 500,
         max_visits = 3",
        agent,
    )
    .expect("the options are in order");
    assert_eq!(options.model.provider, Some(Provider::OpenAi));
    assert!(options.preamble.is_some());
    assert_eq!(options.tools.len(), 2);
    assert_eq!(
        (options.max_turns, options.max_repairs, options.visit_tokens),
        (
            Some(syn::parse_quote!(8)),
            Some(syn::parse_quote!(2)),
            Some(syn::parse_quote!(500)),
        )
    );
    assert_eq!(options.policy.max_visits, Some(syn::parse_quote!(3)));
    refuses("output = Verdict", "", "the agent has no model", agent);
    refuses("model = MODEL", "", "the agent has no output", agent);
}

#[test]
fn an_output_may_be_any_type() {
    for output in [
        "Verdict",
        "states::Verdict",
        "Each<Verdict>",
        "Each<nodes::Item<u8, 3>>",
    ] {
        read(&format!("output = {output}, model = MODEL"), agent);
    }
    refuses(
        "model = MODEL, output = 5",
        "5",
        "`output` is not a type",
        agent,
    );
    refuses(
        "model = MODEL, output",
        "output",
        "`output` has no value",
        agent,
    );
}

// S1.24
#[test]
fn a_model_is_a_url_a_custom_scheme_or_an_expression() {
    for (model, provider) in [
        ("\"openai://gpt-4o-mini\"", Some(Provider::OpenAi)),
        ("\"anthropic://claude\"", Some(Provider::Anthropic)),
        ("\"gemini://gemini-2.0-flash\"", Some(Provider::Gemini)),
        (
            "\"ollama://localhost:11434/llama3\"",
            Some(Provider::Ollama),
        ),
        (
            "\"ollama://[::1]:11434/hf.co/llama3\"",
            Some(Provider::Ollama),
        ),
        ("custom(\"acme://m\")", None),
        ("MODEL", None),
        ("models::cheap()", None),
    ] {
        let options = read(&format!("model = {model}, output = Out"), agent);
        let options = options.expect("the options are in order");
        assert_eq!(options.model.provider, provider, "{model}");
    }
}

// S1.24
#[test]
fn a_literal_model_is_checked() {
    for (model, fact) in [
        ("gpt-4o", "`gpt-4o` has no scheme"),
        ("opnai://gpt-4o", "`opnai` is not a model scheme"),
        ("acme://m", "`acme` is not a model scheme"),
        ("openai://", "`openai://` names no model"),
        ("openai://  ", "`openai://  ` names no model"),
        (
            "openai://gpt 4o",
            "`openai://gpt 4o` names no model: a name has no white space in it",
        ),
        (
            "ollama://localhost:11434",
            "`ollama://localhost:11434` names no model",
        ),
        (
            "ollama://localhost:11434/",
            "`ollama://localhost:11434/` names no model",
        ),
        (
            "ollama://localhost/llama3",
            "`ollama://localhost/llama3` has no host and port",
        ),
        (
            "ollama://:80/llama3",
            "`ollama://:80/llama3` has no host and port",
        ),
        ("ollama://localhost:99999/llama3", "`99999` is not a port"),
        ("ollama://localhost:0/llama3", "`0` is not a port"),
        ("ollama://localhost:x/llama3", "`x` is not a port"),
        ("ollama://[zz]:1/llama3", "`zz` is not an IPv6 address"),
        ("ollama://a b:1/llama3", "`a b` is not a host"),
    ] {
        let options = format!("model = \"{model}\", output = Out");
        refuses(&options, &format!("\"{model}\""), fact, agent);
    }
    let options = "model = \"opnai://m\", output = Out";
    let error = refuses(options, "\"opnai://m\"", "`opnai` is", agent);
    assert!(error.contains("did you mean `openai`?"), "{error}");
}

#[test]
fn tools_are_a_list_of_paths() {
    let tools = |tools: &str| format!("model = MODEL, output = Out, tools = {tools}");
    read(&tools("[]"), agent);
    refuses(&tools("search"), "search", "`tools` is not a list", agent);
    refuses(
        &tools("[search()]"),
        "(",
        "a tool is named by its path",
        agent,
    );
}

#[test]
fn a_contract_is_a_flag_or_a_list() {
    let contract = |text: &str| {
        let text = format!("model = MODEL, output = Out, {text}");
        read(&text, agent).and_then(|options| options.contract)
    };
    let plain = contract("contract").map(|contract| contract.thresholds().len());
    assert_eq!(plain, Some(0));
    let full = "contract(suppress_below = 0, review = LOW..=(0.8), auto_approve_above = 1, \
                confidence = calibrated, budget = \"8s\", version = \"2\")";
    let full = contract(full).map(|contract| {
        let keys: Vec<_> = contract.thresholds().iter().map(|it| it.key).collect();
        (
            keys,
            contract.budget.map(|budget| budget.as_secs()),
            contract.version,
        )
    });
    let keys = vec!["suppress_below", "review", "review", "auto_approve_above"];
    assert_eq!(full, Some((keys, Some(8), Some("2".to_owned()))));
}

#[test]
fn a_gate_has_a_prompt() {
    let options = read("prompt = \"Publish?\", max_visits = 2", gate);
    assert_eq!(
        options.map(|options| options.policy.max_visits),
        Some(Some(syn::parse_quote!(2)))
    );
    refuses("", "", "the gate has no prompt", gate);
    refuses("prompt = 5", "5", "`prompt` is not a literal text", gate);
    refuses("prompt", "prompt", "`prompt` has no value", gate);
    let options = "prompt = \"Publish?\", timeout = \"1h\"";
    refuses(
        options,
        "timeout",
        "`timeout` is not an option of `gate`",
        gate,
    );
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
fn a_flow_may_be_named() {
    assert!(read("", flow_named).is_none());
    assert!(read("named", flow_named).is_some());
    refuses("named = true", "named", "`named` has a value", flow_named);
    refuses(
        "nmed",
        "nmed",
        "`nmed` is not an option of `flow`",
        flow_named,
    );
}

#[test]
fn an_attribute_without_options_says_so() {
    let tool = |options, errors: &mut Diagnostics| nothing(options, "tool", errors);
    read("", tool);
    let error = refuses(
        "name = \"x\"",
        "name",
        "`name` is not an option of `tool`",
        tool,
    );
    assert!(error.ends_with("`tool` takes no options"));
}

#[test]
fn what_is_no_entry_is_reported_once_and_the_others_are_read() {
    let mut errors = Diagnostics::default();
    let policy = node(tokens("= 5, max_visits = 3"), &mut errors);
    assert_eq!(
        (errors.len(), policy.max_visits),
        (1, Some(syn::parse_quote!(3)))
    );
}

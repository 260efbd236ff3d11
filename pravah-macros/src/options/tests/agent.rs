//! The options of `#[agent]`.

use std::time::Duration;

use super::{super::Provider, agent, read, refuses};

#[test]
fn an_agent_has_a_model_and_an_output() {
    let options = read(
        "model = \"openai://gpt-4o-mini\", preamble = \"You triage.\", output = Verdict,
         tools = [recent_orders, tools::search], max_turns = 8, max_repairs = 2, visit_tokens = 500,
         max_visits = 3",
        agent,
    )
    .expect("the options are in order");
    assert_eq!(options.runs_on.provider(), Some(Provider::OpenAi));
    assert!(options.settings.preamble.is_some());
    assert_eq!(options.settings.tools.len(), 2);
    assert_eq!(
        (
            options.settings.max_turns,
            options.settings.max_repairs,
            options.settings.visit_tokens
        ),
        (
            Some(syn::parse_quote!(8)),
            Some(syn::parse_quote!(2)),
            Some(syn::parse_quote!(500)),
        )
    );
    assert_eq!(
        options.settings.policy.max_visits,
        Some(syn::parse_quote!(3))
    );
    refuses("output = Verdict", "", "the agent has no model", agent);
    refuses("model = MODEL", "", "the agent has no output", agent);
}

// S4.21
#[test]
fn a_call_has_no_more_time_than_all_of_them() {
    let options = |limits: &str| format!("model = MODEL, output = Out, {limits}");
    for limits in [
        "call_timeout = \"1m\", timeout = \"1m\"",
        "total_timeout = \"2m\", call_timeout = \"1m\"",
    ] {
        read(&options(limits), agent);
    }
    for (limits, fact) in [
        (
            "call_timeout = \"61s\", timeout = \"1m\", total_timeout = \"1h\"",
            "`call_timeout` is longer than `timeout`",
        ),
        (
            "total_timeout = \"1m\", call_timeout = \"61s\"",
            "`call_timeout` is longer than `total_timeout`",
        ),
    ] {
        refuses(&options(limits), "\"61s\"", fact, agent);
    }
}

#[test]
fn an_agent_has_the_policy_of_a_node() {
    let options = read(
        "model = MODEL, output = Out, timeout = \"2m\", total_timeout = \"10m\", call_timeout = \"30s\",
         max_retries = 2, retry(max_attempts = 3, backoff = \"1s\")",
        agent,
    );
    let policy = options.expect("the options are in order").settings.policy;
    assert_eq!(policy.timeout, Some(Duration::from_secs(120)));
    assert_eq!(policy.total_timeout, Some(Duration::from_secs(600)));
    let retry = policy.retry.expect("there is a retry");
    assert_eq!(retry.max_attempts, syn::parse_quote!(3));
    let options = "model = MODEL, output = Out, backoff = \"1s\"";
    let error = refuses(
        options,
        "backoff",
        "`backoff` is not an option of `agent`",
        agent,
    );
    assert!(error.contains("write `retry(max_attempts = 3"), "{error}");
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
        assert_eq!(options.runs_on.provider(), provider, "{model}");
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
fn a_model_without_a_scheme_is_answered_with_its_url() {
    for (model, url) in [
        ("openai/gpt-4o", "openai://gpt-4o"),
        ("Anthropic:claude-opus-4-1", "anthropic://claude-opus-4-1"),
        ("ollama/llama3", "ollama://localhost:11434/llama3"),
        ("google_genai:gemini-2.5-pro", "gemini://gemini-2.5-pro"),
        ("claude-opus-4-1", "anthropic://claude-opus-4-1"),
        ("GPT-4o", "openai://GPT-4o"),
        ("claude-3:beta", "anthropic://claude-3:beta"),
        ("anthropic", "anthropic://MODEL"),
        ("openai/", "openai://MODEL"),
        ("my-model", "openai://MODEL"),
    ] {
        let options = format!("model = \"{model}\", output = Out");
        let fact = format!("`{model}` has no scheme");
        let error = refuses(&options, &format!("\"{model}\""), &fact, agent);
        assert!(error.contains(&format!("write `{url}`;")), "{error}");
    }
}

#[test]
fn a_model_of_ollama_without_its_host_is_answered_with_both() {
    for (model, url) in [
        ("ollama://llama3", "llama3"),
        ("ollama://llama3:8b", "llama3:8b"),
        ("ollama://localhost/llama3:8b", "llama3:8b"),
        ("ollama://localhost", "MODEL"),
    ] {
        let options = format!("model = \"{model}\", output = Out");
        let error = refuses(&options, &format!("\"{model}\""), "", agent);
        let help = format!("write `ollama://localhost:11434/{url}`");
        assert!(error.contains(&help), "{error}");
    }
}

#[test]
fn a_provider_for_a_scheme_is_answered_with_the_scheme() {
    for (model, scheme) in [("claude://opus", "anthropic"), ("OpenAI://m", "openai")] {
        let options = format!("model = \"{model}\", output = Out");
        let error = refuses(&options, &format!("\"{model}\""), "", agent);
        assert!(
            error.contains(&format!("did you mean `{scheme}`?")),
            "{error}"
        );
    }
}

#[test]
fn tools_are_a_list_of_paths() {
    let tools = |tools: &str| format!("model = MODEL, output = Out, tools = {tools}");
    read(&tools("[]"), agent);
    refuses(&tools("search"), "search", "`tools` is not a list", agent);
    refuses(
        &tools("[search()]"),
        "search()",
        "a tool is named by its path",
        agent,
    );
}

#[test]
fn a_contract_is_a_flag_or_a_list() {
    let contract = |text: &str| {
        let text = format!("model = MODEL, output = Out, {text}");
        read(&text, agent).and_then(|options| options.settings.contract)
    };
    let plain = contract("contract").map(|contract| {
        contract
            .thresholds()
            .iter()
            .filter(|it| it.expr.is_some())
            .count()
    });
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

//! Model URLs.
#![allow(
    clippy::unwrap_used,
    reason = "a helper that fails is a test that fails"
)]
// S1.24

use pravah_runtime::{ModelUrl, ModelUrlError};

#[track_caller]
fn parses(url: &str, scheme: &str, host: Option<(&str, u16)>, model: &str) {
    let parsed = ModelUrl::parse(url).unwrap();
    assert_eq!(
        (parsed.scheme(), parsed.host(), parsed.model()),
        (scheme, host, model)
    );
    assert_eq!(parsed.to_string(), url);
}

#[test]
fn the_known_schemes_are_read() {
    parses("openai://gpt-4o", "openai", None, "gpt-4o");
    parses(
        "anthropic://claude-sonnet-5-5",
        "anthropic",
        None,
        "claude-sonnet-5-5",
    );
    parses("gemini://gemini-3-pro", "gemini", None, "gemini-3-pro");
    parses(
        "ollama://localhost:11434/llama3",
        "ollama",
        Some(("localhost", 11434)),
        "llama3",
    );
}

#[test]
fn model_names_may_hold_colons_and_slashes() {
    parses(
        "openai://ft:gpt-4o:acme/x:1",
        "openai",
        None,
        "ft:gpt-4o:acme/x:1",
    );
    parses("openai://http://odd", "openai", None, "http://odd");
    parses(
        "ollama://h:1/library/llama3:8b",
        "ollama",
        Some(("h", 1)),
        "library/llama3:8b",
    );
}

#[test]
fn a_host_may_be_an_ipv6_address() {
    parses(
        "ollama://[::1]:11434/llama3",
        "ollama",
        Some(("::1", 11434)),
        "llama3",
    );
}

#[test]
fn an_unknown_scheme_is_answered_with_the_nearest_and_all_known_ones() {
    let error = ModelUrl::parse("opneai://gpt-4o").unwrap_err();
    assert_eq!(
        error.to_string(),
        "unknown model scheme `opneai`, did you mean `openai`?: the known ones are `openai`, \
         `openai-responses`, `anthropic`, `gemini`, `ollama`, `genai`"
    );
    let error = ModelUrl::parse("mystery://m").unwrap_err();
    assert!(!error.to_string().contains("did you mean"), "{error}");
}

#[test]
fn a_url_without_a_scheme_is_refused() {
    for url in ["", "gpt-4o", "openai:gpt-4o", "openai:/gpt-4o", "://m"] {
        let error = ModelUrl::parse(url).unwrap_err();
        assert!(
            matches!(error, ModelUrlError::NoScheme { .. }),
            "{url}: {error}"
        );
    }
}

#[test]
fn a_url_whose_scheme_cannot_be_one_is_refused() {
    for url in ["4x://m", "a b://m", "a_b://m", " openai://m"] {
        let error = ModelUrl::custom(url).unwrap_err();
        assert!(
            matches!(error, ModelUrlError::BadScheme { .. }),
            "{url}: {error}"
        );
    }
}

#[test]
fn a_url_without_a_model_is_refused() {
    for url in [
        "openai://",
        "gemini:// ",
        "openai://gpt 4o",
        "ollama://h:1",
        "ollama://h:1/",
    ] {
        let error = ModelUrl::parse(url).unwrap_err();
        assert!(
            matches!(error, ModelUrlError::NoModel { .. }),
            "{url}: {error}"
        );
    }
}

#[test]
fn white_space_in_a_name_is_told_from_no_name() {
    for (url, text) in [
        ("openai://", "`openai://` names no model"),
        ("openai:// \t", "`openai:// \t` names no model"),
        (
            "acme://gpt 4o",
            "`acme://gpt 4o` names no model: a name has no white space in it",
        ),
    ] {
        let error = ModelUrl::custom(url).unwrap_err();
        assert_eq!(error.to_string(), text);
    }
}

#[test]
fn a_bad_port_is_refused() {
    for port in ["", "0", "65536", "+80", "http", "-1", " 80"] {
        let error = ModelUrl::parse(&format!("ollama://localhost:{port}/m")).unwrap_err();
        assert!(
            matches!(&error, ModelUrlError::BadPort { port: bad, .. } if bad == port),
            "{error:?}"
        );
    }
}

#[test]
fn a_url_without_host_or_port_is_refused_where_both_are_needed() {
    for url in [
        "ollama://llama3",
        "ollama://localhost/llama3",
        "ollama://http://localhost:11434/llama3",
        "ollama://:11434/llama3",
        "ollama://[::1]/llama3",
        "ollama://[::1:11434/llama3",
        "ollama://[nonsense]:11434/llama3",
        "ollama://::1:11434/llama3",
    ] {
        let error = ModelUrl::parse(url).unwrap_err();
        assert!(
            matches!(error, ModelUrlError::NoHost { .. }),
            "{url}: {error}"
        );
    }
}

#[test]
fn any_scheme_can_be_a_custom_one() {
    let url = ModelUrl::custom("acme://here/or/there").unwrap();
    assert_eq!((url.scheme(), url.model()), ("acme", "here/or/there"));
    assert!(matches!(
        ModelUrl::custom("acme://"),
        Err(ModelUrlError::NoModel { .. })
    ));
    assert!(matches!(
        ModelUrl::custom("ollama://m"),
        Err(ModelUrlError::NoHost { .. })
    ));
}

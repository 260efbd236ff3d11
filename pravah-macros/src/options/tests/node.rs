//! The options of `#[node]`.

use super::{super::Policy, node, read, refuses};

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

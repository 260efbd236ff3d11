//! The options of `#[node]`.

use std::time::Duration;

use super::{
    super::{Policy, Retry},
    gate, node, node_without_async, read, refuses,
};

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

// S4.21
#[test]
fn a_timeout_is_a_number_and_a_unit() {
    for (value, millis) in [
        ("200ms", 200),
        ("30s", 30_000),
        ("5m", 300_000),
        ("1h", 3_600_000),
        ("7d", 604_800_000),
    ] {
        let time = Some(Duration::from_millis(millis));
        let policy = read(&format!("timeout = \"{value}\""), node);
        assert_eq!((policy.timeout, policy.total_timeout), (time, None));
        let policy = read(&format!("total_timeout = \"{value}\""), node);
        assert_eq!((policy.timeout, policy.total_timeout), (None, time));
    }
}

#[test]
fn a_total_is_no_shorter_than_one_attempt() {
    read("timeout = \"1m\", total_timeout = \"60s\"", node);
    let fact = "`total_timeout` is shorter than `timeout`";
    for (options, label) in [
        ("timeout = \"1m\", total_timeout = \"59s\"", "\"59s\""),
        ("total_timeout = \"59s\", timeout = \"1m\"", "\"1m\""),
    ] {
        refuses(options, label, fact, node);
    }
}

#[test]
fn only_an_async_function_has_a_timeout() {
    read("total_timeout = \"1m\"", node_without_async);
    let fact = "`timeout` can only end an attempt at an `await`, and `fetch` is not `async`";
    refuses("timeout = \"1m\"", "timeout", fact, node_without_async);
    // One mistake at a time.
    let fact = "`timeout` is zero";
    refuses("timeout = \"0s\"", "\"0s\"", fact, node_without_async);
}

#[test]
fn a_total_has_time_for_a_second_attempt() {
    for options in [
        "total_timeout = \"61s\", retry(max_attempts = 2, backoff = \"1m\")",
        "retry(max_attempts = 2, backoff = \"1m\"), total_timeout = \"61s\"",
        // The wait may be as short as it likes.
        "total_timeout = \"1m\", retry(max_attempts = 2, backoff = \"1h\", jitter)",
    ] {
        read(options, node);
    }
    let fact = "`total_timeout` is not longer than `backoff`";
    for (options, label) in [
        (
            "total_timeout = \"1m\", retry(max_attempts = 2, backoff = \"60s\")",
            "retry",
        ),
        (
            "retry(max_attempts = 2, backoff = \"60s\"), total_timeout = \"1m\"",
            "\"1m\"",
        ),
    ] {
        refuses(options, label, fact, node);
    }
}

// S4.21
#[test]
fn a_retry_says_how_often_and_after_which_waits() {
    let retry = |options: &str| read(options, node).retry.expect("there is a retry");
    let plain = retry("retry(max_attempts = 3)");
    assert_eq!(
        plain,
        Retry {
            max_attempts: syn::parse_quote!(3),
            backoff: None,
            factor: None,
            max_backoff: None,
            jitter: false,
        }
    );
    let whole = retry(
        "retry(max_attempts = limits::TRIES, backoff = \"200ms\", factor = 2, max_backoff = \"5s\", \
         jitter)",
    );
    assert_eq!(
        whole,
        Retry {
            max_attempts: syn::parse_quote!(limits::TRIES),
            backoff: Some(Duration::from_millis(200)),
            factor: Some(2.0),
            max_backoff: Some(Duration::from_secs(5)),
            jitter: true,
        }
    );
    retry("retry(max_attempts = 1)");
    retry("retry(max_attempts = ONCE, backoff = \"200ms\")");
    retry("retry(backoff = \"5s\", max_backoff = \"5s\", max_attempts = 2)");
}

#[test]
fn an_option_in_the_wrong_place_is_sent_to_the_right_one() {
    for (options, label, help) in [
        (
            "backoff = \"1s\"",
            "backoff",
            "write `retry(max_attempts = 3",
        ),
        (
            "max_attempts = 3",
            "max_attempts",
            "write `retry(max_attempts = 3",
        ),
        (
            "deadline = \"1s\"",
            "deadline",
            "write `timeout = \"30s\"` for one attempt",
        ),
        ("time_out = \"1s\"", "time_out", "did you mean `timeout`?"),
        (
            "retry(max_attempts = 3, timeout = \"1s\")",
            "timeout",
            "write it beside `retry(…)`",
        ),
        (
            "retry(max_attempts = 2, delay = \"1s\")",
            "delay",
            "write `backoff = \"200ms\"`",
        ),
        (
            "retry(max_attempts = 2, max_delay = \"1s\")",
            "max_delay",
            "write `max_backoff = \"5s\"`",
        ),
        (
            "retry(attempts = 3)",
            "attempts",
            "write `max_attempts = 3`",
        ),
        (
            "retry(max_attempts = 3, back_off = \"1s\")",
            "back_off",
            "did you mean `backoff`?",
        ),
    ] {
        let error = refuses(
            options,
            label,
            &format!("`{label}` is not an option of"),
            node,
        );
        assert!(error.contains(help), "{error}");
    }
}

#[test]
fn a_gate_waits_so_long_and_is_not_tried_again() {
    let options = read(
        "prompt = \"Go on?\", timeout = \"24h\", max_visits = 3",
        gate,
    );
    let policy = options.expect("the options are in order").policy;
    assert_eq!(policy.timeout, Some(Duration::from_secs(24 * 60 * 60)));
    assert!(policy.max_visits.is_some());
    for (options, label, help) in [
        (
            "retry(max_attempts = 3)",
            "retry",
            "a gate waits for a person",
        ),
        (
            "total_timeout = \"1h\"",
            "total_timeout",
            "a gate waits once",
        ),
        ("timeuot = \"1h\"", "timeuot", "did you mean `timeout`?"),
    ] {
        let options = format!("prompt = \"Go on?\", {options}");
        let error = refuses(
            &options,
            label,
            &format!("`{label}` is not an option of"),
            gate,
        );
        assert!(error.contains(help), "{error}");
    }
}

#[test]
fn a_duration_that_is_none_is_said_first() {
    for (value, fact) in [
        ("30", "`30` is not a duration"),
        ("s", "`s` is not a duration"),
        ("30 s", "`30 s` is not a duration"),
        ("30w", "`30w` is not a duration"),
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
            "\"1s\"",
            "`max_backoff` is shorter than `backoff`",
        ),
        (
            "retry(max_attempts = 3, factor = -1)",
            "-1",
            "`factor = -1` shortens the wait",
        ),
        (
            "retry(max_attempts = 3, factor = 1e999)",
            "1e999",
            "`factor` is too large",
        ),
        (
            "retry(max_attempts = 3, factor = 2.0, jitter)",
            "factor",
            "`factor` says how to wait, and there is no `backoff`",
        ),
        (
            "retry(jitter, max_attempts = 3)",
            "jitter",
            "`jitter` says how to wait, and there is no `backoff`",
        ),
        (
            "retry(max_attempts = 1, backoff = \"1s\", jitter)",
            "1",
            "`max_attempts = 1` never tries again, and `backoff` says how to wait",
        ),
        (
            "retry(max_attempts = 3, max_attempts = 4)",
            "max_attempts",
            "`max_attempts` is given twice",
        ),
    ] {
        refuses(options, label, fact, node);
    }
}

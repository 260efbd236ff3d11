//! How failures of a node are dealt with.

use std::time::Duration;

use super::{Context, fields};
use crate::{
    catalogue::Role,
    model::{Policy, Retry},
    tree::{Data, Entry, Tree},
};

const KEYS: [&str; 4] = ["timeoutMs", "totalTimeoutMs", "retry", "continueOnError"];
const RETRY_KEYS: [&str; 5] = [
    "maxAttempts",
    "backoffMs",
    "factor",
    "maxBackoffMs",
    "jitter",
];

/// The largest factor between two waits.
pub(crate) const MAX_FACTOR: f64 = 1_000.0;

pub(super) fn read(
    tree: &Tree,
    role: Option<Role>,
    context: &mut Context<'_, '_>,
) -> Option<Policy> {
    let mut policy = Policy::default();
    for entry in fields::object(tree, "the policy of a node", &KEYS, context)? {
        check_role(entry, role, context);
        let value = &entry.value;
        match entry.key.as_str() {
            "timeoutMs" => policy.timeout = millis(value, "timeoutMs", 1, context),
            "totalTimeoutMs" => policy.total_timeout = millis(value, "totalTimeoutMs", 1, context),
            "retry" => policy.retry = retry(value, context),
            "continueOnError" => {
                policy.continue_on_error =
                    fields::boolean(value, "continueOnError", context).unwrap_or_default();
            }
            _ => {}
        }
    }
    check_total(tree, &policy, context);
    Some(policy)
}

/// Refuses a limit for all attempts that leaves no time for one of them, or for a second one.
fn check_total(tree: &Tree, policy: &Policy, context: &mut Context<'_, '_>) {
    let (Some(total), Some(written)) = (policy.total_timeout, tree.get("totalTimeoutMs")) else {
        return;
    };
    // A wait that is varied at random may be short.
    let retry = policy
        .retry
        .as_ref()
        .filter(|retry| retry.max_attempts > 1 && !retry.jitter);
    let wait = retry.map(|retry| {
        retry
            .backoff
            .min(retry.max_backoff.unwrap_or(Duration::MAX))
    });
    let (message, help) = if policy.timeout.is_some_and(|timeout| total < timeout) {
        (
            "`totalTimeoutMs` is shorter than `timeoutMs`",
            "make it as long as all attempts and the waits between them may take",
        )
    } else if wait.is_some_and(|wait| total <= wait) {
        (
            "`totalTimeoutMs` leaves no time for a second attempt: the wait before it is as long",
            "make it longer than `backoffMs`",
        )
    } else {
        return;
    };
    context
        .sink
        .push("policy", written.span, message)
        .help(help);
}

/// Refuses what a policy cannot do for nodes of some types.
fn check_role(entry: &Entry, role: Option<Role>, context: &mut Context<'_, '_>) {
    let key = entry.key.as_str();
    let (message, help) = match (role, key) {
        (Some(Role::Foreach | Role::Loop), "retry" | "timeoutMs" | "totalTimeoutMs") => (
            format!("`{key}` does not apply to a node with a body"),
            "put it on the nodes inside",
        ),
        (Some(Role::Subflow), "retry" | "timeoutMs" | "totalTimeoutMs") => (
            format!("`{key}` does not apply to a subflow"),
            "put it on the nodes inside",
        ),
        (Some(Role::Fail), "retry") => (
            "`control.fail` fails at every attempt".to_owned(),
            "leave `retry` out",
        ),
        (Some(Role::Fail), "continueOnError") => {
            let help =
                "leave `continueOnError` out; an edge with `on: failure` handles the failure";
            ("`control.fail` is there to fail".to_owned(), help)
        }
        _ => return,
    };
    context
        .sink
        .push("policy", entry.key_span, message)
        .help(help);
}

fn millis(tree: &Tree, key: &str, least: u64, context: &mut Context<'_, '_>) -> Option<Duration> {
    fields::whole(tree, key, least, context).map(Duration::from_millis)
}

fn retry(tree: &Tree, context: &mut Context<'_, '_>) -> Option<Retry> {
    let mut retry = Retry {
        max_attempts: 1,
        backoff: Duration::ZERO,
        factor: 1.0,
        max_backoff: None,
        jitter: false,
    };
    for entry in fields::object(tree, "`retry`", &RETRY_KEYS, context)? {
        let value = &entry.value;
        match entry.key.as_str() {
            "maxAttempts" => {
                retry.max_attempts = fields::count(value, "maxAttempts", 1, context).unwrap_or(1);
            }
            "backoffMs" => {
                retry.backoff = millis(value, "backoffMs", 0, context).unwrap_or_default()
            }
            "factor" => retry.factor = factor(value, context).unwrap_or(1.0),
            "maxBackoffMs" => retry.max_backoff = millis(value, "maxBackoffMs", 0, context),
            "jitter" => {
                retry.jitter = fields::boolean(value, "jitter", context).unwrap_or_default()
            }
            _ => {}
        }
    }
    if tree.get("maxAttempts").is_none() {
        return fields::missing(tree.span, "`retry`", "maxAttempts", context);
    }
    Some(retry)
}

fn factor(tree: &Tree, context: &mut Context<'_, '_>) -> Option<f64> {
    let Data::Number(number) = &tree.data else {
        fields::wrong_type(tree, "`factor`", "a number", context);
        return None;
    };
    let number = number
        .as_f64()
        .filter(|number| (1.0..=MAX_FACTOR).contains(number));
    if number.is_none() {
        let message = format!("`factor` has to be a number from 1 to {MAX_FACTOR}");
        context.sink.push("out-of-range", tree.span, message);
    }
    number
}

//! `retry(max_attempts = 3, backoff = "200ms", factor = 2.0, max_backoff = "5s", jitter)`.

use std::time::Duration;

use proc_macro2::Span;
use syn::{Expr, Ident};

use crate::{
    diag::Diagnostics,
    options::{
        entries::{Entry, Value, count_of, span_of},
        table::table,
    },
};

/// How often a node is tried, and how long the waits between are.
#[derive(Debug, PartialEq)]
pub(crate) struct Retry {
    /// A whole number from 1 on, or an expression that is to be one.
    pub(crate) max_attempts: Expr,
    pub(crate) backoff: Option<Duration>,
    /// A finite number from 1.0 on.
    pub(crate) factor: Option<f64>,
    /// No shorter than `backoff`.
    pub(crate) max_backoff: Option<Duration>,
    pub(crate) jitter: bool,
}

/// What is in the parentheses, as it is written.
#[derive(Default)]
pub(super) struct Written {
    max_attempts: Option<Expr>,
    backoff: Option<Duration>,
    factor: Option<f64>,
    max_backoff: Option<(Duration, Span)>,
    jitter: bool,
}

table! {
    OPTIONS: Written = "retry", unnamed "max_attempts", |it, entry, errors| {
        ["max_attempts"] => it.max_attempts = entry.const_count(1, errors),
        ["backoff"] => it.backoff = entry.duration("30s", errors).map(|(backoff, _)| backoff),
        ["factor"] => it.factor = factor(entry, errors),
        ["max_backoff"] => it.max_backoff = entry.duration("30s", errors),
        ["jitter"] => it.jitter = entry.alone(errors).is_some(),
    } else {
        ["max", "attempts", "times", "count", "retries", "max_retries"] =>
            "write `max_attempts = 3`, which counts the first attempt too",
        ["delay", "wait", "initial_backoff", "min_backoff", "base", "interval"] =>
            "write `backoff = \"200ms\"`: the first wait, from which `factor` makes the next ones",
        ["max_delay", "max_wait", "cap", "max_interval"] => "write `max_backoff = \"5s\"`",
        ["timeout", "total_timeout", "max_visits"] => "write it beside `retry(…)`",
    }
}

impl Retry {
    pub(super) fn parse(entry: Entry, errors: &mut Diagnostics) -> Option<Self> {
        let span = entry.key.span();
        let Value::List(tokens) = entry.value else {
            errors.error(
                span,
                "`retry` has no options",
                "write `retry(max_attempts = 3)`",
            );
            return None;
        };
        let mut written = Written::default();
        let given = errors.attempt(|errors| OPTIONS.read(tokens, &mut written, errors))?;
        errors.attempt(|errors| written.check(span, &given.names, errors))?;
        Some(Self {
            max_attempts: written.max_attempts?,
            backoff: written.backoff,
            factor: written.factor,
            max_backoff: written.max_backoff.map(|(longest, _)| longest),
            jitter: written.jitter,
        })
    }
}

impl Written {
    /// Whether the options that are called so, each of which is in order, fit together.
    fn check(&self, span: Span, names: &[Ident], errors: &mut Diagnostics) {
        let Some(attempts) = &self.max_attempts else {
            errors.error(
                span,
                "`retry` has no `max_attempts`",
                "write `retry(max_attempts = 3)`",
            );
            return;
        };
        let wait = names.iter().find(|name| *name != "max_attempts");
        match (wait, self.backoff, self.max_backoff) {
            (Some(wait), ..) if count_of(attempts) == Some(1) => errors.error(
                span_of(attempts),
                format!("`max_attempts = 1` never tries again, and `{wait}` says how to wait"),
                format!("write `max_attempts = 2` or more, or leave `{wait}` out"),
            ),
            (Some(wait), None, _) => errors.error(
                wait.span(),
                format!("`{wait}` says how to wait, and there is no `backoff`"),
                format!("add `backoff = \"200ms\"`, or leave `{wait}` out"),
            ),
            (_, Some(backoff), Some((longest, span))) if longest < backoff => errors.error(
                span,
                "`max_backoff` is shorter than `backoff`",
                "write a longer one, or leave it out",
            ),
            _ => {}
        }
    }
}

fn factor(entry: Entry, errors: &mut Diagnostics) -> Option<f64> {
    let (factor, span) = entry.number(errors)?;
    if factor.is_finite() && factor >= 1.0 {
        return Some(factor);
    }
    let fact = match factor.is_finite() {
        true => format!("`factor = {factor}` shortens the wait"),
        false => "`factor` is too large".to_owned(),
    };
    errors.error(span, fact, "write a number from 1.0 on");
    None
}

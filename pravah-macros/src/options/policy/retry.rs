//! `retry(max_attempts = 3, backoff = "200ms", factor = 2.0, max_backoff = "5s", jitter)`.

use std::time::Duration;

use proc_macro2::Span;
use syn::{Expr, Ident};

use super::duration_of;
use crate::{
    diag::Diagnostics,
    options::entries::{self, Entry, OtherNames, Value, count_of, span_of},
};

const KEYS: [&str; 5] = ["max_attempts", "backoff", "factor", "max_backoff", "jitter"];
const OTHER_NAMES: [OtherNames; 4] = [
    OtherNames {
        names: &["attempts", "times", "count", "retries", "max_retries"],
        help: "write `max_attempts = 3`, which counts the first attempt too",
    },
    OtherNames {
        names: &[
            "delay",
            "wait",
            "initial_backoff",
            "min_backoff",
            "base",
            "interval",
        ],
        help: "write `backoff = \"200ms\"`: the first wait, from which `factor` makes the next ones",
    },
    OtherNames {
        names: &["max_delay", "max_wait", "cap", "max_interval"],
        help: "write `max_backoff = \"5s\"`",
    },
    OtherNames {
        names: &["timeout", "total_timeout", "max_visits"],
        help: "write it beside `retry(…)`",
    },
];

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
struct Written {
    max_attempts: Option<Expr>,
    backoff: Option<Duration>,
    factor: Option<f64>,
    max_backoff: Option<(Duration, Span)>,
    jitter: bool,
    /// The names of all options, also of those with a mistake.
    keys: Vec<Ident>,
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
        let before = errors.len();
        let mut written = Written::default();
        for entry in entries::parse_with_other_names(tokens, "retry", &KEYS, &OTHER_NAMES, errors) {
            written.read(entry, errors);
        }
        if !errors.grew_since(before) {
            written.check(span, errors);
        }
        let Written {
            max_attempts,
            backoff,
            factor,
            max_backoff,
            jitter,
            ..
        } = written;
        Some(Self {
            max_attempts: max_attempts?,
            backoff,
            factor,
            max_backoff: max_backoff.map(|(longest, _)| longest),
            jitter,
        })
    }
}

impl Written {
    fn read(&mut self, entry: Entry, errors: &mut Diagnostics) {
        self.keys.push(entry.key.clone());
        match entry.key.to_string().as_str() {
            "max_attempts" => self.max_attempts = entry.const_count(1, errors),
            "backoff" => self.backoff = duration_of(entry, errors).map(|(backoff, _)| backoff),
            "max_backoff" => self.max_backoff = duration_of(entry, errors),
            "factor" => self.factor = factor(entry, errors),
            _ => match entry.value {
                Value::Flag => self.jitter = true,
                Value::Given(_) | Value::List(_) => errors.error(
                    entry.key.span(),
                    "`jitter` has a value",
                    "write `jitter` alone",
                ),
            },
        }
    }

    /// Whether the options, each of which is in order, fit together.
    fn check(&self, span: Span, errors: &mut Diagnostics) {
        let Some(attempts) = &self.max_attempts else {
            errors.error(
                span,
                "`retry` has no `max_attempts`",
                "write `retry(max_attempts = 3)`",
            );
            return;
        };
        let wait = self.keys.iter().find(|key| *key != "max_attempts");
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

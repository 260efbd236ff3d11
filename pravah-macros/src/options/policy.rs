//! How the engine treats a node: `timeout`, `total_timeout`, `retry(…)`, `max_visits`.

mod retry;

use std::time::Duration;

use proc_macro2::{Span, TokenStream};

pub(crate) use self::retry::Retry;
use super::{
    duration,
    entries::{self, Entry, OtherNames},
};
use crate::diag::Diagnostics;

pub(crate) const KEYS: [&str; 4] = ["timeout", "total_timeout", "retry", "max_visits"];

pub(super) const OTHER_NAMES: [OtherNames; 2] = [
    OtherNames {
        names: &[
            "max_attempts",
            "attempts",
            "retries",
            "max_retries",
            "backoff",
            "factor",
            "max_backoff",
            "jitter",
        ],
        help: "write `retry(max_attempts = 3, backoff = \"200ms\")`, with what you need of it",
    },
    OtherNames {
        names: &["deadline", "max_duration", "time_limit"],
        help: "write `timeout = \"30s\"` for one attempt, `total_timeout = \"5m\"` for all of them",
    },
];

#[derive(Debug, Default, PartialEq)]
pub(crate) struct Policy {
    /// A whole number from 1 on, or an expression that is to be one.
    pub(crate) max_visits: Option<syn::Expr>,
    pub(crate) timeout: Option<Duration>,
    /// No shorter than `timeout`.
    pub(crate) total_timeout: Option<Duration>,
    pub(crate) retry: Option<Retry>,
}

/// The options of `#[node]`.
pub(crate) struct NodeOptions;

impl NodeOptions {
    pub(crate) fn parse(tokens: TokenStream, errors: &mut Diagnostics) -> Policy {
        let mut policy = Policy::default();
        for entry in entries::parse_with_other_names(tokens, "node", &KEYS, &OTHER_NAMES, errors) {
            policy.read(entry, errors);
        }
        policy
    }
}

impl Policy {
    /// Reads an entry whose key is one of [`KEYS`].
    pub(crate) fn read(&mut self, entry: Entry, errors: &mut Diagnostics) {
        match entry.key.to_string().as_str() {
            "max_visits" => self.max_visits = entry.const_count(1, errors),
            "timeout" | "total_timeout" => self.time_limit(entry, errors),
            _ => self.retry = Retry::parse(entry, errors),
        }
    }

    fn time_limit(&mut self, entry: Entry, errors: &mut Diagnostics) {
        let is_total = entry.key == "total_timeout";
        let Some((time, span)) = duration_of(entry, errors) else {
            return;
        };
        let (one, total) = match is_total {
            true => (self.timeout, Some(time)),
            false => (Some(time), self.total_timeout),
        };
        if let (Some(one), Some(total)) = (one, total)
            && total < one
        {
            errors.error(
                span,
                "`total_timeout` is shorter than `timeout`",
                "`timeout` limits one attempt, `total_timeout` all of them and the waits between: write a longer total",
            );
        }
        (self.timeout, self.total_timeout) = (one, total);
    }
}

/// A duration, and where it is written.
fn duration_of(entry: Entry, errors: &mut Diagnostics) -> Option<(Duration, Span)> {
    let key = entry.key.to_string();
    let (text, span) = entry.text("30s", errors)?;
    Some((duration::parse(&key, &text, span, errors)?, span))
}

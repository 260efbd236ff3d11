//! How the engine treats a node: `timeout`, `total_timeout`, `retry(…)`, `max_visits`.

mod retry;

use std::time::Duration;

use proc_macro2::Span;

pub(crate) use self::retry::Retry;
use super::{entries::Entry, table::OtherNames};
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
    /// Of a node: whether it may run again at no cost.
    pub(crate) is_pure: bool,
}

impl Policy {
    /// Reads an entry whose key is one of [`KEYS`].
    pub(crate) fn read(&mut self, entry: Entry, errors: &mut Diagnostics) {
        match entry.key.to_string().as_str() {
            "max_visits" => self.max_visits = entry.const_count(1, errors),
            "timeout" | "total_timeout" => self.time_limit(entry, errors),
            _ => {
                let span = entry.key.span();
                self.retry = Retry::parse(entry, errors);
                self.check_total(span, errors);
            }
        }
    }

    /// What ends an attempt first, where something does.
    pub(super) fn first_limit(&self) -> Option<(&'static str, Duration)> {
        let one = self.timeout.map(|limit| ("timeout", limit));
        one.or(self.total_timeout.map(|limit| ("total_timeout", limit)))
    }

    /// Whether there is time for a second attempt; `span` is that of whichever option comes last.
    fn check_total(&self, span: Span, errors: &mut Diagnostics) {
        let (Some(retry), Some(total)) = (&self.retry, self.total_timeout) else {
            return;
        };
        if !retry.jitter && retry.backoff.is_some_and(|backoff| backoff >= total) {
            errors.error(
                span,
                "`total_timeout` is not longer than `backoff`",
                "there is no time for a second attempt: write a longer total, or a shorter wait",
            );
        }
    }

    fn time_limit(&mut self, entry: Entry, errors: &mut Diagnostics) {
        let is_total = entry.key == "total_timeout";
        let Some((time, span)) = entry.duration("30s", errors) else {
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
        if is_total {
            self.check_total(span, errors);
        }
    }
}

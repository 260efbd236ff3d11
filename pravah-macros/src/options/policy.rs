//! How the engine treats a node: `timeout`, `total_timeout`, `retry(…)`, `max_visits`.

mod retry;

use std::time::Duration;

use proc_macro2::{Span, TokenStream};
use syn::Signature;

pub(crate) use self::retry::Retry;
use super::{
    duration,
    entries::{self, DESCRIPTIONS, Entry, OtherNames, TITLES},
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

/// What is no option of a node.
const NOT_OF_A_NODE: [OtherNames; 6] = [
    OtherNames {
        names: TITLES,
        help: "leave it out: the node is called as its function",
    },
    OtherNames {
        names: DESCRIPTIONS,
        help: "write it as a doc comment above the function",
    },
    OtherNames {
        names: &[
            "model",
            "output",
            "preamble",
            "system",
            "temperature",
            "tools",
            "max_turns",
            "max_tokens",
            "contract",
        ],
        help: "write `#[agent(…)]` above a function that asks a model; a `#[node]` asks none",
    },
    OtherNames {
        names: &["prompt", "question", "assignee"],
        help: "write `#[gate(prompt = \"…\")]` above a function that asks a person, `#[agent(…)]` above one that asks a model",
    },
    OtherNames {
        names: &["input", "inputs", "takes", "returns", "outputs"],
        help: "leave it out: the parameters of the function and its return type say it",
    },
    OtherNames {
        names: &[
            "limit",
            "loop_limit",
            "max_loops",
            "max_iterations",
            "visits",
        ],
        help: "write `max_visits = 10`: the node runs at most so often in one run of the flow",
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
    /// Parses the options of a function with this signature.
    pub(crate) fn parse(
        tokens: TokenStream,
        function: &Signature,
        errors: &mut Diagnostics,
    ) -> Policy {
        let before = errors.len();
        let mut policy = Policy::default();
        let mut timeout = None;
        let other_names = [OTHER_NAMES.as_slice(), &NOT_OF_A_NODE].concat();
        for entry in entries::parse_with_other_names(tokens, "node", &KEYS, &other_names, errors) {
            if entry.key == "timeout" {
                timeout = Some(entry.key.span());
            }
            policy.read(entry, errors);
        }
        if let Some(timeout) = timeout
            && function.asyncness.is_none()
            && !errors.grew_since(before)
        {
            let name = &function.ident;
            errors.error(
                timeout,
                format!("`timeout` can only end an attempt at an `await`, and `{name}` is not `async`"),
                format!("write `async fn {name}`, and await in it what may take long, or leave `timeout` out"),
            );
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
            _ => {
                let (span, before) = (entry.key.span(), errors.len());
                self.retry = Retry::parse(entry, errors);
                if !errors.grew_since(before) {
                    self.check_total(span, errors);
                }
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
        if is_total {
            self.check_total(span, errors);
        }
    }
}

/// A duration, and where it is written.
fn duration_of(entry: Entry, errors: &mut Diagnostics) -> Option<(Duration, Span)> {
    let key = entry.key.to_string();
    let (text, span) = entry.text("30s", errors)?;
    Some((duration::parse(&key, &text, span, errors)?, span))
}

//! How the engine treats a node: `timeout`, `total_timeout`, `retry(…)`, `max_visits`.

mod retry;

use std::time::Duration;

use proc_macro2::{Span, TokenStream};
use syn::Signature;

pub(crate) use self::retry::Retry;
use super::{
    entries::Entry,
    table::{DESCRIPTIONS, OtherNames, TITLES, table},
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

table! {
    OPTIONS: Policy = "node", |it, entry, errors| {
        KEYS => it.read(entry, errors),
    } else {
        TITLES => "leave it out: the node is called as its function",
        DESCRIPTIONS => "write it as a doc comment above the function",
        [
            "model", "output", "preamble", "system", "temperature", "tools", "max_turns", "max_tokens",
            "contract",
        ] => "write `#[agent(…)]` above a function that asks a model; a `#[node]` asks none",
        ["prompt", "question", "assignee"] =>
            "write `#[gate(prompt = \"…\")]` above a function that asks a person, `#[agent(…)]` above one that asks a model",
        ["event", "wait_for", "signal"] => "write `#[gate(event = \"…\")]` above a function that waits for an event",
        ["input", "inputs", "takes", "returns", "outputs"] =>
            "leave it out: the parameters of the function and its return type say it",
        ["catch", "rescue", "on_error", "on_failure", "fallback", "or_else"] =>
            "write it in the flow: `catch(node) -> rescue`, where `rescue` takes `Failure<_>`",
        ["limit", "loop_limit", "max_loops", "max_iterations", "visits"] =>
            "write `max_visits = 10`: the node runs at most so often in one run of the flow",
    } and OTHER_NAMES
}

impl NodeOptions {
    /// Parses the options of a function with this signature.
    pub(crate) fn parse(
        tokens: TokenStream,
        function: &Signature,
        errors: &mut Diagnostics,
    ) -> Policy {
        let mut policy = Policy::default();
        let names = errors.attempt(|errors| OPTIONS.read(tokens, &mut policy, errors));
        let timeout = names.into_iter().flatten().find(|name| name == "timeout");
        if let (Some(timeout), None) = (timeout, function.asyncness) {
            let name = &function.ident;
            errors.error(
                timeout.span(),
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

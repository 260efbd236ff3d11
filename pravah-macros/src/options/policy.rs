//! How the engine treats a node: `timeout`, `retry(…)`, `max_visits`.

use proc_macro2::{Span, TokenStream};

use super::{
    duration,
    entries::{self, Entry, Value},
};
use crate::diag::Diagnostics;

pub(crate) const KEYS: [&str; 3] = ["timeout", "retry", "max_visits"];
const RETRY_KEYS: [&str; 5] = ["max_attempts", "backoff", "factor", "max_backoff", "jitter"];

#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Policy {
    /// A whole number from 1 on, or an expression that is to be one.
    pub(crate) max_visits: Option<syn::Expr>,
}

/// The options of `#[node]`.
pub(crate) struct NodeOptions;

impl NodeOptions {
    pub(crate) fn parse(tokens: TokenStream, errors: &mut Diagnostics) -> Policy {
        let mut policy = Policy::default();
        for entry in entries::parse(tokens, "node", &KEYS, errors) {
            policy.read(entry, errors);
        }
        policy
    }
}

impl Policy {
    /// Reads an entry whose key is one of [`KEYS`].
    pub(crate) fn read(&mut self, entry: Entry, errors: &mut Diagnostics) {
        let before = errors.len();
        let (key, span) = (entry.key.to_string(), entry.key.span());
        match key.as_str() {
            "max_visits" => self.max_visits = entry.const_count(1, errors),
            "timeout" => {
                duration_of(entry, errors);
                not_yet(&key, span, before, errors);
            }
            _ => {
                retry(entry, errors);
                not_yet(&key, span, before, errors);
            }
        }
    }
}

/// `timeout` and `retry` of an agent, whose body writes the prompt and no more.
pub(crate) fn refuse_for_agent(entry: Entry, errors: &mut Diagnostics) {
    let before = errors.len();
    let (key, span) = (entry.key.to_string(), entry.key.span());
    let help = if key == "timeout" {
        duration_of(entry, errors);
        "write `call_timeout = \"30s\"`, which limits each model call"
    } else {
        retry(entry, errors);
        "remove it; a model that cannot answer is asked again in any case"
    };
    if errors.len() == before {
        errors.error(span, format!("`{key}` is not yet supported"), help);
    }
}

/// A valid value that the engine would not obey is an error, never silence.
fn not_yet(key: &str, span: Span, before: usize, errors: &mut Diagnostics) {
    if errors.len() == before {
        errors.error(
            span,
            format!("`{key}` is not yet supported"),
            format!("remove `{key}`; the node's own body can do the same until then"),
        );
    }
}

fn duration_of(entry: Entry, errors: &mut Diagnostics) -> Option<std::time::Duration> {
    let key = entry.key.to_string();
    let (text, span) = entry.text("30s", errors)?;
    duration::parse(&key, &text, span, errors)
}

fn retry(entry: Entry, errors: &mut Diagnostics) {
    let span = entry.key.span();
    let Value::List(tokens) = entry.value else {
        errors.error(
            span,
            "`retry` has no options",
            "write `retry(max_attempts = 3)`",
        );
        return;
    };
    let before = errors.len();
    let (mut attempts, mut backoff, mut longest) = (None, None, None);
    for entry in entries::parse(tokens, "retry", &RETRY_KEYS, errors) {
        match entry.key.to_string().as_str() {
            "max_attempts" => attempts = entry.const_count(1, errors),
            "backoff" => backoff = duration_of(entry, errors),
            "max_backoff" => {
                let key = entry.key.span();
                longest = duration_of(entry, errors).map(|longest| (longest, key));
            }
            "factor" => {
                if let Some((factor, span)) = entry.number(errors)
                    && !(factor.is_finite() && factor >= 1.0)
                {
                    errors.error(
                        span,
                        format!("`factor = {factor}` shortens the wait"),
                        "write a number from 1.0 on",
                    );
                }
            }
            _ => {
                if !matches!(entry.value, Value::Flag) {
                    errors.error(
                        entry.key.span(),
                        "`jitter` has a value",
                        "write `jitter` alone",
                    );
                }
            }
        }
    }
    if let (Some(backoff), Some((longest, span))) = (backoff, longest)
        && longest < backoff
    {
        errors.error(
            span,
            "`max_backoff` is shorter than `backoff`",
            "write a longer one, or leave it out",
        );
    }
    if attempts.is_none() && errors.len() == before {
        errors.error(
            span,
            "`retry` has no `max_attempts`",
            "write `retry(max_attempts = 3)`",
        );
    }
}

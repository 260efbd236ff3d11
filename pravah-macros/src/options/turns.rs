//! `turns(max = 5, idle = "30s")` of an agent: whether it waits for messages.

use std::time::Duration;

use syn::Expr;

use super::{
    entries::{Entry, Value},
    table::table,
};
use crate::diag::Diagnostics;

/// How often and how long an agent waits for a message.
#[derive(Default)]
pub(crate) struct Turns {
    /// A whole number from 1 on, or an expression that is to be one.
    pub(crate) max: Option<Expr>,
    pub(crate) idle: Option<Duration>,
}

table! {
    OPTIONS: Turns = "turns", unnamed "max", |it, entry, errors| {
        ["max"] => it.max = entry.const_count(1, errors),
        ["idle"] => it.idle = entry.duration("30s", errors).map(|(idle, _)| idle),
    } else {
        ["max_turns", "count", "limit", "times"] => "write `max = 5`",
        ["timeout", "wait", "idle_timeout", "idle_after", "close_after"] => "write `idle = \"30s\"`",
    }
}

impl Turns {
    /// Parses `turns` or `turns(…)`; nothing where something is wrong with it.
    pub(super) fn parse(entry: Entry, errors: &mut Diagnostics) -> Option<Self> {
        match entry.value {
            Value::Flag => Some(Self::default()),
            Value::List(tokens) => OPTIONS.parse(tokens, errors),
            Value::Given(given) => {
                errors.error(
                    entry.key.span(),
                    "`turns` is followed by `=`",
                    format!("write `turns(max = {given})` for an agent that waits for messages, or `max_turns = {given}` to limit how often the model is asked"),
                );
                None
            }
        }
    }
}

//! The options of `#[gate]`.

use proc_macro2::{Span, TokenStream};
use syn::{Expr, Lit};

use super::{
    entries::{Entry, span_of},
    policy::Policy,
    table::table,
};
use crate::diag::Diagnostics;

/// The options of `#[gate]`.
pub(crate) struct GateOptions {
    pub(crate) prompt: Expr,
    pub(crate) assignee: Option<Expr>,
    pub(crate) metadata: Option<Expr>,
    pub(crate) policy: Policy,
}

/// The options as they are written.
#[derive(Default)]
pub(super) struct Written {
    prompt: Option<Expr>,
    assignee: Option<Expr>,
    metadata: Option<Expr>,
    policy: Policy,
}

table! {
    OPTIONS: Written = "gate", |it, entry, errors| {
        ["prompt"] => it.prompt = text(entry, errors),
        ["assignee"] => it.assignee = text(entry, errors),
        ["metadata"] => it.metadata = entry.expr(errors),
        ["timeout", "max_visits"] => it.policy.read(entry, errors),
    } else {
        ["question", "message", "text", "title", "description", "ask"] => "write `prompt = \"Publish this draft?\"`",
        ["assign", "assign_to", "assigned_to", "to", "who", "owner", "role", "user"] =>
            "write `assignee = \"the desk\"`",
        ["meta", "data", "labels", "tags", "extra", "payload"] =>
            "write `metadata = json!({ … })`, or any value that is `Serialize`",
        ["on_timeout", "escalate", "escalate_to", "fallback", "default"] =>
            "write `timeout = \"24h\"`, and a `catch` after the gate in the flow: it goes on where nobody has answered in time",
        ["retry", "max_attempts", "attempts", "backoff", "retries", "max_retries"] =>
            "leave it out: a gate waits for a person, who is asked once; `timeout = \"24h\"` ends the wait, and a `catch` goes on from there",
        ["total_timeout", "deadline", "time_limit"] => "write `timeout = \"24h\"`: a gate waits once",
    }
}

impl GateOptions {
    /// What is made anew for each question.
    pub(crate) fn expressions(&self) -> impl Iterator<Item = &Expr> {
        [&self.prompt]
            .into_iter()
            .chain(&self.assignee)
            .chain(&self.metadata)
    }

    /// Parses the options of the gate whose name is at `name`.
    pub(crate) fn parse(tokens: TokenStream, name: Span, errors: &mut Diagnostics) -> Option<Self> {
        let mut written = Written::default();
        let read = errors.attempt(|errors| OPTIONS.read(tokens, &mut written, errors));
        if written.prompt.is_none() && read.is_some() {
            errors.error(
                name,
                "the gate has no prompt",
                "write `#[gate(prompt = \"…\")]`, with what the person is asked",
            );
        }
        Some(Self {
            prompt: written.prompt?,
            assignee: written.assignee,
            metadata: written.metadata,
            policy: written.policy,
        })
    }
}

/// A text, or an expression that is to be one.
fn text(entry: Entry, errors: &mut Diagnostics) -> Option<Expr> {
    let key = entry.key.clone();
    let expr = entry.expr(errors)?;
    if let Expr::Lit(literal) = &expr
        && !matches!(literal.lit, Lit::Str(_))
    {
        errors.error(
            span_of(&expr),
            format!("`{key}` is not a text"),
            format!("write `{key} = \"…\"`, or `{key} = format!(\"… {{}}\", draft.title)` with a state of the gate"),
        );
        return None;
    }
    Some(expr)
}

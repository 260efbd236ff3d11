//! What the nodes of a flow may reach, and what an agent must not: `only(…)` and `constraints(…)`.

use std::time::Duration;

use proc_macro2::TokenStream;
use syn::{Expr, ExprLit, Ident, Lit};

use super::{
    entries::{Entry, Value},
    table::table,
    words::list,
};
use crate::diag::Diagnostics;

table! {
    CAPABILITIES: Vec<Ident> = "only", |it, entry, errors| {
        ["files", "commands", "http", "deps"] => it.extend(entry.alone(errors)),
    } else {
        ["network", "net", "web", "internet"] => "write `http`",
        ["input", "step", "resumed", "context"] =>
            "leave it out: inputs and steps may always be asked for, and a `Context` is all of `files`, `commands`, `http` and `deps`",
    }
}

/// The capabilities in `only(…)`, in the order in which they are written.
pub(super) fn only(entry: Entry, errors: &mut Diagnostics) -> Option<Vec<Ident>> {
    let words = words_of(entry, "only(files, deps)", errors)?;
    CAPABILITIES.parse(words, errors)
}

/// `constraints(…)` of an agent.
#[derive(Default)]
pub(crate) struct Constraints {
    /// Each `no_…`.
    pub(crate) refusals: Vec<Ident>,
    pub(crate) max_duration: Option<Duration>,
}

table! {
    CONSTRAINTS: Constraints = "constraints", |it, entry, errors| {
        ["no_network", "no_commands", "no_credentials"] => it.refusals.extend(entry.alone(errors)),
        ["max_duration"] => it.max_duration = entry.duration("8s", errors).map(|(longest, _)| longest),
    } else {
        ["no_network_access", "no_http", "offline"] => "write `no_network`",
        ["no_execution_authority", "no_execution", "no_shell"] => "write `no_commands`",
        ["no_credential_access", "no_secrets", "no_deps"] => "write `no_credentials`",
        [
            "max_tokens", "visit_tokens", "max_turns", "temperature", "retry", "call_timeout", "max_visits", "tools",
        ] => "write it beside `constraints(…)`, among the options of the agent",
        ["max_duration_ms", "timeout", "budget", "max_time"] => "write `max_duration = \"8s\"`",
    }
}

impl Constraints {
    pub(super) fn parse(entry: Entry, errors: &mut Diagnostics) -> Option<Self> {
        let at = entry.key.span();
        let tokens = words_of(
            entry,
            "constraints(no_network, max_duration = \"8s\")",
            errors,
        )?;
        if tokens.is_empty() {
            let names = CONSTRAINTS.names();
            errors.error(
                at,
                "`constraints` constrains nothing",
                format!("write some of {} in it", list(&names)),
            );
            return None;
        }
        CONSTRAINTS.parse(tokens, errors)
    }
}

/// The words of a value that is written after `=`, by itself or in brackets.
fn words_in(value: &Value) -> Option<String> {
    let Value::Given(tokens) = value else {
        return None;
    };
    let words = match syn::parse2(tokens.clone()).ok()? {
        Expr::Array(words) => words.elems.into_iter().collect(),
        word => vec![word],
    };
    let text = |word: &Expr| match word {
        Expr::Path(path) => path.path.get_ident().map(Ident::to_string),
        Expr::Lit(ExprLit {
            lit: Lit::Str(text),
            ..
        }) => Some(text.value()),
        _ => None,
    };
    let words: Vec<String> = words.iter().map(text).collect::<Option<_>>()?;
    Some(words.join(", "))
}

/// What is in the parentheses.
fn words_of(entry: Entry, example: &str, errors: &mut Diagnostics) -> Option<TokenStream> {
    match entry.value {
        Value::List(tokens) => Some(tokens),
        Value::Flag | Value::Given(_) => {
            let (key, value) = (&entry.key, &entry.value);
            let own = words_in(value).map(|words| format!("{key}({words})"));
            errors.error(
                key.span(),
                format!("`{key}` is not followed by parentheses"),
                format!("write `{}`", own.as_deref().unwrap_or(example)),
            );
            None
        }
    }
}

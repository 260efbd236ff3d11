//! The options of `#[gate]`.

use proc_macro2::{Delimiter, Span, TokenStream, TokenTree};
use syn::{Expr, Lit};

use super::{
    entries::{Entry, Value, span_of, split},
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
    OPTIONS: Written = "gate", unnamed "prompt", |it, entry, errors| {
        ["prompt"] => it.prompt = text(entry, errors),
        ["assignee"] => it.assignee = text(entry, errors),
        ["metadata"] => it.metadata = metadata(entry, errors),
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

/// A value, which is to be given as an expression.
fn metadata(entry: Entry, errors: &mut Diagnostics) -> Option<Expr> {
    let json = match &entry.value {
        Value::List(tokens) => Some(as_json(tokens.clone())),
        Value::Given(tokens) => as_object(tokens),
        Value::Flag => None,
    };
    let Some(json) = json else {
        return entry.expr(errors);
    };
    let fact = match entry.value {
        Value::List(_) => "`metadata` is followed by parentheses",
        Value::Given(_) | Value::Flag => "`metadata` is not a value of Rust",
    };
    errors.error(
        entry.key.span(),
        fact,
        format!("write `metadata = {json}`, or any value that is `Serialize`"),
    );
    None
}

/// What is written as `key = value`, in JSON.
fn as_json(options: TokenStream) -> String {
    let fields = split(options).into_iter().map(|option| {
        let mut tokens = option.into_iter();
        match (tokens.next()?, tokens.next()?) {
            (TokenTree::Ident(key), TokenTree::Punct(sign)) if sign.as_char() == '=' => {
                Some(format!("\"{key}\": {}", TokenStream::from_iter(tokens)))
            }
            _ => None,
        }
    });
    let fields: Option<Vec<String>> = fields.collect();
    fields.map_or_else(
        || "json!({ … })".to_owned(),
        |fields| format!("json!({{ {} }})", fields.join(", ")),
    )
}

/// What is written as an object of JSON, without the macro around it.
fn as_object(tokens: &TokenStream) -> Option<String> {
    let mut parts = tokens.clone().into_iter();
    let object = match (parts.next(), parts.next()) {
        (Some(TokenTree::Group(group)), None) => group,
        _ => return None,
    };
    let is_braced = object.delimiter() == Delimiter::Brace;
    (is_braced && syn::parse2::<Expr>(tokens.clone()).is_err()).then(|| format!("json!({tokens})"))
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

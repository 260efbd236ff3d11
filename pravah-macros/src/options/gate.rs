//! The options of `#[gate]`.

use proc_macro2::{Delimiter, Span, TokenStream, TokenTree};
use syn::{Expr, Lit};

use super::{
    entries::{Entry, Value, span_of, split},
    policy::Policy,
    table::{CAPABILITIES, ONLY_ON_THE_FLOW, table},
};
use crate::diag::Diagnostics;

/// The options of `#[gate]`.
pub(crate) struct GateOptions {
    pub(crate) prompt: Option<Expr>,
    /// There is this or a prompt.
    pub(crate) event: Option<Expr>,
    pub(crate) assignee: Option<Expr>,
    pub(crate) metadata: Option<Expr>,
    pub(crate) policy: Policy,
    /// Whether an option was refused: the texts are not checked then.
    pub(crate) is_broken: bool,
}

/// The options as they are written.
#[derive(Default)]
pub(super) struct Written {
    prompt: Option<Expr>,
    event: Option<Expr>,
    assignee: Option<Expr>,
    metadata: Option<Expr>,
    policy: Policy,
}

table! {
    OPTIONS: Written = "gate", unnamed "prompt", |it, entry, errors| {
        ["prompt"] => it.prompt = text(entry, errors),
        ["event"] => it.event = text(entry, errors),
        ["assignee"] => it.assignee = text(entry, errors),
        ["metadata"] => it.metadata = metadata(entry, errors),
        ["timeout", "max_visits"] => it.policy.read(entry, errors),
    } else {
        ["question", "message", "text", "title", "description", "ask"] => "write `prompt = \"Publish this draft?\"`",
        ["assign", "assign_to", "assigned_to", "to", "who", "owner", "role", "user"] =>
            "write `assignee = \"the desk\"`",
        ["events", "signal", "topic", "channel", "wait_for", "waits_for", "on", "until"] =>
            "write `event = \"paid\"`: the gate is answered by what `Hub::emit` sends under that name",
        ["meta", "data", "labels", "tags", "extra", "payload"] =>
            "write `metadata = json!({ … })`, or any value that is `Serialize`",
        ["on_timeout", "escalate", "escalate_to", "fallback", "default"] =>
            "write `timeout = \"24h\"`, and a `catch` after the gate in the flow: it goes on where nobody has answered in time",
        ["retry", "max_attempts", "attempts", "backoff", "retries", "max_retries"] =>
            "leave it out: a gate waits for a person, who is asked once; `timeout = \"24h\"` ends the wait, and a `catch` goes on from there",
        CAPABILITIES => ONLY_ON_THE_FLOW,
        ["answer", "answer_type", "schema", "returns", "output"] =>
            "leave it out: the answer is the parameter that is not a state, whose type says what may be answered",
        ["choices", "options", "answers", "cases", "buttons"] => "make the answer an enum, as the type of its parameter: its variants are offered to the person",
        ["total_timeout", "deadline", "time_limit"] => "write `timeout = \"24h\"`: a gate waits once",
    }
}

impl GateOptions {
    /// What is made anew for each question.
    pub(crate) fn expressions(&self) -> impl Iterator<Item = &Expr> {
        (self.prompt.iter())
            .chain(&self.event)
            .chain(&self.assignee)
            .chain(&self.metadata)
    }

    /// Parses the options of the gate whose name is at `name`.
    pub(crate) fn parse(tokens: TokenStream, name: Span, errors: &mut Diagnostics) -> Option<Self> {
        let mut written = Written::default();
        let read = errors.attempt(|errors| OPTIONS.read(tokens, &mut written, errors));
        let asks = written.prompt.is_some() || written.event.is_some();
        if !asks && read.is_some() {
            errors.error(
                name,
                "the gate has no prompt",
                "write `#[gate(prompt = \"…\")]`, with what the person is asked; or `event = \"…\"`, if it waits for an event",
            );
        }
        asks.then_some(Self {
            prompt: written.prompt,
            event: written.event,
            assignee: written.assignee,
            metadata: written.metadata,
            policy: written.policy,
            is_broken: read.is_none(),
        })
    }
}

/// A value, which is to be given as an expression.
fn metadata(entry: Entry, errors: &mut Diagnostics) -> Option<Expr> {
    let (fact, json) = match &entry.value {
        Value::List(fields) => (
            "`metadata` is followed by parentheses",
            as_json(fields.clone()),
        ),
        Value::Given(value) if let Some(fields) = json_fields(value) => {
            ("`metadata` is not a value of Rust", as_json(fields))
        }
        _ => return entry.expr(errors),
    };
    errors.error(
        entry.key.span(),
        fact,
        format!("write `metadata = {json}`, or any value that is `Serialize`"),
    );
    None
}

/// What is in the braces of an object of JSON, which is no expression.
fn json_fields(value: &TokenStream) -> Option<TokenStream> {
    let mut parts = value.clone().into_iter();
    let (Some(TokenTree::Group(object)), None) = (parts.next(), parts.next()) else {
        return None;
    };
    let is_braced = object.delimiter() == Delimiter::Brace;
    (is_braced && syn::parse2::<Expr>(value.clone()).is_err()).then(|| object.stream())
}

/// Fields that are written as `key = value` or `key: value`, in JSON.
fn as_json(fields: TokenStream) -> String {
    let fields = split(fields).into_iter().map(|field| {
        let mut tokens = field.into_iter();
        let (key, sign) = (tokens.next()?, tokens.next()?);
        let key = match key {
            TokenTree::Ident(key) => format!("\"{key}\""),
            TokenTree::Literal(key) => key.to_string(),
            _ => return None,
        };
        let value = TokenStream::from_iter(tokens);
        matches!(sign, TokenTree::Punct(sign) if ['=', ':'].contains(&sign.as_char()))
            .then(|| format!("{key}: {value}"))
    });
    let fields: Option<Vec<String>> = fields.collect();
    fields.map_or_else(
        || "json!({ … })".to_owned(),
        |fields| format!("json!({{ {} }})", fields.join(", ")),
    )
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

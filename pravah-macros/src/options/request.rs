//! The options of `#[agent]` that say how its model is asked: length, sampling, reasoning and the like.

use std::time::Duration;

use proc_macro2::{Span, TokenStream};
use quote::{quote, quote_spanned};
use syn::{
    Expr, Ident, Lit, Token,
    ext::IdentExt,
    parse::{ParseStream, Parser},
    punctuated::Punctuated,
};

use super::{
    entries::{Entry, Value, literal_number, span_of},
    policy::Policy,
    words::{did_you_mean, in_quotes, list},
};
use crate::{diag::Diagnostics, root::private};

pub(crate) const KEYS: [&str; 11] = [
    "max_tokens",
    "reasoning",
    "temperature",
    "top_p",
    "seed",
    "stop",
    "tool_choice",
    "call_timeout",
    "prompt_cache",
    "metadata",
    "extra",
];

const EFFORTS: [(&str, &str); 7] = [
    ("none", "None"),
    ("minimal", "Minimal"),
    ("low", "Low"),
    ("medium", "Medium"),
    ("high", "High"),
    ("xhigh", "ExtraHigh"),
    ("max", "Max"),
];
const CHOICES: [(&str, &str); 2] = [("auto", "Auto"), ("required", "Required")];

/// How the model of an agent is asked.
#[derive(Default)]
pub(crate) struct RequestOptions {
    /// Calls of the setters of `ModelOptions`, in the order written.
    pub(crate) setters: Vec<TokenStream>,
    /// The word that makes the model call a tool.
    pub(crate) required: Option<Ident>,
    /// How long one call may take, and where that is written.
    pub(crate) call_timeout: Option<(Duration, Span)>,
}

impl RequestOptions {
    /// Reads an entry whose key is one of [`KEYS`].
    pub(crate) fn read(&mut self, entry: Entry, errors: &mut Diagnostics) {
        let call = match entry.key.to_string().as_str() {
            "max_tokens" => max_tokens(entry, errors),
            "reasoning" => reasoning(entry, errors),
            "temperature" => number(entry, 0.0..=f64::MAX, "from 0.0 on", errors),
            "top_p" => number(entry, 0.0..=1.0, "from 0.0 to 1.0", errors),
            "stop" => stop(entry, errors),
            "tool_choice" => self.tool_choice(entry, errors),
            "call_timeout" => self.call_timeout(entry, errors),
            "metadata" | "extra" => pairs(entry, errors),
            // `seed` and `prompt_cache`: rustc says what is wrong with their types.
            _ => setter(entry, errors),
        };
        self.setters.extend(call);
    }

    fn tool_choice(&mut self, entry: Entry, errors: &mut Diagnostics) -> Option<TokenStream> {
        let key = entry.key.clone();
        let value = entry.expr(errors)?;
        match word(&value, &key, &CHOICES, false, errors) {
            Some(choice) => {
                let (private, choice) = (private(), choice?);
                if choice == "Required" {
                    self.required = Some(Ident::new("required", choice.span()));
                }
                Some(quote!(.tool_choice(#private::ToolChoice::#choice)))
            }
            None => Some(quote_spanned!(span_of(&value)=> .tool_choice(#value))),
        }
    }

    fn call_timeout(&mut self, entry: Entry, errors: &mut Diagnostics) -> Option<TokenStream> {
        let (timeout, span) = entry.duration("90s", errors)?;
        let millis = u64::try_from(timeout.as_millis()).ok()?;
        self.call_timeout = Some((timeout, span));
        Some(quote!(.timeout(::core::time::Duration::from_millis(#millis))))
    }

    /// Whether a call may take its time within what limits the agent.
    pub(super) fn check_call_timeout(&self, policy: &Policy, errors: &mut Diagnostics) {
        let (Some((call, span)), Some((name, limit))) = (self.call_timeout, policy.first_limit())
        else {
            return;
        };
        if call > limit {
            errors.error(
                span,
                format!("`call_timeout` is longer than `{name}`"),
                format!("`{name}` limits all calls of the agent together: write a longer one, or a shorter `call_timeout`"),
            );
        }
    }
}

/// A call of the setter that is called like the option.
fn setter(entry: Entry, errors: &mut Diagnostics) -> Option<TokenStream> {
    let key = entry.key.clone();
    let value = entry.expr(errors)?;
    Some(quote_spanned!(span_of(&value)=> .#key(#value)))
}

fn max_tokens(entry: Entry, errors: &mut Diagnostics) -> Option<TokenStream> {
    let value = entry.const_count(1, errors)?;
    Some(quote_spanned!(span_of(&value)=> .max_tokens(#value)))
}

/// A number; the limits of a literal are checked here, and those of anything else when the flow is built.
fn number(
    entry: Entry,
    within: std::ops::RangeInclusive<f64>,
    limits: &str,
    errors: &mut Diagnostics,
) -> Option<TokenStream> {
    let key = entry.key.clone();
    let value = entry.expr(errors)?;
    let span = span_of(&value);
    let Some(literal) = literal_number(&value) else {
        return Some(quote_spanned!(span=> .#key(#value)));
    };
    match literal.filter(|number| within.contains(number)) {
        Some(number) => Some(quote_spanned!(span=> .#key(#number))),
        None => {
            errors.error(
                span,
                format!("`{key}` is not a number {limits}"),
                format!("write a number, such as `{key} = 0.5`"),
            );
            None
        }
    }
}

/// The variant that a word stands for; `None` where the value is neither a single word nor a text. With
/// `takes_number` the help names a number of tokens too.
fn word(
    value: &Expr,
    key: &Ident,
    words: &[(&str, &str)],
    takes_number: bool,
    errors: &mut Diagnostics,
) -> Option<Option<Ident>> {
    let known: Vec<&str> = words.iter().map(|(word, _)| *word).collect();
    let values = match takes_number {
        true => format!("{}, or a number of tokens", list(&known)),
        false => list(&known),
    };
    if let Expr::Lit(lit) = value
        && let Lit::Str(text) = &lit.lit
    {
        let bare = text.value();
        let is_number = takes_number && bare.parse::<u32>().is_ok();
        let is_value = is_number || known.contains(&bare.as_str());
        in_quotes(text, &key.to_string(), is_value, &values, errors);
        return Some(None);
    }
    let Expr::Path(path) = value else { return None };
    let word = path.path.get_ident()?;
    // A constant is an expression like any other.
    if word.to_string().chars().all(|c| !c.is_lowercase()) {
        return None;
    }
    let found = words.iter().find(|(known, _)| word == known);
    if found.is_none() {
        let near = did_you_mean(&word.to_string(), &known);
        errors.error(
            word.span(),
            format!("`{word}` is not a value of `{key}`"),
            format!("{near}write one of {values}"),
        );
    }
    Some(found.map(|(_, variant)| Ident::new(variant, word.span())))
}

fn reasoning(entry: Entry, errors: &mut Diagnostics) -> Option<TokenStream> {
    let key = entry.key.clone();
    let value = entry.expr(errors)?;
    match word(&value, &key, &EFFORTS, true, errors) {
        Some(effort) => {
            let (private, effort) = (private(), effort?);
            Some(quote!(.reasoning(#private::Effort::#effort)))
        }
        None => Some(quote_spanned!(span_of(&value)=> .reasoning(#value))),
    }
}

fn stop(entry: Entry, errors: &mut Diagnostics) -> Option<TokenStream> {
    let texts = entry.array("[\"END\"]", errors)?;
    let texts = texts.elems.iter();
    Some(
        texts
            .map(|text| quote_spanned!(span_of(text)=> .stop(#text)))
            .collect(),
    )
}

/// `metadata(team = "support")`, `extra(top_k = 40)`: a call for each pair.
fn pairs(entry: Entry, errors: &mut Diagnostics) -> Option<TokenStream> {
    let key = entry.key;
    let such_as = match key == "metadata" {
        true => "`metadata(team = \"support\")`",
        false => "`extra(top_k = 40)`",
    };
    let Value::List(tokens) = entry.value else {
        errors.error(
            key.span(),
            format!("`{key}` names no fields"),
            format!("write {such_as}"),
        );
        return None;
    };
    match Punctuated::<Pair, Token![,]>::parse_terminated.parse2(tokens) {
        Ok(pairs) => Some(
            pairs
                .into_iter()
                .map(|Pair { name, value }| {
                    let name = name.unraw().to_string();
                    quote_spanned!(span_of(&value)=> .#key(#name, #value))
                })
                .collect(),
        ),
        Err(error) => {
            errors.error(
                error.span(),
                format!("`{key}` expects `name = value`"),
                format!("write {such_as}"),
            );
            None
        }
    }
}

struct Pair {
    name: Ident,
    value: Expr,
}

impl syn::parse::Parse for Pair {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let name = Ident::parse_any(input)?;
        input.parse::<Token![=]>()?;
        let value = input.parse()?;
        Ok(Self { name, value })
    }
}

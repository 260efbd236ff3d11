//! The option `contract(…)` of `#[agent]`: thresholds, where the confidence comes from, a budget.

use std::time::Duration;

use proc_macro2::{Span, TokenStream};
use quote::ToTokens;
use syn::{Expr, ExprRange, Ident, Lit, RangeLimits, spanned::Spanned as _};

use super::{
    entries::{Entry, Value, number, span_of},
    model::Provider,
    table::table,
    words::{did_you_mean, in_quotes, list},
};
use crate::diag::Diagnostics;

const KINDS: [&str; 3] = ["verbalized", "token_level", "calibrated"];

#[derive(Default)]
pub(crate) struct Contract {
    pub(crate) suppress_below: Option<Expr>,
    /// From where to where.
    pub(crate) review: Option<[Expr; 2]>,
    pub(crate) auto_approve_above: Option<Expr>,
    /// The word of it.
    pub(crate) confidence: Option<Ident>,
    pub(crate) budget: Option<Duration>,
    pub(crate) version: Option<String>,
}

table! {
    OPTIONS: Contract = "contract", unnamed "auto_approve_above", |it, entry, errors| {
        ["suppress_below"] => it.suppress_below = threshold(entry, errors),
        ["review"] => it.review = band(entry, errors),
        ["auto_approve_above"] => it.auto_approve_above = threshold(entry, errors),
        ["confidence"] => it.confidence = kind(entry, errors),
        ["budget"] => it.budget = entry.duration("8s", errors).map(|(budget, _)| budget),
        ["version"] => it.version = version(entry, errors),
    }
}

/// A threshold, as it is written. What it is unless set the runtime knows.
#[derive(Clone, Copy)]
pub(crate) struct Threshold<'a> {
    pub(crate) key: &'static str,
    /// Nothing where it is not written.
    pub(crate) expr: Option<&'a Expr>,
    /// Nothing where it is no literal.
    pub(crate) value: Option<f64>,
}

impl<'a> Threshold<'a> {
    fn new(key: &'static str, expr: Option<&'a Expr>) -> Self {
        let value = expr.and_then(number);
        Self { key, expr, value }
    }
}

impl Contract {
    /// Parses `contract` or `contract(…)`; nothing where something is wrong with it.
    pub(crate) fn parse(entry: Entry, errors: &mut Diagnostics) -> Option<Self> {
        let tokens = match entry.value {
            Value::Flag => TokenStream::new(),
            Value::List(tokens) => tokens,
            Value::Given(_) => {
                errors.error(
                    entry.key.span(),
                    "`contract` is followed by `=`",
                    "write `contract(suppress_below = 0.5, auto_approve_above = 0.85)`, or `contract` alone",
                );
                return None;
            }
        };
        let contract = OPTIONS.parse(tokens, errors)?;
        errors.attempt(|errors| contract.check_order(errors))?;
        Some(contract)
    }

    /// From the lowest to the highest.
    pub(crate) fn thresholds(&self) -> Vec<Threshold<'_>> {
        let below = self.suppress_below.as_ref();
        let above = self.auto_approve_above.as_ref();
        let mut thresholds = vec![Threshold::new("suppress_below", below)];
        let band = self.review.iter().flatten();
        thresholds.extend(band.map(|end| Threshold::new("review", Some(end))));
        thresholds.push(Threshold::new("auto_approve_above", above));
        thresholds
    }

    /// Literals that do not rise are reported at the first that is too low.
    fn check_order(&self, errors: &mut Diagnostics) {
        for pair in self.thresholds().windows(2) {
            if let [before, this] = pair
                && let (Some(least), Some(value)) = (before.value, this.value)
                && value < least
            {
                return does_not_rise((*before, least), (*this, value), errors);
            }
        }
    }

    /// Whether the confidence can come from where it is to come from.
    pub(crate) fn check_source(
        &self,
        provider: Option<Provider>,
        has_tools: bool,
        errors: &mut Diagnostics,
    ) {
        let Some(word) = self
            .confidence
            .as_ref()
            .filter(|word| *word == "token_level")
        else {
            return;
        };
        let help = "write `confidence = verbalized`";
        if has_tools {
            errors.error(
                word.span(),
                "`token_level` needs a text, and an agent with tools hands its output in through one",
                help,
            );
            return;
        }
        let Some(provider @ (Provider::Anthropic | Provider::Genai)) = provider else {
            return;
        };
        errors.error(
            word.span(),
            format!(
                "models of `{}` do not tell how probable their tokens are",
                provider.scheme()
            ),
            help,
        );
    }
}

fn does_not_rise(
    (before, least): (Threshold<'_>, f64),
    (this, value): (Threshold<'_>, f64),
    errors: &mut Diagnostics,
) {
    let (key, lower) = (this.key, before.key);
    let at = this.expr.map_or_else(Span::call_site, span_of);
    let fact = match lower == key {
        true => format!("`review` ends at {value}, below its beginning {least}"),
        false => format!("`{key}` is {value}, below `{lower}`, which is {least}"),
    };
    errors.error(
        at,
        fact,
        "let the thresholds rise: `suppress_below`, `review`, `auto_approve_above`",
    );
}

/// A number from 0 to 1, or an expression that rustc is to evaluate.
fn threshold(entry: Entry, errors: &mut Diagnostics) -> Option<Expr> {
    let key = entry.key.to_string();
    let expr = entry.expr(errors)?;
    check_number(&key, &expr, errors).then_some(expr)
}

fn check_number(key: &str, expr: &Expr, errors: &mut Diagnostics) -> bool {
    let is_literal = matches!(expr, Expr::Lit(_) | Expr::Range(_) | Expr::Array(_));
    let fact = match number(expr) {
        Some(value) if (0.0..=1.0).contains(&value) => return true,
        Some(_) => "is not from 0 to 1",
        None if !is_literal => return true,
        None => "is not a number",
    };
    let text = expr.to_token_stream().to_string().replace("- ", "-");
    errors.error(
        span_of(expr),
        format!("`{key}` {fact}: `{text}`"),
        "write a number from 0.0 to 1.0",
    );
    false
}

/// `low..=high`
fn band(entry: Entry, errors: &mut Diagnostics) -> Option<[Expr; 2]> {
    let expr = entry.expr(errors)?;
    let span = span_of(&expr);
    if let Expr::Range(ExprRange {
        start: Some(low),
        limits: RangeLimits::Closed(_),
        end: Some(high),
        ..
    }) = &expr
    {
        let numbers = [(**low).clone(), (**high).clone()];
        let all = numbers
            .iter()
            .all(|end| check_number("review", end, errors));
        return all.then_some(numbers);
    }
    let (at, fact) = match &expr {
        Expr::Range(ExprRange {
            start: Some(_),
            limits: RangeLimits::HalfOpen(dots),
            end: Some(_),
            ..
        }) => (dots.span(), "the band of `review` has its end in it"),
        _ => (span, "`review` is not a band of two numbers"),
    };
    errors.error(at, fact, "write `review = 0.5..=0.85`");
    None
}

fn kind(entry: Entry, errors: &mut Diagnostics) -> Option<Ident> {
    let expr = entry.expr(errors)?;
    let word = match &expr {
        Expr::Path(path) => path.path.get_ident().cloned(),
        _ => None,
    };
    if let Some(word) = word {
        if KINDS.iter().any(|kind| word == kind) {
            return Some(word);
        }
        let near = did_you_mean(&word.to_string(), &KINDS);
        errors.error(
            word.span(),
            format!("`{word}` is no source of confidence"),
            format!("{near}the sources are {}", list(&KINDS)),
        );
        return None;
    }
    if let Expr::Lit(lit) = &expr
        && let Lit::Str(text) = &lit.lit
    {
        let is_kind = KINDS.contains(&text.value().as_str());
        in_quotes(text, "confidence", is_kind, &list(&KINDS), errors);
        return None;
    }
    errors.error(
        span_of(&expr),
        "`confidence` is not a word",
        format!("write one of {}", list(&KINDS)),
    );
    None
}

fn version(entry: Entry, errors: &mut Diagnostics) -> Option<String> {
    let (version, span) = entry.text("1.0.0", errors)?;
    if version.trim().is_empty() {
        errors.error(span, "`version` is empty", "write `version = \"1.0.0\"`");
    }
    Some(version)
}

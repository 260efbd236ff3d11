//! The option `contract(…)` of `#[agent]`: thresholds, where the confidence comes from, a budget.

use std::time::Duration;

use proc_macro2::{Span, TokenStream};
use quote::ToTokens;
use syn::{Expr, ExprRange, Ident, Lit, RangeLimits, UnOp, spanned::Spanned as _};

use super::{
    duration,
    entries::{self, Entry, Value, in_quotes, list, nearest, span_of},
    model::Provider,
};
use crate::diag::Diagnostics;

const KEYS: [&str; 6] = [
    "suppress_below",
    "review",
    "auto_approve_above",
    "confidence",
    "budget",
    "version",
];

const KINDS: [&str; 3] = ["verbalized", "token_level", "calibrated"];

/// Defaults, as the runtime has them.
const SUPPRESS_BELOW: f64 = 0.5;
const AUTO_APPROVE_ABOVE: f64 = 0.85;

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

/// A threshold that is not left out.
pub(crate) struct Threshold<'a> {
    pub(crate) key: &'static str,
    pub(crate) expr: &'a Expr,
}

impl Contract {
    /// Parses `contract` or `contract(…)`; nothing where something is wrong with it.
    pub(crate) fn parse(entry: Entry, errors: &mut Diagnostics) -> Option<Self> {
        let span = entry.key.span();
        let tokens = match entry.value {
            Value::Flag => TokenStream::new(),
            Value::List(tokens) => tokens,
            Value::Given(_) => {
                errors.error(
                    span,
                    "`contract` is followed by `=`",
                    "write `contract(suppress_below = 0.5, auto_approve_above = 0.85)`, or `contract` alone",
                );
                return None;
            }
        };
        let before = errors.len();
        let mut contract = Self::default();
        for entry in entries::parse(tokens, "contract", &KEYS, errors) {
            contract.read(entry, errors);
        }
        if !errors.grew_since(before) {
            contract.check_order(errors);
        }
        (!errors.grew_since(before)).then_some(contract)
    }

    fn read(&mut self, entry: Entry, errors: &mut Diagnostics) {
        match entry.key.to_string().as_str() {
            "suppress_below" => self.suppress_below = threshold(entry, errors),
            "auto_approve_above" => self.auto_approve_above = threshold(entry, errors),
            "review" => self.review = band(entry, errors),
            "confidence" => self.confidence = kind(entry, errors),
            "budget" => {
                let text = entry.text("8s", errors);
                self.budget =
                    text.and_then(|(text, span)| duration::parse("budget", &text, span, errors));
            }
            _ => {
                if let Some((version, span)) = entry.text("1.0.0", errors) {
                    if version.trim().is_empty() {
                        errors.error(span, "`version` is empty", "write `version = \"1.0.0\"`");
                    }
                    self.version = Some(version);
                }
            }
        }
    }

    /// The thresholds that are written, from the lowest to the highest.
    pub(crate) fn thresholds(&self) -> Vec<Threshold<'_>> {
        let [low, high] = match &self.review {
            Some([low, high]) => [Some(low), Some(high)],
            None => [None, None],
        };
        [
            ("suppress_below", self.suppress_below.as_ref()),
            ("review", low),
            ("review", high),
            ("auto_approve_above", self.auto_approve_above.as_ref()),
        ]
        .into_iter()
        .filter_map(|(key, expr)| Some(Threshold { key, expr: expr? }))
        .collect()
    }

    /// Numbers that do not rise are reported at the first that is too low.
    fn check_order(&self, errors: &mut Diagnostics) {
        let below = self.suppress_below.is_none();
        let above = self.auto_approve_above.is_none();
        let mut last = below.then_some(("suppress_below", SUPPRESS_BELOW));
        for threshold in self.thresholds() {
            let Some(value) = number(threshold.expr) else {
                last = None;
                continue;
            };
            if !rises(
                last,
                (threshold.key, value),
                span_of(threshold.expr),
                errors,
            ) {
                return;
            }
            last = Some((threshold.key, value));
        }
        if above
            && let Some((key, value)) = last
            && value > AUTO_APPROVE_ABOVE
        {
            let written = self.thresholds().pop();
            let span = written.map_or_else(Span::call_site, |last| span_of(last.expr));
            errors.error(
                span,
                format!(
                    "`{key}` is {value}, above `auto_approve_above`, which is {AUTO_APPROVE_ABOVE} unless set"
                ),
                format!("write `auto_approve_above` as well, from {value} to 1.0"),
            );
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
        let scheme = match provider {
            Some(Provider::Anthropic) => "anthropic",
            Some(Provider::Genai) => "genai",
            _ => return,
        };
        errors.error(
            word.span(),
            format!("models of `{scheme}` do not tell how probable their tokens are"),
            help,
        );
    }
}

fn rises(
    last: Option<(&str, f64)>,
    (key, value): (&str, f64),
    span: Span,
    errors: &mut Diagnostics,
) -> bool {
    let Some((before, least)) = last.filter(|(_, least)| value < *least) else {
        return true;
    };
    let fact = match before == key {
        true => format!("`review` ends at {value}, below its beginning {least}"),
        false => format!("`{key}` is {value}, below `{before}`, which is {least}"),
    };
    errors.error(
        span,
        fact,
        "let the thresholds rise: `suppress_below`, `review`, `auto_approve_above`",
    );
    false
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
        let near =
            nearest(&word.to_string(), &KINDS).map(|near| format!("did you mean `{near}`? "));
        errors.error(
            word.span(),
            format!("`{word}` is no source of confidence"),
            format!(
                "{}the sources are {}",
                near.unwrap_or_default(),
                list(&KINDS)
            ),
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

/// What a literal says.
pub(crate) fn number(expr: &Expr) -> Option<f64> {
    match expr {
        Expr::Lit(lit) => match &lit.lit {
            Lit::Float(number) => number.base10_parse().ok(),
            Lit::Int(number) => number.base10_parse().ok(),
            _ => None,
        },
        Expr::Unary(unary) if matches!(unary.op, UnOp::Neg(_)) => {
            number(&unary.expr).map(|number| -number)
        }
        Expr::Paren(paren) => number(&paren.expr),
        Expr::Group(group) => number(&group.expr),
        _ => None,
    }
}

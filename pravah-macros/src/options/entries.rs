//! `key = value`, `key(…)` and `key`, separated by commas.

use std::time::Duration;

use proc_macro2::{Delimiter, Span, TokenStream, TokenTree};
use syn::{
    Expr, ExprArray, ExprLit, Ident, Lit, LitStr, Token,
    ext::IdentExt,
    parse::{ParseStream, Parser},
};

use super::duration;
use crate::diag::Diagnostics;

pub(crate) struct Entry {
    pub(crate) key: Ident,
    pub(crate) value: Value,
}

pub(crate) enum Value {
    /// What is after `=`.
    Given(TokenStream),
    /// What is in the parentheses.
    List(TokenStream),
    Flag,
}

/// Parses all entries; one that cannot be parsed is reported, and the next is tried.
/// `unnamed` says what is wrong with one that has no name, and what to write.
pub(super) fn parse(
    tokens: TokenStream,
    unnamed: &dyn Fn(&TokenTree) -> (String, String),
    errors: &mut Diagnostics,
) -> Vec<Entry> {
    let mut entries = Vec::new();
    let mut slipped = false;
    for part in split(tokens) {
        if let Err((at, fact, help)) = is_entry(&part, unnamed) {
            // A slip in writing shows in every part, and is reported once.
            if !slipped {
                errors.error(at, fact, help);
            }
            slipped = true;
            continue;
        }
        match entry.parse2(part) {
            Ok(entry) => entries.push(entry),
            Err(error) => errors.syntax(&error),
        }
    }
    entries
}

/// Whether a part looks like an option at all.
fn is_entry(
    part: &TokenStream,
    unnamed: &dyn Fn(&TokenTree) -> (String, String),
) -> Result<(), (Span, String, String)> {
    let mut tokens = part.clone().into_iter();
    let key = match tokens.next() {
        Some(TokenTree::Ident(key)) => key,
        Some(value) => {
            let (fact, help) = unnamed(&value);
            return Err((value.span(), fact, help));
        }
        None => return Ok(()),
    };
    match tokens.next() {
        Some(TokenTree::Punct(sign)) if sign.as_char() != '=' => {
            let fact = format!("`{key}` is followed by `{}`", sign.as_char());
            let help = match sign.as_char() {
                '.' if !part.to_string().contains('=') => {
                    "write `name = value`; a text with values in it is `name = format!(\"…\", …)`"
                }
                _ => "write `name = value`",
            };
            return Err((sign.span(), fact, help.to_owned()));
        }
        Some(TokenTree::Group(group)) if group.delimiter() != Delimiter::Parenthesis => {
            let fact = format!("what follows `{key}` is not in parentheses");
            let help = "write `name = value` or `name(…)`".to_owned();
            return Err((group.span_open(), fact, help));
        }
        _ => {}
    }
    // `name = value name = value`: a comma is missing.
    let mut before = None;
    for token in tokens {
        if let (Some(TokenTree::Literal(_)), TokenTree::Ident(next)) = (&before, &token)
            && next != "as"
        {
            let fact = format!("`{next}` follows an option without a comma");
            return Err((next.span(), fact, "write `,` before it".to_owned()));
        }
        before = Some(token);
    }
    Ok(())
}

/// At the commas, leaving out empty parts.
pub(super) fn split(tokens: TokenStream) -> Vec<TokenStream> {
    let mut parts = vec![TokenStream::new()];
    let mut depth = 0_usize;
    for token in tokens {
        if let TokenTree::Punct(punct) = &token {
            match punct.as_char() {
                // `Vec<A, B>`: a comma between angle brackets is part of a type.
                '<' => depth += 1,
                '>' => depth = depth.saturating_sub(1),
                ',' if depth == 0 => {
                    parts.push(TokenStream::new());
                    continue;
                }
                _ => {}
            }
        }
        if let Some(part) = parts.last_mut() {
            part.extend([token]);
        }
    }
    parts.retain(|part| !part.is_empty());
    parts
}

fn entry(input: ParseStream<'_>) -> syn::Result<Entry> {
    let key = Ident::parse_any(input)?;
    let value = if input.peek(Token![=]) {
        input.parse::<Token![=]>()?;
        Value::Given(input.parse()?)
    } else if input.peek(syn::token::Paren) {
        let content;
        syn::parenthesized!(content in input);
        Value::List(content.parse()?)
    } else {
        Value::Flag
    };
    if !input.is_empty() {
        return Err(input.error("expected `,`"));
    }
    Ok(Entry { key, value })
}

impl Entry {
    /// What is after `=`; where nothing does, that is reported.
    pub(crate) fn given(self, errors: &mut Diagnostics) -> Option<TokenStream> {
        let key = &self.key;
        match self.value {
            Value::Given(tokens) if !tokens.is_empty() => return Some(tokens),
            Value::List(tokens) if !tokens.is_empty() => {
                in_parentheses(key, &tokens.to_string(), errors);
            }
            Value::Given(_) | Value::List(_) | Value::Flag => errors.error(
                key.span(),
                format!("`{key}` has no value"),
                format!("write `{key} = …`"),
            ),
        }
        None
    }

    /// A list in brackets, such as `such_as`.
    pub(super) fn array(self, such_as: &str, errors: &mut Diagnostics) -> Option<ExprArray> {
        if let Value::List(tokens) = &self.value {
            in_parentheses(&self.key, &format!("[{tokens}]"), errors);
            return None;
        }
        let key = self.key.clone();
        match self.expr(errors)? {
            Expr::Array(array) => Some(array),
            expr => {
                errors.error(
                    span_of(&expr),
                    format!("`{key}` is not a list"),
                    format!("write `{key} = {such_as}`"),
                );
                None
            }
        }
    }

    /// The value as an expression.
    pub(crate) fn expr(self, errors: &mut Diagnostics) -> Option<Expr> {
        let key = self.key.clone();
        match syn::parse2(self.given(errors)?) {
            Ok(Expr::Group(group)) => Some(*group.expr),
            Ok(expr) => Some(expr),
            // What is missing at the end is missing nowhere in particular.
            Err(error) if error.to_string().starts_with("unexpected end of input") => {
                errors.error(
                    key.span(),
                    format!("the value of `{key}` breaks off"),
                    format!("write `{key} = …`"),
                );
                None
            }
            Err(error) => {
                errors.syntax(&error);
                None
            }
        }
    }

    /// A whole number from `least` on that fits 32 bits, or an expression that rustc is to evaluate.
    pub(crate) fn const_count(self, least: u32, errors: &mut Diagnostics) -> Option<Expr> {
        let key = self.key.clone();
        let expr = self.expr(errors)?;
        let may_be = matches!(
            expr,
            Expr::Path(_)
                | Expr::Paren(_)
                | Expr::Binary(_)
                | Expr::Block(_)
                | Expr::Call(_)
                | Expr::MethodCall(_)
                | Expr::Cast(_)
                | Expr::Macro(_)
        );
        if may_be || count_of(&expr).is_some_and(|count| count >= least) {
            return Some(expr);
        }
        errors.error(
            span_of(&expr),
            format!("`{key}` is not a whole number from {least} to {}", u32::MAX),
            format!("write a number, such as `{key} = 10`"),
        );
        None
    }

    /// A number of either kind.
    pub(crate) fn number(self, errors: &mut Diagnostics) -> Option<(f64, Span)> {
        let key = self.key.clone();
        let expr = self.expr(errors)?;
        let span = span_of(&expr);
        let number = number(&expr);
        if number.is_none() {
            errors.error(
                span,
                format!("`{key}` is not a number"),
                format!("write a number, such as `{key} = 2.0`"),
            );
        }
        Some((number?, span))
    }

    /// An option that is said by its name alone.
    pub(crate) fn bool_or_flag(self, errors: &mut Diagnostics) -> bool {
        match self.value {
            Value::Flag => true,
            _ => self.bool(errors).unwrap_or_default(),
        }
    }

    /// `true` or `false`.
    pub(crate) fn bool(self, errors: &mut Diagnostics) -> Option<bool> {
        let key = self.key.clone();
        let help = format!("write `{key} = true` or `{key} = false`");
        let tokens = match self.value {
            Value::Given(tokens) if !tokens.is_empty() => tokens,
            Value::List(tokens) if !tokens.is_empty() => {
                in_parentheses(&key, &tokens.to_string(), errors);
                return None;
            }
            Value::Given(_) | Value::List(_) | Value::Flag => {
                errors.error(key.span(), format!("`{key}` has no value"), help);
                return None;
            }
        };
        let span = syn::spanned::Spanned::span(&tokens);
        match syn::parse2::<syn::LitBool>(tokens) {
            Ok(value) => Some(value.value),
            Err(_) => {
                errors.error(span, format!("`{key}` is neither `true` nor `false`"), help);
                None
            }
        }
    }

    /// The word alone, without a value.
    pub(super) fn alone(self, errors: &mut Diagnostics) -> Option<Ident> {
        if matches!(self.value, Value::Flag) {
            return Some(self.key);
        }
        let key = &self.key;
        errors.error(
            key.span(),
            format!("`{key}` has a value"),
            format!("write `{key}` alone"),
        );
        None
    }

    /// A duration, and where it is written.
    pub(super) fn duration(
        self,
        such_as: &str,
        errors: &mut Diagnostics,
    ) -> Option<(Duration, Span)> {
        let key = self.key.to_string();
        let (text, span) = self.text(such_as, errors)?;
        Some((duration::parse(&key, &text, span, errors)?, span))
    }

    /// A literal text.
    pub(crate) fn text(self, such_as: &str, errors: &mut Diagnostics) -> Option<(String, Span)> {
        let key = self.key.clone();
        let fact = format!("`{key}` is not a literal text");
        let help = format!("write it out, such as `{key} = \"{such_as}\"`");
        let text = self.literal(&fact, &help, errors)?;
        Some((text.value(), text.span()))
    }

    /// The same as a token; `fact` and `help` are said of anything else.
    pub(super) fn literal(
        self,
        fact: &str,
        help: &str,
        errors: &mut Diagnostics,
    ) -> Option<LitStr> {
        match self.expr(errors)? {
            Expr::Lit(ExprLit {
                lit: Lit::Str(text),
                ..
            }) => Some(text),
            other => {
                errors.error(span_of(&other), fact, help);
                None
            }
        }
    }
}

/// Reports a value that is in parentheses.
pub(super) fn in_parentheses(key: &Ident, value: &str, errors: &mut Diagnostics) {
    errors.error(
        key.span(),
        format!("`{key}` is followed by parentheses"),
        format!("write `{key} = {value}`"),
    );
}

pub(crate) fn span_of(expr: &Expr) -> Span {
    syn::spanned::Spanned::span(expr)
}

/// What an expression is as a number, if it is a literal one.
pub(crate) fn number(expr: &Expr) -> Option<f64> {
    literal_number(expr).flatten()
}

/// What a literal is as a number: nothing where it is another literal. Anything but a literal has none.
pub(super) fn literal_number(expr: &Expr) -> Option<Option<f64>> {
    match expr {
        Expr::Lit(lit) => Some(match &lit.lit {
            Lit::Float(number) => number.base10_parse().ok(),
            Lit::Int(number) => number.base10_parse().ok(),
            _ => None,
        }),
        Expr::Unary(unary) if matches!(unary.op, syn::UnOp::Neg(_)) => {
            Some(literal_number(&unary.expr)?.map(|number: f64| -number))
        }
        Expr::Paren(paren) => literal_number(&paren.expr),
        Expr::Group(group) => literal_number(&group.expr),
        _ => None,
    }
}

/// What a literal is as a whole number that fits 32 bits.
pub(super) fn count_of(expr: &Expr) -> Option<u32> {
    let Expr::Lit(lit) = expr else { return None };
    let Lit::Int(number) = &lit.lit else {
        return None;
    };
    number.base10_parse().ok()
}

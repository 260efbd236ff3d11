//! `each(chain, limit = 8)`.

use proc_macro2::{Delimiter, Span, TokenStream, TokenTree};
use syn::Expr;

use super::{Parsed, Parser, Reported};
use crate::{
    dsl::{
        ast::{Each, Target},
        words::{LOOPS, Word},
    },
    options,
};

impl Parser<'_> {
    pub(super) fn each(&mut self, span: Span, inside: TokenStream) -> Parsed<Each> {
        let tokens: Vec<TokenTree> = inside.into_iter().collect();
        if let [TokenTree::Ident(key), sign, ..] = tokens.as_slice()
            && key == "limit"
            && is(sign, '=')
        {
            let help = "write it after the chain: `each(a -> b, limit = 8)`";
            self.errors
                .error(key.span(), "`limit` is before the chain of `each`", help);
            return Err(Reported);
        }
        let comma = tokens.iter().position(|token| is(token, ','));
        let (chain, rest) = tokens.split_at(comma.unwrap_or(tokens.len()));
        if chain.is_empty() {
            self.errors.error(
                span,
                "`each` is empty",
                "write the chain that every item runs through: `each(a -> b)`",
            );
            return Err(Reported);
        }
        if let Some(at) = chain.iter().position(|token| is(token, ';'))
            && let Some((semicolon, behind)) = chain.get(at..).and_then(<[_]>::split_first)
        {
            if !behind.is_empty() && is_option(behind) {
                self.errors.error(
                    semicolon.span(),
                    "a comma comes before the limit of `each`, and this is `;`",
                    "write `each(a -> b, limit = 8)`",
                );
                return Err(Reported);
            }
            return Err(self.second_chain(
                semicolon,
                "write `->` between its nodes; what needs more, such as a `catch`, is a flow of its own, named in the chain",
            ));
        }
        let limit = match rest.split_first() {
            Some((_, options)) if is_option(options) => self.limit(options)?,
            Some((comma, _)) => {
                return Err(self.second_chain(
                    comma,
                    "write `->` between its nodes; for several branches choose or fork inside the chain",
                ));
            }
            None => None,
        };
        let chain = self.chain(chain.to_vec(), span)?;
        if !matches!(chain.first(), Some(Target::Node(_) | Target::Each(_))) {
            self.errors.error(
                span,
                "the chain in `each` does not start with a node",
                "name the node that takes an item: `each(a -> b)`",
            );
            return Err(Reported);
        }
        Ok(Each { span, chain, limit })
    }

    fn second_chain(&mut self, separator: &TokenTree, help: &str) -> Reported {
        let fact = format!("`each` runs one chain, and this `{separator}` starts another");
        self.errors.error(separator.span(), fact, help);
        Reported
    }

    fn limit(&mut self, options: &[TokenTree]) -> Parsed<Option<Expr>> {
        let options = options.iter().cloned().collect();
        options::list_limit(options, self.errors).ok_or(Reported)
    }
}

/// Whether what follows a comma is meant as an option, and not as another chain.
fn is_option(tokens: &[TokenTree]) -> bool {
    match tokens {
        [] | [TokenTree::Literal(_), ..] => true,
        [TokenTree::Ident(key), rest @ ..] => match rest {
            [sign @ TokenTree::Punct(_), ..] if is(sign, '=') => true,
            [TokenTree::Group(group), ..] if group.delimiter() == Delimiter::Parenthesis => {
                let key = key.to_string();
                Word::of(&key).or_else(|| Word::called(&key)).is_none()
                    && !LOOPS.contains(&key.as_str())
            }
            _ => key == "limit",
        },
        _ => false,
    }
}

fn is(token: &TokenTree, sign: char) -> bool {
    matches!(token, TokenTree::Punct(punct) if punct.as_char() == sign)
}

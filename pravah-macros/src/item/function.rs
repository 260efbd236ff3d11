//! A function whose body is for rustc alone to read. To parse it here as well is slow, and there may be syntax in it that
//! `syn` does not know yet.

use proc_macro2::{Delimiter, Group, TokenStream, TokenTree};
use quote::ToTokens;
use syn::{
    Attribute, Block, Expr, FnModifiers, Item, ItemFn, Signature, Stmt, Visibility,
    parse::{Parse, ParseStream, discouraged::Speculative as _},
    token::Brace,
};

use crate::{conditions::Conditional, expand::as_written};

/// A function whose body is kept as one token group, wrapped in a block that `syn` accepts; or any other item, as it is.
/// The group keeps the spans of its braces, so an error that rustc finds in both copies is shown once.
#[derive(Clone)]
pub(crate) struct Unread<T>(pub(crate) T);

impl Parse for Unread<ItemFn> {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let ahead = input.fork();
        let attrs = ahead.call(Attribute::parse_outer)?;
        let vis: Visibility = ahead.parse()?;
        let sig: Signature = ahead.parse()?;
        let body = ahead.step(|cursor| {
            let (body, rest) = match cursor.token_tree() {
                Some((TokenTree::Group(group), rest)) => (block(&group), rest),
                _ => (None, *cursor),
            };
            let body = body.ok_or_else(|| cursor.error("expected a body"))?;
            Ok((body, rest))
        })?;
        if starts_with_attribute(&body) {
            // Such as a comment that documents the function from inside.
            return input.parse().map(Self);
        }
        input.advance_to(&ahead);
        let brace_token = Brace {
            span: body.delim_span(),
        };
        let block = Block {
            brace_token,
            stmts: vec![Stmt::Expr(Expr::Verbatim(body.into_token_stream()), None)],
        };
        Ok(Self(ItemFn {
            attrs,
            vis,
            modifiers: FnModifiers::default(),
            sig,
            block: Box::new(block),
        }))
    }
}

/// A block, which a `macro_rules!` may have put into a group of its own.
fn block(group: &Group) -> Option<Group> {
    match group.delimiter() {
        Delimiter::Brace => Some(group.clone()),
        Delimiter::None => match group.stream().into_iter().next()? {
            TokenTree::Group(inside) => block(&inside),
            _ => None,
        },
        _ => None,
    }
}

fn starts_with_attribute(body: &Group) -> bool {
    let mut tokens = body.stream().into_iter();
    let mut is_next =
        |sign| matches!(tokens.next(), Some(TokenTree::Punct(next)) if next.as_char() == sign);
    is_next('#') && is_next('!')
}

impl Parse for Unread<Item> {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let ahead = input.fork();
        if let Ok(Unread(function)) = ahead.parse() {
            input.advance_to(&ahead);
            return Ok(Self(Item::Fn(function)));
        }
        input.parse().map(Self)
    }
}

impl<T: ToTokens> ToTokens for Unread<T> {
    fn to_tokens(&self, tokens: &mut TokenStream) {
        tokens.extend(as_written(&self.0));
    }
}

impl<T: Conditional> Conditional for Unread<T> {
    fn retain(&mut self, keep: &mut dyn FnMut(&mut Vec<Attribute>) -> bool) {
        self.0.retain(keep);
    }
}
